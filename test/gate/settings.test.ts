import t from "tap";
import { storedWindows, windowsText } from "../../src/core/storage/stored-windows.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

const OPEN = { deviceId: "gate", command: { ch: 1, on: true } };
const PLATE = "MH12AB1234";
const DAY = { days: [1], from: "08:00", to: "17:00" };

t.test("a camera is set up by its own household, member by member, and a gate is a device of it", async (t) => {
  const p = await Premises.open(testFolder(t));
  const { cameras, siteId, testSiteId } = p;
  t.match(cameras.get(siteId, "camera-in"), {
    enabled: true,
    direction: null,
    approach: null,
    insideGate: false,
    gate: null,
    source: { kind: /^native$/ },
  });
  t.equal(cameras.withSettings().size, 0);
  const all = {
    enabled: false,
    direction: "in",
    approach: "out",
    insideGate: true,
    gate: OPEN,
    source: { kind: "snapshot", url: "http://192.168.1.5/a.jpg" },
  } as const;
  t.hasStrict(await cameras.edit(siteId, "camera-in", all), all);
  t.hasStrict(cameras.get(siteId, "camera-in"), all);
  const before = cameras.get(siteId, "camera-in");
  for (const [member, value] of [
    ["enabled", true],
    ["direction", null],
    ["approach", null],
    ["insideGate", false],
    ["gate", null],
    ["source", { kind: "native" }],
  ] as const) {
    t.equal((await p.database.write(() => cameras.update(siteId, "camera-in", { [member]: value }))).changed, true);
    t.same(cameras.get(siteId, "camera-in"), { ...before, [member]: value }, `${member} alone`);
    await cameras.edit(siteId, "camera-in", { [member]: before[member] });
  }
  t.equal((await p.database.write(() => cameras.update(siteId, "camera-in", all))).changed, false);
  t.equal((await p.database.write(() => cameras.update(siteId, "camera-out", {}))).changed, true, "the first time");
  t.same([...cameras.withSettings()].sort(), ["camera-in", "camera-out"]);
  for (const [what, edit, code] of [
    ["another household's camera", cameras.edit(siteId, "camera-test", {}), "device_not_found"],
    ["nobody's camera", cameras.edit(siteId, "nothing", {}), "device_not_found"],
    ["seen from another household", cameras.edit(testSiteId, "camera-in", {}), "device_not_found"],
    ["a gate of another household", cameras.edit(testSiteId, "camera-test", { gate: OPEN }), "unknown_device"],
    [
      "a gate that is not there",
      cameras.edit(siteId, "camera-in", { gate: { ...OPEN, deviceId: "none" } }),
      "unknown_device",
    ],
  ] as const)
    await t.rejects(edit, { code: new RegExp(`^${code}$`) }, what);
  t.throws(() => cameras.get(testSiteId, "camera-in"), { code: /^device_not_found$/ });
  t.throws(() => cameras.get(siteId, "gate"), { code: /^device_not_found$/ });
  t.equal(cameras.find("gate"), null);
  t.equal(cameras.find("nothing"), null);
  t.same(
    [
      cameras.isCamera(siteId, "camera-in"),
      cameras.isCamera(testSiteId, "camera-in"),
      cameras.isCamera(siteId, "gate"),
      cameras.isCamera(siteId, "nothing"),
    ],
    [true, false, false, false],
  );
  await p.close();
});

t.test("a camera that is switched off decides nothing, and one of another household nothing here", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { enabled: false, gate: OPEN });
  await p.rules.create(p.siteId, { plate: PLATE }, "session:1");
  t.same(await p.capture({ plates: [PLATE] }), []);
  t.same(await p.capture({ plates: [PLATE] }, { deviceId: "gate" }), []);
  t.equal((await p.capture({ plates: [PLATE] }, { deviceId: "camera-test" })).length, 1);
  t.equal(p.reads.list(p.siteId, { limit: 5 }).reads.length, 0);
  t.equal(p.reads.list(p.testSiteId, { limit: 5 }).reads.length, 1);
  t.hasStrict(
    p.reads.list(p.testSiteId, { limit: 5 }).reads[0],
    { decision: "unknown" },
    "the rule is another household's",
  );
  t.same(p.commands, []);
  await p.close();
});

t.test("what the gate did is counted, each thing once", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
  await p.rules.create(p.siteId, { plate: PLATE }, "session:1");
  await p.capture({ plates: [PLATE, "22BH1234AA"] });
  await p.capture({ reason: "no_plate" });
  t.match(p.gate.figures, { bursts: 2, reads: 3, gateCommands: 1, gateCommandsFailed: 0 });
  p.clock.advance(120_000);
  p.gateAnswer = () => Promise.reject(new Error("offline"));
  await p.capture({ plates: [PLATE] });
  await p.until(() => p.gate.figures.gateCommandsFailed === 1);
  t.match(p.gate.figures, { bursts: 3, reads: 4, gateCommands: 2, gateCommandsFailed: 1 });
  await p.close();
});

t.test("a gate is notified once of each pass, however many come between, also of other households", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
  await p.cameras.edit(p.testSiteId, "camera-test", { gate: { ...OPEN, deviceId: "camera-test" } });
  await p.rules.create(p.siteId, { plate: "KA01MM1111" }, "session:1");
  const others = Array.from({ length: 1_020 }, (_, index) => `MH12AB${1001 + index}`);
  await p.rules.import(
    p.testSiteId,
    others.map((plate) => ({ plate })),
    "session:1",
  );
  for (let from = 0; from < others.length; from += 20) {
    if (from === 980) await p.capture({ plates: ["KA01MM1111"] });
    await p.capture({ plates: others.slice(from, from + 20) }, { deviceId: "camera-test" });
  }
  t.equal(p.commands.length, others.length + 1);
  await p.capture({ plates: ["KA01MM1111"] });
  t.equal(p.commands.filter(({ siteId }) => siteId === p.siteId).length, 1);
  await p.close();
});

t.test("what the test household's gate did is not counted: the figures are watched for the real one", async (t) => {
  const p = await Premises.open(testFolder(t));
  const timed: unknown[] = [];
  p.gate.onTimed((timing) => timed.push(timing));
  await p.cameras.edit(p.testSiteId, "camera-test", { gate: { ...OPEN, deviceId: "camera-test" } });
  await p.rules.create(p.testSiteId, { plate: PLATE }, "session:1");
  p.gateAnswer = () => Promise.reject(new Error("offline"));
  await p.capture({ plates: [PLATE] }, { deviceId: "camera-test" });
  t.equal(p.commands.length, 1);
  t.match(p.gate.figures, { bursts: 0, reads: 0, gateCommands: 0, gateCommandsFailed: 0, lastDecisionMs: null });
  t.same(timed, []);
  await p.capture({ plates: [PLATE] });
  t.match(p.gate.figures, { bursts: 1, reads: 1, lastDecisionMs: Number });
  t.equal(timed.length, 1);
  await p.close();
});

t.test("a rule's bounds, each at its edge, and another household's rules are none", async (t) => {
  const p = await Premises.open(testFolder(t));
  const create = (more: object) => p.rules.create(p.siteId, { plate: PLATE, ...more }, "session:1");
  await t.rejects(create({ plate: "???" }), { code: /^invalid_plate$/, details: [{ field: /^\/plate$/ }] });
  await t.rejects(create({ deviceId: "gate" }), { code: /^unknown_device$/ });
  await t.rejects(create({ deviceId: "camera-test" }), { code: /^unknown_device$/ });
  await t.rejects(create({ validFrom: 5, validTo: 5 }), {
    code: /^invalid_body$/,
    details: [{ field: /^\/validTo$/ }],
  });
  await t.rejects(create({ label: "x".repeat(81) }), {
    code: /^invalid_body$/,
    details: [{ field: /^\/label$/, code: /^too_long$/ }],
  });
  const rule = await create({ label: ` ${"ß".repeat(80)} `, validFrom: 5, validTo: 6 });
  t.match(rule, {
    kind: /^allow$/,
    label: "ß".repeat(80),
    deviceId: null,
    validFrom: 5,
    validTo: 6,
    enabled: true,
    hits: 0,
  });
  await t.rejects(create({ kind: "deny" }), { code: /^plate_already_listed$/, fields: { ruleId: rule.id } });
  const own = await create({ kind: "deny", deviceId: "camera-in" });
  t.match(await p.rules.edit(p.siteId, rule.id, { kind: "watch", validFrom: null }, "s"), {
    kind: /^watch$/,
    validFrom: null,
    validTo: 6,
    label: "ß".repeat(80),
  });
  await t.rejects(p.rules.edit(p.siteId, rule.id, { validFrom: 6 }, "s"), { code: /^invalid_body$/ });
  t.match(await p.rules.edit(p.siteId, rule.id, { enabled: false, label: "" }, "s"), { enabled: false, label: "" });
  t.match(await p.rules.edit(p.siteId, rule.id, { enabled: true, windows: [DAY] }, "s"), {
    enabled: true,
    windows: [DAY],
  });
  t.match(await p.rules.edit(p.siteId, rule.id, { kind: "deny" }, "s"), { windows: [DAY], enabled: true });
  const strangers: (() => Promise<unknown>)[] = [
    () => p.rules.edit(p.testSiteId, own.id, { kind: "allow" }, "s"),
    () => p.rules.remove(p.testSiteId, own.id, "s"),
    () => p.rules.edit(p.siteId, 999, {}, "s"),
  ];
  for (const attempt of strangers) await t.rejects(attempt(), { code: /^plate_rule_not_found$/ });
  t.same(p.rules.list(p.testSiteId), []);
  t.same(p.rules.export(p.testSiteId), []);
  const { added, refused } = await p.rules.import(
    p.testSiteId,
    [{ plate: PLATE, enabled: false }, { plate: "?" }, { plate: PLATE }],
    "session:1",
  );
  t.hasStrict(added, [{ plate: PLATE, enabled: false }]);
  t.same(
    refused.map(({ index, problem }) => [index, problem.code]),
    [
      [1, "invalid_plate"],
      [2, "plate_already_listed"],
    ],
  );
  await p.rules.remove(p.siteId, own.id, "s");
  t.same(
    p.rules.list(p.siteId).map(({ id }) => id),
    [rule.id],
  );
  for (const action of ["plate_rule.created", "plate_rule.edited", "plate_rule.removed"])
    t.ok(p.audits.includes(action), action);
  await p.close();
});

t.test("windows of a rule: days and times that there are, and none that cannot be read lets anybody in", async (t) => {
  t.equal(windowsText(undefined), null);
  t.equal(windowsText([]), null);
  t.equal(windowsText([{ ...DAY, days: [7, 1, 1] }]), JSON.stringify([{ ...DAY, days: [1, 7] }]));
  t.equal(
    windowsText([{ ...DAY, from: "00:00", to: "00:00" }]),
    JSON.stringify([{ ...DAY, from: "00:00", to: "00:00" }]),
  );
  t.doesNotThrow(() => windowsText([{ ...DAY, from: "22:00", to: "06:00" }]), "over midnight");
  for (const wrong of [
    { ...DAY, days: [] },
    { ...DAY, days: [0] },
    { ...DAY, days: [8] },
    { ...DAY, days: [1.5] },
    { ...DAY, days: [1, 2, 3, 4, 5, 6, 7, 1] },
    { ...DAY, from: "24:00" },
    { ...DAY, to: "7:00" },
    { ...DAY, to: "07:60" },
  ])
    t.throws(() => windowsText([DAY, wrong]), { code: /^invalid_body$/, details: [{ field: /^\/windows\/1$/ }] });
  t.throws(() => windowsText([{ ...DAY, to: DAY.from }]), {
    code: /^invalid_body$/,
    details: [{ field: /^\/windows\/0\/to$/ }],
  });
  const many = (count: number) => Array.from({ length: count }, () => DAY);
  const most = Array.from({ length: 40 }, (_, n) => n + 1).findLast((count) => {
    try {
      return windowsText(many(count)) !== null;
    } catch {
      return false;
    }
  });
  t.ok(most !== undefined && most < 40, "their number is bounded");
  t.throws(() => windowsText(many((most ?? 0) + 1)), { code: /^invalid_body$/, details: [{ field: /^\/windows$/ }] });
  t.same(storedWindows(null), []);
  t.same(storedWindows(JSON.stringify([DAY])), [DAY]);
  for (const broken of ["", "null", "{}", "[]", "[1]", '[{"days":[1]}]', JSON.stringify([DAY, { ...DAY, days: [9] }])])
    t.same(storedWindows(broken), [{ days: [8], from: "00:00", to: "00:01" }], broken);
});

t.test("up to where a person has looked at reads only grows, and never beyond what there is", async (t) => {
  const p = await Premises.open(testFolder(t));
  const [id = 0] = await p.capture({ plates: [PLATE] });
  t.ok(id > 0);
  t.hasStrict(p.reads.get(p.siteId, id), { plate: PLATE, decision: "unknown", hasImage: true, label: "" });
  t.throws(() => p.reads.get(p.testSiteId, id), { code: /^plate_read_not_found$/ });
  await t.rejects(p.reads.image(p.testSiteId, id), { code: /^plate_read_not_found$/ });
  await t.rejects(p.reads.correct(p.testSiteId, id, PLATE, "s"), { code: /^plate_read_not_found$/ });
  await t.rejects(p.reads.correct(p.siteId, id, "?", "s"), {
    code: /^invalid_plate$/,
    details: [{ field: /^\/plate$/ }],
  });
  t.match(await p.reads.correct(p.siteId, id, "MH12AB1235", "s"), { plate: /^MH12AB1235$/, seenPlate: PLATE });
  t.match(await p.reads.correct(p.siteId, id, "MH12AB1236", "s"), { plate: /^MH12AB1236$/, seenPlate: PLATE });
  t.equal(await p.reads.forget(p.testSiteId, "MH12AB1236", "s"), 0, "of another household nothing goes");
  t.equal(p.reads.list(p.siteId, { limit: 1 }).next, null, "as many as were asked for, and no more");
  t.equal(await p.reads.forget(p.siteId, "MH12AB1236", "s"), 1);
  t.throws(() => p.reads.get(p.siteId, id), { code: /^plate_read_not_found$/ });
  await p.close();
});
