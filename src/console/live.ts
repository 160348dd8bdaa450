import { devices, live, loadAll, onFeedItem, onPresence, onState, refreshDevice, refreshGate } from "./store.js";

type Handler = (fact: Record<string, unknown>) => void;

/** Reads and occupancy change together: one reload serves a burst of facts. */
const GATE_RELOAD_MS = 150;
let gateReload: ReturnType<typeof setTimeout> | null = null;

const HANDLERS: Readonly<Record<string, Handler>> = {
  "device.changed": (fact) => onState(String(fact.deviceId), fact.state as Record<string, unknown>, String(fact.at)), // shape of the fact in contract/facts.ts
  "device.presence": (fact) => onPresence(String(fact.deviceId), fact.online === true, String(fact.at)),
  "device.edited": (fact) => {
    if (fact.what !== "removed") return void refreshDevice(String(fact.deviceId)).catch(() => {});
    const next = new Map(devices.value);
    next.delete(String(fact.deviceId));
    devices.value = next;
  },
  "feed.added": (fact) =>
    onFeedItem({
      id: Number(fact.itemId),
      deviceId: typeof fact.deviceId === "string" ? fact.deviceId : null,
      kind: String(fact.kind),
      title: String(fact.title),
      body: String(fact.body),
      ...(typeof fact.words === "object" && fact.words !== null ? { words: fact.words as Record<string, unknown> } : {}), // an object, checked before
      read: false,
      at: String(fact.at),
    }),
  "read.decided": reloadGate,
  "occupancy.changed": reloadGate,
  "visit.changed": reloadGate,
};

function reloadGate(): void {
  if (gateReload !== null) return;
  gateReload = setTimeout(() => {
    gateReload = null;
    void refreshGate().catch(() => {});
  }, GATE_RELOAD_MS);
}

/** Listeners of pages that want a fact as it comes (camera setup, traces). */
const listeners = new Map<string, Set<Handler>>();

/** Calls `handler` for each fact of `kind` until the returned function is called. */
export function onFact(kind: string, handler: Handler): () => void {
  const handlers = listeners.get(kind) ?? new Set();
  handlers.add(handler);
  listeners.set(kind, handlers);
  return () => handlers.delete(handler);
}

/** Opens the event stream; the browser reconnects by itself, and then everything is loaded again, since facts may have been missed. */
export function startLive(): () => void {
  const source = new EventSource("/api/stream");
  let opened = false;
  source.onopen = () => {
    if (opened) void loadAll().catch(() => {});
    opened = true;
    live.value = true;
  };
  source.onerror = () => {
    live.value = false;
  };
  const kinds = new Set([...Object.keys(HANDLERS), "automation.ran", "webhook.changed", "device.telemetry", "scene.activated", "command.sent"]);
  for (const kind of kinds) {
    source.addEventListener(kind, (event) => {
      const fact = JSON.parse(event.data) as Record<string, unknown>; // the hub sends JSON objects
      HANDLERS[kind]?.(fact);
      for (const handler of listeners.get(kind) ?? []) handler(fact);
    });
  }
  return () => source.close();
}
