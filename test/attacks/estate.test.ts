/**
 * A stolen hub of an estate, with a real server and the rights that hubs have: it found no way to open a gate of
 * another hub.
 */
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import SqliteDatabase from "better-sqlite3";
import t, { type Test } from "tap";
import { estateNames, hubSubjects, inboxPrefix, streamOfBucket } from "../../src/features/estate/names.ts";
import { plateTokens } from "../../src/features/estate/plate-token.ts";
import { send } from "../support/api-client.ts";
import { TestEstate } from "../support/estate-hub.ts";
import { eventually, Person } from "../support/hub-process.ts";
import { Line, NO_NATS } from "../support/nats.ts";
import { PacedClock } from "../support/paced-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const ESTATE = TestEstate.NAME;
const NAMES = estateNames(ESTATE);
/** How long a hub lies, and how often the others may check: without backoff it would be eighty times. */
const LIES_MS = 400_000;
const MOST_LOOKS = 10;
const NORTH = hubSubjects(ESTATE, "north");

t.test("a stolen hub", { skip: NO_NATS, timeout: 60_000 }, async (t) => {
  const estate = await TestEstate.open(t, ["north", "south", "east"]);
  const south = await estate.start(t, "south", { folder: testFolder(t) });
  await south.call("POST", "/api/devices", { id: "barrier", name: "Barrier", type: "gate", room: null });
  await south.call("PATCH", "/api/cameras/south-in", { gate: { deviceId: "barrier", command: { open: true } } });
  await south.hub.devices.presence.status("barrier", { status: "online" });
  await eventually(() => south.hub.devices.registry.find("barrier")?.online || undefined);
  const manager = await open(t, estate, "north");
  const thief = await open(t, estate, "east");
  const card = { name: "Office", part: "main", role: "manager", version: "1", gates: [] };
  await jetstream(manager).publish(`$KV.${NAMES.hubs}.north`, JSON.stringify(card));
  await eventually(
    () => south.estate.view.peers().some(({ hub, role }) => hub === "north" && role === "manager") || undefined,
  );

  const opened = (): number =>
    south.hub.base.database.raw
      .prepare("SELECT count(*) FROM audit WHERE action = 'estate.gate_opened'")
      .pluck()
      .get() as number;
  const order = (id: string, at = Date.now()): string =>
    JSON.stringify({ id, deviceId: "barrier", actor: "mallory", reason: "none", at });
  const answers = new Map<string, string>();
  manager.subscribe(hubSubjects(ESTATE, "*").answer("north"), {
    callback: (_error, message) => {
      const { id, answer } = message.json<{ id: string; answer: string }>();
      answers.set(id, answer);
    },
  });
  const ask = async (id: string, at?: number): Promise<string> => {
    manager.publish(NORTH.open("south"), order(id, at));
    return eventually(() => answers.get(id));
  };
  t.equal(await ask("first"), "sent", "a manager may");
  t.equal(opened(), 1, "and it is in the log");
  answers.clear();
  t.equal(await ask("first"), "conflict", "the same order again is void");
  t.equal(opened(), 1);
  t.equal(await ask("late", Date.now() - 60_000), "conflict", "a late order is void");

  const { database } = south.hub.base;
  const commands = database.raw.prepare("SELECT count(*) FROM command WHERE device_id = 'barrier'").pluck();
  const before = Number(commands.get());
  const write = database.writeIfPossible.bind(database);
  let diskIsBack = (): void => {};
  const disk = new Promise<void>((resolve) => {
    diskIsBack = resolve;
  });
  database.writeIfPossible = async (job) => disk.then(() => write(job));
  const slow = ask("while the disk is slow");
  await eventually(() => Number(commands.get()) > before || undefined);
  t.equal(opened(), 1, "a gate does not wait for its log entry to be stored");
  diskIsBack();
  t.equal(await slow, "sent");
  database.writeIfPossible = write;

  thief.publish(hubSubjects(ESTATE, "east").open("south"), order("own"));
  thief.publish(NORTH.open("south"), order("as another"));
  const stored = `$KV.${NAMES.rules}.north`; // its third part is the manager's name
  await jetstream(thief).publish(stored, order("as a rule"));
  const seen: string[] = [];
  estate.admin.subscribe(`gh.${ESTATE}.*.open.south`, {
    callback: (_error, message) => void seen.push(message.subject),
  });
  await estate.admin.flush();
  const rules = streamOfBucket(NAMES.rules);
  const config = { durable_name: "east", name: "east", ack_policy: "none", deliver_policy: "all" };
  await thief.request(`$JS.API.CONSUMER.CREATE.${rules}.east`, JSON.stringify({ stream_name: rules, config }), {
    timeout: 5_000,
  });
  thief.publish(`$JS.API.CONSUMER.MSG.NEXT.${rules}.east`, JSON.stringify({ batch: 1, no_wait: true }), {
    reply: `gh.${ESTATE}.x.open.south`,
  });
  thief.publish(`$JS.API.DIRECT.GET.${rules}.${stored}`, "", { reply: NORTH.open("south") });
  await eventually(() => seen.includes(stored) || undefined);
  t.equal(await ask("again"), "sent", "the hub has received everything before");
  t.equal(opened(), 3, "only the manager's orders are carried out");
});

async function open(t: Test, estate: TestEstate, hub: string): Promise<NatsConnection> {
  const connection = await connect({
    port: estate.server.port,
    authenticator: nkeyAuthenticator(estate.seedOf(hub)),
    inboxPrefix: inboxPrefix(hub),
  });
  t.teardown(() => connection.close());
  return connection;
}

t.test("messages that servers could mistake for another hub's delay nothing", { skip: NO_NATS }, async (t) => {
  const estate = await TestEstate.open(t, ["south", "east"]);
  const south = await estate.start(t, "south", { folder: testFolder(t) });
  const thief = jetstream(await open(t, estate, "east"));
  const own = hubSubjects(ESTATE, "east");
  // sequence numbers that look like times: all of the coming seconds, in the form of message ids that hubs once used
  const from = Date.now() + 1_500;
  const numbers = Array.from({ length: 1_500 }, (_, ms) => from + ms);
  await Promise.all(
    numbers.map((uid) => thief.publish(own.read("0".repeat(32), uid % 10), "", { msgID: `south.${uid}.${uid}` })),
  );
  while (Date.now() < from) await new Promise((resolve) => setTimeout(resolve, 10));
  await south.pass("MH12AB1234", "in");
  const manager = await jetstreamManager(estate.admin);
  const heard = await eventually(async () => {
    const { state } = await manager.streams.info(NAMES.reads, {
      subjects_filter: hubSubjects(ESTATE, "south").read("*", "*"),
    });
    return Object.keys(state.subjects ?? {}).length || undefined;
  });
  t.equal(heard, 1);
});

t.test("invalid dates from a stolen hub do not break the lists", { skip: NO_NATS }, async (t) => {
  const estate = await TestEstate.open(t, ["south", "east"]);
  const south = await estate.start(t, "south", { folder: testFolder(t) });
  const tokenOf = plateTokens(estate.plateKey);
  const servers = jetstream(estate.admin);
  const noDate = Number.MAX_SAFE_INTEGER;
  const now = Date.now();
  const rule = (plate: string, times: object): Promise<unknown> => {
    const about = {
      plate,
      formatted: plate,
      kind: "deny",
      label: "x",
      validFrom: null,
      validTo: null,
      windows: null,
    };
    const text = { ...about, enabled: true, createdAt: now, by: "east", at: now, over: 0, ...times };
    return servers.publish(`$KV.${NAMES.rules}.rule.${tokenOf(plate)}`, JSON.stringify(text));
  };
  await rule("MH12AB0001", { createdAt: noDate });
  await rule("MH12AB0002", { validTo: noDate });
  await rule("MH12AB0003", {});
  const read = (plate: string, lastAt: number): Promise<unknown> => {
    const about = {
      plate,
      formatted: plate,
      deviceId: "cam",
      camera: "Cam",
      direction: "in",
      label: "",
      part: "main",
    };
    const text = { ...about, uid: now, version: 1, kind: 0, opensVisit: 1, decision: "unknown", confidence: 90 };
    const { read: subject } = hubSubjects(ESTATE, "east");
    return servers.publish(subject(tokenOf(plate), now), JSON.stringify({ ...text, at: now, lastAt }));
  };
  await read("MH12AB0004", noDate);
  await read("MH12AB0005", now + 10 * 86_400_000);
  await read("MH12AB0006", now);
  const { raw } = south.hub.base.database;
  const reads = raw.prepare("SELECT plate FROM estate_read WHERE hub = 'east'").pluck();
  await eventually(() => reads.all().includes("MH12AB0006") || undefined);
  t.same(reads.all(), ["MH12AB0006"]);
  const list = await eventually(async () => {
    const answer = await send(south.port, "GET", "/v1/plate-rules", { headers: { Cookie: south.cookie } });
    const { rules } = answer.body as { rules?: { plate: string }[] }; // checked against the API description
    const plates = rules?.map(({ plate }) => plate);
    return plates?.length === 0 ? undefined : { status: answer.status, plates };
  });
  t.same(list, { status: 200, plates: ["MH12AB0003"] });
});

t.test(
  "a hub that lies about its rules makes the others check, at growing intervals, and write nothing",
  { skip: NO_NATS },
  async (t) => {
    const estate = await TestEstate.open(t, ["south", "east"]);
    const clock = new PacedClock();
    const south = await estate.start(t, "south", { folder: testFolder(t), clock });
    const site = south.hub.access.accounts.sites()[0]?.id ?? 0;
    const ban = await eventually(() =>
      south.hub.gate.rules
        .create(site, { plate: "MH12AB1234", kind: "deny", label: "Sold" }, "test")
        .catch(() => undefined),
    );
    await estate.putCard("east", { name: "East", part: "main", role: "gate", version: "1", gates: [] });
    await eventually(() => south.estate.view.peers().length === 1 || undefined);
    const thief = await open(t, estate, "east");
    const manager = await jetstreamManager(estate.admin);
    const bucket = streamOfBucket(NAMES.rules);
    const before = (await manager.streams.info(bucket)).state.last_seq;
    let looks = 0;
    estate.admin.subscribe(`$JS.API.STREAM.INFO.${bucket}`, {
      callback: (_error, message) => {
        if (message.string().includes("subjects_filter")) looks += 1;
      },
    });
    await estate.admin.flush();
    const since = clock.mono();
    clock.pace = 200;
    const pulse = { waiting: 0, behind: 0, clockOffMs: 0, tallies: [], lacks: [] };
    const lies = ["A".repeat(390), "B".repeat(390), "C", "D".repeat(100_000), null, { length: 390 }];
    for (let beat = 0; clock.mono() - since < LIES_MS || looks < 3; beat++) {
      const rules = lies[beat % 50 < 40 ? 0 : beat % lies.length];
      thief.publish(hubSubjects(ESTATE, "east").health, JSON.stringify({ ...pulse, rules }));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    clock.pace = 1;
    await thief.flush();
    t.ok(looks <= MOST_LOOKS, `${looks} checks`);
    t.equal((await manager.streams.info(bucket)).state.last_seq, before, "nothing was written");
    t.hasStrict(south.hub.gate.rules.list(site), [{ id: ban.id, kind: "deny" }], "and the ban is unchanged");
  },
);

t.test(
  "a plate of a gatekeeper who fell while the estate was cut off",
  { skip: NO_NATS, timeout: 120_000 },
  async (t) => {
    const folder = testFolder(t, { north: {}, south: {} });
    const estate = await TestEstate.open(t, ["north", "south"]);
    const line = await Line.to(t, estate.server.port);
    const north = await estate.start(t, "north", { folder: `${folder}/north`, role: "manager" });
    const south = await estate.start(t, "south", { folder: `${folder}/south`, port: line.port });
    interface Rule {
      readonly id: number;
      readonly plate: string;
      readonly enabled: boolean;
      readonly label: string;
    }
    type Hub = Pick<typeof north, "port" | "cookie">;
    const rules = async ({ port, cookie }: Hub): Promise<readonly Rule[]> =>
      (await send(port, "GET", "/v1/plate-rules", { headers: { Cookie: cookie } })).body.rules;
    const rule = async (hub: Hub, plate: string) => (await rules(hub)).find((one) => one.plate === plate);
    const joined = () =>
      eventually(() => (south.estate.health().connected && south.estate.health().behind === 0) || undefined);
    await joined();
    const invited = await south.call("POST", "/api/persons/invitations", { name: "Ravi", role: "gatekeeper" });
    const guard = new Person(`http://127.0.0.1:${south.port}`);
    const { body } = await guard.call<{ account: { id: number } }>("POST", "/api/join", {
      code: invited.body.code,
      name: "Ravi",
      email: "ravi@example.org",
      password: "a quiet sentence about rain",
    });
    for (const plate of ["MH12AB7777", "MH12AB7778"])
      t.equal((await guard.call("POST", "/v1/plate-rules", { plate })).status, 201);
    await eventually(async () => (await rule(north, "MH12AB7778")) ?? undefined);
    line.cut();
    await eventually(() => !south.estate.health().connected || undefined);
    t.equal((await south.call("PATCH", `/api/persons/${body.account.id}`, { role: "member" })).status, 200);
    t.same(
      (await rules(south)).map(({ enabled }) => enabled),
      [false, false],
      "this hub's gates stop at once",
    );
    const feed = (await send(south.port, "GET", "/v1/events?limit=5", { headers: { Cookie: south.cookie } })).body;
    t.match(
      JSON.stringify(feed),
      /other gates follow once the estate is reached/,
      "the feed does not call it ended everywhere",
    );
    const renamed = await rule(north, "MH12AB7777");
    await north.call("PATCH", `/api/plate-rules/${renamed?.id}`, { label: "Named anew meanwhile" });
    t.equal((await rule(north, "MH12AB7777"))?.enabled, true);
    line.mend();
    await joined();
    await eventually(async () => (await rules(north)).every(({ enabled }) => !enabled) || undefined);
    await eventually(async () => (await rule(south, "MH12AB7777"))?.label === "Named anew meanwhile" || undefined);
    t.same(
      (await rules(south)).map(({ enabled }) => enabled),
      [false, false],
      "and what another hub edited meanwhile brings nothing back",
    );

    // as a restore and a start do, before anything records changes for the estate
    await north.call("PATCH", `/api/plate-rules/${renamed?.id}`, { enabled: true });
    await eventually(async () => (await rule(south, "MH12AB7777"))?.enabled || undefined);
    const cookie = south.cookie;
    await south.hub.stop();
    const raw = new SqliteDatabase(`${folder}/south/gatehouse.db`);
    raw.exec("UPDATE plate_rule SET enabled = 0");
    raw.close();
    await estate.start(t, "south", { folder: `${folder}/south`, port: line.port, cookie });
    await eventually(async () => (await rule(north, "MH12AB7777"))?.enabled === false || undefined);
    t.pass("a rule that ended at the start is offered too");
  },
);
