import { Type } from "typebox";
import { oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

/** `GET /ca`: instructions for trusting this hub's certificates. */
export const getAuthorityPage = defineRoute({
  method: "GET",
  path: "/ca",
  operationId: "getAuthorityPage",
  tag: "System",
  summary: "How to trust this hub's certificates",
  description:
    "Also over plain http where that is closed. The page sees by itself when the browser trusts the hub, and moves to https.",
  query: Type.Object({
    lang: Type.Optional(oneOf(["en", "hi"], { description: "As the browser asks (Accept-Language) unless given." })),
  }),
  access: { kind: "public" },
  responses: {
    200: {
      description: "A page with the fingerprint and the steps for each device.",
      contentType: "text/html; charset=utf-8",
    },
  },
  problems: ["not_found"],
});

/** `GET /ca.crt`. */
export const getAuthorityFile = defineRoute({
  method: "GET",
  path: "/ca.crt",
  operationId: "getAuthorityFile",
  tag: "System",
  summary: "The certificate of the hub's own authority",
  description:
    "For browsers and apps. It is bound to names and addresses of a home network (critical name constraints).",
  access: { kind: "public" },
  responses: { 200: { description: "PEM.", contentType: "application/x-x509-ca-cert" } },
  problems: ["not_found"],
});

/** `GET /ca-devices.crt`. */
export const getDeviceAuthorityFile = defineRoute({
  method: "GET",
  path: "/ca-devices.crt",
  operationId: "getDeviceAuthorityFile",
  tag: "System",
  summary: "The certificate of the hub's own authority, for devices",
  description:
    "The same authority with the same key. The small TLS libraries of devices know no name constraints and refuse a certificate in which they are critical; in this one they are not.",
  access: { kind: "public" },
  responses: { 200: { description: "PEM.", contentType: "application/x-x509-ca-cert" } },
  problems: ["not_found"],
});
