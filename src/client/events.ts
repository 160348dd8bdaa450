import { HubError, HubUnreachable } from "./errors.ts";
import { pause, type Transport } from "./transport.ts";
import type { HubEvent } from "./types.js";

/** What to listen to. */
export interface EventsOptions {
  /** Names of events; default: all that the key may receive. `stream.ready` and `stream.gap` always come. */
  readonly types?: readonly HubEvent["event"][];
  readonly deviceId?: string;
  /** `id` of the last event seen: the stream continues after it. */
  readonly lastEventId?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
}

/** The hub sends something every 15 seconds. */
const SILENCE_MS = 40_000;
const LONGEST_WAIT_MS = 30_000;

/** The position in the stream, across its connections. */
interface Position {
  lastEventId: string | undefined;
  retryMs: number;
}

/**
 * Events as they happen; never ends by itself. A connection that breaks, or falls silent, is opened again and continues
 * where it ended.
 * @throws HubError when the hub refuses for good, such as 401 once the key has ended
 */
export async function* events(
  transport: Transport,
  { types, deviceId, lastEventId, signal }: EventsOptions = {},
): AsyncGenerator<HubEvent, void, void> {
  const position: Position = { lastEventId, retryMs: 1_000 };
  const named = types?.filter((type) => !type.startsWith("stream.")).join(",");
  for (let failed = 0; !signal?.aborted; failed++) {
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    signal?.addEventListener("abort", stop, { once: true });
    let waitMs = position.retryMs * 2 ** Math.min(failed, 5);
    try {
      const headers = position.lastEventId === undefined ? {} : { "Last-Event-ID": position.lastEventId };
      const response = await transport.open("/v1/stream", {
        query: { types: named || undefined, deviceId },
        headers,
        signal: controller.signal,
      });
      for await (const event of read(response, position)) {
        failed = -1;
        yield event;
      }
      waitMs = position.retryMs;
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof HubError && error.status < 500 && error.status !== 429) throw error;
      if (error instanceof HubError && error.retryAfterSeconds !== null) waitMs = error.retryAfterSeconds * 1_000;
    } finally {
      controller.abort();
      signal?.removeEventListener("abort", stop);
    }
    await pause(Math.min(waitMs, LONGEST_WAIT_MS) * (0.75 + Math.random() / 2), signal).catch(() => {});
  }
}

async function* read(response: Response, position: Position): AsyncGenerator<HubEvent> {
  if (!response.body)
    throw new HubUnreachable(
      "This fetch does not stream; in React Native pass one that does, such as that of expo/fetch.",
    );
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let block: string[] = [];
  for (;;) {
    const { done, value } = await soon(reader.read());
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") block.push(line);
      else {
        const event = take(block, position);
        block = [];
        if (event !== null) yield event;
      }
    }
  }
}

/** One block of lines; null if it carries no data. */
function take(lines: readonly string[], position: Position): HubEvent | null {
  const data: string[] = [];
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === "id") position.lastEventId = value;
    else if (name === "retry" && /^\d+$/.test(value)) position.retryMs = Number(value);
    else if (name === "data") data.push(value);
  }
  return data.length === 0 ? null : (JSON.parse(data.join("\n")) as HubEvent); // as the description says
}

/** Fails when nothing comes for so long that the connection must be dead. */
async function soon<Value>(promise: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new HubUnreachable("The hub has fallen silent.")), SILENCE_MS);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
