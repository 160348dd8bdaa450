import type { Facts, ShownFact } from "../contract/facts.js";
import { lookWhoIsHere } from "./session.js";
import { devices, live, loadAll, onFeedItem, onPresence, onState, refreshDevice, refreshGate } from "./store.js";

/** Reads and occupancy change together: one reload serves a burst of facts. */
const GATE_RELOAD_MS = 150;
let gateReload: ReturnType<typeof setTimeout> | null = null;

type Handler<Kind extends keyof Facts> = (fact: ShownFact<Kind>) => void;

/** What the store makes of facts, on every page. */
const HANDLERS: { readonly [Kind in keyof Facts]?: Handler<Kind> } = {
  "device.changed": ({ deviceId, state, at }) => onState(deviceId, state, at),
  "device.presence": ({ deviceId, online, at }) => onPresence(deviceId, online, at),
  "device.edited": ({ deviceId, what }) => {
    if (what !== "removed") return void refreshDevice(deviceId).catch(() => {});
    const next = new Map(devices.value);
    next.delete(deviceId);
    devices.value = next;
  },
  "feed.added": ({ itemId, deviceId, kind, title, body, words, at }) =>
    onFeedItem({ id: itemId, deviceId, kind, title, body, ...(words ? { words } : {}), read: false, at }),
  "read.decided": reloadGate,
  "gate.opening": ({ readId }) => void (readId !== null && reloadGate()),
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
const listeners: { [Kind in keyof Facts]?: Set<Handler<Kind>> } = {};
let source: EventSource | null = null;
/** Kinds that the open stream is listened to for. */
const heard = new Set<keyof Facts>();

/** Calls `handler` for each fact of `kind` until the returned function is called. */
export function onFact<Kind extends keyof Facts>(kind: Kind, handler: Handler<Kind>): () => void {
  const handlers: Set<Handler<Kind>> = listeners[kind] ?? new Set();
  Object.assign(listeners, { [kind]: handlers });
  handlers.add(handler);
  hear(kind);
  return () => handlers.delete(handler);
}

function hear<Kind extends keyof Facts>(kind: Kind): void {
  if (source === null || heard.has(kind)) return;
  heard.add(kind);
  source.addEventListener(kind, (event) => {
    const fact = JSON.parse(event.data) as ShownFact<Kind>; // the hub sends by the same map
    HANDLERS[kind]?.(fact);
    for (const handler of listeners[kind] ?? []) handler(fact);
  });
}

/** After a refusal, which a browser takes for final, it is asked for again this often. */
const REFUSED_MS = 3_000;

/**
 * Opens the event stream; the browser reconnects by itself, and then everything is loaded again, since facts may have
 * been missed. Where the hub refuses it, because the session has ended, that is noticed here.
 */
export function startLive(): () => void {
  let opened = false;
  let isStopped = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const open = (): EventSource => {
    const opening = new EventSource("/api/stream");
    heard.clear();
    opening.onopen = () => {
      if (opened) {
        void loadAll().catch(() => {});
        void lookWhoIsHere(); // another window may have signed in somebody else
      }
      opened = true;
      live.value = true;
    };
    opening.onerror = () => {
      live.value = false;
      if (opening.readyState === EventSource.CLOSED) void tryAgain();
    };
    return opening;
  };
  const listen = (): void => {
    source = open();
    for (const kind of Object.keys({ ...HANDLERS, ...listeners }) as (keyof Facts)[]) hear(kind); // the keys of both
  };
  const tryAgain = async (): Promise<void> => {
    const isNobody = (await lookWhoIsHere()) === "nobody";
    if (!isStopped && !isNobody) waiting = setTimeout(listen, REFUSED_MS);
  };
  listen();
  return () => {
    isStopped = true;
    clearTimeout(waiting);
    source?.close();
  };
}
