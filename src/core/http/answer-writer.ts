/**
 * Writes a route's answer to its response: header lines, ETag, 304, HEAD, a body in chunks, a file, content in pieces, an
 * event stream. It does not know how the answer was produced.
 */

import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { shareOf } from "../kernel/admission.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Connections } from "./connections.ts";
import type { EventStreams } from "./events-stream.ts";
import type { Exchange, RouteResponse } from "./exchange.ts";
import type { FairScheduler } from "./fair-scheduler.ts";
import { declaredBytes } from "./middleware/body.ts";
import { etagOf, notModified } from "./middleware/conditional.ts";
import { type PlainHttp, strictTransport } from "./middleware/plain-http.ts";
import { API_HEADERS } from "./middleware/security-headers.ts";
import type { OpenResponses } from "./open-responses.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const EMPTY = Buffer.alloc(0);
const NOTHING: Readonly<Record<string, never>> = {};
/** Larger responses may stay in memory until their reader takes them. */
const LARGE_BYTES = 65_536;
/** An unread body up to this size is skipped, and the connection stays open; a larger one closes it. */
const LARGEST_SKIPPED_BYTES = 65_536;
const LINGER_MS = 300;
/** Most bytes that are written (and encrypted, with TLS) at once: about a millisecond of work. */
const CHUNK_BYTES = 256 * 1_024;
/**
 * JSON of this size is compressed for a signed-in person's browser: smaller gains nothing, larger would hold up the
 * event loop. Two hundred devices, 140 kB, take about a millisecond and become 12 kB.
 */
const PACKED_BYTES = { from: 1_400, to: 512 * 1_024 };
const PACKING_LEVEL = 1;
/** How long a file's reader may take nothing. */
const FILE_STALL_MS = 30_000;

type FileResponse = RouteResponse & { readonly file: NonNullable<RouteResponse["file"]> };
type PiecesResponse = RouteResponse & { readonly pieces: NonNullable<RouteResponse["pieces"]> };

/** Writes answers. */
export class AnswerWriter {
  readonly #parts: ConstructorParameters<typeof AnswerWriter>[0];
  readonly #fixed: readonly string[] = Object.entries({ ...API_HEADERS, "Cache-Control": "private, no-cache" }).flat();

  constructor(parts: {
    readonly streams: EventStreams;
    readonly open: OpenResponses;
    readonly connections: Connections;
    /** For the chunks of large answers. */
    readonly chunkScheduler: FairScheduler;
    readonly plainHttp: PlainHttp;
    /** Whether the hub is going down: connections then end with their answer. */
    readonly isStopping: () => boolean;
    readonly clock: Clock;
  }) {
    this.#parts = parts;
  }

  /** Writes the answer; returns the status that went out. */
  send(exchange: Exchange, answer: RouteResponse): number {
    const { request, response } = exchange;
    if (response.headersSent || response.destroyed) return answer.status;
    const { method } = exchange.facts;
    const { connections } = this.#parts;
    const hasBody = answer.bytes !== undefined || answer.body !== undefined;
    const bytes = hasBody ? (answer.bytes ?? Buffer.from(JSON.stringify(answer.body))) : EMPTY;
    let { status } = answer;
    const head = this.#head(exchange, answer);
    const isPacked = hasBody && status === 200 && method === "GET" && mayPack(exchange, answer, bytes.length);
    const isLong = (answer.stream ?? answer.file ?? answer.pieces) !== undefined;
    if (isLong || (answer.bytes?.length ?? 0) > LARGE_BYTES) this.#bind(response, exchange, answer);
    if (isLong) connections.answered(request, response, Number.POSITIVE_INFINITY);
    if (answer.stream) return this.#stream(response, exchange, answer, head);
    if (answer.file) return sendFile(response, { ...answer, file: answer.file }, head, method === "HEAD");
    if (answer.pieces) {
      const turn = (): Promise<void> | null => this.#parts.chunkScheduler.wait(shareOf(exchange.facts.address));
      return sendPieces(response, { ...answer, pieces: answer.pieces }, { head, isHead: method === "HEAD", turn });
    }
    if (hasBody && (answer.etag !== undefined || (status === 200 && (isRead(method) || method === "PATCH")))) {
      const etag = answer.etag ?? etagOf(bytes);
      head.push("ETag", isPacked ? `W/${etag}` : etag); // a strong one names the bytes, which are others
      if (status === 200 && isRead(method) && notModified(exchange.request.headers["if-none-match"], etag))
        status = 304;
    }
    if (answer.headers?.Connection === "close") connections.ending(request.socket);
    const sent = isPacked && status !== 304 ? gzipSync(bytes, { level: PACKING_LEVEL }) : bytes;
    if (isPacked) head.push("Vary", "Accept-Encoding");
    if (sent !== bytes) head.push("Content-Encoding", "gzip");
    if (hasBody && status !== 304)
      head.push("Content-Type", answer.contentType ?? JSON_TYPE, "Content-Length", String(sent.length));
    connections.answered(request, response, sent.length);
    const isUnread = !request.complete && (declaredBytes(request) ?? Number.POSITIVE_INFINITY) > LARGEST_SKIPPED_BYTES;
    if (isUnread) head.push("Connection", "close");
    response.writeHead(status, head);
    const content = status === 304 || method === "HEAD" || !hasBody ? EMPTY : sent;
    if (!isUnread && content.length > CHUNK_BYTES)
      sendChunks(response, content, () => this.#parts.chunkScheduler.wait(shareOf(exchange.facts.address)));
    else if (!isUnread) response.end(content);
    else {
      response.write(content);
      // closed at once, with the body on its way, the connection would be reset and the answer lost
      this.#parts.clock.after(LINGER_MS, () => response.end());
    }
    return status;
  }

  /**
   * An answer that takes long to read ends with the credential that it was given for. It is cut off, except for a
   * stream that has nothing left to send: it ends in order, which a proxy passes on at once.
   */
  #bind(response: ServerResponse, { caller }: Exchange, { stream }: RouteResponse): void {
    if (caller === null) return;
    const breakOff = (): void => {
      if (stream !== undefined && response.writableLength === 0) response.end();
      else response.destroy();
    };
    response.on("close", this.#parts.open.bind(caller, breakOff));
  }

  /**
   * The answer's header lines, except those that depend on its bytes: the fixed ones, overridden by those of the checks
   * and then by the handler's.
   */
  #head(exchange: Exchange, answer: RouteResponse): string[] {
    const head = ["X-Request-Id", exchange.requestId];
    const own = answer.headers ?? NOTHING;
    for (let i = 0; i < this.#fixed.length; i += 2) {
      const name = this.#fixed[i] ?? "";
      if (!(name in own)) head.push(name, this.#fixed[i + 1] ?? "");
    }
    for (const name in exchange.headers) if (!(name in own)) pushHeader(head, name, exchange.headers[name] ?? "");
    for (const name in own) pushHeader(head, name, own[name] ?? "");
    const strict = strictTransport(exchange.facts, this.#parts.plainHttp);
    if (strict !== null && !("Strict-Transport-Security" in own)) head.push("Strict-Transport-Security", strict);
    if (this.#parts.isStopping()) head.push("Connection", "close");
    return head;
  }

  #stream(response: ServerResponse, exchange: Exchange, answer: RouteResponse, head: string[]): number {
    response.writeHead(answer.status, [
      ...head,
      "Content-Type",
      "text/event-stream; charset=utf-8",
      "X-Accel-Buffering",
      "no",
    ]);
    if (exchange.facts.method === "HEAD" || !answer.stream) response.end();
    else
      this.#parts.streams.run(response, answer.stream, {
        owner: exchange.caller?.actor,
        position: answer.streamPosition,
      });
    return answer.status;
  }
}

/**
 * Sends a file in chunks. On failure the connection is closed, so that a partial file is not mistaken for the whole.
 */
function sendFile(response: ServerResponse, answer: FileResponse, head: string[], isHead: boolean): number {
  const { file, contentType = "application/octet-stream", status } = answer;
  response.writeHead(status, [...head, "Content-Type", contentType, "Content-Length", String(file.bytes)]);
  response.setTimeout(FILE_STALL_MS, () => response.destroy());
  if (isHead) response.end();
  else pipeline(createReadStream(file.path), response).catch(() => response.destroy());
  return status;
}

/**
 * Sends content as it is generated. On failure the connection is closed, so that a part of it is not mistaken for the
 * whole.
 */
function sendPieces(
  response: ServerResponse,
  { pieces, contentType, status }: PiecesResponse,
  { head, isHead, turn }: { head: string[]; isHead: boolean; turn: () => Promise<void> | null },
): number {
  response.writeHead(status, [...head, "Content-Type", contentType ?? "text/plain; charset=utf-8"]);
  response.setTimeout(FILE_STALL_MS, () => response.destroy());
  const paced = async function* (): AsyncGenerator<string | Uint8Array> {
    for await (const piece of pieces) {
      if (piece.length > 0) yield piece;
      await setImmediate(); // a reader on this machine may take all of it at once
      await turn();
    }
  };
  if (isHead) response.end();
  else pipeline(Readable.from(paced(), { highWaterMark: 1 }), response).catch(() => response.destroy());
  return status;
}

/** Sends a large answer in chunks, each when the previous one has been taken and its turn has come. */
function sendChunks(response: ServerResponse, bytes: Buffer, turn: () => Promise<void> | null): void {
  const chunks = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      await turn();
      yield bytes.subarray(at, at + CHUNK_BYTES);
      await setImmediate(); // a reader on this machine may take all of it at once
    }
  };
  pipeline(Readable.from(chunks()), response).catch(() => response.destroy());
}

function pushHeader(head: string[], name: string, value: string | readonly string[]): void {
  if (typeof value === "string") head.push(name, value);
  else for (const one of value) head.push(name, one);
}

/**
 * Compresses only what a person's browser reads for its pages. No secret in it is beside text that others choose, so an
 * attacker who could see the sizes learns nothing from them.
 */
function mayPack({ caller, request }: Exchange, { contentType }: RouteResponse, size: number): boolean {
  return (
    contentType === undefined &&
    caller?.method === "session" &&
    size >= PACKED_BYTES.from &&
    size <= PACKED_BYTES.to &&
    /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))
  );
}

/** Whether a method only reads. */
export function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}
