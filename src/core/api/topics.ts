/**
 * The native device protocol on MQTT (docs/spec/domain.md §2): one row per topic. `{id}` is the device id. The broker's
 * access rules, the parser, the docs and the tests come from this table.
 */
export const TOPICS = {
  status: {
    pattern: "{root}/{id}/status",
    from: "device",
    qos: 1,
    retain: true,
    what: "online / offline or {status, firmware, interval}; also the last will",
  },
  info: {
    pattern: "{root}/{id}/info",
    from: "device",
    qos: 1,
    retain: true,
    what: "{type, firmware, model, metrics, commands}",
  },
  state: {
    pattern: "{root}/{id}/state",
    from: "device",
    qos: 1,
    retain: false,
    what: "JSON object, merged into the device's state (RFC 7396)",
  },
  telemetry: {
    pattern: "{root}/{id}/telemetry",
    from: "device",
    qos: 1,
    retain: false,
    what: "JSON object, {at, data}, or an array of those (≤ 1,000)",
  },
  event: {
    pattern: "{root}/{id}/event",
    from: "device",
    qos: 1,
    retain: false,
    what: "{kind, title, body} for the feed",
  },
  command: {
    pattern: "{root}/{id}/command",
    from: "hub",
    qos: 1,
    retain: false,
    what: "the command object, byte for byte as accepted",
  },
  frame: {
    pattern: "{root}/{id}/capture/{captureId}/{n}",
    from: "device",
    qos: 1,
    retain: false,
    what: "one JPEG of a burst, n = 0, 1, 2 …",
  },
  captureDone: {
    pattern: "{root}/{id}/capture/{captureId}/done",
    from: "device",
    qos: 1,
    retain: false,
    what: "{trigger, frames, at, direction?} closes the burst",
  },
} as const;

/** Name of a native topic. */
export type TopicName = keyof typeof TOPICS;
