import { Type } from "typebox";
import { closed, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const level = () => oneOf(["ok", "degraded", "failed"]);

/** Public health: the state of each part, in words that reveal nothing about the household. */
const PublicHealth = Type.Object(
  {
    status: level(),
    version: Type.String(),
    checks: Type.Array(
      Type.Object(
        { code: Type.String(), level: level(), text: Type.String() },
        { ...closed, title: "PublicHealthCheck" },
      ),
    ),
  },
  { ...closed, title: "PublicHealth" },
);

/** `GET /healthz`. */
export const getHealthz = defineRoute({
  method: "GET",
  path: "/healthz",
  operationId: "getHealthz",
  tag: "System",
  summary: "Whether the process lives, and how its parts are",
  description:
    "Always 200 while the process answers: a full disk is not cured by a restart. `status` and `checks` tell what is wrong.",
  access: { kind: "public" },
  responses: { 200: { description: "It lives.", schema: PublicHealth } },
});

/** `GET /readyz`. */
export const getReadyz = defineRoute({
  method: "GET",
  path: "/readyz",
  operationId: "getReadyz",
  tag: "System",
  summary: "Whether the hub does its main job",
  access: { kind: "public" },
  responses: { 200: { description: "It serves.", schema: PublicHealth } },
  problems: ["unavailable"],
});

/** `GET /metrics`. */
export const getMetrics = defineRoute({
  method: "GET",
  path: "/metrics",
  operationId: "getMetrics",
  tag: "System",
  summary: "Prometheus figures, when the setting metrics.enabled is on",
  access: { kind: "public" },
  responses: {
    200: { description: "Text exposition format.", contentType: "text/plain; version=0.0.4; charset=utf-8" },
  },
  problems: ["not_found"],
});
