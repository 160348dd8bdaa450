import { Type } from "typebox";
import { cursor, dateTime, limit, since } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { DeviceHistory, EnergySeries, TelemetrySample } from "../resources/telemetry.ts";

const DeviceParams = Type.Object({ id: Type.String({ minLength: 1, description: "Device id." }) });

/** `GET /v1/devices/{id}/telemetry`. */
export const listTelemetry = defineRoute({
  method: "GET",
  path: "/v1/devices/{id}/telemetry",
  operationId: "listTelemetry",
  tag: "Telemetry",
  summary: "Read a device's telemetry samples",
  description:
    "Newest first. Older samples are reached through the `Link` header. Raw samples are kept for 35 days (a setting).",
  access: { kind: "scope", scope: "telemetry:read" },
  params: DeviceParams,
  query: Type.Object({ limit: limit(1000, 100), since, cursor }),
  responses: {
    200: {
      description: "The samples.",
      schema: Type.Object(
        { deviceId: Type.String(), telemetry: Type.Array(TelemetrySample, { description: "Newest first." }) },
        { title: "TelemetryList" },
      ),
    },
  },
  problems: ["device_not_found"],
  examples: [
    {
      name: "plug",
      params: { id: "plug-kitchen" },
      status: 200,
      answer: { deviceId: "plug-kitchen", telemetry: [{ at: "2026-03-01T12:00:00.000Z", data: { watts: 41.5 } }] },
    },
  ],
});

/** `GET /v1/devices/{id}/energy`. */
export const getEnergy = defineRoute({
  method: "GET",
  path: "/v1/devices/{id}/energy",
  operationId: "getEnergy",
  tag: "Telemetry",
  summary: "Read a bucketed series of one metric",
  description: [
    "Hourly buckets (UTC) for windows up to 48 hours, daily ones (from local midnight of the hub's time zone) beyond.",
    "`avg` is the arithmetic mean of the samples in a bucket, `max` their maximum; buckets without samples are left out.",
    "`kwh` is the integral of the averaged metric: the sum over the buckets of avg × hours the bucket covers inside the window, divided by 1000.",
    "It is energy in kilowatt-hours when the metric is a power in watts; for any other metric it is the same integral divided by 1000.",
  ].join(" "),
  access: { kind: "scope", scope: "telemetry:read" },
  params: DeviceParams,
  query: Type.Object({
    hours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2160, default: 24, description: "Length of the window that ends now." }),
    ),
    metric: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z][A-Za-z0-9_]{0,31}$",
        default: "watts",
        description: "Key of the samples' data. A metric that no sample carries gives an empty series.",
      }),
    ),
  }),
  responses: { 200: { description: "The series.", schema: EnergySeries } },
  problems: ["device_not_found"],
  examples: [
    {
      name: "plug",
      params: { id: "plug-kitchen" },
      status: 200,
      answer: {
        deviceId: "plug-kitchen",
        metric: "watts",
        granularity: "hour",
        kwh: 0.042,
        series: [{ at: "2026-03-01T12:00:00.000Z", avg: 41.5, max: 60 }],
      },
    },
  ],
});

/** `GET /v1/devices/{id}/history`. */
export const getHistorySeries = defineRoute({
  method: "GET",
  path: "/v1/devices/{id}/history",
  operationId: "getDeviceHistory",
  tag: "Telemetry",
  summary: "Read the history of one metric, thinned to what a screen can show",
  description: [
    "Any stretch from `from` (inclusive) to `to` (exclusive), cut into about `points` buckets of one length with mean, minimum and maximum.",
    "Buckets are made from the samples where they are still kept, and from quarter-hour sums beyond; a stretch with few samples is answered as it was sampled.",
    "Days are the household's: one with a change of the clock has 23 or 25 hours.",
  ].join(" "),
  access: { kind: "scope", scope: "telemetry:read" },
  addition: true,
  params: DeviceParams,
  query: Type.Object({
    metric: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z][A-Za-z0-9_]{0,31}$",
        description:
          "Key of the samples' data; without it, the first that the device has. A metric that no sample carries gives an empty series.",
      }),
    ),
    from: Type.Optional(dateTime({ description: "Beginning of the stretch; a day before its end unless given." })),
    to: Type.Optional(dateTime({ description: "End of the stretch; now unless given." })),
    points: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 1500, default: 500, description: "About as many points as wanted." }),
    ),
  }),
  responses: { 200: { description: "The history.", schema: DeviceHistory } },
  problems: ["device_not_found"],
  examples: [
    {
      name: "plug",
      params: { id: "plug-kitchen" },
      query: { metric: "watts", from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z", points: 96 },
      status: 200,
      answer: {
        deviceId: "plug-kitchen",
        metric: "watts",
        metrics: ["watts"],
        timeZone: "Asia/Kolkata",
        from: "2026-03-01T00:00:00.000Z",
        to: "2026-03-02T00:00:00.000Z",
        stepSeconds: 900,
        series: [{ at: "2026-03-01T12:00:00.000Z", avg: 41.5, min: 38.2, max: 60 }],
      },
    },
  ],
});

/** `GET /v1/devices/{id}/telemetry.csv`. */
export const exportTelemetry = defineRoute({
  method: "GET",
  path: "/v1/devices/{id}/telemetry.csv",
  operationId: "exportTelemetry",
  tag: "Telemetry",
  summary: "Download a device's samples as CSV",
  description: [
    "Every sample from `from` (inclusive) to `to` (exclusive) that is still kept, oldest first, a line for each value: `time,device,metric,value`.",
    "`time` is the household's wall time with its offset from UTC, to the millisecond. A text that begins with `=`, `+`, `-` or `@` gets an apostrophe in front, so that no spreadsheet runs it.",
    "The file is made while it is sent; a connection that ends before its last chunk has not brought all of it. The newest few seconds may be missing.",
  ].join(" "),
  access: { kind: "scope", scope: "telemetry:read" },
  addition: true,
  params: DeviceParams,
  query: Type.Object({
    metric: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Only this key of the samples' data; all unless given.",
      }),
    ),
    from: Type.Optional(dateTime({ description: "Beginning of the stretch; a day before its end unless given." })),
    to: Type.Optional(dateTime({ description: "End of the stretch; now unless given." })),
  }),
  responses: { 200: { description: "The samples.", contentType: "text/csv; charset=utf-8" } },
  problems: ["device_not_found"],
  examples: [
    {
      name: "plug",
      params: { id: "plug-kitchen" },
      query: { metric: "watts", from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z" },
      status: 200,
      answer: "time,device,metric,value\r\n2026-03-01T17:30:00.000+05:30,plug-kitchen,watts,41.5\r\n",
    },
  ],
});

/** `GET /v1/telemetry/metrics`. */
export const getHouseholdMetrics = defineRoute({
  method: "GET",
  path: "/v1/telemetry/metrics",
  operationId: "getHouseholdMetrics",
  tag: "Telemetry",
  summary: "The present values of all devices, for Prometheus",
  description: [
    "Text exposition format, when an owner has switched it on (System, Long-term series).",
    "A device that is away has no values but `gatehouse_device_online 0`; a value that was not measured for a day is absent.",
    "At most 10,000 series; `gatehouse_series_left_out` counts those beyond.",
  ].join(" "),
  access: { kind: "scope", scope: "telemetry:export" },
  addition: true,
  responses: {
    200: { description: "Text exposition format.", contentType: "text/plain; version=0.0.4; charset=utf-8" },
  },
  problems: ["not_found"],
  examples: [
    {
      name: "plug",
      status: 200,
      answer:
        '# HELP gatehouse_power_watts Electric power.\n# TYPE gatehouse_power_watts gauge\ngatehouse_power_watts{device="plug-kitchen"} 41.5\n',
    },
  ],
});
