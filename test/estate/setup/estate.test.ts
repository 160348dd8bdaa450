/**
 * An estate on a real NATS server with TLS: created, joined with a code, removed by force. A member can neither write
 * as another nor erase others' data by any way found; a removed one stays out, even after the server has lost its data.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import {
  connect,
  headers,
  jwtAuthenticator,
  type NatsConnection,
  nkeys,
  PermissionViolationError,
} from "@nats-io/transport-node";
import t, { type Test } from "tap";
import { readEstateConfig } from "../../../src/features/estate/config.ts";
import {
  estateNames,
  hubSubjects,
  inboxPrefix,
  speakerIn,
  streamOfBucket,
} from "../../../src/features/estate/names.ts";
import { EstateAuthority } from "../../../src/features/estate/setup/authority.ts";
import { codeText, readCode } from "../../../src/features/estate/setup/invitation-code.ts";
import { gatehouse } from "../../support/cli.ts";
import { startConsoleHub } from "../../support/console-hub.ts";
import { freePort, NatsServer, NO_NATS } from "../../support/nats.ts";

const ESTATE = "palm-court";
const ADDRESS = "127.0.0.1";
const NAMES = estateNames(ESTATE);
const OFFICE = hubSubjects(ESTATE, "office");
const NORTH = hubSubjects(ESTATE, "north");

t.test("an estate from its creation to a removed hub", { skip: NO_NATS }, async (t) => {
  const home = await startConsoleHub(t, { env: { GATEHOUSE_TLS: "own" } });
  const keeper = (...argv: string[]) => gatehouse(home.dataFolder, ["estate", ...argv]);
  const port = await freePort();
  const store = join(home.dataFolder, "nats-store");

  const plan = [`--address=${ADDRESS}`, `--listen=${ADDRESS}`, `--port=${port}`, `--store=${store}`];
  const early = await keeper("create", ESTATE, "--hub=office", ...plan, "--json");
  t.equal(early.err, "");
  t.match(JSON.parse(early.out), { ready: false }, "without a server, the next step is shown");
  const nats = await NatsServer.inFolder(t, join(home.dataFolder, "estate", "nats"), port);
  t.match(
    JSON.parse((await keeper("create", ESTATE, "--json")).out),
    { ready: true, servers: [`tls://${ADDRESS}:${port}`] },
    "repeated, it continues",
  );
  for (const file of ["authority.json", "hub.nk", "hub.jwt", "plate.key", "nats/server.key"])
    t.equal(statSync(join(home.dataFolder, "estate", file)).mode & 0o077, 0, `only its owner can read ${file}`);
  t.match(await keeper("create", "other"), { code: 1, err: /palm-court/ }, "another estate does not take its place");

  const address = `--address=${ADDRESS}:${home.hub.web.server.tlsPort}`;
  const invited = await keeper("invite", "north", "--title=North gate", address, "--json");
  const { code } = JSON.parse(invited.out) as { code: string };
  const known = readCode(code);
  if (known === null) throw new Error(`no code: ${code}`);
  const north = emptyHub(t);
  const join_ = (folder: string, text: string) => gatehouse(folder, ["estate", "join", text]);
  t.match(
    await join_(north, codeText({ ...known, pin: "A".repeat(22) })),
    { code: 1, err: /another hub answers/ },
    "a hub with another certificate learns nothing",
  );
  const inClear = await home.api.post("/api/estate/join", {
    json: { secret: known.secret, publicKey: nkeys.createUser().getPublicKey() },
  });
  t.equal(inClear.status, 403, "nothing is sent unencrypted");
  t.match(await join_(north, code), { code: 0, out: /north of the estate palm-court/ });
  t.hasStrict(readEstateConfig(north), { estate: ESTATE, hub: "north", name: "North gate", role: "gate" });
  t.match(await join_(north, code), { code: 1, err: /already/ }, "a hub is in one estate");
  t.match(await join_(emptyHub(t), code), { code: 1, err: /does not count/ }, "a code works once");
  t.match(await keeper("invite", "north", address), { code: 1, err: /already/ }, "hub names are unique");
  t.match(await keeper("list"), { code: 0, out: /north +North gate +main +gate/ });

  const authority = await EstateAuthority.open(join(home.dataFolder, "estate"));
  if (authority === null) throw new Error("no keys");
  const admin = await open(t, port, authority.ca.cert, "admin", authority.adminCredential());
  const office = await openAs(t, port, home.dataFolder, "office");
  const thief = await openAs(t, port, north, "north");
  await t.test("it cannot write as another", (t) => writesAsItself(t, thief, office));
  await t.test("it forges and erases nothing by the server's own means", (t) => playsTricks(t, thief, office, admin));

  const closed = thief.closed();
  t.match(await keeper("remove", "north"), { code: 0, out: /reads and writes nothing/ });
  t.match(String(await closed), /Revoked/, "its connection ends at once");
  const refused = async (what: string): Promise<void> => {
    await t.rejects(openAs(t, port, north, "north"), /Authorization Violation/, what);
  };
  await refused("it is let in no more");
  await office.flush();
  t.notOk(office.isClosed(), "the others stay");
  t.match(await join_(emptyHub(t), code), { code: 1, err: /does not count/ }, "nor does its old code work");
  t.match(await keeper("list"), { out: /north .*removed/ });

  const stored = async (): Promise<number> =>
    (await (await jetstreamManager(await openAs(t, port, home.dataFolder, "office"))).streams.info(NAMES.reads)).state
      .messages;
  const before = await stored();
  t.ok(before > 0);
  await nats.stop();
  await nats.start();
  await refused("also after a restart of the server");
  t.equal(await stored(), before, "which has kept its data");
  await nats.stop();
  rmSync(join(store, "claims"), { recursive: true });
  await nats.start();
  await refused("and by a server that has lost its configuration");
  await t.rejects(openAs(t, port, home.dataFolder, "office"), "which admits nobody");
  t.match(await keeper("create", ESTATE), { code: 0 });
  t.equal(await stored(), before, "until it is configured again");
  await refused("who may come in");

  const again = JSON.parse((await keeper("invite", "north", address, "--json")).out) as { code: string };
  const another = emptyHub(t);
  t.match(await join_(another, again.code), { code: 0 }, "the name can be used again");
  await openAs(t, port, another, "north");
  await refused("with which the old key does not come back");

  const west = JSON.parse((await keeper("invite", "west", "--part=deck", address, "--json")).out) as { code: string };
  await t.test("a hub set up by a document joins by its code", (t) => setUpByDocument(t, west.code, code));
});

async function setUpByDocument(t: Test, code: string, used: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-hub-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const account = { email: "owner@example.org", name: "Olga", password: "a gate for every car" };
  const provision = (text: string, rooms: readonly object[], ...argv: string[]) =>
    gatehouse(folder, ["provision", "-", ...argv], {
      input: JSON.stringify({ account, rooms, estate: { code: text } }),
    });
  const rooms = async (): Promise<unknown> => {
    const { code: exit, out } = await gatehouse(folder, ["export"]);
    return exit === 0 ? (JSON.parse(out) as { rooms?: unknown[] }).rooms : [];
  };
  const attempts = [
    await provision("gatehouse-estate:nonsense", [{ name: "Hall" }]),
    await provision(used, [{ name: "Hall" }]),
  ];
  for (const { code: exit, err } of attempts) t.match({ exit, err }, { exit: 1, err: /\/estate\/code/ });
  t.equal(readEstateConfig(folder), null);
  t.same((await rooms()) ?? [], [], "after an error nothing of the document remains");
  const dry = await provision(code, [{ name: "Hall" }], "--dry-run");
  t.equal(dry.code, 0, "a dry run does not use the code up");
  t.equal(readEstateConfig(folder), null);
  const made = await provision(code, [{ name: "Hall" }]);
  t.match(JSON.parse(made.out), {
    changed: true,
    estate: { estate: ESTATE, hub: "west", part: "deck", change: "made" },
  });
  t.match(made.err, /takes effect when the hub starts/);
  t.hasStrict(readEstateConfig(folder), { hub: "west", part: "deck", role: "gate" });
  const again = await provision(code, [{ name: "Hall" }]);
  t.match(JSON.parse(again.out), { changed: false, estate: { hub: "west", change: "none" } }, "again, nothing changes");
  const { secret = "?" } = readCode(code) ?? {};
  const written = [...attempts, dry, made, again].map(({ out, err }) => out + err).join("");
  t.notOk(written.includes(secret), "and no message contains the code's secret");
}

/** Every subject that belongs to another hub or to the servers' administrator. */
async function writesAsItself(t: Test, thief: NatsConnection, office: NatsConnection): Promise<void> {
  const { publish, subscribe } = refusals(thief);
  const streams = [NAMES.reads, streamOfBucket(NAMES.rules), streamOfBucket(NAMES.hubs)];
  const forbidden = [
    ...[
      OFFICE.read("t", 1),
      OFFICE.forget,
      OFFICE.health,
      OFFICE.open("north"),
      OFFICE.answer("north"),
      NORTH.open("office"),
      "gh.other.north.reads.t.1",
      `gh.${ESTATE}.north.reads.t`,
    ],
    `$KV.${NAMES.hubs}.office`,
    ...["CREATE", "UPDATE", "DELETE", "PURGE", "MSG.DELETE", "SNAPSHOT", "RESTORE", "LEADER.STEPDOWN"].flatMap((verb) =>
      streams.map((one) => `$JS.API.STREAM.${verb}.${one}`),
    ),
    ...["$JS.API.STREAM.CREATE.own", "$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES", "$JS.API.META.LEADER.STEPDOWN"],
    ...["CREATE", "DELETE", "INFO", "MSG.NEXT"].flatMap((verb) =>
      streams.map((one) => `$JS.API.CONSUMER.${verb}.${one}.office`),
    ),
    ...streams.flatMap((one) => [
      `$JS.API.CONSUMER.CREATE.${one}`,
      `$JS.API.CONSUMER.LIST.${one}`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${one}.office`,
    ]),
    ...streams.flatMap((one) => [
      `$JS.API.DIRECT.GET.${one}`,
      `$JS.API.DIRECT.GET.${one}.x`,
      `$JS.ACK.${one}.office.1.1.1.1.1`,
    ]),
    ...["$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.SERVER.PING", `${inboxPrefix("office")}.x`, "anything"],
  ];
  for (const subject of forbidden) thief.publish(subject, "{}");
  await thief.flush();
  await eventually(() => forbidden.every((subject) => publish.has(subject)));
  t.same(
    forbidden.filter((subject) => !publish.has(subject)),
    [],
    `${forbidden.length} subjects are refused`,
  );
  const deaf = [
    ">",
    "gh.>",
    `gh.${ESTATE}.*.reads.*.*`,
    OFFICE.answer("*"),
    `gh.${ESTATE}.*.open.office`,
    `${inboxPrefix("office")}.>`,
    "_INBOX.>",
    "$JS.>",
    "$KV.>",
    "$SYS.>",
  ];
  for (const subject of deaf) thief.subscribe(subject, { callback: () => {} });
  await thief.flush();
  await eventually(() => deaf.every((subject) => subscribe.has(subject)));
  t.same(
    deaf.filter((subject) => !subscribe.has(subject)),
    [],
    "it hears nothing meant for others",
  );
  t.ok((await jetstream(thief).publish(NORTH.read("t", 6), "{}")).seq > 0, "its own is accepted");
  t.notOk(office.isClosed());
}

/** The server's own messages go to any requested subject, past the rights of the requester. */
async function playsTricks(
  t: Test,
  thief: NatsConnection,
  office: NatsConnection,
  admin: NatsConnection,
): Promise<void> {
  const manager = await jetstreamManager(admin);
  const count = async (): Promise<number> => (await manager.streams.info(NAMES.reads)).state.messages;
  const js = jetstream(thief);
  const forged = JSON.stringify({ forged: true });
  await jetstream(office).publish(OFFICE.read("t", 2), JSON.stringify({ own: true }));
  await js.publish(NORTH.read("t", 3), forged);
  await js.publish(`$KV.${NAMES.rules}.office`, forged);

  const before = await count();
  const all = headers();
  all.set("Nats-Rollup", "all");
  await js.publish(NORTH.read("t", 4), forged, { headers: all }).catch(() => {});
  t.ok((await count()) >= before, "it erases nothing of others with a roll-up");

  const asked: { readonly subject: string; readonly text: string }[] = [];
  office.subscribe(`gh.${ESTATE}.*.open.office`, {
    callback: (_error, message) => void asked.push({ subject: message.subject, text: message.string() }),
  });
  await office.flush();
  const isForgedFromOffice = ({ subject, text }: { readonly subject: string; readonly text: string }): boolean =>
    text === forged && subject.split(".")[2] === "office";
  const rules = streamOfBucket(NAMES.rules);
  for (const reply of [
    OFFICE.read("t", 2),
    OFFICE.read("t", 5),
    `gh.${ESTATE}.office.open.office`,
    `$KV.${NAMES.hubs}.office`,
  ]) {
    for (const stream of [NAMES.reads, rules]) {
      const config = { durable_name: "north", name: "north", ack_policy: "none", deliver_policy: "all" };
      await thief.request(`$JS.API.CONSUMER.DELETE.${stream}.north`, "", { timeout: 2_000 });
      const made = await thief.request(
        `$JS.API.CONSUMER.CREATE.${stream}.north`,
        JSON.stringify({ stream_name: stream, config }),
        { timeout: 2_000 },
      );
      t.notMatch(made.string(), /"error"/, "a hub makes a consumer of its own");
      thief.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.north`, JSON.stringify({ batch: 5, no_wait: true }), {
        reply,
      });
      if (stream === rules && reply.endsWith(".open.office")) await eventually(() => asked.some(isForgedFromOffice));
      await thief.request(`$JS.API.CONSUMER.DELETE.${stream}.north`, "", { timeout: 2_000 });
      const pushed = { ...config, deliver_subject: reply, idle_heartbeat: 100_000_000 };
      await thief.request(
        `$JS.API.CONSUMER.CREATE.${stream}.north`,
        JSON.stringify({ stream_name: stream, config: pushed }),
        { timeout: 2_000 },
      );
    }
    thief.publish(`$JS.API.STREAM.MSG.GET.${rules}`, JSON.stringify({ last_by_subj: `$KV.${NAMES.rules}.office` }), {
      reply,
    });
    thief.publish(`$JS.API.DIRECT.GET.${rules}.$KV.${NAMES.rules}.office`, "", { reply });
    thief.publish("$JS.API.INFO", "", { reply });
  }
  await thief.flush();
  await admin.flush();
  const { state } = await manager.streams.info(NAMES.reads, { subjects_filter: ">" });
  const written: string[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage(NAMES.reads, { seq });
    if (message?.subject.startsWith(`gh.${ESTATE}.office.`)) written.push(message.string());
  }
  t.notOk(
    written.some((text) => text === forged),
    "none of its messages are under another's name",
  );
  for (const text of written)
    t.match(
      text,
      /^$|^\{"own":true\}$|^\{"type":"io\.nats\.jetstream\.api/,
      "a message that can be forged there is not a hub's",
    );
  t.ok(asked.length > 0, "the server's messages arrive with requests to open");
  t.same(
    asked.filter(({ subject, text }) => speakerIn(subject, ESTATE, "open", "office") !== null && text === forged),
    [],
    "but none with the thief's own words under another's name",
  );
  t.ok(asked.some(isForgedFromOffice), "although part of the subject can be forged to another's name");
}

/** Waits for a condition, up to ten seconds: the client passes on messages with a delay. */
async function eventually(isSo: () => boolean): Promise<void> {
  for (const until = Date.now() + 10_000; !isSo() && Date.now() < until; )
    await new Promise((resolve) => setTimeout(resolve, 10));
}

/** The server's refusals of a connection from now on. */
function refusals(connection: NatsConnection): { readonly publish: Set<string>; readonly subscribe: Set<string> } {
  const found = { publish: new Set<string>(), subscribe: new Set<string>() };
  void (async () => {
    for await (const { type, ...status } of connection.status())
      if (type === "error" && "error" in status && status.error instanceof PermissionViolationError)
        found[status.error.operation === "publish" ? "publish" : "subscribe"].add(status.error.subject);
  })();
  return found;
}

/** A data folder that looks like a hub as far as joining checks. */
function emptyHub(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-hub-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "gatehouse.db"), "");
  return folder;
}

function openAs(t: Test, port: number, dataFolder: string, hub: string): Promise<NatsConnection> {
  const file = (name: string): string => readFileSync(join(dataFolder, "estate", name), "utf8");
  return open(t, port, file("ca.crt"), hub, { jwt: file("hub.jwt"), seed: Buffer.from(file("hub.nk")) });
}

async function open(
  t: Test,
  port: number,
  ca: string,
  name: string,
  { jwt, seed }: { readonly jwt: string; readonly seed: Uint8Array },
): Promise<NatsConnection> {
  const connection = await connect({
    servers: `tls://${ADDRESS}:${port}`,
    authenticator: jwtAuthenticator(jwt, seed),
    tls: { ca },
    inboxPrefix: inboxPrefix(name),
    reconnect: false,
    timeout: 3_000,
  });
  t.teardown(() => connection.close());
  return connection;
}
