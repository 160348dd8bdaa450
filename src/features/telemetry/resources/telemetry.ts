import { type Static, Type } from "typebox";
import { dateTime, freeObject, nullable, oneOf } from "../../../core/api/fields.ts";

/** One telemetry sample (docs/spec/device-control-api.md §2). */
export const TelemetrySample = Type.Object(
  {
    at: dateTime({
      description: "The device's own time where it sent a plausible one, else when the hub received the sample.",
    }),
    data: freeObject({ examples: [{ watts: 41.5 }] }),
  },
  { title: "TelemetrySample" },
);

/** A sample as the API returns it. */
export type TelemetrySample = Static<typeof TelemetrySample>;

/** One bucket of the energy series (docs/spec/device-control-api.md §2). */
const EnergyBucket = Type.Object(
  {
    at: dateTime({ description: "Start of the bucket: a whole UTC hour, or local midnight of the hub's time zone." }),
    avg: Type.Number({ description: "Arithmetic mean of the samples in the bucket." }),
    max: Type.Number(),
  },
  { title: "EnergyBucket" },
);

/** The answer of the energy operation. */
export const EnergySeries = Type.Object(
  {
    deviceId: Type.String(),
    metric: Type.String({ examples: ["watts"] }),
    granularity: oneOf(["hour", "day"]),
    kwh: Type.Number({
      description:
        "Sum over the buckets of avg × hours the bucket covers inside the window ÷ 1000, to three decimals. 0 when there are no samples.",
    }),
    series: Type.Array(EnergyBucket, { description: "Oldest first; buckets without samples are left out." }),
  },
  { title: "EnergySeries" },
);

/** An energy answer as a value. */
export type EnergySeries = Static<typeof EnergySeries>;

/** One point of a device's history. */
const HistoryPoint = Type.Object(
  {
    at: dateTime({ description: "Start of the bucket; the time of the sample itself where `stepSeconds` is 0." }),
    avg: Type.Number({ description: "Arithmetic mean of the samples in the bucket." }),
    min: nullable(Type.Number(), {
      description: "Null where it is not known: only an hourly sum of a hub before this operation is left.",
    }),
    max: Type.Number(),
  },
  { title: "HistoryPoint" },
);

/** The answer of the history operation. */
export const DeviceHistory = Type.Object(
  {
    deviceId: Type.String(),
    metric: nullable(Type.String({ examples: ["temperature"] }), {
      description: "Null for a device that has no history.",
    }),
    metrics: Type.Array(Type.String(), { description: "Every metric of the device that has a history." }),
    timeZone: Type.String({
      description: "The household's zone: buckets of half an hour and more begin at its midnight.",
      examples: ["Asia/Kolkata"],
    }),
    from: dateTime(),
    to: dateTime(),
    stepSeconds: Type.Integer({
      minimum: 0,
      description: "Length of a bucket. 0: nothing was thinned, every point is one sample.",
    }),
    series: Type.Array(HistoryPoint, { description: "Oldest first; buckets without samples are left out." }),
  },
  { title: "DeviceHistory" },
);

/** A history answer as a value. */
export type DeviceHistory = Static<typeof DeviceHistory>;
