/**
 * Cases for an estate's register, with two hubs and a real NATS server: guests, a wrong clock, plates deleted while a
 * hub is disconnected, expired reads, a hub from an old backup, one that leaves and comes back, a manager who may not
 * open a gate.
 */
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import t from "tap";
import { clockOff } from "../../src/features/estate/peers.ts";
import { send } from "../support/api-client.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { type EstateHub, TestEstate } from "../support/estate-hub.ts";
import { clocks, isCurrent, openPair, readsOf, ruled, siteOf, until } from "../support/estate-pair.ts";
import { NO_NATS } from "../support/nats.ts";
import { passOf } from "../support/played-pass.ts";
import { testFolder } from "../support/test-folder.ts";

const GUEST = "MH12AB1234";
const OTHER = "KA01CD5678";
const OLD = "TN09BX4411";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

t.test("guests, and plates to be deleted", { skip: NO_NATS, timeout: 240_000 }, async (t) => {
  const { north, south, line, estate } = await openPair(t);
  const decisionAt = async (hub: EstateHub, plate: string): Promise<string> =>
    hub.hub.gate.reads.get(siteOf(hub), await hub.pass(plate, "in")).decision;

  await t.test("a pass made at one gate lets the guest in at another, until it is used up or revoked", async (t) => {
    const validTo = new Date(Date.now() + HOUR_MS).toISOString();
    const made = await north.call("POST", "/api/passes", { label: "Ravi", validTo, guestMayTellPlate: true });
    t.equal(made.status, 201);
    const { pass, token } = made.body as { pass: { id: number }; token: string };
    const tell = (plate: string) => north.call("POST", "/api/guest/plate", { token, plate });
    t.equal(await decisionAt(south, GUEST), "unknown", "no plate was entered yet");
    t.equal((await tell(OTHER)).status, 200);
    await until(() => ruled(south).includes(OTHER));
    t.equal((await tell(GUEST)).status, 200);
    await until(() => ruled(south).includes(GUEST) && !ruled(south).includes(OTHER));
    t.equal(await decisionAt(south, GUEST), "allow", "the latest plate, at the other gate");
    t.equal(await decisionAt(south, OTHER), "unknown", "the previous one no longer");
    t.equal((await tell(GUEST)).status, 200);
    t.equal((await tell(OTHER)).status, 409, "three times at most");
    t.equal((await north.call("DELETE", `/api/passes/${pass.id}`)).status, 200);
    await until(() => !ruled(south).includes(GUEST));
    t.equal(await decisionAt(south, GUEST), "unknown", "revoked at one gate, it is valid at none");
    const again = await north.call("POST", "/api/passes", { label: "Ravi", validTo, plate: GUEST });
    t.equal(again.status, 201);
    await until(() => ruled(south).includes(GUEST));
    const rule = south.hub.gate.rules.list(siteOf(south)).find(({ plate }) => plate === GUEST);
    await south.hub.gate.rules.remove(siteOf(south), rule?.id ?? 0, "test");
    await until(() => !ruled(north).includes(GUEST));
    const { body } = await north.call("GET", "/api/passes");
    t.ok(
      (body as { passes: { ended: boolean }[] }).passes.every(({ ended }) => ended),
      "removing its rule at another gate ends a pass",
    );
  });

  await t.test("the manager's list has every vehicle, with its rule and where it is", async (t) => {
    await north.pass(OTHER, "in");
    const sold = { plate: "DL8CAF5031", kind: "deny", label: "Sold in May" } as const;
    await north.hub.gate.rules.create(siteOf(north), sold, "test");
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

  await t.test("a plate is deleted even at a disconnected hub, which sends nothing of it afterwards", async (t) => {
    line.cut();
    await until(() => !south.estate.health().connected);
    await south.pass(GUEST, "out");
    t.ok(south.estate.health().waiting > 0);
    t.equal((await north.call("DELETE", `/api/vehicles/${GUEST}`)).status, 200);
    t.same(readsOf(north, GUEST), []);
    line.mend();
    await until(() => isCurrent(south) && readsOf(south, GUEST).length === 0);
    await until(() => south.hub.gate.reads.list(siteOf(south), { limit: 5, plate: GUEST }).reads.length === 0);
    await until(() => isCurrent(north));
    t.same(readsOf(north, GUEST), [], "nothing of it came back");
    t.same(south.estate.view.visits(GUEST, 10), []);
    t.not(readsOf(north, OTHER).length, 0, "and of others nothing was lost");
  });

  await t.test("reads beyond the estate's retention are deleted from every hub", async (t) => {
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

  await t.test("a hub that lets nobody open its gates announces it, and is not asked", async (t) => {
    await south.call("POST", "/api/devices", { id: "barrier", name: "Barrier", type: "gate", room: null });
    await south.call("PATCH", "/api/cameras/south-in", { gate: { deviceId: "barrier", command: { open: true } } });
    const ask = () =>
      north.call("POST", "/api/estate/open", { hub: "south", deviceId: "barrier", reason: "ambulance" });
    t.match(await ask(), { status: 409 }, "its controller is offline: it would open late");
    await south.hub.devices.presence.status("barrier", { status: "online" });
    await until(() => south.hub.devices.registry.find("barrier")?.online === true);
    t.equal((await ask()).status, 200);
    const { database } = north.hub.base;
    const write = database.writeIfPossible.bind(database);
    let writtenAt = 0;
    database.writeIfPossible = async (job) => {
      await new Promise((resolve) => setTimeout(resolve, 50)); // a slow disk
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
    t.ok((await asked) < writtenAt, "the order is as old as the request, however long it took");
    t.equal((await south.call("PATCH", "/api/settings", { settings: { "gate.openFromEstate": false } })).status, 200);
    t.hasStrict(await ask(), { status: 403, body: { error: { code: "forbidden" } } });
    await until(() => north.estate.view.peers()[0]?.gates.length === 0);
    const opened = south.hub.base.database.raw.prepare(
      "SELECT count(*) FROM audit WHERE action = 'estate.gate_opened'",
    );
    t.equal(opened.pluck().get(), 2);
  });
});

t.test("a hub whose clock is an hour ahead", { skip: NO_NATS, timeout: 240_000 }, async (t) => {
  const { north, south } = await openPair(t, HOUR_MS);
  const at = Date.now();
  await north.pass(GUEST, "in", at);
  await south.pass(GUEST, "out", at + HOUR_MS + 60_000); // by its own clock: a minute later
  for (const hub of [north, south])
    await until(() => hub.estate.view.occupancy().estate.inside === 0 && readsOf(hub).length === 2);
  const [visit] = north.estate.view.visits(GUEST, 5);
  t.hasStrict(visit, { status: "closed", entryHub: "north", exitHub: "south" });
  t.ok(Math.abs((visit?.staySeconds ?? 0) - 60) <= 2, `a stay of ${visit?.staySeconds} s`);
  t.same(south.estate.view.visits(GUEST, 5), north.estate.view.visits(GUEST, 5));
  t.ok(Math.abs((south.estate.health().clockOffMs ?? 0) - HOUR_MS) < 2_000, "and it reports so");
  const stored = (at: number, revision = 7) => ({ revision, created: new Date(at) });
  const answer = { before: 10_000, after: 10_100, revision: 7, stored: stored(7_050) };
  t.equal(clockOff(answer, 0), 3_000, "by a quick answer");
  const slow = { ...answer, after: 14_000, stored: stored(10_100) };
  t.equal(clockOff(slow, 0), 0, "a slow answer proves nothing");
  t.equal(clockOff(slow, HOUR_MS), 3_900, "except what it rules out");
  t.equal(clockOff({ ...slow, stored: stored(9_000) }, 0), 1_000);
  t.throws(
    () => clockOff({ ...answer, stored: stored(2_000, 6) }, 0),
    /another card/,
    "the previous state proves nothing",
  );
  t.throws(() => clockOff({ ...answer, stored: null }, 0));
});

t.test("a hub comes back", { skip: NO_NATS, timeout: 240_000 }, async (t) => {
  const { estate, folder, north, south: first, line } = await openPair(t);
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

  await t.test("from an old backup: nothing is lost, nothing is duplicated", async (t) => {
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

  await t.test("after leaving and rejoining: it has what the estate has, and nothing twice", async (t) => {
    const wanted = readsOf(north);
    await south.hub.stop();
    rmSync(join(data, "estate"), { recursive: true });
    const alone = await startConsoleHub(t, { folder: data, claim: false });
    t.equal(alone.hub.estate.estate, null);
    await alone.hub.stop();
    await again();
    t.same(readsOf(south), wanted);
    t.same(readsOf(north), wanted);
  });
});

t.test("a hub from a backup made before it joined", { skip: NO_NATS, timeout: 240_000 }, async (t) => {
  const folder = testFolder(t, { north: {}, south: {}, kept: {} });
  const data = join(folder, "south");
  const alone = await startConsoleHub(t, { folder: data });
  for (const direction of ["in", "out"]) {
    await alone.call("POST", "/api/devices", { id: `south-${direction}`, name: direction, type: "camera", room: null });
    await alone.call("PATCH", `/api/cameras/south-${direction}`, { direction });
  }
  const at = Date.now() - HOUR_MS;
  await passOf(alone.hub, "south-in", GUEST, "in", at);
  await passOf(alone.hub, "south-out", GUEST, "out", at + 60_000);
  await passOf(alone.hub, "south-in", GUEST, "in", at + 120_000);
  await passOf(alone.hub, "south-in", OTHER, "in", at + 180_000);
  const { body } = await send(alone.port, "GET", `/v1/vehicles/${OTHER}`, { headers: { Cookie: alone.cookie } });
  const [visit] = (body as { visits: { id: number }[] }).visits;
  t.equal((await alone.call("POST", `/api/visits/${visit?.id}/close`)).status, 200);
  const ids = alone.hub.base.database.raw
    .prepare<[], { id: number }>("SELECT id FROM plate_read WHERE device_id LIKE 'south-%' ORDER BY at DESC")
    .all();
  await alone.hub.stop();
  cpSync(join(data, "gatehouse.db"), join(folder, "kept", "gatehouse.db"));

  const estate = await TestEstate.open(t, ["north", "south"]);
  const north = await estate.start(t, "north", { folder: join(folder, "north"), role: "manager", clock: clocks.north });
  const joined = async (): Promise<EstateHub> => {
    const { cookie } = alone;
    const hub = await estate.start(t, "south", { folder: data, cookie, clock: clocks.south });
    await until(() => isCurrent(hub) && isCurrent(north));
    return hub;
  };
  const first = await joined();
  await until(() => readsOf(north).length === 4);
  t.same(north.estate.view.occupancy().estate.inside, 1, "a visit closed by hand before is closed at all gates");
  await first.pass(GUEST, "out", at + 240_000);
  await until(() => readsOf(north).length === 5 && isCurrent(first));
  const wanted = { reads: readsOf(north), visits: north.estate.view.visits(GUEST, 9) };
  const manager = await jetstreamManager(estate.admin);
  const stored = async (): Promise<number> => (await manager.streams.info("gh_palm-court_reads")).state.last_seq;
  const before = await stored();
  await first.hub.stop();
  for (const end of ["", "-wal", "-shm"]) rmSync(join(data, `gatehouse.db${end}`), { force: true });
  renameSync(join(folder, "kept", "gatehouse.db"), join(data, "gatehouse.db"));

  const again = await joined();
  for (const hub of [again, north]) {
    t.same(readsOf(hub), wanted.reads, "nothing twice");
    t.same(hub.estate.view.visits(GUEST, 9), wanted.visits);
    t.equal(hub.estate.view.occupancy().estate.inside, 0);
  }
  t.equal(await stored(), before, "nothing was sent again");
  t.same(
    again.estate.view.reads({ limit: 9 }).reads.map(({ localId }) => localId),
    [null, ...ids.map(({ id }) => id)],
    "its own data is recognized as its own",
  );
  await again.pass(OTHER, "in", at + 300_000);
  await until(() => readsOf(north).length === 6);
});
