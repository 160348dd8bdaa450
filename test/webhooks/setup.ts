import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";
import type { Facts } from "../../src/core/api/facts.ts";
import type { WebhookEvent } from "../../src/core/api/webhook-events.ts";
import { type Clock, systemClock } from "../../src/core/kernel/clock.ts";
import type { Resolve } from "../../src/core/kernel/target.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { Deliverer } from "../../src/features/webhooks/deliver.ts";
import { Deliveries } from "../../src/features/webhooks/deliveries.ts";
import { Outbox } from "../../src/features/webhooks/outbox.ts";
import { WebhookRegistry } from "../../src/features/webhooks/registry.ts";
import { type TestSettings, testAccess, testBase } from "../support/base.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

/** One request that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly method: string;
  readonly url: string;
}

/** Waits until `condition` holds; fails the test by its time limit otherwise. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A real HTTP receiver on loopback that answers as `respond` decides; 204 by default. */
export class Receiver {
  readonly received: Received[] = [];
  respond: (response: ServerResponse, request: IncomingMessage, body: string) => void = (response) =>
    response.writeHead(204).end();
  readonly #host: string;
  #server: Server | null = null;

  /** @param host with an address of its own, nobody else takes its port while it is away */
  constructor(host = "127.0.0.1") {
    this.#host = host;
  }

  /** Listens on `port`, or on any; a receiver that was away returns on its earlier port. */
  async start(port = 0): Promise<void> {
    this.#server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        this.received.push({ headers: request.headers, body, method: request.method ?? "", url: request.url ?? "" });
        this.respond(response, request, body);
      });
    });
    await new Promise<void>((resolve) => this.#server?.listen(port, this.#host, resolve));
  }

  get port(): number {
    const address = this.#server?.address() as AddressInfo | undefined; // it listens on TCP
    return address?.port ?? 0;
  }

  get url(): string {
    return `http://${this.#host}:${this.port}/hook`;
  }

  /** The bodies so far, parsed. */
  get bodies(): { id: string; event: string; deviceId: string; data: Record<string, unknown>; at: string }[] {
    return this.received.map(({ body }) => JSON.parse(body));
  }

  async got(count: number): Promise<void> {
    await until(() => this.received.length >= count);
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

/** The webhooks of a hub, on a database. */
export interface WebhookBench {
  readonly registry: WebhookRegistry;
  readonly outbox: Outbox;
  readonly deliverer: Deliverer;
  readonly deliveries: Deliveries;
  readonly feed: { kind: string; body: string; text: Facts["feed.added"]["words"] }[];
  readonly facts: Facts["webhook.changed"][];
  /** Reports a committed change of a device (`plug`) with number `n`. */
  report(siteId: number, n: number, event?: WebhookEvent, deviceId?: string | null): Promise<void>;
  stop(): Promise<void>;
}

/** What a test may set differently. */
interface WebhookBenchOptions {
  clock?: Clock;
  allowLoopback?: boolean;
  ownPorts?: number[];
  settings?: TestSettings["webhooks"];
  logRows?: number;
  timeoutMs?: number;
  random?: () => number;
  resolve?: Resolve;
  trusted?: string;
  drainMs?: number;
  /** A disk that does not answer. */
  stands?: () => boolean;
}

/** A household with webhooks and one receiver; they stop with the test. */
interface House {
  readonly database: Database;
  readonly siteId: number;
  readonly receiver: Receiver;
  readonly hooks: WebhookBench;
}

/** A {@link House} whose time stands still until the test advances it. */
export async function pausedHouse(
  t: Test,
  options: WebhookBenchOptions = {},
): Promise<House & { readonly clock: FakeClock }> {
  const clock = new FakeClock();
  return { clock, ...(await openHouse(t, clock, { ...options, clock })) };
}

/** A {@link House} whose time passes. */
export function livingHouse(t: Test, options: WebhookBenchOptions = {}): Promise<House> {
  return openHouse(t, systemClock, options);
}

async function openHouse(t: Test, clock: Clock, options: WebhookBenchOptions): Promise<House> {
  const database = await openDatabase(testFolder(t), clock);
  const { siteId } = seedAccount(database);
  const receiver = new Receiver();
  await receiver.start();
  const hooks = await startWebhooks(database, options);
  t.teardown(async () => {
    await hooks.stop();
    await receiver.stop();
    await database.stop();
  });
  return { database, siteId, receiver, hooks };
}

/** Starts webhooks; loopback is allowed by default. */
export async function startWebhooks(database: Database, options: WebhookBenchOptions = {}): Promise<WebhookBench> {
  const { clock = systemClock, timeoutMs = 5_000, random = () => 0.5 } = options;
  const { drainMs, resolve, trusted, allowLoopback = true } = options;
  const base = testBase(database, clock, { webhooks: { allowLoopback, ...options.settings } });
  const feed: { kind: string; body: string; text: Facts["feed.added"]["words"] }[] = [];
  const facts: Facts["webhook.changed"][] = [];
  base.bus.on("webhook.changed", "test", (fact) => facts.push(fact));
  const { feed: feedFeature, access } = testAccess(base);
  feedFeature.feed.onRecorded((item) => feed.push({ ...item, text: item.words }));
  const { grants } = access;
  if (options.stands !== undefined) grants.stands = options.stands;
  const targets = { allowLoopback, ownPorts: () => options.ownPorts ?? [], ownAddresses: () => ["192.0.2.7"] };
  const registry = new WebhookRegistry(base, { feed: feedFeature.feed, grants, targets });
  const outbox = new Outbox(base, registry, options.logRows);
  const deliverer = new Deliverer(base, {
    registry,
    outbox,
    targets,
    timeoutMs,
    random,
    ...(resolve ? { resolve } : {}),
    ...(trusted === undefined ? {} : { trusted }),
    ...(drainMs === undefined ? {} : { drainMs }),
  });
  const deliveries = new Deliveries(base, { registry, outbox, deliverer });
  for (const part of [registry, outbox, deliverer]) await part.start();
  return {
    registry,
    outbox,
    deliverer,
    deliveries,
    feed,
    facts,
    report: (siteId, n, event = "device.state", deviceId = "plug") =>
      database.write(() =>
        outbox.enqueue({
          siteId,
          event,
          deviceId,
          data: { state: { n }, changed: ["n"], previous: {}, source: "device" },
          at: clock.now(),
        }),
      ),
    async stop() {
      for (const part of [deliverer, outbox, registry]) await part.stop();
    },
  };
}

/** The commit is on the disk and its waiters have continued: only then is the next attempt scheduled. */
export async function settled(database: Database): Promise<void> {
  await database.durable();
  await new Promise((resolve) => setImmediate(resolve));
}

/** Advances the clock until the receiver has got `count` requests, whatever the gaps between. */
export async function pass(
  { clock, database, receiver }: { clock: FakeClock; database: Database; receiver: Receiver },
  count: number,
  stepMs = 5_000,
): Promise<void> {
  while (receiver.received.length < count) {
    await settled(database);
    clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
