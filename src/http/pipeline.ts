import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Context } from "koa";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import type { ConsoleFiles } from "./console-files.js";
import type { EventStreams } from "./events-stream.js";
import type { Answer, Exchange, HttpRequest, RequestFacts } from "./exchange.js";
import { checkAccept } from "./middleware/accept.js";
import { type Credentials, checkAccess, routeNotFound } from "./middleware/access.js";
import { checkBodyHeaders, parseJsonObject, readBody } from "./middleware/body.js";
import { etagOf, notModified } from "./middleware/conditional.js";
import { isPreflight, preflightHeaders } from "./middleware/cors.js";
import { errorAnswer } from "./middleware/errors.js";
import type { HostRule } from "./middleware/host.js";
import type { Idempotency } from "./middleware/idempotency.js";
import { ignoredQueryHeader } from "./middleware/parameters.js";
import type { RateLimits } from "./middleware/rate-limit.js";
import type { RequestIds } from "./middleware/request-id.js";
import { API_HEADERS, CONSOLE_HEADERS } from "./middleware/security-headers.js";
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
  readonly consoleFiles: ConsoleFiles | null;
  /** Why /v1 answers nobody now (a hub without an owner); null when it is open. */
  readonly closed: () => Problem | null;
  readonly trustProxy: boolean;
  /** Whether a connection came over the control socket. */
  readonly isBoxSocket: (socket: Socket) => boolean;
  readonly logger: Logger;
}

const JSON_TYPE = "application/json; charset=utf-8";
const EMPTY = Buffer.alloc(0);
const IS_API = /^\/(v1|api)(\/|$)/;

/**
 * Answers one request. The order of the checks is part of the API: host, route and method, credential, origin, scope,
 * rate, media type and size, path, query, body; then the handler looks for the object and for conflicts.
 */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #operations = new WeakMap<IncomingMessage, string>();

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** The one Koa middleware. */
  async handle(context: Context): Promise<void> {
    const { requestIds, logger } = this.#parts;
    const { req: request } = context;
    const exchange = openExchange(request, requestIds.next(request.headers["x-request-id"]), this.#parts);
    let answer: Answer;
    try {
      this.#checkHost(exchange);
      answer = await this.#answer(exchange);
    } catch (error) {
      answer = errorAnswer(error, exchange, logger);
    }
    this.#send(context, exchange, answer);
  }

  /** Operation that a request led to, once it has been routed; for metrics. */
  operationOf(request: IncomingMessage): string | null {
    return this.#operations.get(request) ?? null;
  }

  #checkHost(exchange: Exchange): void {
    if (!exchange.facts.box) this.#parts.hosts.check(exchange.facts.host === "" ? undefined : exchange.facts.host, exchange.request.rawHeaders);
  }

  async #answer(exchange: Exchange): Promise<Answer> {
    const { routes, credentials, rates, closed } = this.#parts;
    const { method, path } = exchange.facts;
    const match = routes.find(path);
    if (match === null) return this.#consoleFile(exchange);
    if (method === "OPTIONS") return options(exchange, match, credentials);
    const route = match.methods.get(method === "HEAD" ? "GET" : method);
    if (!route) throw new Problem("method_not_allowed", `${path} does not take ${method}.`, { headers: { Allow: match.allow } });
    this.#operations.set(exchange.request, route.spec.operationId);
    const refusal = path.startsWith("/v1") && route.spec.access.kind === "scope" ? closed() : null;
    if (refusal) throw refusal;
    this.#identify(exchange, route);
    rates.check(exchange, route.spec, match.params.id ?? "");
    checkAccept(exchange.request.headers.accept, route.produces);
    return this.#validateAndRun(exchange, route, match);
  }

  #identify(exchange: Exchange, route: CompiledRoute): void {
    try {
      checkAccess(exchange, route.spec.access, this.#parts.credentials);
    } catch (error) {
      const isWrong = error instanceof Problem && error.code === "invalid_credential"; // a missing or an ended one is no guess
      throw isWrong ? this.#parts.rates.failedCredential(exchange, error) : error;
    }
  }

  async #validateAndRun(exchange: Exchange, route: CompiledRoute, match: Match): Promise<Answer> {
    const { facts, request, search, requestId } = exchange;
    let bytes: Buffer = EMPTY;
    if (route.body) {
      checkBodyHeaders(request, route.body.rule);
      bytes = await readBody(request, route.body.rule.maxBytes);
    }
    const params = route.params ? route.params.path(match.params, route.notFound) : {};
    const query = search === "" && !route.spec.query ? EMPTY_QUERY : (route.query?.query(search) ?? EMPTY_QUERY);
    if (query.ignored.length > 0) exchange.headers["X-Ignored-Query"] = ignoredQueryHeader(query.ignored);
    const body = route.body && route.body.rule.mediaType === "application/json" ? readJson(bytes, route) : { value: null, text: "" };
    const handlerRequest: HttpRequest<unknown, unknown, unknown, Exchange["caller"]> = {
      params,
      query: query.values,
      body: body.value,
      bodyText: body.text,
      bytes,
      caller: exchange.caller,
      facts,
      requestId,
      baseUrl: `${facts.secure ? "https" : "http"}://${facts.host}`,
      search,
    };
    if (facts.method === "GET" || facts.method === "HEAD" || facts.headers["idempotency-key"] === undefined) return route.handle(handlerRequest);
    return this.#parts.idempotency.once(exchange, bytes, async () => {
      try {
        return await route.handle(handlerRequest);
      } catch (error) {
        return errorAnswer(error, exchange, this.#parts.logger); // a refusal is an answer too, and is kept like one
      }
    });
  }

  async #consoleFile(exchange: Exchange): Promise<Answer> {
    const { facts } = exchange;
    const { consoleFiles } = this.#parts;
    if (consoleFiles === null || IS_API.test(facts.path)) throw routeNotFound();
    const file = await consoleFiles.find(facts.path, facts.headers.accept ?? "", String(facts.headers["accept-encoding"] ?? ""));
    if (file === null) throw routeNotFound();
    if (facts.method !== "GET" && facts.method !== "HEAD")
      throw new Problem("method_not_allowed", "The console's files are only read.", { headers: { Allow: "GET, HEAD" } });
    const headers: Record<string, string> = { ...CONSOLE_HEADERS, "Cache-Control": file.cacheControl, Vary: "Accept-Encoding" };
    if (file.contentEncoding !== null) headers["Content-Encoding"] = file.contentEncoding;
    return { status: 200, bytes: file.bytes, contentType: file.contentType, etag: file.etag, headers };
  }

  #send(context: Context, exchange: Exchange, answer: Answer): void {
    const { res } = context;
    if (res.headersSent || res.destroyed) return;
    res.setHeader("X-Request-Id", exchange.requestId);
    for (const name in API_HEADERS) res.setHeader(name, API_HEADERS[name] ?? "");
    for (const name in exchange.headers) res.setHeader(name, exchange.headers[name] ?? "");
    res.setHeader("Cache-Control", "private, no-cache");
    for (const name in answer.headers) res.setHeader(name, answer.headers[name] ?? "");
    if (answer.stream) {
      context.respond = false;
      res.writeHead(answer.status, { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
      if (exchange.facts.method === "HEAD") res.end();
      else this.#parts.streams.run(res, answer.stream);
      return;
    }
    context.status = answer.status;
    if (answer.bytes === undefined && answer.body === undefined) {
      context.body = null;
      context.status = answer.status;
      return;
    }
    const bytes = answer.bytes ?? Buffer.from(JSON.stringify(answer.body));
    const isRead = exchange.facts.method === "GET" || exchange.facts.method === "HEAD";
    if (answer.status === 200 && (isRead || exchange.facts.method === "PATCH")) {
      const etag = answer.etag ?? etagOf(bytes);
      res.setHeader("ETag", etag);
      if (isRead && notModified(exchange.request.headers["if-none-match"], etag)) {
        context.status = 304;
        return;
      }
    }
    res.setHeader("Content-Type", answer.contentType ?? JSON_TYPE);
    context.body = bytes;
  }
}

const EMPTY_QUERY = { values: {}, ignored: [] as readonly string[] };

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
    throw new Problem("invalid_body", first ? `The body is not valid: ${first.field || "it"} ${first.message}.` : "The body is not valid.", { details });
  }
  return { value, text };
}

function options(exchange: Exchange, match: Match, credentials: Credentials): Answer {
  if (isPreflight(exchange)) preflightHeaders(exchange, match.allow, credentials.originRegistered);
  return { status: 204, headers: { Allow: match.allow } };
}

function openExchange(request: IncomingMessage, requestId: string, parts: PipelineParts): Exchange {
  const { path, search, host } = splitTarget(request);
  const box = parts.isBoxSocket(request.socket);
  const { address, secure } = box ? { address: "local", secure: false } : peer(request, parts.trustProxy);
  const facts: RequestFacts = { method: request.method ?? "GET", path, headers: request.headers, address, host, secure, box };
  return { request, facts, requestId, search, headers: {}, caller: null };
}

/** Path and query of the request target; the absolute form (RFC 9112 §3.2.2) brings its own host. */
function splitTarget(request: IncomingMessage): { path: string; search: string; host: string } {
  let target = request.url ?? "/";
  let host = request.headers.host ?? "";
  if (!target.startsWith("/") && URL.canParse(target)) {
    const url = new URL(target);
    host = url.host;
    target = url.pathname + url.search;
  }
  const mark = target.indexOf("?");
  return mark === -1 ? { path: target, search: "", host } : { path: target.slice(0, mark), search: target.slice(mark + 1), host };
}

function peer(request: IncomingMessage, trustProxy: boolean): { address: string; secure: boolean } {
  const { socket } = request;
  const remote = socket.remoteAddress ?? "";
  const secure = "encrypted" in socket && socket.encrypted === true;
  const address = remote.startsWith("::ffff:") ? remote.slice(7) : remote;
  if (!trustProxy) return { address, secure };
  const forwarded = String(request.headers["x-forwarded-for"] ?? "")
    .split(",")
    .at(-1)
    ?.trim();
  return { address: forwarded || address, secure: secure || request.headers["x-forwarded-proto"] === "https" };
}
