/** What a limited person may open, and when: by every way that leads to a device, and what is refused in which words. */
import t, { type Test } from "tap";
import type { Caller } from "../../src/core/api/caller.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { Problem } from "../../src/core/kernel/problem.ts";
import {
  areWider,
  holdNow,
  type Limits,
  limitsText,
  nextChange,
  storedLimits,
} from "../../src/features/access/rules/limits.ts";
import { GOOD_PASSWORD } from "../support/access.ts";
import { openDatabase } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

const HOUR = 3_600_000;
const HOST = { accountId: null, actor: "cli" };
const mondays = { days: [1], from: "09:00", to: "12:00" };
const at = (iso: string): number => Date.parse(iso);

/** A house in India on Monday, 2 March 2026, at 9:30, with a cleaner who has these limits, and the cleaner's own app. */
async function begin(t: Test, limits: Limits | null) {
  const database = await openDatabase(testFolder(t));
  const parts = new DeviceParts(database);
  const { access, clock } = parts;
  clock.jump(at("2026-03-02T09:30:00+05:30") - clock.now());
  const passwordHash = await access.passwords.hash(GOOD_PASSWORD);
  const home = await database.write(() =>
    access.accounts.create({ email: "o@example.org", name: "Olga", passwordHash, timeZone: "Asia/Kolkata" }, HOST),
  );
  await parts.start();
  await access.keys.start();
  const siteId = access.accounts.siteIdOf(home.id, "live");
  for (const [id, type] of [
    ["front", "gate"],
    ["back", "gate"],
    ["door", "lock"],
    ["alarm", "sentinel"],
    ["lamp", "light"],
  ] as const)
    await parts.registry.create(siteId, { id, name: id, type });
  await parts.registry.create(siteId, { id: "relay", name: "relay", type: "gate" });
  await parts.state.apply("relay", { power: false }, { source: "device", at: clock.now() });
  access.persons.gatesKnownBy((_site, id) => id !== "lamp");
  const { code } = await access.persons.invite(home.id, { name: "Cleaner", role: "member", limits }, HOST);
  const joined = await access.persons.join(
    { code, name: "Cleaner", email: "c@example.org", password: GOOD_PASSWORD },
    { address: "10.0.0.1", userAgent: "" },
  );
  const session = `session:${joined.sessionId}`;
  const { id: personId } = joined.account;
  const by = { accountId: personId, actor: session };
  const { key } = await access.keys.create(
    personId,
    { name: "Phone", env: "live", scopes: ["devices:control", "scenes:run"], origins: [], expiresAt: null },
    by,
  );
  t.teardown(async () => {
    await parts.stop();
    await database.stop();
  });
  const send = (deviceId: string, command: JsonObject | string, actor = session): Promise<unknown> =>
    parts.commands.send({
      siteId,
      deviceId,
      command: typeof command === "string" ? command : JSON.stringify(command),
      actor,
      source: "console",
    });
  return {
    ...parts,
    parts,
    access,
    trust: parts.trust,
    clock,
    home,
    siteId,
    personId,
    session,
    app: `api_key:${key.id}`,
    send,
  };
}

/** What becomes of something: `done`, or the code of the refusal. */
const outcome = (doing: Promise<unknown>): Promise<string> =>
  doing.then(
    () => "done",
    (error: Problem) => String((error.words as { readonly code?: string } | null)?.code ?? error.code),
  );

/** Everything that lets somebody in or disarms, with the device that it is about. */
const OPENINGS: readonly (readonly [way: string, deviceId: string, command: JsonObject | string])[] = [
  ["the gate", "front", { open: true }],
  ["a position", "front", { position: 40 }],
  ["words that nobody knows", "front", { pulse: 1 }],
  ["a key named twice", "front", '{"open":true,"open":false,"x":1}'],
  ["a relay that moves the gate", "relay", { power: true }],
  ["the same in the words of a gate", "relay", { open: true }],
  ["letting go of the drive's button", "relay", { power: false }],
  ["a lock", "door", { locked: false }],
  ["an alarm", "alarm", { armed: false }],
  ["an alarm by another word", "alarm", { mode: "off" }],
];

for (const [situation, limits, outsideMs, wanted] of [
  ["without limits", null, 0, "done"],
  ["in time", { times: [mondays], gates: null }, 0, "done"],
  ["out of time", { times: [mondays], gates: null }, 3 * HOUR, "forbidden.outsideTimes"],
  ["the right gates", { times: [], gates: ["front", "relay", "door", "alarm"] }, 3 * HOUR, "done"],
  ["other gates", { times: [], gates: ["back"] }, 0, "forbidden.otherGate"],
  [
    "out of time for the right gates",
    { times: [mondays], gates: ["front", "relay", "door", "alarm"] },
    3 * HOUR,
    "forbidden.outsideTimes",
  ],
] as const satisfies readonly (readonly [string, Limits | null, number, string])[])
  t.test(`${situation}: ${wanted}`, async (t) => {
    const house = await begin(t, limits);
    house.clock.advance(outsideMs);
    for (const [way, deviceId, command] of OPENINGS) {
      house.clock.advance(2_000); // nobody sends too many
      for (const actor of [house.session, house.app])
        t.equal(await outcome(house.send(deviceId, command, actor)), wanted, `${way}, by ${actor.split(":")[0]}`);
      const scene = await house.scenes.create(house.siteId, {
        name: way,
        actions: [
          { deviceId: "lamp", command: { power: true } },
          { deviceId, command: typeof command === "string" ? { open: true } : command },
        ],
      });
      house.published.length = 0;
      for (const actor of [house.session, house.app])
        t.equal(await outcome(house.scenes.activate(house.siteId, scene.id, actor)), wanted, `${way}, by a scene`);
      t.equal(house.published.length, wanted === "done" ? 4 : 0, "a scene is run whole, or not at all");
      await house.scenes.remove(house.siteId, scene.id);
    }
  });

t.test("closing, locking, arming and everything else are never limited", async (t) => {
  const house = await begin(t, { times: [mondays], gates: ["back"] });
  house.clock.advance(3 * HOUR);
  for (const [deviceId, command] of [
    ["front", { open: false }],
    ["front", { close: true }],
    ["front", { stop: true }],
    ["relay", { stop: true }],
    ["door", { locked: true }],
    ["alarm", { armed: true }],
    ["lamp", { power: true }],
  ] as const)
    t.equal(await outcome(house.send(deviceId, command)), "done", `${deviceId} ${JSON.stringify(command)}`);
  for (const actor of ["automation:1", "gate:7", "matter:1", "home_assistant:0", "device:door"])
    t.equal(await outcome(house.send("front", { open: true }, actor)), "done", `the household: ${actor}`);
});

t.test("an alarm and a gate get what the hub has read, not a key that is named twice", async (t) => {
  const house = await begin(t, { times: [mondays], gates: [] });
  house.clock.advance(3 * HOUR);
  t.equal(await outcome(house.send("alarm", '{"armed":false,"armed":true}')), "done");
  t.equal(house.published.at(-1)?.payload, '{"armed":true}');
});

t.test("while the time is not certain, a person with times opens nothing", async (t) => {
  const house = await begin(t, { times: [mondays], gates: null });
  t.equal(await outcome(house.send("front", { open: true })), "done");
  house.trust.given = "unknown";
  t.equal(await outcome(house.send("front", { open: true })), "forbidden.timeUnknown");
  t.hasStrict(house.access.limits.standing(house.personId, house.siteId), { now: false, changesInMs: null });
  house.trust.given = "holdover";
  t.equal(await outcome(house.send("front", { open: true })), "done");
  house.base.clock.doubt(house.clock.now() - HOUR);
  t.equal(await outcome(house.send("front", { open: true })), "forbidden.timeUnknown", "a jump that nobody confirms");
  house.base.clock.believe();
  await house.access.persons.edit(house.home.id, house.personId, { limits: { times: [], gates: ["front"] } }, HOST);
  house.trust.given = "unknown";
  t.equal(await outcome(house.send("front", { open: true })), "done", "gates alone need no clock");
});

t.test("the refusal says when it is possible again", async (t) => {
  const house = await begin(t, {
    times: [
      { days: [1, 4], from: "09:00", to: "12:00" },
      { days: [6], from: "00:00", to: "00:00" },
    ],
    gates: null,
  });
  house.clock.advance(3 * HOUR);
  const refusal: Problem = (await house.send("front", { open: true }).then(
    () => t.fail("it opened"),
    (error: Problem) => error,
  )) as Problem;
  t.equal(refusal.code, "forbidden");
  t.equal(
    refusal.message,
    "You can open here Mon, Thu 09:00–12:00, Sat, the whole day. Next time from 2026-03-05 03:30 UTC.",
  );
  const standing = house.access.limits.standing(house.personId, house.siteId);
  t.hasStrict(standing, { now: false, changesInMs: at("2026-03-05T09:00:00+05:30") - house.clock.now() });
  house.clock.advance(standing?.changesInMs ?? 0);
  t.equal(await outcome(house.send("front", { open: true })), "done", "at that moment");
});

t.test("limits bind at once what somebody has already, and rest with a higher role", async (t) => {
  const house = await begin(t, null);
  const { access, home, personId, session, app } = house;
  const caller = access.authenticator.boxCaller() as Caller;
  const edit = (edit: Parameters<typeof access.persons.edit>[2]) =>
    access.persons.edit(home.id, personId, edit, caller);
  t.equal(await outcome(house.send("front", { open: true }, app)), "done");
  await edit({ limits: { times: [], gates: ["back"] } });
  for (const actor of [session, app])
    t.equal(await outcome(house.send("front", { open: true }, actor)), "forbidden.otherGate");
  await edit({ role: "gatekeeper" });
  t.equal(await outcome(house.send("front", { open: true })), "done");
  t.same(access.persons.list(home.id)[1]?.limits, { times: [], gates: ["back"] }, "they rest");
  await edit({ role: "member" });
  t.equal(await outcome(house.send("front", { open: true })), "forbidden.otherGate");
  await edit({ limits: null });
  t.equal(await outcome(house.send("front", { open: true })), "done");
  await edit({ limits: { times: [], gates: ["back"] } });
  await access.sessions.revoke(personId, Number(session.slice("session:".length)), session);
  t.equal(
    await outcome(house.send("front", { open: true })),
    "forbidden.notAtAll",
    "a session that is gone is nobody's",
  );
  t.ok(access.limits.isBound(session, house.siteId));
});

t.test("only what the household has can be on the list; the audit list has what was before", async (t) => {
  const house = await begin(t, { times: [mondays], gates: null });
  const { access, home, personId } = house;
  const edit = (limits: Limits | null) => access.persons.edit(home.id, personId, { limits }, HOST);
  for (const gates of [["lamp"], ["front", "lamp"]])
    await t.rejects(edit({ times: [], gates }), { code: /^invalid_body$/, details: [{ code: "unknown_device" }] });
  await t.rejects(edit({ times: [{ days: [1], from: "09:00", to: "09:00" }], gates: null }), {
    code: /^invalid_body$/,
    details: [{ field: "/limits/times/0/to" }],
  });
  await t.rejects(access.persons.edit(home.id, home.id, { limits: null }, HOST), { code: /^conflict$/ });
  await edit({ times: [], gates: ["front"] });
  t.hasStrict(access.audit.list(home.id, 1)[0], {
    action: "person.limited",
    target: "Cleaner",
    detail: {
      id: personId,
      limits: { times: [], gates: ["front"] },
      before: { limits: { times: [mondays], gates: null } },
    },
  });
  await edit({ times: [], gates: ["front"] });
  t.equal(
    access.audit.list(home.id, 9).filter(({ action }) => action === "person.limited").length,
    1,
    "no change, no line",
  );
});

t.test("open streams of a person begin again when their limits change", async (t) => {
  const house = await begin(t, null);
  const { access, home, personId } = house;
  const token = house.database.writeNow(() =>
    access.sessions.open(personId, { address: "10.0.0.2", userAgent: "" }),
  ).token;
  const caller = access.authenticator.check({
    authorization: null,
    xApiKey: null,
    cookie: `gatehouse_session=${token}`,
  });
  t.ok(access.authenticator.stands(caller));
  await access.persons.edit(home.id, personId, { limits: { times: [mondays], gates: null } }, HOST);
  t.notOk(access.authenticator.stands(caller));
});

t.test("times over midnight and by a clock that changes", async (t) => {
  const limits = (...times: Limits["times"]): Limits => ({ times, gates: null });
  const night = limits({ days: [5], from: "22:00", to: "02:00" });
  const zone = "Europe/Berlin";
  t.same(
    ["2026-03-27T21:59", "2026-03-27T22:00", "2026-03-28T01:59", "2026-03-28T02:00", "2026-03-28T22:30"].map((local) =>
      holdNow(night, zone, at(`${local}:00+01:00`)),
    ),
    [false, true, true, false, false],
  );
  t.equal(nextChange(night, zone, at("2026-03-27T23:00:00+01:00")), at("2026-03-28T02:00:00+01:00"));
  // on 29 March two o'clock is three o'clock
  const early = limits({ days: [7], from: "02:30", to: "04:00" });
  t.equal(nextChange(early, zone, at("2026-03-29T01:00:00+01:00")), at("2026-03-29T03:00:00+02:00"));
  t.equal(nextChange(early, zone, at("2026-03-29T03:10:00+02:00")), at("2026-03-29T04:00:00+02:00"));
  t.equal(nextChange(limits(), zone, at("2026-03-29T03:10:00+02:00")), null);
  t.equal(
    nextChange(limits({ days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "00:00" }), zone, at("2026-03-29T03:10:00Z")),
    null,
  );
});

t.test("which limits are wider", async (t) => {
  const long = { days: [1, 2], from: "08:00", to: "13:00" };
  const cases: readonly (readonly [Limits | null, Limits | null, boolean])[] = [
    [null, { times: [mondays], gates: null }, false],
    [{ times: [mondays], gates: null }, null, true],
    [{ times: [long], gates: null }, { times: [mondays], gates: null }, false],
    [{ times: [mondays], gates: null }, { times: [long], gates: null }, true],
    [{ times: [mondays], gates: null }, { times: [], gates: ["a"] }, true],
    [{ times: [], gates: ["a", "b"] }, { times: [], gates: ["a"] }, false],
    [{ times: [], gates: ["a"] }, { times: [], gates: ["a", "b"] }, true],
    [{ times: [], gates: ["a"] }, { times: [mondays], gates: null }, true],
    [{ times: [], gates: ["a"] }, { times: [mondays], gates: ["a"] }, false],
  ];
  for (const [before, next, wider] of cases)
    t.equal(areWider(before, next), wider, `${limitsText(before)} to ${limitsText(next)}`);
});

t.test("limits as they are stored; what cannot be read allows nothing", async (t) => {
  t.equal(limitsText({ times: [], gates: null }), null, "which limit nothing");
  t.equal(limitsText({ times: [], gates: ["b", "a", "b"] }), '{"times":[],"gates":["a","b"]}');
  for (const limits of [
    { times: [mondays], gates: ["a"] },
    { times: [], gates: ["a"] },
  ] satisfies Limits[])
    t.same(storedLimits(limitsText(limits)), limits);
  for (const text of [
    "",
    "[]",
    "null",
    "{}",
    '{"times":[],"gates":7}',
    '{"times":[{"days":[9]}],"gates":null}',
    '{"times":"x","gates":null}',
  ]) {
    const limits = storedLimits(text);
    t.ok(limits !== null && !holdNow(limits, "UTC", at("2026-03-02T09:30:00Z")), text);
  }
});
