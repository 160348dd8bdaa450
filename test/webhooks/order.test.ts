/** No delivery passes another of its device, whatever the receiver answers. */
import type { ServerResponse } from "node:http";
import t from "tap";
import type { Database } from "../../src/core/storage/database.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { Receiver, settled, startWebhooks, type WebhookBench } from "./setup.ts";

const OUTAGES = 1_000;
const WEBHOOKS = 10;
const DEVICES = ["plug", "lamp", "gate", null];
/** Events of this kind belong to no device. */
const ABOUT_NONE = "automation.notify";

/** Repeatable numbers in [0, 1): a linear congruential generator with the constants of Numerical Recipes. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Respond = (response: ServerResponse, deviceId: string | null) => boolean;

const answers =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (response) => {
    response.writeHead(status, headers).end();
    return false;
  };

/** How a receiver may fail; each returns whether it took the delivery. */
const FAILURES: readonly Respond[] = [
  (response) => {
    response.socket?.destroy();
    return false;
  },
  answers(500),
  answers(502),
  answers(503, { "Retry-After": "20" }),
  answers(404),
  answers(301, { Location: "/elsewhere" }),
];

/** A receiver that fails for some attempts, works for some, and so on. */
class Moody {
  readonly receiver = new Receiver();
  /** What it accepted, by device, in order of arrival. */
  readonly taken = new Map<string, number[]>();
  outages = 0;
  readonly #random: () => number;
  #left = 0;
  #fail: Respond | null = null;
  #refused: string | null = null;

  constructor(seed: number) {
    this.#random = numbers(seed);
    this.receiver.respond = (response, _request, body) => {
      const { deviceId, data } = JSON.parse(body) as { deviceId: string | null; data: { state?: { n: number } } };
      this.#next();
      const fail = this.#fail;
      if (fail !== null && (this.#refused === null || this.#refused === String(deviceId)) && !fail(response, deviceId))
        return;
      if (data.state !== undefined) {
        const list = this.taken.get(String(deviceId)) ?? [];
        this.taken.set(String(deviceId), list);
        if (!list.includes(data.state.n)) list.push(data.state.n);
      }
      response.writeHead(204).end();
    };
  }

  /** Whether it has had as many outages as the test wants; from then on it works. */
  get isDone(): boolean {
    return this.outages >= OUTAGES / WEBHOOKS && this.#fail === null;
  }

  #next(): void {
    this.#left -= 1;
    if (this.#left >= 0) return;
    const random = this.#random;
    const isOver = this.outages >= OUTAGES / WEBHOOKS;
    if (this.#fail === null && !isOver) {
      this.outages += 1;
      this.#fail = FAILURES[Math.floor(random() * FAILURES.length)] ?? null;
      this.#refused = random() < 0.3 ? String(DEVICES[Math.floor(random() * DEVICES.length)]) : null;
      this.#left = Math.floor(random() * 14);
    } else {
      this.#fail = null;
      this.#left = Math.floor(random() * 8);
    }
  }
}

const STEP_MS = 10_000;
const LONGEST_STEP_MS = 3_600_000;

/** Advances the clock until the condition holds, faster the longer nothing has been tried. */
async function passUntil(
  { clock, database, hooks }: { clock: FakeClock; database: Database; hooks: WebhookBench },
  condition: () => boolean,
): Promise<void> {
  let stepMs = STEP_MS;
  for (let tried = -1; !condition(); ) {
    await settled(database);
    const { sent, failed } = hooks.deliverer.figures;
    stepMs = sent + failed === tried ? Math.min(LONGEST_STEP_MS, 2 * stepMs) : STEP_MS;
    tried = sent + failed;
    clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function makeEvents(hooks: WebhookBench, siteId: number, from: number, count: number): Promise<number> {
  for (let n = from; n < from + count; n++) {
    const device = DEVICES[n % DEVICES.length] ?? null;
    await hooks.report(siteId, n, device === null ? ABOUT_NONE : "device.state", device);
  }
  return from + count;
}

t.test(`order is kept for each device through ${OUTAGES} random outages, and nothing is lost`, async (t) => {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t), clock);
  const { siteId } = seedAccount(database);
  const hooks = await startWebhooks(database, { clock, settings: { parallel: WEBHOOKS }, random: numbers(7) });
  const receivers = Array.from({ length: WEBHOOKS }, (_, n) => new Moody(n + 1));
  t.teardown(async () => {
    await hooks.stop();
    for (const { receiver } of receivers) await receiver.stop();
    await database.stop();
  });
  const ids: number[] = [];
  for (const { receiver } of receivers) {
    await receiver.start();
    const { webhook } = await hooks.registry.create(siteId, {
      url: receiver.url,
      events: ["device.state", ABOUT_NONE],
    });
    ids.push(webhook.id);
  }
  const pending = () => Math.max(...ids.map((id) => hooks.deliveries.pendingOf(siteId, id).count));
  let made = 0;
  while (!receivers.every(({ isDone }) => isDone)) {
    made = await makeEvents(hooks, siteId, made, 20);
    await passUntil({ clock, database, hooks }, () => pending() < 40);
  }
  await passUntil({ clock, database, hooks }, () => pending() === 0);
  await passUntil({ clock, database, hooks }, () => hooks.deliverer.figures.unsaved === 0);
  let outages = 0;
  for (const [index, { taken, outages: had }] of receivers.entries()) {
    outages += had;
    for (const [device, list] of taken)
      t.ok(
        list.every((n, at) => at === 0 || n > (list[at - 1] ?? 0)),
        `webhook ${index}, ${device}: ${list.length} in order`,
      );
    const failed = hooks.deliveries
      .list(siteId, ids[index] ?? 0, { limit: 20_000, status: "failed" })
      .items.filter(({ test }) => !test).length;
    t.equal([...taken.values()].flat().length + failed, made, `webhook ${index}: accepted, or given up`);
  }
  t.equal(outages, OUTAGES);
});
