import { type Static, type TSchema, Type } from "typebox";
import { dateTime, freeObject, integerId, nullable, oneOf } from "../fields.ts";
import type { WebhookEvent } from "../webhook-events.ts";
import { COMMAND_REASONS } from "./command.ts";

const test = Type.Optional(
  Type.Literal(true, {
    description: "There, and true, when the delivery is a test or comes from the simulated household.",
  }),
);
const at = dateTime({ description: "When it happened." });

function delivery<const Event extends WebhookEvent, Data extends TSchema>(title: string, event: Event, data: Data) {
  return deliveryAbout(title, event, Type.String({ examples: ["plug-kitchen"] }), data);
}

function deliveryAbout<const Event extends WebhookEvent, About extends TSchema, Data extends TSchema>(
  title: string,
  event: Event,
  deviceId: About,
  data: Data,
) {
  return Type.Object(
    {
      id: Type.String({
        description: "The same in every attempt: drop what you have seen.",
        examples: ["dlv_01JNF3T0ZQ4V7X9YB2C4D6E8F0"],
      }),
      event: Type.Literal(event),
      deviceId,
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
      source: oneOf(["device", "api", "console", "scene", "automation"], {
        description: "Whose doing it was, as far as the hub can tell.",
      }),
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
  Type.Object(
    { online: Type.Literal(true), lastSeen: nullable(dateTime()), firmware: nullable(Type.String()), test },
    { title: "CameOnline" },
  ),
);

const OfflineDelivery = delivery(
  "OfflineDelivery",
  "device.offline",
  Type.Object(
    {
      online: Type.Literal(false),
      lastSeen: nullable(dateTime()),
      reason: oneOf(["disconnect", "keepalive", "will", "revoked"], {
        description: "It said goodbye, fell silent, its last will came, or it was removed.",
      }),
      test,
    },
    { title: "WentOffline" },
  ),
);

const DeviceEventDelivery = delivery(
  "DeviceEventDelivery",
  "device.event",
  Type.Object(
    { kind: Type.String({ examples: ["bell"] }), title: Type.String(), body: Type.String(), test },
    { title: "DeviceReport" },
  ),
);

const PlateReadDelivery = delivery(
  "PlateReadDelivery",
  "plate.read",
  Type.Object(
    {
      readId: integerId({ description: "Id of the read in `GET /v1/plates`." }),
      plate: nullable(Type.String()),
      formatted: nullable(Type.String()),
      confidence: Type.Integer({ minimum: 0, maximum: 100 }),
      decision: oneOf(["allow", "deny", "watch", "unknown"]),
      direction: nullable(oneOf(["in", "out"])),
      status: oneOf(["recognised", "unrecognised"]),
      test,
    },
    { title: "ReportedPlateRead" },
  ),
);

const FollowedDelivery = delivery(
  "GateFollowedDelivery",
  "gate.followed",
  Type.Object(
    {
      vehicles: Type.Integer({ minimum: 1, description: "Followers of this opening so far." }),
      plate: nullable(Type.String(), { description: "Null where the loop counted it." }),
      readId: nullable(integerId(), { description: "Id of the read in `GET /v1/plates`." }),
      test,
    },
    { title: "ReportedFollower" },
  ),
);

const CommandFailedDelivery = delivery(
  "CommandFailedDelivery",
  "command.failed",
  Type.Object(
    {
      commandId: integerId({ description: "As in the 202 of the command." }),
      status: oneOf(["failed", "expired"]),
      reason: oneOf(COMMAND_REASONS, { description: "As in `GET /v1/commands/{id}`." }),
      test,
    },
    { title: "FailedCommand" },
  ),
);

const NotifyDelivery = deliveryAbout(
  "NotifyDelivery",
  "automation.notify",
  Type.Null({ description: "A message belongs to no device." }),
  Type.Object({ title: Type.String(), body: Type.String(), test }, { title: "RuleMessage" }),
);

/** The body posted to a receiver, by event. */
type WebhookDelivery =
  | Static<typeof StateDelivery>
  | Static<typeof TelemetryDelivery>
  | Static<typeof OnlineDelivery>
  | Static<typeof OfflineDelivery>
  | Static<typeof DeviceEventDelivery>
  | Static<typeof PlateReadDelivery>
  | Static<typeof FollowedDelivery>
  | Static<typeof CommandFailedDelivery>
  | Static<typeof NotifyDelivery>;

/** One kind of delivery, for the API description. */
export interface WebhookSpec {
  readonly event: WebhookEvent;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Beyond the contract's four. */
  readonly addition?: boolean;
  readonly schema: TSchema;
  readonly example: WebhookDelivery;
}

const EXAMPLE = {
  id: "dlv_01JNF3T0ZQ4V7X9YB2C4D6E8F0",
  deviceId: "plug-kitchen",
  at: "2026-03-01T12:00:00.000Z",
} as const;

/** All kinds of deliveries, in the contract's order. */
export const WEBHOOKS: readonly WebhookSpec[] = [
  {
    event: "device.state",
    operationId: "onDeviceState",
    summary: "A device's state has changed",
    description: "At most five a second for each device; changes that come faster are told together.",
    schema: StateDelivery,
    example: {
      ...EXAMPLE,
      event: "device.state",
      data: { state: { power: true }, changed: ["power"], previous: { power: false }, source: "device" },
    },
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
      data: {
        at: "2026-03-01T12:00:00.000Z",
        data: { watts: 41.5 },
        samples: [{ at: "2026-03-01T12:00:00.000Z", data: { watts: 41.5 } }],
      },
    },
  },
  {
    event: "device.online",
    operationId: "onDeviceOnline",
    summary: "A device is there",
    description: "A device that comes and goes quickly is told of once it stays.",
    schema: OnlineDelivery,
    example: {
      ...EXAMPLE,
      event: "device.online",
      data: { online: true, lastSeen: "2026-03-01T12:00:00.000Z", firmware: "1.4.2" },
    },
  },
  {
    event: "device.offline",
    operationId: "onDeviceOffline",
    summary: "A device has gone",
    description: "It ended its connection, fell silent, or was removed.",
    schema: OfflineDelivery,
    example: {
      ...EXAMPLE,
      event: "device.offline",
      data: { online: false, lastSeen: "2026-03-01T11:59:00.000Z", reason: "keepalive" },
    },
  },
  {
    event: "device.event",
    operationId: "onDeviceEvent",
    summary: "A device has said something",
    description: "Such as that its bell was rung. 200 of one device at once, then 30 a minute.",
    addition: true,
    schema: DeviceEventDelivery,
    example: { ...EXAMPLE, event: "device.event", data: { kind: "bell", title: "Front door: bell", body: "" } },
  },
  {
    event: "plate.read",
    operationId: "onPlateRead",
    summary: "A camera has seen a vehicle",
    description: "Once for each pass, when it is decided; what later frames make surer is read from `GET /v1/plates`.",
    addition: true,
    schema: PlateReadDelivery,
    example: {
      ...EXAMPLE,
      deviceId: "camera-gate",
      event: "plate.read",
      data: {
        readId: 71,
        plate: "MH12AB1234",
        formatted: "MH 12 AB 1234",
        confidence: 96,
        decision: "allow",
        direction: "in",
        status: "recognised",
      },
    },
  },
  {
    event: "gate.followed",
    operationId: "onGateFollowed",
    summary: "A vehicle followed another one through a gate",
    description:
      "`deviceId` is the gate. Once for each follower that is noticed, where the household counts them: a plate that was not let in is at the open gate, or a loop behind it counts more vehicles than were.",
    addition: true,
    schema: FollowedDelivery,
    example: {
      ...EXAMPLE,
      deviceId: "gate",
      event: "gate.followed",
      data: { vehicles: 1, plate: "DL8CAF5031", readId: 72 },
    },
  },
  {
    event: "command.failed",
    operationId: "onCommandFailed",
    summary: "A command came to nothing",
    description: "The sender: an app, a person, a rule, the gate.",
    addition: true,
    schema: CommandFailedDelivery,
    example: {
      ...EXAMPLE,
      event: "command.failed",
      data: { commandId: 812, status: "expired", reason: "device_away" },
    },
  },
  {
    event: "automation.notify",
    operationId: "onAutomationNotify",
    summary: "A rule has a message",
    description: "Of the action `notify`.",
    addition: true,
    schema: NotifyDelivery,
    example: {
      ...EXAMPLE,
      deviceId: null,
      event: "automation.notify",
      data: { title: "Water", body: "The tank is nearly empty." },
    },
  },
];
