/**
 * Two hubs and a real NATS server: a rule made at one gate holds at the other, and both have the same visits, whatever
 * connection was cut in between.
 */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, headers, nkeyAuthenticator } from "@nats-io/transport-node";
import t, { type Test } from "tap";
import type { EstateVisitRow } from "../../src/features/estate/tables/estate-visit.ts";
import { send } from "../support/api-client.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { type EstateHub, TestEstate } from "../support/estate-hub.ts";
import { eventually } from "../support/hub-process.ts";
import { Line, NO_NATS } from "../support/nats.ts";
import { testFolder } from "../support/test-folder.ts";

const CAR = "MH12AB1234";
const LATER = "KA01CD5678";

interface Palms {
  readonly estate: TestEstate;
  readonly north: EstateHub;
  readonly south: EstateHub;
  /** South's connection to the server. */
  readonly line: Line;
}

async function open(t: Test): Promise<Palms> {
  const folder = testFolder(t, { north: {}, south: {} });
  const estate = await TestEstate.open(t, ["north", "south"]);
  const line = await Line.to(t, estate.server.port);
  const [north, south] = await Promise.all([
    estate.start(t, "north", { folder: `${folder}/north`, role: "manager" }),
    estate.start(t, "south", { folder: `${folder}/south`, port: line.port }),
  ]);
  await Promise.all(
    [north, south].map((hub) =>
      eventually(() => (hub.estate.health().behind === 0 && hub.estate.view.peers().length === 1) || undefined),
    ),
  );
  return { estate, north, south, line };
}

/** Visits as both hubs must have them. */
const visits = (hub: EstateHub, plate: string): readonly EstateVisitRow[] => hub.estate.view.visits(plate, 100);
const kinds = (hub: EstateHub, plate: string): string[] =>
  visits(hub, plate).map(({ status, entryHub, exitHub }) => `${status} ${entryHub}-${exitHub}`);
/** One call of /v1 by the owner. */
const v1 = (hub: Pick<EstateHub, "port" | "cookie">, method: string, path: string, json?: unknown) =>
  send(hub.port, method, path, { headers: { Cookie: hub.cookie }, ...(json === undefined ? {} : { json }) });
const rulesOf = async (hub: EstateHub): Promise<{ id: number; plate: string; kind: string }[]> => {
  const { body } = await v1(hub, "GET", "/v1/plate-rules");
  return (body as { rules: { id: number; plate: string; kind: string }[] }).rules; // checked against the description
};
const ruleOf = (hub: EstateHub, plate: string): Promise<{ id: number; kind: string }> =>
  eventually(async () => (await rulesOf(hub)).find((rule) => rule.plate === plate));

t.test("an estate of two gates", { skip: NO_NATS, timeout: 240_000 }, async (t) => {
  const palms = await open(t);
  const { north, south, line, estate } = palms;

  await t.test("a car enters at one gate and leaves at the other: one visit, the same on both", async (t) => {
    const at = Date.now() - 60_000;
    await north.pass(CAR, "in", at);
    await eventually(() => (south.estate.view.occupancy().estate.inside === 1 ? true : undefined));
    t.same(
      south.estate.view.inside(10).map(({ plate, hub, camera }) => ({ plate, hub, camera })),
      [{ plate: CAR, hub: "north", camera: "north in" }],
    );
    await south.pass(CAR, "out", at + 40_000);
    await eventually(() => (north.estate.view.occupancy().estate.inside === 0 ? true : undefined));
    t.same(kinds(north, CAR), ["closed north-south"]);
    t.equal(visits(north, CAR)[0]?.staySeconds, 40);
    t.same(visits(south, CAR), visits(north, CAR));
    t.same(
      north.estate.view
        .reads({ limit: 10, plate: CAR })
        .reads.map(({ hub, hubName, direction }) => ({ hub, hubName, direction })),
      [
        { hub: "south", hubName: "South gate", direction: "out" },
        { hub: "north", hubName: "North gate", direction: "in" },
      ],
    );
  });

  await t.test("/v1 reports it for all gates", async (t) => {
    const { body } = await v1(north, "GET", "/v1/estate/plates?limit=1");
    const { plates } = body as { plates: { id: string; hub: object; plate: string; camera: string }[] };
    t.hasStrict(plates, [{ hub: { id: "south", name: "South gate" }, plate: CAR, camera: "south out" }]);
    t.equal(plates.length, 1);
    t.match((await v1(north, "GET", "/v1/estate/occupancy")).body, {
      estate: { inside: 0, capacity: null },
      parts: [{ part: "main", inside: 0 }],
    });
    const { body: vehicle } = await v1(south, "GET", `/v1/estate/vehicles/${CAR}`);
    t.hasStrict(vehicle, {
      inside: false,
      visits: [{ entryHub: { id: "north" }, exitHub: { id: "south" }, status: "closed", staySeconds: 40 }],
    });
    await north.estate.setPart("main", { name: "Grounds", capacity: 4 });
    await eventually(() => (south.estate.view.occupancy().parts[0]?.capacity === 4 ? true : undefined));
    t.match(south.estate.view.occupancy().estate, { inside: 0, capacity: 4, free: 4 });
  });

  await t.test("a rule made at one gate decides at the other", async (t) => {
    const { body } = await v1(north, "POST", "/v1/plate-rules", { plate: CAR, kind: "deny", label: "Sold" });
    const { id } = (body as { rule: { id: number } }).rule;
    await ruleOf(south, CAR);
    const read = await south.pass(CAR, "in");
    t.equal(south.hub.gate.reads.get(south.hub.access.accounts.sites()[0]?.id ?? 0, read).decision, "deny");
    await north.call("PATCH", `/api/plate-rules/${id}`, { kind: "allow" });
    await eventually(async () =>
      (await rulesOf(south)).some(({ plate, kind }) => plate === CAR && kind === "allow") ? true : undefined,
    );
  });

  await t.test("two simultaneous additions of one plate: one learns that the rule exists", async (t) => {
    const answers = await Promise.all(
      [north, south].map((hub, n) =>
        v1(hub, "POST", "/v1/plate-rules", { plate: LATER, kind: n === 0 ? "allow" : "deny" }),
      ),
    );
    t.same(answers.map(({ status }) => status).sort(), [201, 409]);
    t.match(
      answers.find(({ status }) => status === 409)?.body,
      { error: { code: /^plate_already_listed$/, ruleId: Number } },
      "the existing rule is named",
    );
    await eventually(async () =>
      (await ruleOf(north, LATER)).kind === (await ruleOf(south, LATER)).kind ? true : undefined,
    );
  });

  await t.test("two simultaneous edits of one rule: one gets a conflict", async (t) => {
    const ids = await Promise.all([north, south].map(async (hub) => (await ruleOf(hub, LATER)).id));
    const edit = (hub: EstateHub, n: number) =>
      hub.call("PATCH", `/api/plate-rules/${ids[n]}`, { kind: "allow", label: `by ${n}` });
    const release = line.hold(); // south has not heard of north's edit when it makes its own
    t.equal((await edit(north, 0)).status, 200);
    const late = edit(south, 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    release();
    t.hasStrict(await late, { status: 409, body: { error: { code: "conflict" } } });
    await eventually(async () => (await ruleOf(south, LATER)).kind === "allow" || undefined);
  });

  await t.test(
    "disconnected: the gate continues, shared rules wait, and everything is merged in the order in which it happened",
    async (t) => {
      const at = Date.now() - 120_000;
      line.cut();
      await eventually(() => (south.estate.health().connected ? undefined : true));
      t.equal((await v1(south, "POST", "/v1/plate-rules", { plate: "DL8CAF5031" })).status, 503);
      t.equal(
        (await v1(south, "POST", "/v1/plate-rules", { plate: "DL8CAF5031", kind: "deny", deviceId: "south-in" }))
          .status,
        201,
        "a rule for its own camera",
      );
      await south.pass(LATER, "out", at + 40_000); // the entry is at the other gate, and arrives later
      await north.pass(LATER, "in", at);
      await north.pass(LATER, "in", at + 80_000);
      t.same(kinds(south, LATER), ["entry_missed null-south"], "it decides with what it has");
      t.ok(south.estate.health().waiting > 0);
      // A ban that comes too late for a car that is let in here meanwhile.
      t.equal(
        (await north.call("PATCH", `/api/plate-rules/${(await ruleOf(north, CAR)).id}`, { kind: "deny" })).status,
        200,
      );
      await new Promise((resolve) => setTimeout(resolve, 2_100)); // what makes it late
      await south.pass(CAR, "in");
      line.mend();
      await eventually(() =>
        kinds(south, LATER).length === 2 && kinds(north, LATER).length === 2 && south.estate.health().waiting === 0
          ? true
          : undefined,
      );
      t.same(kinds(north, LATER), ["open north-null", "closed north-south"]);
      t.same(visits(south, LATER), visits(north, LATER));
      const late = await eventually(async () => {
        const { body } = await v1(south, "GET", "/v1/events?limit=50");
        return (body as { events: { kind: string; title: string }[] }).events.find(
          ({ kind }) => kind === "estate.late_ban",
        );
      });
      t.match(late.title, /MH 12 AB 1234/);
    },
  );

  await t.test("a deleted plate is gone at every gate and from the stream", async (t) => {
    t.equal((await south.call("DELETE", `/api/vehicles/${LATER}`)).status, 200);
    await eventually(() => (north.estate.view.reads({ limit: 5, plate: LATER }).reads.length === 0 ? true : undefined));
    await eventually(async () => ((await rulesOf(north)).some(({ plate }) => plate === LATER) ? undefined : true));
    const manager = await jetstreamManager(estate.admin);
    const held = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const stream of ["gh_palm-court_reads", "KV_gh_palm-court_rules"]) {
        const { state } = await manager.streams.info(stream);
        for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
          const message = await manager.streams.getMessage(stream, { seq }).catch(() => null); // erased
          if (message !== null && (message.subject + message.string()).includes(LATER)) found.push(message.subject);
        }
      }
      return found;
    };
    await eventually(async () => ((await held()).length === 0 ? true : undefined));
    const site = north.hub.access.accounts.sites()[0]?.id ?? 0;
    await eventually(() =>
      north.hub.gate.reads.list(site, { limit: 5, plate: LATER }).reads.length === 0 ? true : undefined,
    );
    await north.pass(LATER, "in");
    await eventually(() => (south.estate.view.reads({ limit: 5, plate: LATER }).reads.length === 1 ? true : undefined));
    t.pass("a car that comes again is recorded again");
  });

  await t.test("a hub can publish only under its own name", async (t) => {
    const thief = await connect({
      port: estate.server.port,
      authenticator: nkeyAuthenticator(estate.seedOf("south")),
      inboxPrefix: "_INBOX.south",
    });
    const refused: string[] = [];
    void (async () => {
      for await (const status of thief.status()) if (status.type === "error") refused.push(String(status.error));
    })();
    for (const subject of [
      "gh.palm-court.north.reads.x",
      "gh.palm-court.south.open.north",
      "$JS.API.STREAM.DELETE.gh_palm-court_reads",
      "$KV.gh_palm-court_hubs.north",
    ])
      thief.publish(subject, "{}");
    await eventually(() => (refused.length >= 4 ? true : undefined));
    t.equal(refused.filter((text) => /permission/i.test(text)).length, 4);
    const manager = await jetstreamManager(estate.admin);
    const { state } = await manager.streams.info("gh_palm-court_reads");
    const rollup = headers();
    rollup.set("Nats-Rollup", "all");
    const response = await thief.request(`gh.palm-court.south.reads.${"0".repeat(32)}.1`, "", {
      headers: rollup,
      timeout: 2_000,
    });
    t.match(response.string(), /rollup/, "nor does it erase others' messages");
    t.equal((await manager.streams.info("gh_palm-court_reads")).state.messages, state.messages);
    await thief.close();
  });

  await t.test("the servers lose everything: the hubs fill them again, and lose nothing themselves", async (t) => {
    const before = { rules: await rulesOf(south), visits: visits(south, CAR) };
    const manager = await jetstreamManager(estate.admin);
    for (const stream of ["gh_palm-court_reads", "KV_gh_palm-court_rules", "KV_gh_palm-court_hubs"])
      await manager.streams.delete(stream);
    const { createEstateStreams } = await import("../../src/features/estate/streams.ts");
    await createEstateStreams(estate.admin, { estate: TestEstate.NAME, replicas: 1, keepDays: 30 });
    await eventually(async () =>
      (await manager.streams.info("KV_gh_palm-court_rules")).state.messages >= 1 ? true : undefined,
    );
    const reads = north.estate.view.reads({ limit: 100 }).reads.length;
    await eventually(async () =>
      (await manager.streams.info("gh_palm-court_reads")).state.messages >= reads ? true : undefined,
    );
    t.same(await rulesOf(south), before.rules);
    t.same(visits(south, CAR), before.visits);
  });
});

t.test("a standalone hub has no estate data; one with an invalid file reports it and runs standalone", async (t) => {
  const folder = testFolder(t, { alone: {}, wrong: { estate: { "estate.json": '{"estate": "Palm Court"}' } } });
  const alone = await startConsoleHub(t, { folder: `${folder}/alone` });
  const { estate, services, checks } = alone.hub.estate;
  t.same({ estate, services, checks }, { estate: null, services: [], checks: [] });
  t.same(
    alone.hub.base.database.raw.prepare("SELECT name FROM temp.sqlite_schema WHERE name LIKE 'estate%'").all(),
    [],
    "no trigger",
  );
  t.equal((await v1(alone, "GET", "/v1/estate/occupancy")).status, 404);
  const wrong = await startConsoleHub(t, { folder: `${folder}/wrong` });
  t.match(
    wrong.hub.system.health().checks.find(({ code }) => code === "estate"),
    { level: "degraded", text: /small letters/ },
  );
});
