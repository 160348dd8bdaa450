/**
 * `@gatehouse/client`: the API of a Gatehouse hub for apps, in browsers, Node and React Native. Owns how an app asks,
 * waits, retries and listens; knows nothing of the hub but its description (`types.d.ts` is made from it), and depends
 * on nothing.
 */
export { CommandHandle, type OutcomeOptions } from "./command.ts";
export { HubError, HubUnreachable } from "./errors.ts";
export type { EventsOptions } from "./events.ts";
export { Hub, type HubOptions } from "./hub.ts";
export type { List } from "./list.ts";
export { type Paired, type PairOptions, pair, type Scope } from "./pairing.ts";
export type {
  Automation,
  AutomationInput,
  Command,
  Device,
  DevicePatch,
  EnergySeries,
  FeedItem,
  HubEvent,
  Me,
  Occupancy,
  PairingCodes,
  PlateRead,
  PlateRule,
  PlateRuleInput,
  ProblemCode,
  Room,
  Scene,
  TelemetrySample,
  Vehicle,
  VehicleHistory,
  WebhookDelivery,
} from "./types.js";
export { verifyWebhook, type WebhookHeaders, type WebhookOptions, WebhookRefused } from "./webhooks.ts";
