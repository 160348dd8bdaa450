import { Type } from "typebox";
import { answer, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, nullable, oneOf, text, words } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const TAG = "Telemetry";
const plain = (description: string) =>
  Type.String({ maxLength: 200, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$", "x-text": true, description });

const Target = {
  enabled: Type.Boolean({ description: "Off: nothing is sent; what is set stays." }),
  version: oneOf(["1", "2"], { description: "1: `/write`; 2: `/api/v2/write`." }),
  url: Type.String({
    minLength: 1,
    maxLength: 500,
    "x-text": true,
    description: "Of the server, without the path of its interface.",
    examples: ["http://192.168.1.20:8086"],
  }),
  database: plain("Version 1."),
  user: plain("Version 1; empty where the server asks for none."),
  org: plain("Version 2."),
  bucket: plain("Version 2."),
  home: text(64, { description: "Tag of every point: which home it is. Another one begins new series." }),
};

const Series = Type.Object(
  {
    influx: nullable(Type.Object({ ...Target, hasSecret: Type.Boolean() }, { title: "InfluxTarget" }), {
      description: "Null: never set up.",
    }),
    export: Type.Object({
      state: oneOf(["off", "clock", "sending", "catchingUp", "waiting"], {
        description:
          "clock: the hub does not know the time, and waits. catchingUp: older samples are being sent. waiting: the server did not take the last ones.",
      }),
      lastSentAt: nullable(dateTime()),
      sent: Type.Integer({ minimum: 0, description: "Samples taken by the server since the start of the hub." }),
      refused: Type.Integer({ minimum: 0, description: "Points that it did not take." }),
      behindSince: nullable(dateTime(), { description: "The oldest sample that is not there yet." }),
      nextTryAt: nullable(dateTime()),
      problem: nullable(Type.String(), { description: "Why it waits, or what was refused last." }),
      words: words(),
    }),
    prometheus: Type.Object({
      enabled: Type.Boolean({ description: "Whether `GET /v1/telemetry/metrics` answers." }),
      path: Type.String(),
    }),
    suggestedHome: Type.String({ description: "For the tag, where nothing is set up." }),
    leftOut: Type.Array(Type.String(), { description: "Ids of devices of which nothing is told to either." }),
  },
  { title: "Series" },
);

const answered = { 200: { description: "As it is now.", schema: answer("series", Series, "SeriesAnswer") } };

/** `GET /api/series`. */
export const getSeries = defineRoute({
  method: "GET",
  path: "/api/series",
  operationId: "getSeries",
  tag: TAG,
  summary: "Long-term series that are kept elsewhere",
  description: "Where samples are sent, who may fetch values, and how it goes. Secrets are not told.",
  access: session,
  proof: "none",
  responses: answered,
});

/** `PUT /api/series/influx`. */
export const putSeriesInflux = defineRoute({
  method: "PUT",
  path: "/api/series/influx",
  operationId: "putSeriesInflux",
  tag: TAG,
  summary: "Set up where samples are sent",
  description: "A server that takes InfluxDB's line protocol. It is tried at once; redirects are not followed.",
  access: session,
  proof: "fresh",
  body: Type.Object(
    {
      ...Target,
      secret: Type.Optional(
        nullable(Type.String({ minLength: 1, maxLength: 500, format: "password" }), {
          description: "Password of version 1, token of version 2. Absent: as before; null: none.",
        }),
      ),
      begin: oneOf(["now", "kept", "resume"], {
        description:
          "now: what is measured from now on. kept: all samples that the hub still has. resume: what comes after what was sent last.",
      }),
    },
    { ...closed, title: "InfluxTargetPut" },
  ),
  responses: answered,
});

/** `PUT /api/series/prometheus`. */
export const putSeriesPrometheus = defineRoute({
  method: "PUT",
  path: "/api/series/prometheus",
  operationId: "putSeriesPrometheus",
  tag: TAG,
  summary: "Let Prometheus fetch the household's values",
  description: "`GET /v1/telemetry/metrics` answers keys with the right `telemetry:export`.",
  access: session,
  proof: "fresh",
  body: Type.Object({ enabled: Type.Boolean() }, { ...closed, title: "SeriesPrometheusPut" }),
  responses: answered,
});

/** `PUT /api/series/devices`. */
export const putSeriesDevices = defineRoute({
  method: "PUT",
  path: "/api/series/devices",
  operationId: "putSeriesDevices",
  tag: TAG,
  summary: "Choose devices of which nothing is told",
  description: "What one measures while it is left out is not sent later either.",
  access: session,
  proof: "fresh",
  body: Type.Object(
    { leftOut: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 5_000, uniqueItems: true }) },
    { ...closed, title: "SeriesDevicesPut" },
  ),
  responses: answered,
});
