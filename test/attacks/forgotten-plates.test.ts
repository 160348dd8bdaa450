/**
 * What is left of a plate of which everything was deleted: nothing, in any table, that says it was here; and nobody is
 * told of it any more.
 */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { addFunctions, readMigrations } from "../../src/core/storage/migrate.ts";
import { WebhookDeliveryTable } from "../../src/features/webhooks/tables/webhook-delivery.ts";
import { Household } from "../support/automations.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { openDatabase, PROJECT_ROOT } from "../support/database.ts";
import { passesOf } from "../support/played-pass.ts";
import { testFolder } from "../support/test-folder.ts";
import { pass, pausedHouse, Receiver, until } from "../webhooks/setup.ts";

t.setTimeout(180_000);
const PLATE = "TN37CK9051";
const OTHER = "DL8CAF5031";
const MINUTE = 60_000;
/** Who did what stays; answers to a repeated request are for its sender, for a day. */
const STAYS = new Set(["audit", "idempotency"]);

/** The tables with a row that names the plate, however it is grouped. */
function naming(raw: SqliteDatabase.Database): string[] {
  const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]; // names
  return tables
    .filter((table) => !STAYS.has(table))
    .filter((table) =>
      raw
        .prepare(`SELECT * FROM "${table}"`)
        .raw()
        .all()
        .some((row) => JSON.stringify(row).replaceAll(/[\s-]/g, "").includes(PLATE)),
    );
}

t.test("no table names a plate that was forgotten, in a whole hub", async (t) => {
  const receiver = new Receiver();
  await receiver.start();
  t.teardown(() => receiver.stop());
  receiver.respond = (response) => response.writeHead(500).end();
  const { hub, call } = await startConsoleHub(t);
  const { database } = hub.base;
  await call("POST", "/api/devices", { id: "camera", name: "Entry", type: "camera" });
  const events = ["plate.read", "automation.notify", "device.event"];
  t.equal((await call("POST", "/api/webhooks", { url: receiver.url, events })).status, 201);
  const says = { type: "notify", title: "A car", body: "{plate} has come" };
  const later = { type: "sequence", actions: [says, { type: "delay", seconds: 3_600 }, says] };
  const { automations } = hub.automations;
  const siteId = database.raw.prepare("SELECT id FROM site WHERE env = 'live'").pluck().get() as number; // an id
  const rule = { name: "Cars", trigger: { type: "plate" }, mode: "parallel", action: later };
  const { id } = await automations.create(siteId, rule);
  await passesOf(hub, "camera", [PLATE, OTHER], { direction: "in" });
  await hub.devices.events.record("camera", { kind: "seen", title: "Seen", body: "tn-37-ck-9051 waits" }, Date.now());
  const traces = () => automations.traces(siteId, id);
  await until(() => receiver.received.length > 0);
  while ((await traces()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const table of ["plate_read", "feed_item", "webhook_delivery", "automation_trace", "automation_timer"])
    t.ok(naming(database.raw).includes(table), `${table} names it before`);
  t.equal((await call("DELETE", `/api/vehicles/${PLATE}`)).status, 200);
  t.strictSame(naming(database.raw), []);
  t.equal((await traces()).length, 1, "what another plate set off is still told");
  const left = database.raw.prepare("SELECT body FROM webhook_delivery").pluck().all();
  t.equal(left.length, 2, "and what receivers are to be told of it");
  t.ok(left.every((body) => String(body).includes("DL8CAF5031") || String(body).includes("DL 8 CAF 5031")));
});

t.test("a delivery that waits is not sent, what waits behind it is, and the log has lost it", async (t) => {
  const house = await pausedHouse(t);
  const { siteId, receiver, hooks, database, clock } = house;
  const read = (plate: string) =>
    database.write(() =>
      hooks.outbox.enqueue({
        ...{ siteId, event: "plate.read", deviceId: "camera", data: { plate }, plates: [plate], at: clock.now() },
      }),
    );
  const { webhook } = await hooks.registry.create(siteId, { url: receiver.url, events: ["plate.read"] });
  await read(PLATE);
  await pass(house, 1);
  receiver.respond = (response) => response.writeHead(500).end();
  await read(PLATE);
  await read(OTHER);
  await pass(house, 5);
  await hooks.deliverer.save();
  await database.write(() => hooks.outbox.forgetPlate(siteId, PLATE));
  receiver.received.length = 0;
  receiver.respond = (response) => response.writeHead(204).end();
  await pass(house, 1);
  await hooks.deliverer.save();
  t.same(
    receiver.bodies.map(({ data }) => data),
    [{ plate: OTHER }],
  );
  const log = hooks.deliveries.list(siteId, webhook.id, { limit: 10 }).items;
  t.same(
    log.map(({ status }) => status),
    ["delivered"],
  );
  t.strictSame(naming(database.raw), []);
});

t.test("a delivery that was due when its plate was forgotten is not sent", async (t) => {
  const house = await pausedHouse(t);
  const { siteId, receiver, hooks, database, clock } = house;
  await hooks.registry.create(siteId, { url: receiver.url, events: ["plate.read", "device.state"] });
  const about = { siteId, event: "plate.read", deviceId: "camera", data: { plate: PLATE }, plates: [PLATE] } as const;
  // the first may not be sent before it is on the disk, and the second follows in the meantime
  await Promise.all([
    database.write(() => hooks.outbox.enqueue({ ...about, at: clock.now() })),
    new Promise((resolve) => setImmediate(resolve)).then(() =>
      database.write(() => hooks.outbox.forgetPlate(siteId, PLATE)),
    ),
  ]);
  await hooks.report(siteId, 1);
  await pass(house, 1);
  t.match(receiver.bodies.at(-1)?.event, /^device\.state$/);
});

t.test("deliveries of earlier versions go too, and are found by their plate", async (t) => {
  const folder = testFolder(t);
  const raw = new SqliteDatabase(join(folder, "gatehouse.db"));
  addFunctions(raw);
  for (const { sql, version } of readMigrations(join(PROJECT_ROOT, "src/core/storage/migrations")).slice(0, 59)) {
    raw.exec(sql);
    raw.pragma(`user_version = ${version}`);
  }
  raw.exec(`INSERT INTO account (id, email, name, password_hash, created_at, updated_at) VALUES (1, 'a@example.org', 'A', '', 0, 0);
    INSERT INTO site (id, account_id, env, name) VALUES (1, 1, 'live', 'Home');
    INSERT INTO webhook (id, site_id, url, events, secret, created_at, updated_at) VALUES (1, 1, 'http://a.example/', '[]', x'00', 0, 0)`);
  const insert = raw.prepare(
    "INSERT INTO webhook_delivery (id, webhook_id, event, device_id, body, created_at, status) VALUES (?, 1, ?, '', ?, 0, 'waiting')",
  );
  const bodies = [
    ["plate.read", { plate: PLATE, formatted: "TN 37 CK 9051" }],
    ["automation.notify", { title: "A car", body: "tn 37 ck 9051 is here" }],
    ["plate.read", { plate: OTHER }],
    ["plate.read", { plate: null }],
    ["device.state", { state: {} }],
  ] as const;
  for (const [at, [event, data]] of bodies.entries()) insert.run(`dlv_${at}`, event, JSON.stringify({ event, data }));
  insert.run("dlv_torn", "plate.read", "{torn");
  raw.close();
  const database = await openDatabase(folder);
  t.teardown(() => database.stop());
  const table = new WebhookDeliveryTable(database);
  t.equal(await database.write(() => table.removeAbout(2, PLATE)), 0, "another household's stay");
  t.equal(await database.write(() => table.removeAbout(1, PLATE)), 2);
  t.strictSame(naming(database.raw), []);
  t.equal(table.pending(1).count, 4);
  const plan = database.raw
    .prepare(
      "EXPLAIN QUERY PLAN DELETE FROM webhook_delivery WHERE seq IN (SELECT seq FROM webhook_subject WHERE site_id = 1 AND subject = 'X')",
    )
    .all() as { detail: string }[]; // a plan's rows
  const steps = plan.map(({ detail }) => detail).join("\n");
  t.match(steps, /SEARCH webhook_subject USING PRIMARY KEY \(site_id=\? AND subject=\?\)/);
  t.notMatch(steps, /SCAN webhook/);
});

const read = { deviceId: "camera", decision: "allow", direction: "in", status: "recognised" } as const;

t.test("a run that waits goes on without the plate that set it off, also after a restart", async (t) => {
  const home = await Household.open(testFolder(t));
  const { siteId } = home;
  const says = { type: "notify", title: "Car", body: "{plate} was here" };
  const id = await home.rule({
    trigger: { type: "plate" },
    mode: "queued",
    action: { type: "sequence", actions: [{ type: "delay", seconds: 600 }, says] },
  });
  const arrives = (plate: string, readId: number) =>
    home.bus.announce("read.decided", {
      ...{ ...read, siteId, plate, readId, at: home.clock.now() },
      ...{ firstOfPass: true, besideDenied: false, late: false },
    });
  arrives(PLATE, 1);
  arrives(PLATE, 2); // queued behind it
  arrives(OTHER, 3);
  await home.settle();
  await home.database.write(() => home.automations.forgetPlate(home.otherSiteId, PLATE));
  t.strictSame(naming(home.database.raw), ["automation_timer"], "another household's stays");
  await home.automations.traces(siteId, id);
  t.strictSame(naming(home.database.raw).sort(), ["automation_timer", "automation_trace"]);
  arrives(PLATE, 4); // its trace is not written yet
  await home.database.write(() => home.automations.forgetPlate(siteId, PLATE));
  await home.automations.traces(siteId, id);
  t.strictSame(naming(home.database.raw), []);
  home.clock.advance(11 * MINUTE);
  await home.settle();
  await home.powerCut(MINUTE);
  for (let turn = 0; turn < 8; turn++) {
    home.clock.advance(11 * MINUTE);
    await home.settle();
  }
  t.same(
    home.feed.filter(({ kind }) => kind === "automation.notify").map(({ body }) => body),
    ["{plate} was here", "{plate} was here", `${OTHER} was here`, "{plate} was here"],
  );
  await home.automations.traces(siteId, id);
  t.strictSame(naming(home.database.raw), []);
  await home.close();
});

t.test("traces are kept no longer than reads", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: { type: "plate" } });
  const { siteId, clock } = home;
  home.bus.announce("read.decided", {
    ...{ ...read, siteId, plate: PLATE, readId: 1, at: clock.now() },
    ...{ firstOfPass: true, besideDenied: false, late: false },
  });
  await home.settle();
  t.equal((await home.automations.traces(siteId, id)).length, 1);
  clock.advance(7 * 24 * 60 * MINUTE);
  await home.automations.sweepTraces(7);
  t.equal((await home.automations.traces(siteId, id)).length, 1);
  clock.advance(MINUTE);
  await home.automations.sweepTraces(7);
  t.equal((await home.automations.traces(siteId, id)).length, 0);
  await home.close();
});
