/**
 * Prepares what the first person after a start would wait for: checks of requests are compiled, handlers that only read
 * are run, requests go through the web server, and the recogniser loads its models where a camera opens a gate. One
 * small piece at a time, while the event loop is idle; a request meanwhile waits for at most one piece. The engine's
 * code for all of it is then cached for the next start (src/core/platform/kept-program.ts). Changes nothing: no row, no
 * message.
 */
import { request } from "node:http";
import { request as requestTls } from "node:https";
import type { Caller } from "../../core/api/caller.ts";
import { ALL_SCOPES } from "../../core/api/scopes.ts";
import type { Base } from "../../core/base.ts";
import type { BoundRoute } from "../../core/http/exchange.ts";
import { type Operation, operationOf } from "../../core/http/operation.ts";
import type { HttpServer } from "../../core/http/server.ts";
import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Service } from "../../core/kernel/service.ts";
import { controlSocketFile } from "../../core/platform/control-socket-file.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { RecognitionFeature } from "../recognition/feature.ts";
import type { WebFeature } from "./web.ts";

/** Prepared pieces, one for each call of `next`. */
type Pieces = AsyncGenerator<void>;

/** Gives the first requests after the start precedence over preparation. */
const FIRST_MS = 100;
/** Between two pieces, and between two looks at a busy event loop. */
const REST_MS = 5;
/** A loop that was busy for more than this share of the rest has something better to do. */
const BUSY_SHARE = 0.5;
/** A hub that is never idle is used already. */
const LONGEST_MS = 60_000;
/** A caller without identity; it only reads. */
const NOBODY: Omit<Caller, "siteId"> = {
  method: "api_key",
  accountId: 0,
  householdId: 0,
  role: "owner",
  env: "live",
  scopes: ALL_SCOPES,
  keyName: "nobody",
  actor: "api_key:0",
  origins: [],
};

/** Like a key, and without an owner. */
const NO_CREDENTIAL = {
  authorization: `Bearer gth_live_${"0".repeat(43)}`,
  xApiKey: null,
  cookie: null,
  secure: false,
};

/** See the head of the file. */
export class FirstUse implements Service {
  readonly name = "first use";
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pieces: () => Pieces;
  #timer: Timer | null = null;
  #isStopped = false;

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }, pieces: () => Pieces) {
    this.#clock = clock;
    this.#logger = logger;
    this.#pieces = pieces;
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    this.#timer = this.#clock.after(FIRST_MS, () => {
      void this.#prepare().catch((error: unknown) =>
        this.#logger.debug({ err: error }, "the first requests could not be prepared"),
      );
    });
  }

  /** The piece under way ends by itself: it changes nothing, and nobody waits for it. It may be loading the models. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.stop();
  }

  async #prepare(): Promise<void> {
    const untilMono = this.#clock.mono() + LONGEST_MS;
    const pieces = this.#pieces();
    for (let isOver = false; !isOver; ) {
      const busyShare = await this.#rest();
      if (this.#isStopped || this.#clock.mono() > untilMono) return;
      if (busyShare <= BUSY_SHARE) isOver = (await pieces.next()).done === true;
    }
  }

  /** Waits for a moment; resolves with the share of it in which the event loop was busy. */
  async #rest(): Promise<number> {
    const before = performance.eventLoopUtilization();
    await new Promise<void>((resolve) => {
      this.#timer = this.#clock.after(REST_MS, resolve);
    });
    return performance.eventLoopUtilization(before).utilization;
  }
}

/** The features whose first use is prepared. */
interface Prepared {
  readonly access: AccessFeature;
  readonly devices: DevicesFeature;
  readonly gate: GateFeature;
  readonly recognition: RecognitionFeature;
  readonly web: WebFeature;
}

/** The pieces for a whole hub. First those needed at the gate and on a phone, then the rest of /v1. */
export async function* piecesOf(base: Base, { access, devices, gate, recognition, web }: Prepared): Pieces {
  const siteId = access.accounts.household()?.id ?? 0;
  const v1 = web.routes.filter(({ spec }) => spec.path.startsWith("/v1"));
  const isFirst = ({ spec }: BoundRoute): boolean => spec.rate === "command" || spec.path === "/v1/devices";
  async function* prepared(route: BoundRoute): Pieces {
    const { spec } = route;
    const path = spec.path.replaceAll(/\{\w+\}/g, "0");
    const operation = operationOf(route);
    yield* checksOf(operation);
    if (spec.method === "GET" && spec.access.kind === "scope" && !path.endsWith("/stream")) {
      await asked(operation, path, { ...NOBODY, siteId });
      yield;
    }
  }
  for (const route of v1.filter(isFirst)) yield* prepared(route);
  await ignored(() => devices.commands.outcome(0, 0)); // its table's statements
  await ignored(() => access.authenticator.check(NO_CREDENTIAL));
  yield* requests(controlSocketFile(base.dataFolder), web.server);
  // the models take some 60 MB; cameras of the test household bring their reads
  const models = gate.cameras.all().some((camera) => camera.siteId === siteId && camera.gate !== null)
    ? ignored(() => recognition.recogniser.prepare())
    : Promise.resolve();
  for (const route of v1.filter((one) => !isFirst(one))) yield* prepared(route);
  await models;
}

/**
 * Requests through the whole web server, as from the network, and with a right, which the control socket has without a
 * credential.
 */
async function* requests(socketPath: string, { port, tlsPort }: Pick<HttpServer, "port" | "tlsPort">): Pieces {
  const everywhere = [
    ["GET", "/v1"],
    ["GET", "/"],
    ["POST", "/v1/devices/0/commands"],
  ] as const;
  const places: readonly [Place, readonly (readonly [string, string])[]][] = [
    [{ socketPath }, [...everywhere, ["GET", "/v1/devices"]]],
    [{ port }, everywhere.slice(0, 2)], // without a credential a command is a guess
    [{ port: tlsPort, isTls: true }, everywhere.slice(0, 2)],
  ];
  for (const [place, all] of places)
    for (const [method, path] of place.port === 0 ? [] : all) {
      yield;
      await ignored(() => requested(place, method, path));
    }
}

/** Compiles a route's checks and runs each once. */
async function* checksOf(route: Operation): Pieces {
  const params = Object.fromEntries([...route.spec.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, "0"]));
  const { body } = route;
  if (body !== null) {
    await body.check.ready();
    yield;
    body.check({});
    yield;
  }
  await ignored(() => route.params?.path(params, route.notFound));
  yield;
  await ignored(() => route.query.query(""));
  yield;
}

/** Runs a handler that only reads. */
async function asked(route: Operation, path: string, caller: Caller): Promise<void> {
  await ignored(() =>
    route.handle({
      params: { id: 0, plate: "0" },
      query: route.query.query("").values,
      body: null,
      bodyText: "",
      bytes: Buffer.alloc(0),
      caller,
      facts: { method: "GET", path, headers: {}, address: "local", host: "localhost", secure: false, box: true },
      requestId: "first-use",
      baseUrl: "http://localhost",
      search: "",
    }),
  );
}

/** The target of a request: the control socket, or a port of this machine. */
interface Place {
  readonly socketPath?: string;
  readonly port?: number;
  readonly isTls?: boolean;
}

/** Sends a request without a credential through the whole web server; the response is ignored. */
function requested({ isTls = false, ...place }: Place, method: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { host: "localhost", accept: "text/html, application/json", "content-type": "application/json" };
    const more = isTls ? { rejectUnauthorized: false } : {}; // the hub's own certificate names others than this address
    const ask = isTls ? requestTls : request;
    const sent = ask({ ...place, ...more, method, path, headers, agent: false }, (answer) => {
      answer.resume().on("close", resolve);
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? "{}" : undefined);
  });
}

/** Runs `work` for the compiled code it leaves: errors such as not found or unreachable are expected. */
async function ignored(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // expected
  }
}
