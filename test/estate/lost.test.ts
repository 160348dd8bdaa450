/**
 * Servers that lose or renumber what they had acknowledged, with two hubs and a real NATS server: in the end every hub
 * has every read and the same rules, in their latest edits.
 */
import { DiscardPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import t from "tap";
import type { Master } from "../../src/core/plates/masters.ts";
import { Backoff } from "../../src/features/estate/backoff.ts";
import { type Edit, editOf, isLater, isUnaware, newEdit } from "../../src/features/estate/edits.ts";
import { plateTokens } from "../../src/features/estate/plate-token.ts";
import { send } from "../support/api-client.ts";
import type { EstateHub } from "../support/estate-hub.ts";
import { clocks, FAST, isCurrent, openPair, readsOf, ruled, siteOf, until } from "../support/estate-pair.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { NO_NATS } from "../support/nats.ts";

const GUEST = "MH12AB1234";
const OTHER = "KA01CD5678";
const OLD = "TN09BX4411";
const NEW = "GJ05NW2626";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

t.test("servers that lose acknowledged data", { skip: NO_NATS, timeout: 240_000 }, async (t) => {
  const { estate, north, south, line } = await openPair(t);
  // while the owner's proof is fresh: the hubs' time runs faster from here on
  await north.call("POST", "/api/devices", { id: "barrier", name: "Barrier", type: "gate", room: null });
  const manager = await jetstreamManager(estate.admin);
  const stored = async (): Promise<number> => (await manager.streams.info("gh_palm-court_reads")).state.messages;
  const at = Date.now() - HOUR_MS;
  await north.pass(GUEST, "in", at);
  await north.pass(GUEST, "out", at + 60_000);
  await south.pass(OTHER, "in", at + 90_000);
  for (const hub of [north, south]) await until(() => readsOf(hub).length === 3 && isCurrent(hub));
  const wanted = { reads: readsOf(north), visits: north.estate.view.visits(GUEST, 5) };
  clocks.north.aheadMs += 20_000; // recent reads may still be in transit; only older ones count
  const as = (hub: EstateHub) => ({ reads: readsOf(hub), visits: hub.estate.view.visits(GUEST, 5) });
  const mangle = (hub: EstateHub, sql: string) =>
    hub.hub.base.database.write(() => hub.hub.base.database.raw.exec(sql));

  await t.test("a read that came back only to its own hub is sent to the others again", async (t) => {
    await mangle(
      south,
      "DELETE FROM estate_read WHERE hub = 'north' AND direction = 'out'; DELETE FROM estate_visit WHERE plate = 'MH12AB1234'",
    );
    t.equal(readsOf(south).length, 2);
    await until(() => south.estate.health().behind !== 0); // it reports that something is missing
    await until(() => readsOf(south).length === 3 && isCurrent(south));
    t.same(as(south), wanted);
    t.same(as(north), wanted);
    t.equal(await stored(), 3, "in the stream it replaces the first");
  });

  await t.test("a read that did not come back at all is sent again", async (t) => {
    await mangle(south, "DELETE FROM estate_read WHERE hub = 'north' AND direction = 'out'");
    await mangle(north, "UPDATE estate_read SET sent = 0 WHERE hub = 'north' AND direction = 'out'");
    t.equal(north.estate.health().waiting, 1);
    await until(() => isCurrent(north) && readsOf(south).length === 3);
    t.same(as(south), wanted);
    t.equal(await stored(), 3);
  });

  const ruleAt = (hub: EstateHub) => hub.hub.gate.rules.list(siteOf(hub)).at(-1);
  const kindAt = (hub: EstateHub) => ruleAt(hub)?.kind;
  const settled = async ({ port, cookie }: EstateHub) => {
    const { body } = await send(port, "GET", "/v1/events?limit=50", { headers: { Cookie: cookie } });
    const { events } = body as { events: { kind: string }[] };
    return events.filter(({ kind }) => kind === "estate.rule_settled");
  };
  const entry = `$KV.gh_palm-court_rules.rule.${plateTokens(estate.plateKey)(GUEST)}`;
  const leaderHas = async (): Promise<string> =>
    (await manager.streams.getMessage("KV_gh_palm-court_rules", { last_by_subj: entry }))?.string() ?? "";
  interface Edited {
    readonly at: number;
    readonly over: number;
  }
  /** An edit with other times, based on the version at `over`. */
  const edited = (value: string, kind: string, times: Edited): string =>
    JSON.stringify({ ...JSON.parse(value), kind, ...times });
  const say = (value: string) => jetstream(estate.admin).publish(entry, value);
  const entriesOf = ({ hub }: EstateHub): string =>
    JSON.stringify(hub.base.database.raw.prepare("SELECT key, revision, value FROM estate_entry ORDER BY key").all());
  /** Data that only this hub has: the servers lost it. */
  const hold = (hub: EstateHub, value: string) =>
    mangle(
      hub,
      `UPDATE plate_rule SET kind = '${JSON.parse(value).kind}'; DELETE FROM estate_noted;
       UPDATE estate_entry SET revision = revision + 1000, value = '${value}'`,
    );
  const isEverywhere = async (value: string): Promise<boolean> =>
    entriesOf(north).includes(JSON.stringify(value)) &&
    entriesOf(north) === entriesOf(south) &&
    (await leaderHas()) === value;

  await t.test("a hub with a different rule adopts the servers'", async (t) => {
    await north.hub.gate.rules.create(siteOf(north), { plate: GUEST, kind: "deny", label: "Sold" }, "test");
    await until(() => kindAt(south) === "deny");
    const wanted = await leaderHas();
    const { at: editedAt } = JSON.parse(wanted) as Edited;
    await hold(south, edited(wanted, "allow", { at: editedAt - 1, over: 0 }));
    await until(async () => (await settled(south)).length === 1, FAST);
    t.same([kindAt(north), kindAt(south), await leaderHas()], ["deny", "deny", wanted]);
    t.match(await settled(south), [{ title: /Gates had different rules/, body: /Now it is denied at all gates/ }]);
    t.same(await settled(north), [], "reported if the rule was different");
    await until(() => entriesOf(north) === entriesOf(south));
    await mangle(south, "DELETE FROM plate_rule; DELETE FROM estate_noted; DELETE FROM estate_entry");
    await until(() => kindAt(south) === "deny", FAST);
    t.equal(await leaderHas(), wanted);
  });

  await t.test("of edits that a server lost the later one wins, and of simultaneous ones a ban", async (t) => {
    const ban = await leaderHas();
    const { at: from } = JSON.parse(ban) as Edited;
    const lifted = edited(ban, "allow", { at: from + 1, over: from });
    await hold(north, lifted);
    await until(() => isEverywhere(lifted), FAST);
    t.same([kindAt(north), kindAt(south)], ["allow", "allow"], "it was made from the ban, a moment later");
    const counts = async (): Promise<number[]> => [(await settled(north)).length, (await settled(south)).length];
    t.same(await counts(), [0, 1], "and no edit is undone");
    const watched = edited(ban, "watch", { at: from + 500, over: from });
    await hold(south, watched);
    await until(() => isEverywhere(watched), FAST);
    t.same(await counts(), [1, 2], "the owner who lifted the ban is notified: neither edit knew of the other");
    t.match(await settled(north), [{ body: /Now it is watched for/ }]);
    const banned = edited(ban, "deny", { at: from + 500, over: from });
    await hold(north, banned);
    await until(() => isEverywhere(banned), FAST);
    t.same([kindAt(north), kindAt(south)], ["deny", "deny"]);
  });

  await t.test("an edit is based on what the servers have kept of earlier ones", async (t) => {
    const edit = (hub: EstateHub, json: object) => hub.call("PATCH", `/api/plate-rules/${ruleAt(hub)?.id}`, json);
    const ban = await leaderHas();
    t.equal((await edit(north, { kind: "allow" })).status, 200);
    await until(() => kindAt(south) === "allow");
    const allowed = await leaderHas();
    await say(ban); // the current leader has lost the later one
    await until(async () => (await leaderHas()) === ban);
    t.equal((await edit(south, { label: "Sold in May" })).status, 200);
    await until(() => ruleAt(north)?.label === "Sold in May");
    t.equal(kindAt(north), "allow", "the ban did not come back");
    t.ok((JSON.parse(await leaderHas()) as Edited).at > (JSON.parse(allowed) as Edited).at);
    await say("no rule"); // hubs ignore it
    await until(async () => (await leaderHas()) === "no rule");
    t.equal((await edit(north, { kind: "watch" })).status, 200, "nor does that block an edit");
    await until(() => kindAt(south) === "watch");
    await say(edited(await leaderHas(), "deny", { at: Date.now() + 2 * DAY_MS, over: 0 })); // nor this one, from days ahead
    t.equal((await edit(north, { kind: "allow" })).status, 200);
    await until(() => kindAt(south) === "allow");
    const before = await leaderHas();
    await say("no rule");
    await mangle(south, "UPDATE estate_entry SET value = value || ' '"); // to make them check
    await until(async () => (await leaderHas()).trim() === before && entriesOf(north) === entriesOf(south), FAST);
    t.same([kindAt(north), kindAt(south)], ["allow", "allow"]);
  });

  await t.test("a deleted rule does not come back, even if a hub still has it", async (t) => {
    const value = await leaderHas();
    const { rules } = north.hub.gate;
    await rules.remove(siteOf(north), ruleAt(north)?.id ?? 0, "test");
    await until(() => ruled(south).length === 0);
    await say(value); // the servers have lost the deletion
    await north.estate.setPart("main", { name: "Grounds", capacity: 4 }); // comes after it
    await until(() => south.estate.view.occupancy().parts[0]?.capacity === 4);
    t.same([ruled(north), ruled(south)], [[], []]);
    await mangle(
      south,
      `INSERT INTO plate_rule (site_id, plate, formatted, kind, label, enabled, created_at) VALUES (${siteOf(south)}, '${GUEST}', '${GUEST}', 'allow', '', 1, ${at});
       DELETE FROM estate_noted; INSERT INTO estate_entry VALUES ('rule.${plateTokens(estate.plateKey)(GUEST)}', 1, '${value}', last_insert_rowid())`,
    );
    await until(async () => ruled(south).length === 0 && (await leaderHas()) !== value, FAST);
    t.same(ruled(north), []);
    await rules.create(siteOf(north), { plate: GUEST, kind: "allow" }, "test");
    await until(() => ruled(south).includes(GUEST)); // and it can be made again
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
    t.ok(ruled(south).includes(OLD), "it was not removed when the hub connected");
  });

  await t.test("servers without room: nothing is lost, and the failure is visible to all", async (t) => {
    const streams = ["gh_palm-court_reads", "KV_gh_palm-court_rules", "KV_gh_palm-court_hubs"];
    const before = await Promise.all(streams.map(async (name) => (await manager.streams.info(name)).config));
    for (const name of streams) await manager.streams.update(name, { discard: DiscardPolicy.New, max_bytes: 1 });
    await north.pass(OTHER, "out", at + 120_000);
    await north.hub.gate.rules.create(siteOf(north), { plate: NEW, kind: "deny" }, "test").catch(() => null);
    const shown = async (hub: EstateHub) => {
      const { body } = await hub.call("GET", "/api/estate");
      return (body as { estate: { refusal: string | null; waiting: number; hubs: { state: string }[] } }).estate;
    };
    await until(async () => (await shown(north)).refusal !== null);
    t.match(await shown(north), { connected: true, waiting: 1, refusal: /maximum bytes/ });
    t.match(
      north.hub.system.health().checks.find(({ code }) => code === "estate"),
      { level: "degraded", words: { code: /^estate\.refused$/, reason: /maximum bytes/, waiting: 1 } },
    );
    const refused = await north.call("PATCH", `/api/plate-rules/${ruleAt(north)?.id}`, { label: "Moved" });
    t.match(refused, {
      status: 503,
      body: { error: { code: /^estate_unreachable$/, message: /servers do not take it now \(maximum bytes/ } },
    });
    t.notOk(ruled(north).includes(NEW), "a refused edit applies nowhere");
    const gate = { deviceId: "barrier", command: { open: true } };
    t.equal((await north.call("PATCH", "/api/cameras/north-in", { gate })).status, 200);
    let heard = 0;
    const heartbeats = estate.admin.subscribe("gh.palm-court.north.health", { callback: () => void heard++ });
    await until(() => heard >= 3); // although the servers do not accept its new card
    heartbeats.unsubscribe();
    t.same(
      (await shown(south)).hubs.map(({ state }) => state),
      ["online", "online"],
    );
    for (const { name, discard, max_bytes } of before) await manager.streams.update(name, { discard, max_bytes });
    await until(async () => (await shown(north)).refusal === null && isCurrent(north));
    await until(() => readsOf(south).length === 4);
    t.same(readsOf(south), readsOf(north));
    await until(() => south.estate.view.peers().some(({ gates }) => gates.length > 0));
    t.ok(north.hub.devices.registry.find("test-1-gate"), "the test household has a gate");
    t.same(
      south.estate.view.peers().map(({ gates }) => gates.map(({ deviceId }) => deviceId)),
      [["barrier"]],
      "which is not announced to others",
    );
    t.equal((await north.call("PATCH", `/api/plate-rules/${ruleAt(north)?.id}`, { label: "Moved" })).status, 200);
  });

  await t.test("if all have the same, nothing is sent again", async (t) => {
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
    const digests = [...new Set(heard.map(({ rules }) => rules))];
    t.match(digests, [/^[\w-]{390}$/], "all announce the same digest of their rules");
    t.equal(digests.length, 1);
  });
});

/** All permutations of a few things. */
function* orders<Thing>(things: readonly Thing[]): Generator<Thing[]> {
  if (things.length === 0) yield [];
  for (const [index, first] of things.entries())
    for (const rest of orders(things.toSpliced(index, 1))) yield [first, ...rest];
}

t.test("the same edit wins in whatever order they arrive", async (t) => {
  const rule = {
    plate: GUEST,
    formatted: GUEST,
    label: "",
    validFrom: null,
    validTo: null,
    windows: null,
    createdAt: 5,
  };
  const value = (kind: string, enabled = true): object => ({ ...rule, kind, enabled });
  const made = (kind: string | null, from: Edit | null, now: number): Edit =>
    newEdit(kind === null ? null : value(kind), { from, now, by: "north", master: "owner" });
  const first = made("allow", null, 1_000);
  const ban = made("deny", first, 2_000);
  const lifted = made("allow", ban, 1_500); // by a clock that is behind
  t.ok(isLater(lifted, ban), "made from the ban, it is later than it");
  t.notOk(isUnaware(lifted, ban));
  const other = made("watch", first, 2_001);
  t.ok(isUnaware(other, ban), "made at another gate that had not heard of the ban");
  const gone = made(null, other, 2_500);
  const both = [made("allow", gone, 3_000), made("deny", gone, 3_000), made(null, gone, 3_000)];
  const old = editOf(JSON.stringify(value("deny")), false, null);
  t.match([old.at, editOf(old.text, false, 9).at], [5, 9], "one without a time of its making");
  const all = [first, ban, lifted, other, gone, ...both, old];
  for (const some of [all.slice(0, 5), [lifted, gone, ...both], [old, first, ...both]]) {
    const ends = new Set<Edit | null>();
    for (const order of orders(some))
      ends.add(order.reduce<Edit | null>((held, edit) => (isLater(edit, held) ? edit : held), null));
    t.equal(ends.size, 1);
    if (some.includes(both[1] ?? first)) t.ok(ends.has(both[1] ?? null), "the ban, of simultaneous edits");
  }
});

t.test("of concurrent edits the higher-ranking author's wins, whenever it was made", async (t) => {
  const rule = { plate: GUEST, formatted: GUEST, label: "", validFrom: null, validTo: null, windows: null };
  const made = (master: Master, kind: string | null, from: Edit | null, now: number): Edit =>
    newEdit(kind === null ? null : { ...rule, kind, enabled: true, createdAt: 5 }, { from, now, by: "north", master });
  const pass = made("guest", "allow", null, 1_000);
  const ban = made("owner", "deny", pass, 2_000);
  const moved = made("guest", null, pass, 3_000); // at a hub that was disconnected before the ban
  const keys = made("key", "watch", pass, 4_000);
  t.same([isLater(moved, ban), isLater(ban, moved)], [false, true], "a guest does not lift it, however late");
  t.same([isLater(keys, ban), isLater(ban, keys)], [false, true]);
  t.ok(isLater(keys, moved));
  const lifted = made("key", null, ban, 5_000); // it is based on the ban, and has an owner's permission
  t.ok(isLater(lifted, ban));
  const other = made("owner", "deny", ban, 4_500);
  t.ok(isLater(other, lifted), "an owner edited it meanwhile");
  const next = made("guest", "allow", lifted, 6_000);
  t.ok(isLater(next, lifted), "a plate on no list may be added again");
  t.notOk(isLater(next, other));
  const all = [pass, ban, moved, keys, lifted, other, next].map((edit) => editOf(edit.text, edit.isGone, null));
  t.same(all, [pass, ban, moved, keys, lifted, other, next], "all of that is in the text");
  const ends = new Set(
    [...orders(all)].map((order) =>
      order.reduce<Edit | null>((held, edit) => (isLater(edit, held) ? edit : held), null),
    ),
  );
  t.equal(ends.size, 1);
  const forged = JSON.stringify({ ...rule, at: 9, over: 8, master: "guest", marks: [9, 0, 10] });
  t.match(
    editOf(forged, false, null),
    { master: "owner", marks: [0, 0, 9] },
    "a malformed one is treated as before there were ranks",
  );
});

t.test("failures are retried at growing intervals", async (t) => {
  const clock = new FakeClock();
  const backoff = new Backoff<string>(clock, { firstMs: 30_000, most: 2 });
  /** The time until the next try is allowed, s; then it is made. */
  const wait = (thing: string): number => {
    let seconds = 0;
    for (; !backoff.isDue(thing); seconds += 10) clock.advance(10_000);
    backoff.tried(thing);
    return seconds;
  };
  t.same(
    Array.from({ length: 10 }, () => wait("a")),
    [0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600],
  );
  t.equal(wait("b"), 0, "another subject has its own intervals");
  t.notOk(backoff.isDue("c"), "one too many waits");
  clock.advance(3_600_000 + 600_000);
  t.same([backoff.knows("a"), wait("c"), wait("a"), wait("a")], [false, 0, 0, 30], "and old ones are forgotten");
  for (const thing of ["d", "e", "f"]) backoff.tried(thing);
  t.same(
    ["a", "d", "e", "f"].map((thing) => backoff.knows(thing)),
    [false, false, true, true],
    "it never grows",
  );
});
