/**
 * A whole hub in its own process, whose cameras see what standard input dictates: everything is real but the
 * recogniser. Started by scripts/estate-check.mjs. Each line in is `{id, do, …}`, each line out `{id, …}`; settings
 * come from the environment, and LOG_FILE names a file for its log.
 */
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { Direction } from "../../src/core/plates/reading.ts";
import { createLogger } from "../../src/core/platform/log.ts";
import { openTls } from "../../src/core/platform/tls.ts";
import { openSettings } from "../../src/core/settings/store.ts";
import { EstateReadTable } from "../../src/features/estate/tables/estate-read.ts";
import { Hub } from "../../src/hub.ts";
import { send } from "./api-client.ts";
import { CHEAP_COST } from "./cheap-cost.ts";
import { PROJECT_ROOT } from "./database.ts";
import { passOf } from "./played-pass.ts";

interface Order {
  readonly id: number;
  readonly do: "pass" | "rule" | "edit" | "remove" | "knows" | "dump" | "health" | "part" | "far";
  readonly plate?: string;
  readonly direction?: Direction;
  readonly at?: number;
  readonly key?: string;
  readonly kind?: "allow" | "deny" | "watch";
  readonly capacity?: number;
}

const KNOWN_MS = 86_400_000;
const OWNER = { name: "Olga", email: "owner@example.org", password: "a gate for every car" };
const dataFolder = process.env.GATEHOUSE_DATA ?? "";
const { LOG_FILE: logFile, ...env } = process.env;
const settings = openSettings({ env, argv: [] });
const hub = await Hub.open({
  settings,
  prepares: false,
  clock: systemClock,
  tls: await openTls(settings.current, dataFolder, { nowMs: Date.now() }),
  logger:
    logFile === undefined
      ? silentLogger
      : createLogger({
          level: "debug",
          format: "json",
          write: (line) => appendFileSync(logFile, line),
          mono: () => performance.now(),
        }),
  projectFolder: PROJECT_ROOT,
  dataFolder,
  version: "0.0.0",
  builtAt: 0,
  passwordCost: CHEAP_COST,
});
const RESOLUTION_MS = 1;
const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
loop.enable();
const decisions: number[] = [];
hub.gate.gate.onTimed(({ readMs, decideMs }) => decisions.push(readMs + decideMs));
await hub.start();
await (hub.access.accounts.claimed ? Promise.resolve() : claim());
const site = hub.access.accounts.sites().find(({ env }) => env === "live")?.id ?? 0;
const { estate } = hub.estate;

async function claim(): Promise<void> {
  const { port } = hub.web.server;
  const { headers } = await send(port, "POST", "/api/claim", { json: { code: hub.access.claim.code(), ...OWNER } });
  const Cookie = headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  for (const direction of ["in", "out"]) {
    await send(port, "POST", "/api/devices", {
      headers: { Cookie },
      json: { id: `camera-${direction}`, name: `Camera ${direction}`, type: "camera", room: null },
    });
    await send(port, "PATCH", `/api/cameras/camera-${direction}`, { headers: { Cookie }, json: { direction } });
  }
}

async function carryOut(order: Order): Promise<object> {
  const { plate = "", direction = "in", key = "", kind = "allow" } = order;
  const rule = (): number => hub.gate.rules.list(site).find((one) => one.plate === plate)?.id ?? 0;
  const deviceId = `camera-${direction}`;
  switch (order.do) {
    case "pass":
      if (!hub.gate.gate.knows(deviceId, key, KNOWN_MS)) await passOf(hub, deviceId, plate, direction, order.at, key);
      return {};
    case "rule":
      return { rule: (await hub.gate.rules.create(site, { plate, kind }, "check")).id };
    case "edit":
      return { rule: (await hub.gate.rules.edit(site, rule(), { kind }, "check")).id };
    case "remove":
      await hub.gate.rules.remove(site, rule(), "check");
      return {};
    case "part":
      await estate?.setPart("main", { name: "Main", capacity: order.capacity ?? 0 });
      return {};
    case "knows":
      return knows(plate, kind);
    case "dump":
      return dump();
    case "far":
      return { at: new EstateReadTable(hub.base.database).sum("far", Number.MAX_SAFE_INTEGER).lastAt };
    case "health":
      return {
        health: estate?.health() ?? null,
        peers: estate?.view.peers() ?? [],
        rss: process.memoryUsage().rss,
        cpu: process.cpuUsage(),
        decisions: decisions.splice(0),
        loop: loopDelay(),
      };
  }
}

/** How long the loop was blocked since the last question, milliseconds. */
function loopDelay(): object {
  const [max, p99] = [loop.max, loop.percentile(99)].map((nanos) => Math.max(0, nanos / 1e6 - RESOLUTION_MS));
  loop.reset();
  return { max, p99 };
}

/** When the rule decides here, by a clock that all processes of the machine share. */
async function knows(plate: string, kind: string): Promise<object> {
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline) {
    if (hub.gate.rules.list(site).some((one) => one.plate === plate && one.kind === kind))
      return { at: String(process.hrtime.bigint()) };
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error("the rule did not come");
}

function dump(): object {
  const reads = new EstateReadTable(hub.base.database);
  return {
    rules: hub.gate.rules
      .list(site)
      .map(({ plate, kind }) => `${plate} ${kind}`)
      .sort(),
    reads: reads
      .list({}, 10_000_000)
      .map(({ hub: from, plate, at, direction, part }) => `${part} ${plate} ${at} ${from} ${direction}`)
      .sort(),
    visits: [...new Set(reads.list({}, 10_000_000).map(({ plate }) => plate))]
      .flatMap((plate) => estate?.view.visits(plate, 1_000_000) ?? [])
      .map(
        ({ part, plate, entryAt, entryHub, exitAt, exitHub, status }) =>
          `${part} ${plate} ${entryAt} ${entryHub} ${exitAt} ${exitHub} ${status}`,
      )
      .sort(),
    occupancy: estate?.view.occupancy() ?? null,
  };
}

process.stdout.on("error", () => process.exit(1)); // the parent is gone
const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
tell({ ready: true, port: hub.web.server.port });
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order; // from the script that started this process
  void carryOut(order).then(
    (answer) => tell({ id: order.id, ...answer }),
    (error: unknown) =>
      tell({ id: order.id, error: error instanceof Error && "code" in error ? String(error.code) : String(error) }),
  );
}
await hub.stop();
