/**
 * Koa opens each request here, and no further: `respond = false`, and the routes are found by look-up before the one
 * middleware's checks, whose order is the API's. The ordinary way was tried with the same checks on 2026-11-23
 * (`npm run bench -- api`, GET /v1/devices, two runs, requests a second as a share of bare Koa's): as it is 80 and
 * 86 %; answers by `context.set` and `context.body` 65 and 70 %; those, and the hub's 190 operations as middleware
 * of @koa/router, 36 and 40 %.
 */
import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import type { Context } from "koa";
import { plainAddress } from "../kernel/admission.js";
import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import type { Connections } from "./connections.js";
import type { ConsoleFiles } from "./console-files.js";
import type { EventStreams } from "./events-stream.js";
import type { Exchange, HttpRequest, RouteResponse } from "./exchange.js";
import type { FairScheduler } from "./fair-scheduler.js";
import { checkAccept } from "./middleware/accept.js";
import { type Credentials, checkAccess, routeNotFound } from "./middleware/access.js";
import { checkBodyHeaders, declaredBytes, parseJsonObject, readBody } from "./middleware/body.js";
import type { BodyRoom } from "./middleware/body-room.js";
import { etagOf, notModified } from "./middleware/conditional.js";
import { allowReading, answerOptions } from "./middleware/cors.js";
import { errorAnswer } from "./middleware/errors.js";
import type { HostRule } from "./middleware/host.js";
import type { Idempotency } from "./middleware/idempotency.js";
import { ignoredQueryHeader } from "./middleware/parameters.js";
import { answerInClear, type PlainHttp, strictTransport } from "./middleware/plain-http.js";
import type { RateLimits } from "./middleware/rate-limit.js";
import type { RequestIds } from "./middleware/request-id.js";
import { API_HEADERS, CONSOLE_HEADERS } from "./middleware/security-headers.js";
import { openExchange } from "./open-exchange.js";
import type { OpenResponses } from "./open-responses.js";
import type { CompiledRoute, Match, RouteTable } from "./router.js";

/** What the pipeline is joined from. */
export interface PipelineParts {
  readonly requestIds: RequestIds;
  readonly hosts: HostRule;
  readonly routes: RouteTable;
  readonly credentials: Credentials;
  readonly rates: RateLimits;
  readonly idempotency: Idempotency;
  readonly streams: EventStreams;
  readonly open: OpenResponses;
  readonly connections: Connections;
  /** For requests of connections that have shown no credential. */
  readonly scheduler: FairScheduler;
  /** For the chunks of large answers. */
  readonly chunkScheduler: FairScheduler;
  readonly bodies: BodyRoom;
  readonly consoleFiles: ConsoleFiles | null;
  /** Why /v1 answers nobody now (a hub without an owner); null when it is open. */
  readonly closed: () => Problem | null;
  readonly plainHttp: PlainHttp;
  readonly trustProxy: boolean;
  /** Whether a connection came over the control socket. */
  readonly isBoxSocket: (socket: Socket) => boolean;
  /** Whether the hub is going down: connections then end with their answer. */
  readonly isStopping: () => boolean;
  readonly onRequest: ((figure: RequestFigure) => void) | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What one answered request was; for metrics. */
export interface RequestFigure {
  /** Null when the request led to no route. */
  readonly operationId: string | null;
  readonly method: string;
  readonly status: number;
  readonly tookMs: number;
}

const JSON_TYPE = "application/json; charset=utf-8";
const EMPTY = Buffer.alloc(0);
/** What is larger may lie in the hub until its reader takes it. */
const LARGE_BYTES = 65_536;
/** As many as any client sends, and Node counts none of them away unseen. */
const MOST_HEADERS = 100;
/** An unread body up to this size is skipped, and the connection goes on; one that is larger ends it. */
const LARGEST_SKIPPED_BYTES = 65_536;
const LINGER_MS = 300;
/** Most bytes that are written, and where TLS is on enciphered, at once: a millisecond or so. */
const CHUNK_BYTES = 256 * 1_024;
/** A file is sent as long as it is taken. */
const FILE_STALL_MS = 30_000;
const IS_V1 = /^\/v1(\/|$)/;
const IS_API = /^\/(v1|api)(\/|$)/;

/**
 * Answers one request. The order of the checks is part of the API: host, route and method, credential, origin, scope,
 * fresh proof, rate, media type and size, path, query, for large bodies the object, body, and where the body decides it
 * the fresh proof; then the handler looks for the object and for conflicts.
 */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #fixed: readonly string[] = Object.entries({ ...API_HEADERS, "Cache-Control": "private, no-cache" }).flat();
  #running = 0;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** Requests being answered now. */
  get running(): number {
    return this.#running;
  }

  /** The one Koa middleware. */
  async handle(context: Context): Promise<void> {
    const { requestIds, logger, onRequest, clock, connections, scheduler } = this.#parts;
    const { req: request } = context;
    context.respond = false; // see the head of the file
    const before = connections.arrived(request.socket, context.res);
    if (before !== null) await new Promise((resolve) => before.once("close", resolve));
    let from = connections.begun(request.socket);
    const turn = from === "stranger" ? scheduler.wait(plainAddress(request.socket.remoteAddress)) : null;
    if (turn !== null) {
      await turn;
      from = connections.begun(request.socket);
    }
    if (from === "ended") return;
    const begunMono = onRequest ? clock.mono() : 0;
    const exchange = openExchange(request, context.res, requestIds.next(request.headers["x-request-id"]), this.#parts);
    this.#running += 1;
    let answer: RouteResponse;
    try {
      this.#checkHost(exchange);
      const given = answerInClear(exchange.facts, exchange.search, this.#parts.plainHttp) ?? this.#answer(exchange);
      answer = given instanceof Promise ? await given : given;
    } catch (error) {
      answer = errorAnswer(error, exchange, logger);
    }
    this.#running -= 1;
    const status = this.#send(exchange, answer);
    onRequest?.({
      operationId: exchange.operationId,
      method: exchange.facts.method,
      status,
      tookMs: clock.mono() - begunMono,
    });
  }

  #checkHost(exchange: Exchange): void {
    if (exchange.request.rawHeaders.length > 2 * MOST_HEADERS)
      throw new Problem("headers_too_large", `A request has at most ${MOST_HEADERS} headers.`);
    if (!exchange.facts.box)
      this.#parts.hosts.check(
        exchange.facts.host === "" ? undefined : exchange.facts.host,
        exchange.request.rawHeaders,
      );
  }

  #answer(exchange: Exchange): RouteResponse | Promise<RouteResponse> {
    const { routes, credentials, rates, closed } = this.#parts;
    const { method, path } = exchange.facts;
    if (IS_V1.test(path) && exchange.facts.headers.origin !== undefined) {
      exchange.headers.Vary = "Origin";
      // a page of ours reads why it was refused, be there no such path or method
      allowReading(exchange, credentials.originRegistered);
    }
    const match = routes.find(path);
    if (match === null) return this.#consoleFile(exchange);
    if (method === "OPTIONS") return answerOptions(exchange, match, credentials.originRegistered);
    const route = match.methods.get(method === "HEAD" ? "GET" : method);
    if (!route)
      throw new Problem("method_not_allowed", `${path} does not take ${method}.`, { headers: { Allow: match.allow } });
    exchange.operationId = route.spec.operationId;
    const refusal = path.startsWith("/v1") && route.spec.access.kind === "scope" ? closed() : null;
    if (refusal) throw refusal;
    this.#identify(exchange, route, match);
    rates.check(exchange, route.spec, match.params.id ?? "");
    checkAccept(exchange.request.headers.accept, route.produces);
    return this.#validateAndRun(exchange, route, match);
  }

  #identify(exchange: Exchange, route: CompiledRoute, match: Match): void {
    try {
      checkAccess(exchange, route.spec.access, this.#parts.credentials, match.params.id);
      if (exchange.caller !== null) this.#parts.connections.recognised(exchange.request.socket);
      if (route.spec.proof === "fresh") this.#checkProof(exchange);
    } catch (error) {
      // a missing or an ended one is no guess
      const isWrong = error instanceof Problem && error.code === "invalid_credential";
      throw isWrong ? this.#parts.rates.failedCredential(exchange, error) : error;
    }
  }

  #checkProof({ caller, facts }: Exchange): void {
    if (caller !== null) this.#parts.credentials.checkProof(caller, facts);
  }

  /** Everything that can be known without the body is checked before a byte of it is read. */
  #validateAndRun(exchange: Exchange, route: CompiledRoute, match: Match): RouteResponse | Promise<RouteResponse> {
    const { request } = exchange;
    if (route.body) checkBodyHeaders(request, route.body.rule);
    const params = route.params ? route.params.path(match.params, route.notFound) : NOTHING;
    const query = route.query.query(exchange.search);
    if (query.ignored.length > 0) exchange.headers["X-Ignored-Query"] = ignoredQueryHeader(query.ignored);
    const head = { params, query: query.values };
    if (!route.body) return this.#run(exchange, route, head, EMPTY);
    route.before?.({ ...head, bodyBytes: declaredBytes(request) });
    return this.#readAndRun(exchange, route, head, match);
  }

  async #readAndRun(
    exchange: Exchange,
    route: CompiledRoute,
    head: { params: object; query: unknown },
    match: Match,
  ): Promise<RouteResponse> {
    const { request, caller, facts } = exchange;
    const sender = {
      name: caller?.actor ?? facts.address,
      isKnown: caller !== null || facts.box || route.before !== undefined,
    };
    if (request.headers.expect !== undefined) exchange.response.writeContinue();
    const { bytes, release } = await readBody(request, route.body?.rule.maxBytes ?? 0, {
      room: this.#parts.bodies,
      sender,
    });
    try {
      const compiling = route.body?.check.ready() ?? null;
      if (compiling !== null) await compiling;
      // many bodies may have come together
      const turn = caller === null && !facts.box ? this.#parts.scheduler.wait(facts.address) : null;
      if (turn !== null) await turn;
      this.#identify(exchange, route, match); // a body may take its time, and the credential may have ended meanwhile
      return await this.#run(exchange, route, head, bytes);
    } finally {
      release();
    }
  }

  #run(
    exchange: Exchange,
    route: CompiledRoute,
    { params, query }: { params: object; query: unknown },
    bytes: Buffer,
  ): RouteResponse | Promise<RouteResponse> {
    const { facts, search, requestId } = exchange;
    const body = route.body && route.body.rule.mediaType === "application/json" ? readJson(bytes, route) : NO_BODY;
    const { proof } = route.spec;
    if (typeof proof === "object" && proof.needed(body.value)) this.#checkProof(exchange);
    const handlerRequest: HttpRequest<unknown, unknown, unknown, Exchange["caller"]> = {
      params,
      query,
      body: body.value,
      bodyText: body.text,
      bytes,
      caller: exchange.caller,
      facts,
      requestId,
      baseUrl: `${facts.secure ? "https" : "http"}://${facts.host}`,
      search,
    };
    // answers of the console's own API hold secrets that are told once: they are never kept
    const mayRepeat = route.spec.access.kind === "scope";
    if (!mayRepeat || isRead(facts.method) || facts.headers["idempotency-key"] === undefined)
      return route.handle(handlerRequest);
    return this.#parts.idempotency.once(exchange, bytes, async () => {
      try {
        return await route.handle(handlerRequest);
      } catch (error) {
        return errorAnswer(error, exchange, this.#parts.logger); // a refusal is an answer too, and is kept like one
      }
    });
  }

  async #consoleFile(exchange: Exchange): Promise<RouteResponse> {
    const { facts } = exchange;
    const { consoleFiles } = this.#parts;
    if (consoleFiles === null || IS_API.test(facts.path)) throw routeNotFound();
    const file = await consoleFiles.find(
      facts.path,
      facts.headers.accept ?? "",
      String(facts.headers["accept-encoding"] ?? ""),
    );
    if (file === null) throw routeNotFound();
    if (facts.method !== "GET" && facts.method !== "HEAD")
      throw new Problem("method_not_allowed", "The console's files are only read.", {
        headers: { Allow: "GET, HEAD" },
      });
    const headers: Record<string, string> = {
      ...CONSOLE_HEADERS,
      "Cache-Control": file.cacheControl,
      Vary: "Accept-Encoding",
    };
    if (file.contentEncoding !== null) headers["Content-Encoding"] = file.contentEncoding;
    return { status: 200, bytes: file.bytes, contentType: file.contentType, etag: file.etag, headers };
  }

  /** Writes the answer; returns the status that went out. */
  #send(exchange: Exchange, answer: RouteResponse): number {
    const { request, response } = exchange;
    if (response.headersSent || response.destroyed) return answer.status;
    const { method } = exchange.facts;
    const { connections } = this.#parts;
    const hasBody = answer.bytes !== undefined || answer.body !== undefined;
    const bytes = hasBody ? (answer.bytes ?? Buffer.from(JSON.stringify(answer.body))) : EMPTY;
    let { status } = answer;
    const head = this.#head(exchange, answer);
    const isLong = (answer.stream ?? answer.file ?? answer.pieces) !== undefined;
    if (isLong || (answer.bytes?.length ?? 0) > LARGE_BYTES) this.#bind(response, exchange);
    if (isLong) connections.answered(request, response, Number.POSITIVE_INFINITY);
    if (answer.stream) return this.#stream(response, exchange, answer, head);
    if (answer.file) return sendFile(response, { ...answer, file: answer.file }, head, method === "HEAD");
    if (answer.pieces) {
      const turn = (): Promise<void> | null => this.#parts.chunkScheduler.wait(exchange.facts.address);
      return sendPieces(response, { ...answer, pieces: answer.pieces }, { head, isHead: method === "HEAD", turn });
    }
    if (hasBody && (answer.etag !== undefined || (status === 200 && (isRead(method) || method === "PATCH")))) {
      const etag = answer.etag ?? etagOf(bytes);
      head.push("ETag", etag);
      if (status === 200 && isRead(method) && notModified(exchange.request.headers["if-none-match"], etag))
        status = 304;
    }
    if (answer.headers?.Connection === "close") connections.ending(request.socket);
    if (hasBody && status !== 304)
      head.push("Content-Type", answer.contentType ?? JSON_TYPE, "Content-Length", String(bytes.length));
    connections.answered(request, response, bytes.length);
    const isUnread = !request.complete && (declaredBytes(request) ?? Number.POSITIVE_INFINITY) > LARGEST_SKIPPED_BYTES;
    if (isUnread) head.push("Connection", "close");
    response.writeHead(status, head);
    const content = status === 304 || method === "HEAD" || !hasBody ? EMPTY : bytes;
    if (!isUnread && content.length > CHUNK_BYTES)
      sendChunks(response, content, () => this.#parts.chunkScheduler.wait(exchange.facts.address));
    else if (!isUnread) response.end(content);
    else {
      response.write(content);
      // closed at once, with the body on its way, the connection would be reset and the answer lost
      this.#parts.clock.after(LINGER_MS, () => response.end());
    }
    return status;
  }

  /** An answer that is read over a longer time ends with the credential that it was given for. */
  #bind(response: ServerResponse, { caller }: Exchange): void {
    if (caller !== null)
      response.on(
        "close",
        this.#parts.open.bind(caller, () => response.destroy()),
      );
  }

  /**
   * The answer's header lines but those that depend on its bytes: the checks' headers, then the handler's, over the
   * fixed ones.
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

/** Sends a file in chunks; one that breaks off ends the connection, so that nobody takes half of it for the whole. */
function sendFile(response: ServerResponse, answer: FileResponse, head: string[], isHead: boolean): number {
  const { file, contentType = "application/octet-stream", status } = answer;
  response.writeHead(status, [...head, "Content-Type", contentType, "Content-Length", String(file.bytes)]);
  response.setTimeout(FILE_STALL_MS, () => response.destroy());
  if (isHead) response.end();
  else pipeline(createReadStream(file.path), response).catch(() => response.destroy());
  return status;
}

/** Sends text as it is made; one that breaks off ends the connection, so that nobody takes half of it for the whole. */
function sendPieces(
  response: ServerResponse,
  { pieces, contentType, status }: PiecesResponse,
  { head, isHead, turn }: { head: string[]; isHead: boolean; turn: () => Promise<void> | null },
): number {
  response.writeHead(status, [...head, "Content-Type", contentType ?? "text/plain; charset=utf-8"]);
  response.setTimeout(FILE_STALL_MS, () => response.destroy());
  const paced = async function* (): AsyncGenerator<string> {
    for await (const piece of pieces) {
      yield piece;
      await setImmediate(); // a reader on this machine may take all of it at once
      await turn();
    }
  };
  if (isHead) response.end();
  else pipeline(Readable.from(paced(), { highWaterMark: 1 }), response).catch(() => response.destroy());
  return status;
}

/** Sends what is large in chunks, each when the one before has been taken and its turn has come. */
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

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

const NOTHING: Readonly<Record<string, never>> = {};
const NO_BODY = { value: null, text: "" };
type FileResponse = RouteResponse & { readonly file: NonNullable<RouteResponse["file"]> };
type PiecesResponse = RouteResponse & { readonly pieces: NonNullable<RouteResponse["pieces"]> };

function readJson(bytes: Buffer, route: CompiledRoute): { value: unknown; text: string } {
  const { value, text } = parseJsonObject(bytes);
  const fields = value as Record<string, unknown>; // parseJsonObject gives plain objects only
  for (const name of route.body?.textFields ?? []) {
    const typed = fields[name];
    if (typeof typed === "string") fields[name] = typed.trim();
  }
  const details = route.body?.check(value) ?? null;
  if (details) {
    const first = details[0];
    throw new Problem(
      "invalid_body",
      first ? `The body is not valid: ${first.field || "it"} ${first.message}.` : "The body is not valid.",
      { details },
    );
  }
  return { value, text };
}
