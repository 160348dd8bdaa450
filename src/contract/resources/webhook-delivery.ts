import { type Static, type TSchema, Type } from "typebox";
import { dateTime, freeObject, nullable, oneOf } from "./fields.js";

/** The events a webhook can take (contract §6); `GET /v1` lists them. */
export const WEBHOOK_EVENTS = ["device.state", "device.telemetry", "device.online", "device.offline"] as const;

/** Name of an event. */
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

const test = Type.Optional(Type.Literal(true, { description: "There, and true, when the delivery is a test or comes from the simulated household." }));
const at = dateTime({ description: "When it happened." });

function delivery<const Event extends WebhookEvent, Data extends TSchema>(title: string, event: Event, data: Data) {
  return Type.Object(
    {
      id: Type.String({ description: "The same in every attempt: drop what you have seen.", examples: ["dlv_01JNF3T0ZQ4V7X9YB2C4D6E8F0"] }),
      event: Type.Literal(event),
      deviceId: Type.String({ examples: ["plug-kitchen"] }),
      data,
      at,
    },
    { title },
  );
}

const StateDelivery = delivery(
  "StateDelivery",
  "device.state",
  Type.Object(
    {
      state: freeObject({ description: "The whole state after the change." }),
      changed: Type.Array(Type.String(), { description: "Keys of `state` whose values have changed." }),
      previous: freeObject({ description: "What those keys held before; absent where there was nothing." }),
      source: oneOf(["device", "api", "console", "scene", "automation"], { description: "Whose doing it was, as far as the hub can tell." }),
      test,
    },
    { title: "StateChange" },
  ),
);

const Sample = Type.Object({ at: dateTime(), data: freeObject() }, { title: "DeliveredSample" });

const TelemetryDelivery = delivery(
  "TelemetryDelivery",
  "device.telemetry",
  Type.Object(
    {
      at: dateTime({ description: "Time of the newest sample." }),
      data: freeObject({ description: "The newest sample." }),
      samples: Type.Array(Sample, { description: "All samples since the delivery before, the newest among them." }),
      test,
    },
    { title: "NewSamples" },
  ),
);

const OnlineDelivery = delivery(
  "OnlineDelivery",
  "device.online",
  Type.Object({ online: Type.Literal(true), lastSeen: nullable(dateTime()), firmware: nullable(Type.String()), test }, { title: "CameOnline" }),
);

const OfflineDelivery = delivery(
  "OfflineDelivery",
  "device.offline",
  Type.Object(
    {
      online: Type.Literal(false),
      lastSeen: nullable(dateTime()),
      reason: oneOf(["disconnect", "keepalive", "will", "revoked"], { description: "It said goodbye, fell silent, its last will came, or it was removed." }),
      test,
    },
    { title: "WentOffline" },
  ),
);

/** What is posted to a receiver, by event. */
type WebhookDelivery = Static<typeof StateDelivery> | Static<typeof TelemetryDelivery> | Static<typeof OnlineDelivery> | Static<typeof OfflineDelivery>;

/** One kind of delivery, as the description tells of it. */
export interface WebhookSpec {
  readonly event: WebhookEvent;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly example: WebhookDelivery;
}

const EXAMPLE = { id: "dlv_01JNF3T0ZQ4V7X9YB2C4D6E8F0", deviceId: "plug-kitchen", at: "2026-03-01T12:00:00.000Z" } as const;

/** All kinds of deliveries, in the contract's order. */
export const WEBHOOKS: readonly WebhookSpec[] = [
  {
    event: "device.state",
    operationId: "onDeviceState",
    summary: "A device's state has changed",
    description: "At most five a second for each device; changes that come faster are told together.",
    schema: StateDelivery,
    example: { ...EXAMPLE, event: "device.state", data: { state: { power: true }, changed: ["power"], previous: { power: false }, source: "device" } },
  },
  {
    event: "device.telemetry",
    operationId: "onDeviceTelemetry",
    summary: "A device has sent samples",
    description: "At most one a second for each device (a setting), with all samples since the one before.",
    schema: TelemetryDelivery,
    example: {
      ...EXAMPLE,
      event: "device.telemetry",
      data: { at: "2026-03-01T12:00:00.000Z", data: { watts: 41.5 }, samples: [{ at: "2026-03-01T12:00:00.000Z", data: { watts: 41.5 } }] },
    },
  },
  {
    event: "device.online",
    operationId: "onDeviceOnline",
    summary: "A device is there",
    description: "A device that comes and goes quickly is told of once it stays.",
    schema: OnlineDelivery,
    example: { ...EXAMPLE, event: "device.online", data: { online: true, lastSeen: "2026-03-01T12:00:00.000Z", firmware: "1.4.2" } },
  },
  {
    event: "device.offline",
    operationId: "onDeviceOffline",
    summary: "A device has gone",
    description: "It ended its connection, fell silent, or was removed.",
    schema: OfflineDelivery,
    example: { ...EXAMPLE, event: "device.offline", data: { online: false, lastSeen: "2026-03-01T11:59:00.000Z", reason: "keepalive" } },
  },
];
