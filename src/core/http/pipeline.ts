/**
 * Koa only opens each request: `respond = false`, and routes are looked up before the single middleware's checks, whose
 * order is part of the API. Conventional Koa was measured with the same checks on 2026-11-23 (`npm run bench -- api`,
 * GET /v1/devices, two runs, requests a second as a share of bare Koa's): this design 80 and 86 %; responses by
 * `context.set` and `context.body` 65 and 70 %; those, and the hub's 190 operations as middleware of @koa/router, 36
 * and 40 %.
 */
import type { Socket } from "node:net";
import type { Context } from "koa";
import { plainAddress, shareOf } from "../kernel/admission.ts";
import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";
import { AnswerWriter, type AnswerWriterParts, isRead } from "./answer-writer.ts";
import type { ConsoleFiles } from "./console-files.ts";
import type { Exchange, HttpRequest, RouteResponse } from "./exchange.ts";
import type { FairScheduler } from "./fair-scheduler.ts";
import { checkAccept } from "./middleware/accept.ts";
import { type Credentials, checkAccess, routeNotFound } from "./middleware/access.ts";
import { checkBodyHeaders, declaredBytes, parseJsonObject, readBody } from "./middleware/body.ts";
import type { BodyRoom } from "./middleware/body-room.ts";
import { allowReading, answerOptions } from "./middleware/cors.ts";
import { errorAnswer } from "./middleware/errors.ts";
import type { HostRule } from "./middleware/host.ts";
import type { Idempotency } from "./middleware/idempotency.ts";
import { ignoredQueryHeader } from "./middleware/parameters.ts";
import { answerInClear } from "./middleware/plain-http.ts";
import type { RateLimits } from "./middleware/rate-limit.ts";
import type { RequestIds } from "./middleware/request-id.ts";
import { CONSOLE_HEADERS } from "./middleware/security-headers.ts";
import { openExchange } from "./open-exchange.ts";
import type { CompiledRoute, Match, RouteTable } from "./router.ts";

/** The parts of the pipeline. */
export interface PipelineParts extends AnswerWriterParts {
  readonly requestIds: RequestIds;
  readonly hosts: HostRule;
  readonly routes: RouteTable;
  readonly credentials: Credentials;
  readonly rates: RateLimits;
  readonly idempotency: Idempotency;
  /** For requests on connections that have presented no credential. */
  readonly scheduler: FairScheduler;
  readonly bodies: BodyRoom;
  readonly consoleFiles: ConsoleFiles | null;
  /** Why /v1 is closed now (a hub without an owner); null if it is open. */
  readonly closed: () => Problem | null;
  readonly trustProxy: boolean;
  /** Whether a connection came over the control socket. */
  readonly isBoxSocket: (socket: Socket) => boolean;
  readonly onRequest: ((figure: RequestFigure) => void) | null;
  readonly logger: Logger;
}

/** One answered request, for metrics. */
export interface RequestFigure {
  /** Null when the request led to no route. */
  readonly operationId: string | null;
  readonly method: string;
  readonly status: number;
  readonly tookMs: number;
}

const EMPTY = Buffer.alloc(0);
/** More than any client sends; Node drops none of them silently. */
const MOST_HEADERS = 100;
const IS_V1 = /^\/v1(\/|$)/;
const IS_API = /^\/(v1|api)(\/|$)/;

/**
 * Answers one request. The order of the checks is part of the API: host, route and method, credential, origin, scope,
 * fresh proof, rate, media type and size, path, query, for large bodies the object, body, and, if the body requires it,
 * the fresh proof; then the handler looks up the object and checks for conflicts.
 */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #answers: AnswerWriter;
  #running = 0;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#answers = new AnswerWriter(parts);
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
    const turn =
      from === "unauthenticated" ? scheduler.wait(shareOf(plainAddress(request.socket.remoteAddress))) : null;
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
    const status = this.#answers.send(exchange, answer);
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
      // Registered origins may read error bodies, including 404 and 405.
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
      // a missing or expired credential is not a guess
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
    route.before?.({ ...head, bodyBytes: declaredBytes(request) }, exchange.caller);
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
      name: caller?.actor ?? shareOf(facts.address),
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
      const turn = caller === null && !facts.box ? this.#parts.scheduler.wait(shareOf(facts.address)) : null;
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
    // answers of the console's own API hold secrets that are shown once: never keep them
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
}

const NOTHING: Readonly<Record<string, never>> = {};
const NO_BODY = { value: null, text: "" };

function readJson(bytes: Buffer, route: CompiledRoute): { value: unknown; text: string } {
  const { value, text } = parseJsonObject(bytes, { anyNames: route.spec.forwardsBody === true });
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
