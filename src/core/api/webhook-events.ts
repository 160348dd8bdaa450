/** The contract's events (docs/spec/device-control-api.md §6): what a webhook takes by default. */
export const CONTRACT_EVENTS = ["device.state", "device.telemetry", "device.online", "device.offline"] as const;

/** Additions: sent to a receiver only if it asks for them. */
export const MORE_EVENTS = [
  "device.event",
  "plate.read",
  "gate.followed",
  "command.failed",
  "automation.notify",
] as const;

/** The events a webhook can take, the contract's first. */
export const WEBHOOK_EVENTS = [...CONTRACT_EVENTS, ...MORE_EVENTS] as const;

/** Name of an event. */
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
