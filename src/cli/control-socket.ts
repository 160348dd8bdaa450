import { type IncomingMessage, request } from "node:http";
import { Problem, type ProblemDetail } from "../core/kernel/problem.ts";

/** What a hub answered the command line. */
interface HubAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Access to a hub's operations, running or not. */
export interface HubCalls {
  /** True when the hub runs and was asked over its control socket. */
  readonly running: boolean;
  /** Calls one operation as the owner. @throws Problem for every answer that is not 2xx */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Releases everything; the database is closed cleanly. */
  close(): Promise<void>;
}

/** Asks a running hub over its control socket. */
export function socketCalls(socketFile: string): HubCalls {
  return {
    running: true,
    call: async (method, path, body) => {
      const { status, body: answer } = await send(socketFile, { method, path, body });
      if (status >= 200 && status < 300) return answer;
      throw problemOf(status, answer);
    },
    close: async () => {},
  };
}

/** One event of a stream of the hub. */
export interface StreamedLine {
  readonly event: string;
  readonly data: unknown;
}

/**
 * Follows a stream of a running hub over its control socket until either side ends it.
 * @throws Problem when the hub refuses
 */
export async function* followStream(socketPath: string, path: string): AsyncGenerator<StreamedLine> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath, path, headers: { Host: "localhost" } }, resolve)
      .on("error", reject)
      .end();
  });
  response.setEncoding("utf8");
  let rest = "";
  for await (const text of response as AsyncIterable<string>) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    if (response.statusCode !== 200) continue;
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
  if (response.statusCode !== 200) throw problemOf(response.statusCode ?? 0, JSON.parse(rest));
}

/** Whether a hub listens on the socket. */
export async function hubRuns(socketFile: string): Promise<boolean> {
  try {
    await send(socketFile, { method: "GET", path: "/api/claim", body: undefined });
    return true;
  } catch {
    return false;
  }
}

function send(
  socketPath: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: unknown },
): Promise<HubAnswer> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    Host: "localhost",
    ...(text === "" ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method, path, headers, timeout: 60_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const answer = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, body: answer === "" ? null : JSON.parse(answer) });
      });
    });
    call.on("timeout", () => call.destroy(new Error("The hub did not answer within a minute.")));
    call.on("error", reject);
    call.end(text);
  });
}

/** The problem behind a hub's error answer. */
function problemOf(status: number, answer: unknown): Problem {
  // the one error shape
  const { error } = (answer ?? {}) as { error?: { code?: string; message?: string; details?: ProblemDetail[] } };
  return new Problem(error?.code ?? "internal", error?.message ?? `The hub answered ${status}.`, {
    details: error?.details ?? [],
  });
}
