/**
 * Holds the one stream of facts that the windows of a browser share. It lives as long as any of them; what a window
 * that was frozen has not heard waits for it.
 */
import type { Asked, Told } from "./stream.js";

/** As much of a shared worker's world as is used here; the console's other types are a page's. */
declare const self: { onconnect: ((event: MessageEvent) => void) | null };

const windows = new Set<MessagePort>();
const kinds = new Set<string>();
let source: EventSource | null = null;
let openedFor = "";

self.onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<Asked>) => {
    if ("join" in data) join(port, data.join, data.kinds);
    else if ("hear" in data) hear(data.hear);
    else leave(port);
  };
};

function join(port: MessagePort, who: string, wanted: readonly string[]): void {
  windows.add(port);
  for (const kind of wanted) hear(kind);
  if (source === null || source.readyState === EventSource.CLOSED || who !== openedFor) open(who);
  else if (source.readyState === EventSource.OPEN) tell(port, { state: "open" });
}

function leave(port: MessagePort): void {
  windows.delete(port);
  if (windows.size > 0) return;
  source?.close();
  source = null;
}

function open(who: string): void {
  source?.close();
  openedFor = who;
  const opening = new EventSource("/api/stream");
  source = opening;
  opening.onopen = () => tellAll({ state: "open" });
  opening.onerror = () => tellAll({ state: opening.readyState === EventSource.CLOSED ? "closed" : "lost" });
  for (const kind of kinds) listen(opening, kind);
}

function hear(kind: string): void {
  if (kinds.has(kind)) return;
  kinds.add(kind);
  if (source !== null) listen(source, kind);
}

function listen(to: EventSource, kind: string): void {
  to.addEventListener(kind, ({ data }: MessageEvent<string>) => tellAll({ kind, data }));
}

function tellAll(told: Told): void {
  for (const port of windows) tell(port, told);
}

function tell(port: MessagePort, told: Told): void {
  port.postMessage(told);
}
