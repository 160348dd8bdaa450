/** What a listed plate earns: questions at the gate, who answers them, and how they end. */
import t from "tap";
import type { Choices } from "../../src/features/gate/gate-choices.ts";
import { sighting } from "../support/sighting.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

const [PLATE, OTHER, STRANGER] = ["MH12AB1234", "KA01AB2222", "DL8CAF5031"] as const;
const BY = "session:1";
const OPEN = { open: true };
const NOTHING: Choices = {
  defaults: [],
  away: null,
  confirmedBy: [],
  whenInside: "open",
  elsewhere: null,
  asksNearMisses: false,
  followed: [],
};

/** A household whose gate opens only after confirmation for PLATE and OTHER. */
async function premises(folder: string, earns: "confirm" | "ask" | "note" | null = "confirm") {
  const p = await Premises.open(folder);
  await p.questions.start();
  await p.cameras.edit(p.siteId, "camera-in", { gate: { deviceId: "gate", command: OPEN }, direction: "in" });
  const rule = await p.rules.create(p.siteId, { plate: PLATE, label: "Asha", earns }, BY);
  await p.rules.create(p.siteId, { plate: OTHER, label: "Rao", earns }, BY);
  const waiting = () => p.questions.list(p.siteId);
  const id = () => waiting()[0]?.id ?? "";
  const answer = (open = true, question = id(), by = BY) => p.questions.answer(p.siteId, question, open, by);
  /** Rows are written beside what is reported. */
  const settle = async () => {
    await p.database.write(() => {});
    await p.until(() => true);
    await p.database.write(() => {});
  };
  const reason = async (read = 1) => {
    await settle();
    return p.reads.get(p.siteId, read).gate?.reason;
  };
  const reports = (state: Record<string, unknown>, more: { source?: "device" | "api"; initial?: boolean } = {}) =>
    p.bus.announce("device.changed", {
      siteId: p.siteId,
      deviceId: "keypad",
      state: state as never,
      previous: {},
      changed: Object.keys(state),
      source: more.source ?? "device",
      at: p.clock.now(),
      initial: more.initial ?? false,
    });
  return { p, rule, waiting, id, answer, settle, reason, reports };
}

t.test("who confirms within a minute opens the gate, and only once", async (t) => {
  const { p, waiting, id, answer, reason } = await premises(testFolder(t));
  await p.capture({ plates: [PLATE] });
  t.same(p.commands, [], "a plate alone opens nothing");
  t.equal(await reason(), "asked");
  t.match(waiting(), [
    { deviceId: "camera-in", gateId: "gate", readId: 1, formatted: "MH 12 AB 1234", label: "Asha", kind: "confirm" },
  ]);
  t.same(await p.questions.image(p.siteId, id()), Buffer.from("jpeg 1"));
  t.match(p.feed.at(-1), { kind: "gate.asked", title: "May MH 12 AB 1234 come in?" });
  const question = id();
  p.clock.advance(59_999);
  t.match(await answer(), { state: "opened" });
  t.match(p.commands, [{ deviceId: "gate", command: JSON.stringify(OPEN), readId: 1, actor: BY }]);
  t.same(waiting(), []);
  t.equal(await reason(), undefined, "what became of the command is the opening's to say");
  const now = p.clock.now();
  t.match(p.tables.reads.find(p.siteId, 1), { askedAt: now - 59_999, answeredAt: now });
  await t.rejects(answer(true, question), { code: "conflict", words: { code: "conflict.question.opened" } });
  await p.capture({ plates: [PLATE] });
  t.equal(p.commands.length, 1, "and the pass opens no second time");
  await p.close();
});

t.test("nobody answers: the gate stays shut, the read says so, and what comes late opens nothing", async (t) => {
  const { p, id, answer, reason, waiting } = await premises(testFolder(t));
  await p.capture({ plates: [PLATE] });
  const question = id();
  p.clock.advance(50_000);
  await p.capture({ plates: [PLATE] });
  t.match(waiting(), [{ id: question }], "another pass of a vehicle that waits asks no second question");
  p.clock.advance(10_001);
  t.same(waiting(), []);
  t.same([await reason(), await reason(2)], ["unanswered", "unanswered"]);
  t.match(p.feed.at(-1), { kind: "gate.kept_shut", body: "Nobody answered within a minute." });
  await t.rejects(answer(true, question), { code: "conflict", words: { code: "conflict.question.unanswered" } });
  await p.capture({ plates: [PLATE] }, {});
  t.same([p.commands, waiting()], [[], []], "a further read of the pass asks nobody again");
  t.equal(await reason(2), "unanswered");
  p.clock.advance(30_001);
  await p.capture({ plates: [PLATE] });
  t.match(waiting(), [{ readId: 3 }], "the next pass does");
  await p.close();
});

t.test("an answer never counts longer than the capture may open a gate", async (t) => {
  const { p, waiting } = await premises(testFolder(t));
  await p.capture({ plates: [PLATE] }, { isFresh: false });
  t.same(waiting(), []);
  t.equal(p.reads.get(p.siteId, 1).gate?.reason, "late");
  await p.close();
});

t.test("somebody keeps it shut", async (t) => {
  const { p, answer, reason, id } = await premises(testFolder(t), "ask");
  await p.capture({ plates: [PLATE] });
  const question = id();
  t.match(await answer(false), { state: "kept_shut" });
  t.equal(await reason(), "kept_shut");
  await t.rejects(answer(true, question), { code: "conflict" });
  t.same(p.commands, []);
  await p.close();
});

t.test("the next vehicle ends the question; a read that is not sure does not", async (t) => {
  const { p, reason, waiting, answer, id } = await premises(testFolder(t));
  p.settings.minConfidence = 90;
  await p.capture({ plates: [PLATE] });
  const question = id();
  p.clock.advance(1_000);
  await p.capture({ plates: [STRANGER], confidence: 60 });
  t.equal(waiting().length, 1);
  p.clock.advance(1_000);
  await p.capture({ plates: ["TN09CB8888"] });
  t.same(waiting(), []);
  t.equal(await reason(1), "next_vehicle");
  await t.rejects(answer(true, question), { code: "conflict", words: { code: "conflict.question.next_vehicle" } });
  t.same(p.commands, []);
  await p.close();
});

t.test("two cars at once: each has its question, a tag cannot tell which, a person can", async (t) => {
  const { p, waiting, answer, reports, reason } = await premises(testFolder(t));
  const tag = { kind: "state", cameraId: null, deviceId: "keypad", field: "tag", value: "a1" } as const;
  await p.choices.set(p.siteId, { ...NOTHING, confirmedBy: [tag] }, BY);
  await p.capture({ plates: [PLATE, OTHER] });
  t.same(
    waiting().map(({ plate }) => plate),
    [PLATE, OTHER],
  );
  reports({ tag: "a1" });
  t.same(p.commands, []);
  await answer(true, waiting()[1]?.id);
  t.match(p.commands, [{ readId: 2, actor: BY }]);
  t.equal(waiting().length, 1, "the other one waits on");
  p.clock.advance(60_001);
  t.equal(await reason(1), "unanswered");
  await p.close();
});

t.test("what was edited since the question counts", async (t) => {
  const { p, rule, answer, reason } = await premises(testFolder(t));
  for (const [nth, edit] of [
    () => p.rules.edit(p.siteId, rule.id, { kind: "deny" }, BY),
    () => p.rules.edit(p.siteId, rule.id, { kind: "allow", enabled: false }, BY),
    () => p.rules.edit(p.siteId, rule.id, { kind: "allow", enabled: true, earns: "note" }, BY),
    () => p.cameras.edit(p.siteId, "camera-in", { gate: null }),
    () => p.cameras.edit(p.siteId, "camera-in", { enabled: false }),
  ].entries()) {
    await p.rules.edit(p.siteId, rule.id, { kind: "allow", enabled: true, earns: "confirm" }, BY);
    await p.cameras.edit(p.siteId, "camera-in", { enabled: true, gate: { deviceId: "gate", command: OPEN } });
    p.clock.advance(61_000);
    await p.capture({ plates: [PLATE] });
    await edit();
    await t.rejects(answer(), { code: "conflict", words: { code: "conflict.question.rule_changed" } });
    t.equal(await reason(nth + 1), "rule_changed");
  }
  t.same(p.commands, []);
  await p.close();
});

t.test("a gate that does not take the command may be tried again", async (t) => {
  const { p, answer, waiting } = await premises(testFolder(t));
  await p.capture({ plates: [PLATE] });
  p.gateAnswer = () => Promise.reject(new Error("no broker"));
  await t.rejects(answer());
  t.equal(waiting().length, 1);
  p.gateAnswer = async () => "sent";
  t.match(await answer(), { state: "opened" });
  await p.close();
});

t.test("what is only noted opens nothing and asks nobody", async (t) => {
  const { p, waiting, reason } = await premises(testFolder(t), "note");
  await p.capture({ plates: [PLATE] });
  t.equal(await reason(), "noted");
  t.same([p.commands, waiting()], [[], []]);
  t.match(p.feed.at(-1), { kind: "plate.allowed", title: "MH 12 AB 1234 seen (on the list, only noted)" });
  await p.close();
});

t.test("a power cut between read and answer: shut, and the read says so", async (t) => {
  const folder = testFolder(t);
  const { p } = await premises(folder);
  await p.capture({ plates: [PLATE] });
  const question = p.questions.list(p.siteId)[0]?.id ?? "";
  await p.close(); // without a stop: what was in memory is gone
  const again = await Premises.reopen(folder, p.siteId);
  await again.questions.start();
  t.equal(again.reads.get(p.siteId, 1).gate?.reason, "interrupted");
  t.match(again.feed, [{ kind: "gate.kept_shut", body: "The hub stopped before an answer was recorded." }]);
  await t.rejects(again.questions.answer(p.siteId, question, true, BY), { code: "not_found" });
  t.same(again.commands, []);
  await again.close();
});

t.test("defaults: the rule's own word first, then the strictest of what holds", async (t) => {
  const { p, waiting } = await premises(testFolder(t), null);
  const all = { deviceId: null, windows: [], away: false } as const;
  const earned = async (choices: Partial<Choices>) => {
    await p.choices.set(p.siteId, { ...NOTHING, ...choices }, BY);
    return p.choices.earned(null, {
      siteId: p.siteId,
      deviceId: "camera-in",
      at: Date.parse("2026-03-02T17:00:00Z"), // Monday, 22:30 there
      timeZone: "Asia/Kolkata",
    });
  };
  t.equal(await earned({}), "open", "as before, where nothing is chosen");
  t.equal(await earned({ defaults: [{ ...all, earns: "confirm" }] }), "confirm");
  t.equal(await earned({ defaults: [{ ...all, earns: "ask", deviceId: "camera-out" }] }), "open");
  const night = { days: [1], from: "22:00", to: "06:00" };
  const day = { days: [1], from: "06:00", to: "22:00" };
  t.equal(await earned({ defaults: [{ ...all, earns: "ask", windows: [day] }] }), "open");
  t.equal(
    await earned({
      defaults: [
        { ...all, earns: "confirm" },
        { ...all, earns: "ask", windows: [night] },
        { ...all, earns: "open" },
      ],
    }),
    "ask",
  );
  const away = { deviceId: "keypad", field: "mode", value: "away" };
  const whileAway = { away, defaults: [{ ...all, earns: "note" as const, away: true }] };
  t.equal(await earned(whileAway), "note", "nobody knows whether the house is away: a gate fails shut");
  p.states.set("keypad", { mode: "home" });
  t.equal(await earned(whileAway), "open");
  p.states.set("keypad", { mode: "away" });
  t.equal(await earned(whileAway), "note");
  t.equal(
    p.choices.earned("open", { siteId: p.siteId, deviceId: "camera-in", at: 0, timeZone: "UTC" }),
    "open",
    "a rule that says it itself",
  );
  await t.rejects(earned({ defaults: [{ ...all, earns: "ask", away: true }] }), { code: "invalid_body" });
  await t.rejects(earned({ defaults: [{ ...all, earns: "ask", deviceId: "gate" }] }), { code: "unknown_device" });
  await t.rejects(earned({ away: { ...away, deviceId: "nobody" } }), { code: "unknown_device" });
  await p.choices.set(p.siteId, { ...NOTHING, defaults: [{ ...all, earns: "confirm" }] }, BY);
  await p.capture({ plates: [PLATE] });
  t.equal(waiting().length, 1);
  t.equal(p.audits.at(-1), "gate.choices");
  await p.close();
});

t.test("a tag, a button, a contact or a PIN confirms, and never where only a person may", async (t) => {
  const { p, reports, waiting, settle, rule } = await premises(testFolder(t));
  const own = { cameraId: null, deviceId: "keypad" } as const;
  await p.choices.set(
    p.siteId,
    {
      ...NOTHING,
      confirmedBy: [
        { ...own, kind: "state", field: "button", value: true },
        { ...own, kind: "event", event: "tag-7" },
        { ...own, kind: "pin", field: "code", pin: "4711" },
        { ...own, kind: "state", field: "elsewhere", value: true, cameraId: "camera-out" },
      ],
    },
    BY,
  );
  t.notMatch(JSON.stringify([p.choices.of(p.siteId), p.tables.choices.find(p.siteId), p.audited]), "4711");
  const next = async () => {
    p.clock.advance(61_000);
    p.commands.length = 0;
    await settle();
    await p.capture({ plates: [PLATE] });
  };
  await next();
  reports({ button: false });
  reports({ button: true }, { source: "api" });
  reports({ button: true }, { initial: true });
  reports({ elsewhere: true });
  t.same(p.commands, [], "none of these is somebody at this gate");
  reports({ button: true });
  t.match(p.commands, [{ readId: 1, actor: "device:keypad" }]);
  await next();
  p.bus.announce("device.event", {
    ...{ siteId: p.siteId, deviceId: "keypad", kind: "tag-7", title: "", body: "", at: p.clock.now() },
  });
  t.match(p.commands, [{ actor: "device:keypad" }]);
  await next();
  reports({ code: "" });
  for (const code of ["0000", 4712]) reports({ code });
  t.same(p.commands, []);
  reports({ code: 4711 });
  t.match(p.commands, [{ actor: "device:keypad" }]);
  await next();
  for (let n = 0; n < 6; n++) reports({ code: `${n}000` });
  reports({ code: "4711" });
  t.same(p.commands, [], "after five wrong PINs the right one counts no more for a while");
  t.equal(waiting().length, 1);
  await p.choices.set(p.siteId, p.choices.of(p.siteId), BY);
  p.clock.advance(10 * 60_000);
  await next();
  reports({ code: "4711" });
  t.equal(p.commands.length, 1, "the PIN stands where an edit leaves it out");
  await p.rules.edit(p.siteId, rule.id, { earns: "ask" }, BY);
  await next();
  reports({ button: true });
  t.same(p.commands, [], "a picture and a name are for persons");
  await p.close();
});

t.test("questions are bounded: the oldest of the camera that has most stays shut", async (t) => {
  const { p, waiting } = await premises(testFolder(t), null);
  const all = { earns: "ask", deviceId: null, windows: [], away: false } as const;
  await p.choices.set(p.siteId, { ...NOTHING, defaults: [all] }, BY);
  const plates = Array.from({ length: 60 }, (_, n) => `MH14AB${1000 + n}`);
  for (const plate of plates) await p.rules.create(p.siteId, { plate }, BY);
  await p.capture({ plates });
  t.equal(waiting().length, 50);
  t.notOk(waiting().some(({ plate }) => plate === plates[0]));
  await p.close();
});

t.test("a second entry without an exit: opened, asked or refused, as the household chose", async (t) => {
  const { p, waiting, answer, reason } = await premises(testFolder(t), null);
  const inside = () => p.vehicles.inside(p.siteId).map(({ plate, entryAt }) => `${plate} ${entryAt}`);
  const comes = async () => {
    p.clock.advance(120_000);
    p.commands.length = 0;
    await p.capture({ plates: [PLATE] });
  };
  await comes();
  const first = inside();
  t.equal(p.commands.length, 1);
  await p.choices.set(p.siteId, { ...NOTHING, whenInside: "refuse" }, BY);
  await comes();
  t.same(p.commands, []);
  t.equal(await reason(2), "already_inside");
  t.match(p.feed.at(-1), { kind: "gate.kept_shut", body: /^It is inside already/ });
  t.same(inside(), first, "who is refused does not come in a second time");
  await p.capture({ plates: [PLATE] });
  t.same(p.commands, [], "nor does a further picture of it help");

  await p.choices.set(p.siteId, { ...NOTHING, whenInside: "ask" }, BY);
  await comes();
  t.match(waiting(), [{ kind: "ask", askedFor: "already_inside" }]);
  t.same(inside(), first);
  await answer();
  t.equal(p.commands.length, 1);
  await reason();
  t.not(inside()[0], first[0], "whom a person lets in begins a new visit: the one before has no exit");
  t.match(p.vehicles.profile(p.siteId, PLATE).visits, [{ status: "open" }, { status: "exit_missed" }]);

  await p.choices.set(p.siteId, { ...NOTHING, whenInside: "refuse" }, BY);
  await p.vehicles.left(p.siteId, "mh12 ab 1234", BY);
  await t.rejects(p.vehicles.left(p.siteId, PLATE, BY), { code: "conflict" });
  await comes();
  t.equal(p.commands.length, 1, "a person has said that it had left");
  await p.capture({ plates: [PLATE] }, { deviceId: "camera-out", direction: "out" });
  await comes();
  t.equal(p.commands.length, 1, "it was seen to leave");
  await comes();
  t.equal(p.commands.length, 0);
  p.estate = { isInside: () => false, wasSeen: () => true };
  await p.capture({ plates: [OTHER] });
  t.equal(p.commands.length, 1, "another vehicle is another matter");
  p.estate = { isInside: (plate) => plate === OTHER, wasSeen: () => false };
  await p.vehicles.left(p.siteId, OTHER, BY);
  p.clock.advance(60_000);
  await p.capture({ plates: [OTHER] });
  t.equal(p.commands.length, 1, "it came in at another hub's gate");
  await p.close();
});

t.test("a gate that did not take the command: the next picture of the pass is no second entry", async (t) => {
  const { p } = await premises(testFolder(t), null);
  await p.choices.set(p.siteId, { ...NOTHING, whenInside: "refuse" }, BY);
  p.gateAnswer = () => Promise.reject(new Error("no broker"));
  await p.capture({ plates: [PLATE] });
  p.gateAnswer = async () => "sent";
  await p.capture({ plates: [PLATE] });
  t.equal(p.commands.length, 2);
  await p.close();
});

t.test("the same plate at two gates faster than it can drive", async (t) => {
  const { p, waiting, reason } = await premises(testFolder(t), null);
  p.setType("keypad", "gate");
  await p.cameras.edit(p.siteId, "camera-out", { gate: { deviceId: "keypad", command: OPEN } });
  await p.choices.set(p.siteId, { ...NOTHING, elsewhere: { withinSeconds: 60, follows: "refuse" } }, BY);
  await p.capture({ plates: [PLATE] });
  p.clock.advance(59_000);
  await p.capture({ plates: [PLATE] }, { deviceId: "camera-out" });
  t.equal(p.commands.length, 1);
  t.equal(await reason(2), "elsewhere");
  p.clock.advance(61_000);
  await p.capture({ plates: [PLATE] }, { deviceId: "camera-out" });
  t.equal(p.commands.length, 2, "in this time it can drive");
  await p.choices.set(p.siteId, { ...NOTHING, elsewhere: { withinSeconds: 60, follows: "ask" } }, BY);
  p.clock.advance(61_000);
  p.estate = { isInside: () => false, wasSeen: (plate, since) => plate === PLATE && since === p.clock.now() - 60_000 };
  await p.capture({ plates: [PLATE] });
  t.match(waiting(), [{ askedFor: "elsewhere", kind: "ask" }], "another hub of the estate has just seen it");
  p.estate = null;
  p.clock.advance(120_000);
  await Promise.all([p.capture({ plates: [OTHER] }), p.capture({ plates: [OTHER] }, { deviceId: "camera-out" })]);
  t.equal(p.commands.length, 3, "at both in the same moment: the first one opens");
  await p.cameras.edit(p.siteId, "camera-out", { gate: { deviceId: "gate", command: OPEN } });
  p.clock.advance(120_000);
  await p.capture({ plates: [PLATE] });
  p.clock.advance(1_000);
  await p.capture({ plates: [PLATE] }, { deviceId: "camera-out" });
  t.equal(p.commands.length, 5, "two cameras of one gate");
  await p.close();
});

t.test("a plate of no list that may be a listed one: a person is asked, and it never opens by itself", async (t) => {
  const { p, rule, waiting, answer, reason } = await premises(testFolder(t), null);
  const read = "MH12AB1284";
  const sees = () => {
    const one = sighting(1, read, { doubt: { 8: { 8: 0.6, 3: 0.35 } } });
    const vehicle = { analysis: one.analysis, votes: 1, sightings: [one], best: one };
    return { samples: 2, vehicles: [vehicle], reason: null, unread: [], tookMs: 1 };
  };
  p.recognise.use = async () => sees();
  const comes = async () => {
    p.clock.advance(120_000);
    await p.capture({});
  };
  await comes();
  t.equal(await reason(1), "no_rule", "unless the household chose so");
  await p.choices.set(p.siteId, { ...NOTHING, asksNearMisses: true }, BY);
  await comes();
  t.match(waiting(), [{ plate: read, meant: "MH 12 AB 1234", label: "Asha", kind: "ask", askedFor: "near_miss" }]);
  t.match(p.reads.get(p.siteId, 2), { plate: read, decision: "unknown", gate: { reason: "asked" } });
  t.match(p.feed.at(-1), { kind: "gate.asked", body: /^On no list, but it may be MH 12 AB 1234\. Asha, at Entry/ });
  t.same(p.commands, []);
  await answer();
  t.match(p.commands, [{ readId: 2, actor: BY }]);

  await comes();
  const banned = await p.rules.create(p.siteId, { plate: read, kind: "deny" }, BY);
  await t.rejects(answer(), { code: "conflict", words: { code: "conflict.question.rule_changed" } });
  await comes();
  t.equal(await reason(4), "denied");
  await p.rules.remove(p.siteId, banned.id, BY);
  for (const [nth, edit] of [
    { kind: "deny" },
    { kind: "allow", enabled: false },
    { enabled: true, earns: "note" },
  ].entries()) {
    await p.rules.edit(p.siteId, rule.id, edit as never, BY);
    await comes();
    t.equal(await reason(5 + nth), "no_rule", JSON.stringify(edit));
  }
  await p.rules.edit(p.siteId, rule.id, { earns: null }, BY);
  await p.rules.create(p.siteId, { plate: "MH12AB1286", kind: "watch" }, BY);
  await comes();
  t.match(waiting(), [{ askedFor: "near_miss" }], "a plate that the reader did not see");
  p.clock.advance(61_000);
  await p.rules.create(p.siteId, { plate: "MH12A1284" }, BY);
  t.equal(p.commands.length, 1);
  await p.close();
});

t.test("a waiting vehicle that is misread for a moment is not the next one", async (t) => {
  const { p, waiting } = await premises(testFolder(t));
  await p.capture({ plates: [PLATE] });
  p.clock.advance(1_000);
  const sure = (text: string, doubt: Record<number, Record<string, number>>) => {
    const one = sighting(1, text, { doubt });
    const analysis = { ...one.analysis, confidence: 95 };
    return {
      samples: 2,
      vehicles: [{ analysis, votes: 1, sightings: [one], best: one }],
      reason: null,
      unread: [],
      tookMs: 1,
    };
  };
  p.recognise.use = async () => sure("MH12AB1284", { 8: { 8: 0.6, 3: 0.35 } });
  await p.capture({});
  t.equal(waiting().length, 1);
  p.recognise.use = async () => sure("MH12AB1284", {});
  p.clock.advance(31_000);
  await p.capture({});
  t.equal(waiting().length, 0, "one that is clearly another is");
  await p.close();
});

t.test("a gate that is opened otherwise meanwhile leaves nothing to ask", async (t) => {
  const { p, rule, waiting, id, answer, reason } = await premises(testFolder(t));
  await p.openings.start();
  const order = (actor: string, deviceId = "gate") => {
    const command = JSON.stringify(OPEN);
    p.openings.sent({ siteId: p.siteId, deviceId, command, commandId: 1, actor, delivery: "sent" });
  };
  await p.capture({ plates: [PLATE] });
  const question = id();
  order("session:1", "keypad");
  await reason();
  t.equal(waiting().length, 1);
  order("session:1");
  await reason();
  t.same(waiting(), []);
  t.equal(await reason(), "opened_otherwise");
  t.notOk(
    p.feed.some(({ kind }) => kind === "gate.kept_shut"),
    "nobody says that it stayed shut",
  );
  t.same(
    p.vehicles.inside(p.siteId).map(({ plate }) => plate),
    [PLATE],
  );
  await t.rejects(answer(true, question), { code: "conflict", words: { code: "conflict.question.opened_otherwise" } });

  p.clock.advance(60_000);
  p.gateAnswer = async () => order(`gate:${p.commands.at(-1)?.readId}`);
  await p.capture({ plates: [PLATE] });
  t.equal(waiting().length, 1);
  await p.rules.edit(p.siteId, rule.id, { earns: "open" }, BY);
  await p.capture({ plates: [PLATE] });
  await reason();
  t.same([p.commands.length, waiting()], [1, []], "its own rule was changed, and the next picture opened");
  await p.close();
});

t.test("who may not open now is refused, and the question waits for somebody who may", async (t) => {
  const { p, waiting, id, answer, settle } = await premises(testFolder(t));
  await p.capture({ plates: [PLATE] });
  const limited = p.database.raw.prepare(
    `INSERT INTO account (email, name, password_hash, role, household_of, uid, role_at, limits, created_at, updated_at)
     SELECT 'c@example.org', 'Cleaner', '', 'member', id, 'cleaner', 1, '{"times":[],"gates":["other"]}', 1, 1
       FROM account WHERE household_of IS NULL LIMIT 1`,
  );
  limited.run();
  const { lastInsertRowid: person } = p.database.raw
    .prepare("SELECT max(id) AS lastInsertRowid FROM account")
    .get() as {
    lastInsertRowid: number;
  };
  const session = p.database.raw
    .prepare(
      "INSERT INTO session (account_id, token_hash, created_at, last_used_at, expires_at, address, user_agent) VALUES (?, 'x', 1, 1, 9e15, '', '')",
    )
    .run(person).lastInsertRowid;
  await t.rejects(answer(true, id(), `session:${session}`), {
    code: "forbidden",
    words: { code: "forbidden.otherGate" },
  });
  await settle();
  t.same(p.commands, []);
  t.equal(waiting().length, 1);
  t.notOk(
    p.feed.some(({ kind }) => kind === "command.failed"),
    "nothing has failed",
  );
  await t.rejects(
    answer(false, id(), `session:${session}`),
    { code: "forbidden", words: { code: "forbidden.otherGate" } },
    "nor do they keep it shut for those who may open",
  );
  t.equal(waiting().length, 1);
  t.match(await answer(true, id(), "cli"), { state: "opened" });
});
