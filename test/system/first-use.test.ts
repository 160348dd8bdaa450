import t from "tap";
import { API_CHECKS } from "../../src/core/http/middleware/validate.ts";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { sendCommand } from "../../src/features/devices/api/devices.ts";
import { createPlateRule } from "../../src/features/gate/api/plate-rules.ts";
import { FirstUse, piecesOf } from "../../src/features/system/first-use.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { eventually } from "../support/hub-process.ts";

t.test("soon after a start the checks of requests are compiled, and nothing was changed for that", async (t) => {
  const { hub } = await startConsoleHub(t, { prepares: true });
  const { raw } = hub.base.database;
  const tables = raw
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all()
    .map(({ name }) => name);
  const rows = () =>
    Object.fromEntries(tables.map((name) => [name, raw.prepare(`SELECT count(*) FROM ${name}`).pluck().get()]));
  const before = rows();
  const { body: command } = sendCommand;
  const { body: rule } = createPlateRule;
  if (command === undefined || rule === undefined) throw new Error("both have a body");
  // ready() compiles what is not yet compiled: called only once it should be
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await eventually(() => (API_CHECKS.body(rule).ready() === null ? true : undefined));
  t.equal(API_CHECKS.body(command).ready(), null);
  const changed = Object.entries(rows()).filter(([name, count]) => count !== before[name]);
  t.same(changed, []);
});

t.test("the models are loaded where a camera of the house opens a gate, not for the test household's", async (t) => {
  const { hub } = await startConsoleHub(t);
  const { recogniser } = hub.recognition;
  let loads = 0;
  const prepare = recogniser.prepare.bind(recogniser);
  recogniser.prepare = async () => {
    loads += 1;
    await prepare();
  };
  const prepared = async (): Promise<void> => {
    for await (const _ of piecesOf(hub.base, hub)) if (loads > 1) break;
  };
  t.ok(
    hub.gate.cameras.all().some(({ gate }) => gate !== null),
    "the test household has such a camera",
  );
  await prepared();
  t.equal(loads, 0);
  const site = hub.access.accounts.household()?.id ?? 0;
  await hub.devices.registry.create(site, { id: "drive", name: "Drive", type: "camera", room: null });
  await hub.devices.registry.create(site, { id: "barrier", name: "Barrier", type: "gate", room: null });
  await hub.gate.cameras.edit(site, "drive", { gate: { deviceId: "barrier", command: { open: true } } });
  await prepared();
  t.equal(loads, 1);
});

t.test("a stop does not wait for the piece under way, which may load the models", async (t) => {
  let hasBegun = false;
  const firstUse = new FirstUse({ clock: systemClock, logger: silentLogger }, async function* () {
    hasBegun = true;
    await new Promise(() => {});
    yield;
  });
  await firstUse.start();
  await eventually(() => (hasBegun ? true : undefined));
  await firstUse.stop();
  t.ok(hasBegun);
});

t.test("pieces come one by one while the loop is idle, and a stop ends them", async (t) => {
  let made = 0;
  const firstUse = new FirstUse({ clock: systemClock, logger: silentLogger }, async function* () {
    for (;;) {
      made += 1;
      yield;
    }
  });
  await firstUse.start();
  await eventually(() => (made >= 3 ? true : undefined));
  await firstUse.stop();
  const then = made;
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(made, then, "none after the stop");
});
