/**
 * A process that holds nothing but automations on a real database file: tests kill it and start it again.
 * Usage: node automation-process.ts FOLDER WALL_OFFSET_MS. Reads one JSON object per line: `{"rule": …}` makes a rule,
 * `{"state": …, "initial"?: true}` is a message of device `plug`,
 * `{"waitMs": …}` lets it be for a while. Prints `ready`, `stored` after each line is on disk,
 * and appends every command to FOLDER/commands.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Facts } from "../../src/core/api/facts.ts";
import { Bus } from "../../src/core/kernel/bus.ts";
import { SystemClock, systemClock } from "../../src/core/kernel/clock.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import { Database } from "../../src/core/storage/database.ts";
import { Automations } from "../../src/features/automations/automations.ts";
import { Hands } from "../../src/features/devices/hands.ts";
import { PROJECT_ROOT, seedAccount } from "./database.ts";

const [folder = "", offset = "0"] = process.argv.slice(2);

/** The machine's clocks, with the wall clock offset by the argument. */
class OffsetClock extends SystemClock {
  override now(): number {
    return super.now() + Number(offset);
  }

  override certain(): number {
    return this.now();
  }
}

const clock = new OffsetClock();
const database = new Database({
  file: join(folder, "gatehouse.db"),
  migrationsFolder: join(PROJECT_ROOT, "src/core/storage/migrations"),
  commitIntervalMs: 5,
  clock: systemClock,
  logger: silentLogger,
});
await database.start();
const sites = database.raw.prepare<[], { id: number }>("SELECT id FROM site WHERE env = 'live'").all();
const siteId = sites[0]?.id ?? seedAccount(database).siteId;
const bus = new Bus<Facts>(silentLogger);
const plug: { state: JsonObject } = { state: {} };
const find = (id: string) => ({
  siteId,
  name: id,
  type: "light",
  online: true,
  state: id === "plug" ? plug.state : {},
  battery: null,
  commandSchema: null,
  opensForPlates: false,
});
const automations = new Automations({
  database,
  clock,
  trust: { state: () => "trusted", onChange: () => () => {}, onJump: () => () => {} },
  logger: silentLogger,
  bus,
  settleMs: 50,
  house: {
    registry: { find },
    commands: {
      send: async ({ deviceId, command }) => {
        appendFileSync(join(folder, "commands"), `${deviceId}\n`);
        return { commandId: 1, command };
      },
      opens: () => false,
      movedBy: (id) => [id],
      hands: new Hands(clock),
    },
    scenes: {
      activate: async () => ({ name: "", sent: 0, skipped: [], refused: [] }),
      actionsOf: () => null,
      modeOf: () => null,
      devicesOf: () => null,
      nameOf: () => null,
    },
    accounts: {
      site: () => ({ timeZone: "UTC", latitude: null, longitude: null, env: "live" as const }),
      personsOf: () => [],
    },
    keys: { author: () => ({ name: "", scopes: null }) },
    limits: { isBound: () => false, isPersonBound: () => false },
    grants: { stands: () => true, issuerOf: () => null },
    feed: { record: () => null },
    outbox: { enqueue: () => {} },
    lan: { notify: () => {} },
    occupancy: { now: () => ({ inside: 0 }) },
    modes: { now: () => ({ mode: "home" as const, since: null, name: null }), set: async () => {} },
    presence: { whereIs: () => null, count: () => ({ home: 0, away: 0 }) },
    countries: Countries.all,
    decides: () => false,
    recordAudit: () => {},
  },
});
plug.state = lastState();
await automations.start();
process.stdout.write("ready\n");
const alive = setInterval(() => {}, 1_000); // the hub's server does this in the real process
for await (const line of createInterface({ input: process.stdin })) {
  // the test's own lines
  const order = JSON.parse(line) as { rule?: JsonObject; state?: JsonObject; initial?: boolean; waitMs?: number };
  if (order.rule) await automations.create(siteId, order.rule);
  if (order.state) {
    const previous = plug.state;
    plug.state = { ...previous, ...order.state };
    const text = JSON.stringify(plug.state);
    void database.write(() =>
      database.raw
        .prepare(
          "INSERT INTO hub (key, value) VALUES ('test_plug', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        )
        .run(text),
    );
    const changed = Object.keys(order.state);
    bus.announce("device.changed", {
      siteId,
      deviceId: "plug",
      state: plug.state,
      previous,
      changed,
      source: "device",
      at: clock.now(),
      initial: order.initial ?? false,
    });
  }
  if (order.waitMs) await new Promise((resolve) => setTimeout(resolve, order.waitMs));
  await database.write(() => {});
  process.stdout.write("stored\n");
}
clearInterval(alive);

/** The plug's state as the registry would have stored it. */
function lastState(): JsonObject {
  const row = database.raw.prepare<[], { value: string }>("SELECT value FROM hub WHERE key = 'test_plug'").get();
  return row === undefined ? {} : (JSON.parse(row.value) as JsonObject); // written below
}
