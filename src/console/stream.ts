/** Event streams of the hub, each shared by all windows of this browser if it has shared workers. */

/** Events of a stream. */
export interface StreamEvents {
  /**
   * It is open, at this position of the household's facts; null: nobody knows which, because another window had opened
   * it, or it has none.
   */
  readonly opened: (position: string | null) => void;
  /** It was lost; `isFinal`: it does not come back by itself. */
  readonly lost: (isFinal: boolean) => void;
  readonly received: (kind: string, data: string) => void;
}

/** A stream that is open or opening. */
export interface EventStream {
  /** From now on, events of this kind are passed on. */
  hear(kind: string): void;
  close(): void;
}

/** A window's request to a shared stream. */
export type Asked =
  | { readonly join: string; readonly who: string; readonly kinds: readonly string[] }
  | { readonly hear: string }
  | { readonly leave: true };

/** The shared stream's messages to a window. */
export type Passed =
  | { readonly state: "open"; readonly position: string | null }
  | { readonly state: "lost" | "closed" }
  | { readonly kind: string; readonly data: string };

/** The hub's first event of each stream. */
export const OPENED = "stream.opened";

/** The position in the data of {@link OPENED}. */
export function positionIn(data: string): string | null {
  return (JSON.parse(data) as { position?: string }).position ?? null; // as the hub's route writes it
}

/**
 * Opens the stream at `path`. A browser has six connections to a hub without TLS, and each stream occupies one: windows
 * share it, so that a seventh window works too. `who` is the session's person: a stream that was opened for somebody
 * else is opened again.
 */
export function openStream(path: string, who: string, events: StreamEvents): EventStream {
  if (typeof SharedWorker === "undefined") return ownStream(path, events);
  const kinds = new Set<string>();
  let instead: EventStream | null = null;
  let isClosed = false;
  const worker = new SharedWorker(new URL("./stream-worker.ts", import.meta.url), { type: "module", name: "stream" });
  const ask = (asked: Asked): void => worker.port.postMessage(asked);
  const join = (): void => ask({ join: path, who, kinds: [...kinds] });
  const leave = (): void => ask({ leave: true });
  const show = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) join();
  };
  worker.port.onmessage = ({ data }: MessageEvent<Passed>) => {
    if (isClosed) return;
    if ("kind" in data) events.received(data.kind, data.data);
    else if (data.state === "open") events.opened(data.position);
    else events.lost(data.state === "closed");
  };
  // Some browsers do not let it run.
  worker.onerror = () => {
    if (isClosed || instead !== null) return;
    instead = ownStream(path, events);
    for (const kind of kinds) instead.hear(kind);
  };
  addEventListener("pagehide", leave);
  addEventListener("pageshow", show);
  join();
  return {
    hear: (kind) => {
      kinds.add(kind);
      ask({ hear: kind });
      instead?.hear(kind);
    },
    close: () => {
      isClosed = true;
      removeEventListener("pagehide", leave);
      removeEventListener("pageshow", show);
      leave();
      worker.port.close();
      instead?.close();
    },
  };
}

function ownStream(path: string, { opened, lost, received }: StreamEvents): EventStream {
  const source = new EventSource(path);
  source.addEventListener(OPENED, ({ data }: MessageEvent<string>) => opened(positionIn(data)));
  source.onerror = () => lost(source.readyState === EventSource.CLOSED);
  return {
    hear: (kind) => source.addEventListener(kind, ({ data }: MessageEvent<string>) => received(kind, data)),
    close: () => source.close(),
  };
}
