/**
 * What the register of an estate has to bear, with two hubs and a real NATS server: guests, a wrong clock, plates that
 * are to be forgotten while a hub is cut off, reads that have become too old, a hub from an old backup, one that leaves
 * and comes back, a manager who may not open a gate.
 */
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import t, { type Test } from "tap";
import { clockOff } from "../../src/estate/peers.js";
import { plateTokens } from "../../src/estate/plate-token.js";
import { send } from "../support/api-client.js";
import { type EstateHub, TestEstate } from "../support/estate-hub.js";
import { eventually } from "../support/hub-process.js";
import { Line, NO_NATS } from "../support/nats.js";
import { PacedClock } from "../support/paced-clock.js";

const GUEST = "MH12AB1234";
const OTHER = "KA01CD5678";
const OLD = "TN09BX4411";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const readsOf = (hub: EstateHub, plate?: string): string[] =>
  hub.estate.view
    .reads({ limit: 200, ...(plate === undefined ? {} : { plate }) })
    .reads.map(({ hub: from, plate: one, at, direction }) => `${from} ${one} ${at} ${direction}`);
const siteOf = (hub: EstateHub): number => hub.hub.access.accounts.sites().find(({ env }) => env === "live")?.id ?? 0;
const ruled = (hub: EstateHub): string[] => hub.hub.plates.rules.list(siteOf(hub)).map(({ plate }) => plate);
/** Clocks of the hubs: while something is waited for, heartbeats and waits for a line take a tenth of their time. */
const clocks = { north: new PacedClock(), south: new PacedClock() };
const PACE = 10;
const FAST = 50;
/** Far beyond what it takes: a busy machine is no finding. */
const LIMIT_MS = 30_000;
const until = async (isSo: () => boolean | Promise<boolean>, pace = PACE): Promise<void> => {
  for (const clock of Object.values(clocks)) clock.pace = pace;
  await eventually(async () => (await isSo()) || undefined, LIMIT_MS);
  for (const clock of Object.values(clocks)) clock.pace = 1;
};
const isCurrent = ({ estate }: EstateHub): boolean => {
  const { connected, waiting, behind } = estate.health();
  return connected && waiting === 0 && behind === 0 && estate.view.peers().length === 1;
};

/** Two hubs, the second behind a line that can be cut and with a clock that is `aheadMs` ahead. */
async function open(t: Test, aheadMs = 0) {
  clocks.north.aheadMs = 0;
  clocks.south.aheadMs = aheadMs;
  const folder = t.testdir({ north: {}, south: {} });
  const estate = await TestEstate.open(t, ["north", "south"]);
  const line = await Line.to(t, estate.server.port);
  const [north, south] = await Promise.all([
    estate.start(t, "north", { folder: join(folder, "north"), role: "manager", clock: clocks.north }),
    estate.start(t, "south", { folder: join(folder, "south"), port: line.port, clock: clocks.south }),
  ]);
  await Promise.all([north, south].map((hub) => until(() => isCurrent(hub))));
  return { estate, line, north, south, folder };
}

t.test("guests, and plates that are to be forgotten", { skip: NO_NATS, timeout: 120_000 }, async (t) => {
  const { north, south, line, estate } = await open(t);
  const decisionAt = async (hub: EstateHub, plate: string): Promise<string> =>
    hub.hub.plates.reads.get(siteOf(hub), await hub.pass(plate, "in")).decision;

  await t.test("a pass made at one gate lets the guest in at another, until it is used up or taken back", async (t) => {
    const validTo = new Date(Date.now() + HOUR_MS).toISOString();
    const made = await north.call("POST", "/api/passes", { label: "Ravi", validTo, guestMayTellPlate: true });
    t.equal(made.status, 201);
    const { pass, token } = made.body as { pass: { id: number }; token: string };
    const tell = (plate: string) => north.call("POST", "/api/guest/plate", { token, plate });
    t.equal(await decisionAt(south, GUEST), "unknown", "no plate was told yet");
    t.equal((await tell(OTHER)).status, 200);
    await until(() => ruled(south).includes(OTHER));
    t.equal((await tell(GUEST)).status, 200);
    await until(() => ruled(south).includes(GUEST) && !ruled(south).includes(OTHER));
    t.equal(await decisionAt(south, GUEST), "allow", "the plate told last, at the other gate");
    t.equal(await decisionAt(south, OTHER), "unknown", "the one before it no more");
    t.equal((await tell(GUEST)).status, 200);
    t.equal((await tell(OTHER)).status, 409, "three times at most");
    t.equal((await north.call("DELETE", `/api/passes/${pass.id}`)).status, 200);
    await until(() => !ruled(south).includes(GUEST));
    t.equal(await decisionAt(south, GUEST), "unknown", "taken back at one gate, it holds at none");
    const again = await north.call("POST", "/api/passes", { label: "Ravi", validTo, plate: GUEST });
    t.equal(again.status, 201);
    await until(() => ruled(south).includes(GUEST));
    const rule = south.hub.plates.rules.list(siteOf(south)).find(({ plate }) => plate === GUEST);
    await south.hub.plates.rules.remove(siteOf(south), rule?.id ?? 0, "test");
    await until(() => !ruled(north).includes(GUEST));
    const { body } = await north.call("GET", "/api/passes");
    t.ok(
      (body as { passes: { ended: boolean }[] }).passes.every(({ ended }) => ended),
      "a rule that is taken off at another gate ends its pass",
    );
  });

  await t.test("the manager's list has every vehicle, with its rule and where it is", async (t) => {
    await north.pass(OTHER, "in");
    const sold = { plate: "DL8CAF5031", kind: "deny", label: "Sold in May" } as const;
    await north.hub.plates.rules.create(siteOf(north), sold, "test");
    const list = async (query: string) => {
      const { status, body } = await north.call("GET", `/api/estate/vehicles?${query}`);
      t.equal(status, 200);
      return body as { vehicles: { plate: string; rule: string | null; inside: object[] }[]; next: string | null };
    };
    await until(() => north.estate.view.inside(9).length === 2);
    const { vehicles, next } = await list("limit=50");
    t.match(
      vehicles.map(({ plate, rule, inside }) => [plate, rule, inside.length]),
      [
        ["DL8CAF5031", "deny", 0],
        [OTHER, null, 1],
        [GUEST, null, 1],
      ],
    );
    t.equal(next, null);
    t.same(
      (await list("search=in+may")).vehicles.map(({ plate }) => plate),
      ["DL8CAF5031"],
    );
    const first = await list("search=1234&limit=1");
    t.same(
      first.vehicles.map(({ plate }) => plate),
      [GUEST],
    );
    t.same((await list(`search=1234&limit=1&cursor=${first.next}`)).vehicles, []);
    t.equal((await south.call("GET", "/api/estate/vehicles")).status, 403, "for managers");
  });

  await t.test("a plate is forgotten also where the hub was cut off; it sends nothing of it afterwards", async (t) => {
    line.cut();
    await until(() => !south.estate.health().connected);
    await south.pass(GUEST, "out");
    t.ok(south.estate.health().waiting > 0);
    t.equal((await north.call("DELETE", `/api/vehicles/${GUEST}`)).status, 200);
    t.same(readsOf(north, GUEST), []);
    line.mend();
    await until(() => isCurrent(south) && readsOf(south, GUEST).length === 0);
    await until(() => south.hub.plates.reads.list(siteOf(south), { limit: 5, plate: GUEST }).reads.length === 0);
    await until(() => isCurrent(north));
    t.same(readsOf(north, GUEST), [], "nothing of it came back");
    t.same(south.estate.view.visits(GUEST, 10), []);
    t.not(readsOf(north, OTHER).length, 0, "and of others nothing went");
  });

  await t.test("what is older than the estate keeps reads goes from every hub", async (t) => {
    const manager = await jetstreamManager(estate.admin);
    const { config } = await manager.streams.info("gh_palm-court_reads");
    t.equal(config.max_age / 1e6 / DAY_MS, 30, "the servers' own days");
    const before = { north: readsOf(north), south: readsOf(south) };
    await south.pass(OLD, "in", Date.now() - 31 * DAY_MS);
    await south.pass(OLD, "out", Date.now() - 31 * DAY_MS + HOUR_MS);
    await until(() => readsOf(north, OLD).length === 2 && isCurrent(south));
    t.equal(await north.estate.sweep(), 2);
    t.equal(await south.estate.sweep(), 2);
    t.same({ north: readsOf(north), south: readsOf(south) }, before);
    t.same(north.estate.view.visits(OLD, 10), []);
  });

  await t.test("a hub that lets nobody open its gates says so, and is not asked", async (t) => {
    await south.call("POST", "/api/devices", { id: "barrier", name: "Barrier", type: "gate", room: null });
    await south.call("PATCH", "/api/cameras/south-in", { gate: { deviceId: "barrier", command: { open: true } } });
    const ask = () =>
      north.call("POST", "/api/estate/open", { hub: "south", deviceId: "barrier", reason: "ambulance" });
    t.match(await ask(), { status: 409 }, "its controller is offline: it would open late");
    await south.hub.devices.presence.status("barrier", { status: "online" });
    await until(() => south.hub.devices.registry.find("barrier")?.online === true);
    t.equal((await ask()).status, 200);
    const { database } = north.hub;
    const write = database.writeIfPossible.bind(database);
    let writtenAt = 0;
    database.writeIfPossible = async (job) => {
      await new Promise((resolve) => setTimeout(resolve, 50)); // a disk that takes its time
      writtenAt = Date.now();
      return write(job);
    };
    const asked = new Promise<number>((resolve) => {
      estate.admin.subscribe("gh.*.*.open.south", {
        max: 1,
        callback: (_error, message) => resolve(message.json<{ at: number }>().at),
      });
    });
    await estate.admin.flush();
    t.equal((await ask()).status, 200);
    database.writeIfPossible = write;
    t.ok((await asked) < writtenAt, "the order is as old as the wish, whatever came in between");
    t.equal((await south.call("PATCH", "/api/settings", { settings: { "gate.openFromEstate": false } })).status, 200);
    t.match(await ask(), { status: 403, body: { error: { code: "forbidden" } } });
    await until(() => north.estate.view.peers()[0]?.gates.length === 0);
    const opened = south.hub.database.raw.prepare("SELECT count(*) FROM audit WHERE action = 'estate.gate_opened'");
    t.equal(opened.pluck().get(), 2);
  });
});

t.test("a hub whose clock is an hour ahead", { skip: NO_NATS, timeout: 120_000 }, async (t) => {
  const { north, south } = await open(t, HOUR_MS);
  const at = Date.now();
  await north.pass(GUEST, "in", at);
  await south.pass(GUEST, "out", at + HOUR_MS + 60_000); // by its own clock: a minute later
  for (const hub of [north, south])
    await until(() => hub.estate.view.occupancy().estate.inside === 0 && readsOf(hub).length === 2);
  const [visit] = north.estate.view.visits(GUEST, 5);
  t.match(visit, { status: "closed", entryHub: "north", exitHub: "south" });
  t.ok(Math.abs((visit?.staySeconds ?? 0) - 60) <= 2, `a stay of ${visit?.staySeconds} s`);
  t.same(south.estate.view.visits(GUEST, 5), north.estate.view.visits(GUEST, 5));
  t.ok(Math.abs((south.estate.health().clockOffMs ?? 0) - HOUR_MS) < 2_000, "and it says so");
  const answer = { before: 10_000, after: 10_100, stored: 7_050 };
  t.equal(clockOff(answer, 0), 3_000, "by a quick answer");
  const slow = { before: 10_000, after: 14_000, stored: 10_100 };
  t.equal(clockOff(slow, 0), 0, "a slow answer is no finding");
  t.equal(clockOff(slow, HOUR_MS), 3_900, "but what it rules out");
  t.equal(clockOff({ ...slow, stored: 9_000 }, 0), 1_000);
});

t.test("servers that lose what they had answered for", { skip: NO_NATS, timeout: 120_000 }, async (t) => {
  const { estate, north, south, line } = await open(t);
  const manager = await jetstreamManager(estate.admin);
  const stored = async (): Promise<number> => (await manager.streams.info("gh_palm-court_reads")).state.messages;
  const at = Date.now() - HOUR_MS;
  await north.pass(GUEST, "in", at);
  await north.pass(GUEST, "out", at + 60_000);
  await south.pass(OTHER, "in", at + 90_000);
  for (const hub of [north, south]) await until(() => readsOf(hub).length === 3 && isCurrent(hub));
  const wanted = { reads: readsOf(north), visits: north.estate.view.visits(GUEST, 5) };
  clocks.north.aheadMs += 20_000; // what was just seen may still be on its way; it counts what is older
  const as = (hub: EstateHub) => ({ reads: readsOf(hub), visits: hub.estate.view.visits(GUEST, 5) });
  const mangle = (hub: EstateHub, sql: string) => hub.hub.database.write(() => hub.hub.database.raw.exec(sql));

  await t.test("a read that came back to its own hub and to no other is sent to them again", async (t) => {
    await mangle(
      south,
      "DELETE FROM estate_read WHERE hub = 'north' AND direction = 'out'; DELETE FROM estate_visit WHERE plate = 'MH12AB1234'",
    );
    t.equal(readsOf(south).length, 2);
    await until(() => south.estate.health().behind !== 0); // it says that something is missing
    await until(() => readsOf(south).length === 3 && isCurrent(south));
    t.same(as(south), wanted);
    t.same(as(north), wanted);
    t.equal(await stored(), 3, "in the stream it takes the place of the first");
  });

  await t.test("a read that did not come back at all is sent again", async (t) => {
    await mangle(south, "DELETE FROM estate_read WHERE hub = 'north' AND direction = 'out'");
    await mangle(north, "UPDATE estate_read SET sent = 0 WHERE hub = 'north' AND direction = 'out'");
    t.equal(north.estate.health().waiting, 1);
    await until(() => isCurrent(north) && readsOf(south).length === 3);
    t.same(as(south), wanted);
    t.equal(await stored(), 3);
  });

  const ruleAt = (hub: EstateHub) => hub.hub.plates.rules.list(siteOf(hub)).at(-1);
  const kindAt = (hub: EstateHub) => ruleAt(hub)?.kind;
  const settled = async ({ port, cookie }: EstateHub) => {
    const { body } = await send(port, "GET", "/v1/events?limit=50", { headers: { Cookie: cookie } });
    const { events } = body as { events: { kind: string }[] };
    return events.filter(({ kind }) => kind === "estate.rule_settled");
  };
  const entry = `$KV.gh_palm-court_rules.rule.${plateTokens(estate.plateKey)(GUEST)}`;
  const leaderHas = async (): Promise<string> =>
    (await manager.streams.getMessage("KV_gh_palm-court_rules", { last_by_subj: entry }))?.string() ?? "";
  const say = async (value: string, editedAt: number): Promise<void> => {
    const said = headers();
    said.set("Gatehouse-Edited", String(editedAt));
    await jetstream(estate.admin).publish(entry, value, { headers: said });
  };
  const entriesOf = ({ hub }: EstateHub): string =>
    JSON.stringify(hub.database.raw.prepare("SELECT key, revision, value FROM estate_entry ORDER BY key").all());
  /** Its server numbers otherwise: what the others hear next, this hub takes for an old one. */
  const deafen = (hub: EstateHub) => mangle(hub, "UPDATE estate_entry SET revision = revision + 1000");

  await t.test("a rule that one hub has otherwise comes to be what the servers have", async (t) => {
    await north.hub.plates.rules.create(siteOf(north), { plate: GUEST, kind: "deny", label: "Sold" }, "test");
    await until(() => kindAt(south) === "deny");
    const wanted = await leaderHas();
    await mangle(
      south,
      `UPDATE plate_rule SET kind = 'allow'; DELETE FROM estate_noted;
       UPDATE estate_entry SET revision = revision + 1000, value = replace(value, '"deny"', '"allow"')`,
    );
    await until(async () => (await settled(south)).length === 1, FAST);
    t.same([kindAt(north), kindAt(south), await leaderHas()], ["deny", "deny", wanted]);
    t.match(await settled(south), [{ title: /Gates had different rules/, body: /Now it is denied at all gates/ }]);
    t.same(await settled(north), [], "told where a rule was another one");
    await until(() => entriesOf(north) === entriesOf(south));
    await mangle(south, "DELETE FROM plate_rule; DELETE FROM estate_noted; DELETE FROM estate_entry");
    await until(() => kindAt(south) === "deny", FAST);
    t.equal(await leaderHas(), wanted);
  });

  await t.test("of edits that a server lost the later one stands, and a ban where that cannot be told", async (t) => {
    const ban = (await leaderHas()).replace("Sold", "Towed");
    const allow = ban.replace('"deny"', '"allow"');
    await say(ban, at);
    await until(() => [north, south].every((hub) => entriesOf(hub).includes("Towed")));
    await deafen(north);
    await say(allow, at + 1_000);
    await until(async () => (await settled(north)).length === 1 && kindAt(south) === "deny", FAST);
    t.same([kindAt(north), await leaderHas()], ["deny", ban]);
    await deafen(north);
    await say(allow, at + 60_000);
    await until(async () => (await settled(north)).length === 2 && kindAt(south) === "allow", FAST);
    t.same([kindAt(north), await leaderHas()], ["allow", allow]);
    t.match(await settled(north), [{ body: /Now it is allowed/ }, { body: /Now it is denied/ }]);
    await until(() => entriesOf(north) === entriesOf(south));
    await say("no rule", at + 90_000); // hubs pass it over
    await mangle(south, "UPDATE estate_entry SET value = value || ' '"); // so that they look
    await until(async () => (await leaderHas()).trim() === allow && entriesOf(north) === entriesOf(south), FAST);
    t.same([kindAt(north), kindAt(south), (await settled(north)).length], ["allow", "allow", 2]);
    await say("no rule", at + 90_000);
    const edited = await north.call("PATCH", `/api/plate-rules/${ruleAt(north)?.id}`, { kind: "deny" });
    t.equal(edited.status, 200, "nor does it hinder an edit");
  });

  await t.test("a rule that the servers lost altogether stays, and they get it again", async (t) => {
    const value = (await leaderHas()).replaceAll(GUEST, OLD);
    const key = `rule.${plateTokens(estate.plateKey)(OLD)}`;
    await mangle(
      south,
      `INSERT INTO plate_rule (site_id, plate, formatted, kind, label, enabled, created_at) VALUES (${siteOf(south)}, '${OLD}', '${OLD}', 'allow', '', 1, ${at});
       DELETE FROM estate_noted; INSERT INTO estate_entry VALUES ('${key}', 1, '${value}', last_insert_rowid())`,
    );
    line.cut();
    await until(() => !south.estate.health().connected);
    line.mend();
    await until(() => ruled(north).includes(OLD), FAST);
    t.ok(ruled(south).includes(OLD), "it did not end where it was when the hub connected");
  });

  await t.test("where all have the same, nothing is sent again", async (t) => {
    const lastOf = async (stream: string): Promise<number> => (await manager.streams.info(stream)).state.last_seq;
    const last = () => Promise.all([lastOf("gh_palm-court_reads"), lastOf("KV_gh_palm-court_rules")]);
    const before = await last();
    const heard: { hub: string; lacks: unknown[]; rules: string | null }[] = [];
    estate.admin.subscribe("gh.palm-court.*.health", {
      callback: (_error, message) => void heard.push({ ...message.json(), hub: message.subject }),
    });
    await until(() => heard.length >= 6 && new Set(heard.map(({ hub }) => hub)).size === 2);
    t.same(await last(), before);
    t.ok(heard.every(({ lacks }) => lacks.length === 0));
    const told = [...new Set(heard.map(({ rules }) => rules))];
    t.match(told, [/^[\w-]{390}$/], "all tell the same digest of their rules");
    t.equal(told.length, 1);
  });
});

t.test("a hub comes back", { skip: NO_NATS, timeout: 120_000 }, async (t) => {
  const { estate, folder, north, south: first, line } = await open(t);
  const at = Date.now() - HOUR_MS;
  let south = first;
  const data = join(folder, "south");
  const again = async (): Promise<void> => {
    south = await estate.start(t, "south", {
      folder: data,
      port: line.port,
      cookie: first.cookie,
      clock: clocks.south,
    });
    await until(() => isCurrent(south) && isCurrent(north));
  };

  await t.test("from an old backup: nothing is lost, nothing is there twice", async (t) => {
    await south.pass(GUEST, "in", at);
    await until(() => readsOf(north).length === 1 && isCurrent(south));
    await south.hub.stop();
    const kept = join(folder, "kept");
    mkdirSync(kept);
    cpSync(join(data, "gatehouse.db"), join(kept, "gatehouse.db"));
    await again();
    await south.pass(GUEST, "out", at + 60_000);
    await north.pass(OTHER, "in", at + 90_000);
    await until(() => readsOf(north).length === 3 && readsOf(south).length === 3 && isCurrent(south));
    const wanted = readsOf(north);
    await south.hub.stop();
    for (const end of ["", "-wal", "-shm"]) rmSync(join(data, `gatehouse.db${end}`), { force: true });
    renameSync(join(kept, "gatehouse.db"), join(data, "gatehouse.db"));
    await again();
    t.same(readsOf(south), wanted);
    await south.pass(OTHER, "out", at + 120_000); // its number was never used
    await until(() => readsOf(north).length === 4);
    t.same(readsOf(north), readsOf(south));
    t.same(north.estate.view.visits(OTHER, 5), south.estate.view.visits(OTHER, 5));
    t.equal(north.estate.view.occupancy().estate.inside, 0);
  });

  await t.test("after it has left: it has what the estate has, and nothing twice", async (t) => {
    const wanted = readsOf(north);
    await south.hub.stop();
    rmSync(join(data, "estate"), { recursive: true });
    const { startConsoleHub } = await import("../support/console-hub.js");
    const alone = await startConsoleHub(t, { folder: data, claim: false });
    t.equal(alone.hub.estate.estate, null);
    await alone.hub.stop();
    await again();
    t.same(readsOf(south), wanted);
    t.same(readsOf(north), wanted);
  });
});
