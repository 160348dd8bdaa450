import { defineRoute } from "../route.js";

/** `GET /ca`: what a person needs to trust this hub's certificates. */
export const getAuthorityPage = defineRoute({
  method: "GET",
  path: "/ca",
  operationId: "getAuthorityPage",
  tag: "System",
  summary: "How to trust this hub's certificates",
  access: { kind: "public" },
  responses: { 200: { description: "A page with the fingerprint and the steps for each device.", contentType: "text/html; charset=utf-8" } },
  problems: [],
});

/** `GET /ca.crt`. */
export const getAuthorityFile = defineRoute({
  method: "GET",
  path: "/ca.crt",
  operationId: "getAuthorityFile",
  tag: "System",
  summary: "The certificate of the hub's own authority",
  access: { kind: "public" },
  responses: { 200: { description: "PEM.", contentType: "application/x-x509-ca-cert" } },
  problems: [],
});
