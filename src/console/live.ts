import { effect } from "@preact/signals";
import type { Facts, ShownFact } from "../core/api/facts.ts";
import { reachable } from "./api.ts";
import { paced } from "./paced.ts";
import { account, lookWhoIsHere } from "./session.ts";
import {
  catchUp,
  hubAway,
  live,
  onEdited,
  onFeedItem,
  onPresence,
  onRemoved,
  onState,
  refreshGate,
  refreshHouse,
  refreshQuestions,
} from "./store.ts";
import { type EventStream, openStream, type StreamEvents } from "./stream.ts";

const reloadAll = paced(() => catchUp(null));
const reloadGate = paced(refreshGate);
const reloadHouse = paced(refreshHouse);
const reloadQuestions = paced(refreshQuestions);

type Handler<Kind extends keyof Facts> = (fact: ShownFact<Kind>) => void;

/** How the shared store handles facts. */
const HANDLERS: { readonly [Kind in keyof Facts]?: Handler<Kind> } = {
  "device.changed": ({ deviceId, state, at }) => onState(deviceId, state, at),
  "device.presence": ({ deviceId, online, at }) => onPresence(deviceId, online, at),
  "device.edited": ({ deviceId, what }) => (what === "removed" ? onRemoved(deviceId) : onEdited(deviceId)),
  "feed.added": ({ itemId: id, words, deviceId, kind, title, body, becauseOf, readId, cameraId, at, withEarlier }) => {
    if (withEarlier === true) return reloadAll();
    const item = { id, deviceId, kind, title, body, becauseOf, readId, cameraId, at };
    onFeedItem({ ...item, ...(words ? { words } : {}), read: false });
  },
  "read.decided": reloadGate,
  "gate.opening": ({ readId }) => void (readId !== null && reloadGate()),
  "gate.question": ({ state }) => {
    reloadQuestions();
    if (state !== "asked") reloadGate();
  },
  "occupancy.changed": reloadGate,
  "plate_rules.changed": reloadGate,
  "visit.changed": reloadGate,
  "house.mode": reloadHouse,
  "house.presence": reloadHouse,
};

/** Listeners of pages that need each fact at once (camera set-up, traces). */
const listeners: { [Kind in keyof Facts]?: Set<Handler<Kind>> } = {};
let stream: EventStream | null = null;
/** Kinds for which the open stream has a listener. */
const heard = new Set<string>();

/** Calls `handler` for each fact of `kind` until the returned function is called. */
export function onFact<Kind extends keyof Facts>(kind: Kind, handler: Handler<Kind>): () => void {
  const handlers: Set<Handler<Kind>> = listeners[kind] ?? new Set();
  Object.assign(listeners, { [kind]: handlers });
  handlers.add(handler);
  hear(kind);
  return () => handlers.delete(handler);
}

/**
 * Calls `ask` after facts of these kinds that concern it, until the returned function is called; {@link paced}, so that
 * a busy house does not send a request for each.
 */
export function askAfter<Kind extends keyof Facts>(
  kinds: readonly Kind[],
  ask: () => Promise<unknown>,
  {
    concerns = () => true,
    soonMs,
  }: { readonly concerns?: (fact: ShownFact<Kind>) => boolean; readonly soonMs?: number } = {},
): () => void {
  let isOver = false;
  const again = paced(async () => void (isOver || (await ask())), soonMs);
  const stops = kinds.map((kind) => onFact(kind, (fact) => void (concerns(fact) && again())));
  return () => {
    isOver = true;
    for (const stop of stops) stop();
  };
}

function hear(kind: keyof Facts): void {
  if (stream === null || heard.has(kind)) return;
  heard.add(kind);
  stream.hear(kind);
}

function receive<Kind extends keyof Facts>(kind: Kind, data: string): void {
  if (!heard.has(kind)) return; // requested by another window
  const fact = JSON.parse(data) as ShownFact<Kind>; // the hub sends by the same map
  HANDLERS[kind]?.(fact);
  for (const handler of listeners[kind] ?? []) handler(fact);
}

/** A page whose first stream takes longer to open may be out of date. */
const LATE_MS = 12_000;

/** How often to ask again after a refusal, which a browser takes for final. */
const REFUSED_MS = 3_000;

/**
 * Opens the stream at `path` and keeps it open: the browser reconnects by itself, and a refused one is requested again
 * as long as somebody is signed in. `opened` has to load what was missed.
 */
export function keepStream(path: string, { opened, lost, received }: StreamEvents): EventStream {
  const kinds = new Set<string>();
  let stream: EventStream | null = null;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let isOpen = false;
  const open = (): void => {
    stream = openStream(path, String(account.value?.id), {
      opened: (position) => {
        isOpen = true;
        opened(position);
      },
      received,
      lost: (isFinal) => {
        lost(isFinal);
        if (isFinal) void tryAgain();
        // it may have ended with the session: known before the browser tries again
        else if (isOpen) void lookWhoIsHere();
        isOpen = false;
      },
    });
    for (const kind of kinds) stream.hear(kind);
  };
  const tryAgain = async (): Promise<void> => {
    stream?.close();
    stream = null;
    const isNobody = (await lookWhoIsHere()) === "nobody";
    if (!isClosed && !isNobody) waiting = setTimeout(open, REFUSED_MS);
  };
  open();
  return {
    hear: (kind) => {
      kinds.add(kind);
      stream?.hear(kind);
    },
    close: () => {
      isClosed = true;
      clearTimeout(waiting);
      stream?.close();
    },
  };
}

/** A reload, or a moment without network, is not worth a word. */
const AWAY_AFTER_MS = 4_000;

/** Says that the hub is away once it has been for a while, until the returned function is called. */
function watchHub(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = effect(() => {
    const isHere = live.value && reachable.value;
    clearTimeout(timer);
    if (isHere) hubAway.value = false;
    else timer = setTimeout(() => (hubAway.value = true), AWAY_AFTER_MS);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** Ends the stream of facts; null: none is open. */
let stopLive: (() => void) | null = null;

/**
 * Opens the stream of facts, unless it is open. Whenever it comes back everything is loaded again, since facts may have been missed; at
 * the start of a page only if something has happened since the hub was asked who is here.
 */
export function startLive(): () => void {
  stopLive ??= openLive();
  return () => {
    stopLive?.();
    stopLive = null;
  };
}

function openLive(): () => void {
  let opened = false;
  const unwatch = watchHub();
  heard.clear();
  const late = setTimeout(() => {
    live.value = opened;
  }, LATE_MS);
  const look = (): void => {
    if (!document.hidden) void lookWhoIsHere(); // the stream of a page that was asleep may have ended unnoticed
  };
  document.addEventListener("visibilitychange", look);
  const facts = keepStream("/api/stream", {
    opened: (position) => {
      clearTimeout(late);
      void catchUp(opened ? null : position).catch(() => {});
      if (opened) void lookWhoIsHere(); // somebody else may have signed in in another window
      opened = true;
      live.value = true;
    },
    lost: () => {
      if (opened) live.value = false;
    },
    received: (kind, data) => receive(kind as keyof Facts, data), // only of the kinds requested below
  });
  stream = facts;
  for (const kind of Object.keys({ ...HANDLERS, ...listeners }) as (keyof Facts)[]) hear(kind); // the keys of both
  return () => {
    clearTimeout(late);
    document.removeEventListener("visibilitychange", look);
    stream = null;
    unwatch();
    facts.close();
  };
}
