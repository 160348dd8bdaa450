import { join } from "node:path";
import t from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { PlateImageFiles } from "../../src/features/gate/images.ts";
import { removeAllDue } from "../support/aged.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

t.setTimeout(180_000);
const OPEN = { deviceId: "gate", command: { ch: 1, on: true } };
const MINUTE = 60_000;

t.test(
  "an allowed car opens the gate before anything is written, and leaves read, visit, register, picture, feed and facts",
  async (t) => {
    const p = await Premises.open(testFolder(t));
    await p.cameras.edit(p.siteId, "camera-in", { direction: "in", gate: OPEN });
    const rule = await p.rules.create(p.siteId, { plate: "mh 12-ab 1234", label: "Asha" }, "session:1");
    p.capacity = 1;
    const [id] = await p.capture({ plates: ["MH12AB1234"] });
    t.same(p.commands, [
      { siteId: p.siteId, deviceId: "gate", command: '{"ch":1,"on":true}', readId: id, rowsThen: 0 },
    ]);
    const { reads } = p.reads.list(p.siteId, { limit: 10 });
    t.hasStrict(reads, [
      {
        id,
        deviceId: "camera-in",
        plate: "MH12AB1234",
        formatted: "MH 12 AB 1234",
        decision: "allow",
        direction: "in",
        status: "recognised",
        reason: null,
        votes: 2,
        samples: 2,
        hasImage: true,
      },
    ]);
    t.equal((await p.reads.image(p.siteId, id ?? 0)).toString(), "jpeg 1", "the frame that shows the plate best");
    t.match(p.vehicles.list(p.siteId, { days: 30, limit: 10 }).vehicles, [
      {
        plate: /^MH12AB1234$/,
        passes: 1,
        entries: 1,
        exits: 0,
        visits: 1,
        inside: true,
        list: "allow",
        label: "Asha",
        cameras: ["camera-in"],
        averageStaySeconds: null,
      },
    ]);
    t.match(p.occupancy.now(p.siteId), { inside: 1, capacity: 1, free: 0, full: true, percent: 100 });
    t.equal(p.rules.list(p.siteId)[0]?.hits, 1);
    t.same(
      p.feed.map(({ kind }) => kind),
      ["plate.allowed", "occupancy.full"],
    );
    t.same(
      p.facts.map(({ kind }) => kind),
      ["read.decided", "visit.changed", "occupancy.changed"],
    );
    t.equal(rule.plate, "MH12AB1234");

    p.clock.advance(90 * MINUTE);
    await p.cameras.edit(p.siteId, "camera-out", { direction: "out" });
    await p.capture({ plates: ["MH12AB1234"] }, { deviceId: "camera-out" });
    const profile = p.vehicles.profile(p.siteId, "mh12 ab-1234");
    t.match(profile, {
      passes: 2,
      inside: false,
      totalStaySeconds: 5400,
      visits: [{ status: /^closed$/, entryCamera: "camera-in", exitCamera: "camera-out", staySeconds: 5400 }],
    });
    t.equal(p.occupancy.now(p.siteId).inside, 0);
    t.equal(p.commands.length, 1, "the exit camera names no gate");
    await p.close();
  },
);

t.test("the count of cars opens something only where a camera has just seen the car", async (t) => {
  const p = await Premises.open(testFolder(t));
  const last = (): unknown => p.facts.findLast(({ kind }) => kind === "occupancy.changed")?.fact;
  await p.cameras.edit(p.siteId, "camera-in", { direction: "in" });
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  await p.capture({ plates: ["MH12AB1234"] });
  t.strictSame(last(), { siteId: p.siteId, inside: 1, previous: 0, at: p.clock.now() });
  await p.vehicles.left(p.siteId, "MH12AB1234", "session:1");
  t.match(last(), { inside: 0, opensNothing: true }, "somebody said that it has left");
  p.clock.advance(90 * MINUTE);
  await p.capture({ plates: ["MH12AB1234"] }, { isFresh: false });
  t.match(last(), { inside: 1, opensNothing: true }, "the picture came late");
  await p.close();
});

t.test("a full site still opens for an allowed car", async (t) => {
  const p = await Premises.open(testFolder(t));
  p.capacity = 0;
  await p.cameras.edit(p.siteId, "camera-in", { direction: "in", gate: OPEN });
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  await p.capture({ plates: ["MH12AB1234"] });
  t.equal(p.commands.length, 1);
  t.match(p.occupancy.now(p.siteId), { inside: 1, free: 0, full: true, percent: 100 });
  await p.close();
});

t.test("deny beside allow keeps the gate shut and opens no visit at the entry", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { direction: "in", gate: OPEN });
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  await p.rules.create(p.siteId, { plate: "MH12AB1234", kind: "deny", deviceId: "camera-in" }, "session:1");
  await p.capture({ plates: ["MH12AB1234"] });
  t.same(p.commands, []);
  t.match(p.vehicles.profile(p.siteId, "MH12AB1234"), { passes: 1, inside: false, visits: [] });
  t.match(p.vehicles.list(p.siteId, { days: 1, limit: 1 }).vehicles[0], { entries: 1, visits: 0, list: "deny" });
  await p.cameras.edit(p.siteId, "camera-in", { insideGate: true });
  p.clock.advance(MINUTE);
  await p.capture({ plates: ["MH12AB1234"] });
  t.equal(p.vehicles.profile(p.siteId, "MH12AB1234").inside, true, "a camera behind the gate knows better");
  await p.close();
});

t.test("unknown, expired and foreign-camera rules open nothing", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { direction: "in", gate: OPEN });
  const now = p.clock.now();
  await p.rules.create(p.siteId, { plate: "KA01AB1234", validTo: now }, "session:1");
  await p.rules.create(p.siteId, { plate: "KA01AB2222", validFrom: now + 1 }, "session:1");
  await p.rules.create(p.siteId, { plate: "KA01AB3333", deviceId: "camera-out" }, "session:1");
  const off = await p.rules.create(p.siteId, { plate: "KA01AB4444" }, "session:1");
  await p.rules.edit(p.siteId, off.id, { enabled: false }, "session:1");
  for (const plate of ["DL8CAF5031", "KA01AB1234", "KA01AB2222", "KA01AB3333", "KA01AB4444"])
    await p.capture({ plates: [plate] });
  t.same(p.commands, []);
  t.ok(p.reads.list(p.siteId, { limit: 10 }).reads.every(({ decision }) => decision === "unknown"));
  await p.capture({ plates: ["KA01AB2222"] }, { at: now + 1 });
  t.equal(p.commands.length, 0, "a camera whose clock is ahead does not bring the rule into force: the hub's does");
  p.clock.advance(1);
  await p.capture({ plates: ["KA01AB2222"] }, { at: now });
  t.equal(p.commands.length, 1, "the pass goes on, and the rule has come into force");
  await p.close();
});

t.test(
  "reads of one plate close together are one pass; another plate between, a turn or the window ends it",
  async (t) => {
    const p = await Premises.open(testFolder(t));
    await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
    await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
    const count = () => p.reads.list(p.siteId, { limit: 100 }).reads.length;
    const [first] = await p.capture({ plates: ["MH12AB1234"], confidence: 60 });
    p.clock.advance(29_000);
    t.same(await p.capture({ plates: ["MH12AB1234"], confidence: 90 }, { direction: "in" }), [first]);
    t.hasStrict(
      p.reads.get(p.siteId, first ?? 0),
      // they used to add up: votes and samples are of the burst that produced the plate (docs/spec/device-control-api.md §2)
      { votes: 2, samples: 2, captureId: 2, confidence: 90, direction: "in" },
      "the better read stays, with what its burst counted, and the direction is known now",
    );
    t.equal(p.vehicles.profile(p.siteId, "MH12AB1234").inside, true, "and the visit with it");
    t.equal(p.commands.length, 1, "one command per pass");
    t.match(
      p.facts.filter(({ kind }) => kind === "read.decided").map(({ fact }) => fact),
      [{ firstOfPass: true }, { firstOfPass: false }],
    );
    p.clock.advance(10_000);
    await p.capture({ plates: ["MH12AB1234"] }, { direction: "out" });
    t.equal(count(), 2, "a car that turned passed twice");
    p.clock.advance(5_000);
    await p.capture({ plates: ["KA01AB2222"] });
    p.clock.advance(5_000);
    await p.capture({ plates: ["MH12AB1234"] });
    t.equal(count(), 4, "another plate was between");
    p.clock.advance(30_001);
    await p.capture({ plates: ["MH12AB1234"] });
    t.equal(count(), 5);
    await p.capture({ plates: ["MH12AB1234"] }, { deviceId: "camera-out" });
    t.equal(count(), 6, "another camera is another pass");
    await p.close();
  },
);

t.test("a misread between two bursts of one car does not make two passes, another car does", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  const commandsAfter = async (between: string, confidence: number) => {
    p.clock.advance(5 * MINUTE);
    const before = p.commands.length;
    const [first] = await p.capture({ plates: ["MH12AB1234"] });
    p.clock.advance(2_000);
    await p.capture({ plates: [between], confidence });
    p.clock.advance(2_000);
    const [last] = await p.capture({ plates: ["MH12AB1234"] });
    t.equal(p.commands.length - before === 1, last === first, "the register and the gate agree on what is one pass");
    return p.commands.length - before;
  };
  t.equal(await commandsAfter("MH12AB1284", 85), 1, "one character differs");
  t.equal(await commandsAfter("MH12A1234", 60), 1, "one is lacking");
  t.equal(await commandsAfter("MH12AB5678", 98), 2, "four differ: another car");
  t.equal(await commandsAfter("KA01MM1111", 60), 2, "a doubtful read with nothing in common is another car, too");
  await p.close();
});

t.test("a gate does not open for a capture from the past, nor for a read below the least confidence", async (t) => {
  const p = await Premises.open(testFolder(t));
  p.settings.minConfidence = 80;
  await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  await p.capture({ plates: ["MH12AB1234"] }, { isFresh: false });
  p.clock.advance(MINUTE);
  await p.capture({ plates: ["MH12AB1234"], confidence: 79 });
  t.same(p.commands, []);
  t.ok(p.reads.list(p.siteId, { limit: 5 }).reads.every(({ decision }) => decision === "allow"));
  await p.close();
});

t.test("a decision waits neither for the disk nor for the picture of the burst before", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { direction: "in", gate: OPEN });
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  await p.rules.create(p.siteId, { plate: "KA01AB2222" }, "session:1");
  let writePicture = (): void => undefined;
  p.encodeImage = (frame) => new Promise((resolve) => (writePicture = () => resolve(frame)));
  const first = p.capture({ plates: ["MH12AB1234"] });
  await p.until(() => p.commands.length === 1);
  const again = p.capture({ plates: ["MH12AB1234"] });
  const other = p.capture({ plates: ["KA01AB2222"] });
  await p.until(() => p.commands.length === 2);
  t.same(
    p.commands.map(({ readId, rowsThen }) => [readId, rowsThen]),
    [
      [1, 0],
      [2, 0],
    ],
    "the second burst of the first car is known for the same pass before its row is there",
  );
  p.encodeImage = async (frame) => frame;
  writePicture();
  t.same(await Promise.all([first, again, other]), [[1], [1], [2]]);
  t.match(p.reads.get(p.siteId, 1), { votes: 2, samples: 2, hasImage: true });
  await p.close();
});

t.test("a command that the gate did not take is sent again with the next burst of the pass", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { direction: "in", gate: OPEN });
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  p.settings.minConfidence = 60;
  await p.capture({ plates: ["MH12AB1234"], confidence: 40 });
  t.equal(p.commands.length, 0, "too unsure");
  p.gateAnswer = () => Promise.reject(new Error("offline"));
  await p.capture({ plates: ["MH12AB1234"] });
  p.gateAnswer = async () => "sent";
  await p.capture({ plates: ["MH12AB1234"] });
  await p.capture({ plates: ["MH12AB1234"] });
  t.same(
    p.commands.map(({ readId }) => readId),
    [1, 1],
    "once more, and not a third time",
  );
  await p.close();
});

t.test("a reading that fails while others are before it harms nobody but itself", async (t) => {
  const p = await Premises.open(testFolder(t));
  let answer = (): void => undefined;
  const slow = new Promise<void>((resolve) => (answer = resolve));
  p.recognise.use = async () => {
    await slow;
    return { samples: 1, vehicles: [], reason: "no_plate", unread: [], tookMs: 1 };
  };
  const first = p.capture({});
  p.recognise.use = () => Promise.reject(new Problem("unavailable", "The hub is stopping."));
  const second = t.rejects(p.capture({}), { code: /^unavailable$/ });
  await new Promise((resolve) => setImmediate(resolve));
  answer();
  t.same(await first, [1]);
  await second;
  await p.close();
});

t.test("times are reported for every burst with a plate, with the command's where there is one", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { direction: "in", gate: OPEN });
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  const times: object[] = [];
  p.gate.onTimed((timing) => times.push(timing));
  await p.capture({ plates: ["KA01AB2222"] });
  await p.capture({ plates: ["MH12AB1234"] });
  await p.capture({ reason: "no_plate" });
  await p.until(() => times.length === 2);
  t.same(times, [
    { readMs: 0, decideMs: 0, publishMs: null, totalMs: null },
    { readMs: 0, decideMs: 0, publishMs: 0, totalMs: 0 },
  ]);
  await p.close();
});

t.test("a gate that refuses its command is reported in the feed, and the read stands", async (t) => {
  const p = await Premises.open(testFolder(t));
  p.gateAnswer = () => Promise.reject(new Error("offline"));
  await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  const [id] = await p.capture({ plates: ["MH12AB1234"] });
  await p.database.write(() => {});
  t.ok(p.feed.some(({ kind, deviceId }) => kind === "command.failed" && deviceId === "gate"));
  t.equal(p.reads.get(p.siteId, id ?? 0).decision, "allow");
  await p.close();
});

t.test("several vehicles in one burst give several reads of one capture", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.capture({ plates: ["MH12AB1234", "22BH1234AA"] });
  const { reads } = p.reads.list(p.siteId, { limit: 5 });
  t.same(new Set(reads.map(({ plate }) => plate)), new Set(["MH12AB1234", "22BH1234AA"]));
  t.equal(new Set(reads.map(({ captureId }) => captureId)).size, 1);
  t.match(
    reads.find(({ plate }) => plate === "22BH1234AA"),
    { plateKind: "bharat", formatted: "22 BH 1234 AA" },
  );
  await p.close();
});

t.test("a burst without a plate is stored with its reason and moves nothing", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.capture({ reason: "no_plate" });
  await p.capture({ reason: "no_recogniser" });
  await p.capture({ reason: "no_recogniser" });
  await p.capture({ reason: "provider_error" });
  const { reads } = p.reads.list(p.siteId, { status: "unrecognised", limit: 5 });
  t.same(
    reads.map(({ reason, hasImage, plate, plateKind, decision }) => ({ reason, hasImage, plate, plateKind, decision })),
    ["provider_error", "no_recogniser", "no_recogniser", "no_plate"].map((reason) => ({
      reason,
      hasImage: reason !== "provider_error",
      plate: null,
      plateKind: "unknown",
      decision: "unknown",
    })),
  );
  t.same(
    p.feed.map(({ body }) => body),
    ["No recogniser is loaded.", "The pictures could not be read."],
    "empty pictures are no news, and the same trouble is told once",
  );
  t.same(p.vehicles.list(p.siteId, { days: 1, limit: 5 }).vehicles, []);
  await p.close();
});

t.test("a watch rule notifies even where another rule decides", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  await p.rules.create(p.siteId, { plate: "MH12AB1234", kind: "watch", deviceId: "camera-in" }, "session:1");
  await p.capture({ plates: ["MH12AB1234"] });
  t.same(
    p.feed.map(({ kind }) => kind),
    ["plate.allowed", "plate.watch"],
  );
  await p.close();
});

t.test("a missed exit and a missed entry resynchronise at the next clean read", async (t) => {
  const p = await Premises.open(testFolder(t));
  const pass = async (direction: "in" | "out") => {
    p.clock.advance(10 * MINUTE);
    await p.capture({ plates: ["MH12AB1234"] }, { direction });
  };
  for (const direction of ["out", "in", "in", "out"] as const) await pass(direction);
  t.match(p.vehicles.profile(p.siteId, "MH12AB1234"), {
    inside: false,
    totalStaySeconds: 600,
    visits: [
      { status: /^closed$/ },
      { status: /^exit_missed$/, exitAt: null, staySeconds: null },
      { status: /^entry_missed$/, entryAt: null, staySeconds: null },
    ],
  });
  await p.close();
});

t.test("a correction and a late read pair visits again", async (t) => {
  const p = await Premises.open(testFolder(t));
  const start = p.clock.now();
  await p.capture({ plates: ["MH12AB1234"] }, { direction: "in" });
  p.clock.advance(10 * MINUTE);
  const [misread] = await p.capture({ plates: ["MH12AB1284"] }, { direction: "out" });
  const before = p.vehicles.profile(p.siteId, "MH12AB1234").visits[0];
  const corrected = await p.reads.correct(p.siteId, misread ?? 0, "MH 12 AB 1234", "session:1");
  t.match(corrected, { plate: /^MH12AB1234$/, seenPlate: "MH12AB1284" });
  t.hasStrict(
    p.vehicles.profile(p.siteId, "MH12AB1234").visits,
    [{ id: before?.id, status: "closed", staySeconds: 600 }],
    "the visit keeps its id",
  );
  t.throws(() => p.vehicles.profile(p.siteId, "MH12AB1284"), { code: /^vehicle_not_found$/ });
  await p.capture({ plates: ["MH12AB1234"] }, { direction: "out", at: start + 5 * MINUTE });
  t.hasStrict(p.vehicles.profile(p.siteId, "MH12AB1234").visits, [
    { status: "entry_missed" },
    { id: before?.id, status: "closed", staySeconds: 300 },
  ]);
  t.ok(p.audits.includes("plate_read.corrected"));
  await p.close();
});

t.test("a visit closed by hand stays closed when reads come later", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.capture({ plates: ["MH12AB1234"] }, { direction: "in" });
  const [visit] = p.vehicles.inside(p.siteId);
  p.clock.advance(MINUTE);
  t.match(await p.vehicles.closeVisit(p.siteId, visit?.id ?? 0, "session:1"), {
    status: /^exit_missed$/,
    staySeconds: null,
  });
  t.equal(p.vehicles.insideNow(p.siteId), 0);
  await t.rejects(p.vehicles.closeVisit(p.siteId, visit?.id ?? 0, "session:1"), { code: /^conflict$/ });
  p.clock.advance(10 * MINUTE);
  await p.capture({ plates: ["MH12AB1234"] }, { direction: "out" });
  t.hasStrict(p.vehicles.profile(p.siteId, "MH12AB1234").visits, [
    { status: "entry_missed" },
    { id: visit?.id, status: "exit_missed" },
  ]);
  await p.close();
});

t.test("filters, order, cursor and isolation of the list", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  const start = p.clock.now();
  for (let i = 0; i < 5; i++) {
    await p.capture(
      { plates: [i % 2 === 0 ? "MH12AB1234" : "KA01AB2222"] },
      { deviceId: i < 3 ? "camera-in" : "camera-out" },
    );
    p.clock.advance(MINUTE);
  }
  await p.capture({ plates: ["MH12AB1234"] }, { deviceId: "camera-test" });
  const ids = (query: Parameters<Premises["reads"]["list"]>[1]) =>
    p.reads.list(p.siteId, query).reads.map(({ id }) => id);
  t.same(ids({ limit: 10 }), [5, 4, 3, 2, 1]);
  t.same(ids({ limit: 10, plate: "mh-12 ab 1234" }), [5, 3, 1]);
  t.same(ids({ limit: 10, deviceId: "camera-out" }), [5, 4]);
  t.same(ids({ limit: 10, decision: "allow", deviceId: "camera-in" }), [3, 1]);
  t.same(ids({ limit: 10, since: start + 3 * MINUTE }), [5, 4], "since is inclusive");
  t.same(ids({ limit: 10, status: "unrecognised" }), []);
  const page = p.reads.list(p.siteId, { limit: 2 });
  t.same(ids({ limit: 2, ...(page.next && { before: page.next }) }), [3, 2]);
  t.equal(p.reads.list(p.siteId, { limit: 5 }).next, null);
  t.throws(() => p.reads.list(p.siteId, { limit: 1, plate: "??" }), { code: /^invalid_plate$/ });
  t.throws(
    () => p.reads.get(p.siteId, 6),
    { code: /^plate_read_not_found$/ },
    "reads of another household do not exist",
  );
  t.equal(p.vehicles.list(p.testSiteId, { days: 1, limit: 5 }).vehicles.length, 1);
  t.same(
    p.vehicles.list(p.siteId, { days: 1, limit: 5 }).vehicles.map(({ plate }) => plate),
    ["MH12AB1234", "KA01AB2222"],
  );
  await p.close();
});

t.test("an edit of a rule changes what it names and nothing else", async (t) => {
  const p = await Premises.open(testFolder(t));
  const now = p.clock.now();
  const { id } = await p.rules.create(
    p.siteId,
    { plate: "KA01AB1234", kind: "deny", label: "Rao", validFrom: now, validTo: now + 9 },
    "session:1",
  );
  const whole = { kind: "deny", label: "Rao", validFrom: now, validTo: now + 9, enabled: true };
  t.hasStrict(await p.rules.edit(p.siteId, id, {}, "session:1"), whole);
  const edits: Parameters<typeof p.rules.edit>[2][] = [
    { enabled: false },
    { label: "Mehta" },
    { kind: "watch" },
    { validFrom: now + 1 },
    { validTo: null },
  ];
  for (const edit of edits)
    t.hasStrict(await p.rules.edit(p.siteId, id, edit, "session:1"), Object.assign(whole, edit), JSON.stringify(edit));
  await p.close();
});

t.test("one plate and scope stands on one list", async (t) => {
  const p = await Premises.open(testFolder(t));
  const first = await p.rules.create(p.siteId, { plate: "MHI2AB1234", kind: "deny" }, "session:1");
  const again = await p.rules
    .create(p.siteId, { plate: "mh 12 ab 1234" }, "session:1")
    .catch((error: unknown) => error);
  t.ok(again instanceof Problem);
  t.match(again, { code: /^plate_already_listed$/, fields: { ruleId: first.id } });
  t.ok(
    await p.rules.create(p.siteId, { plate: "MH12AB1234", deviceId: "camera-in" }, "session:1"),
    "another scope is another rule",
  );
  await t.rejects(async () => p.rules.create(p.siteId, { plate: "hello" }, "session:1"), { code: /^invalid_plate$/ });
  await t.rejects(async () => p.rules.create(p.siteId, { plate: "KA01AB1234", deviceId: "gate" }, "session:1"), {
    code: /^unknown_device$/,
  });
  await t.rejects(async () => p.rules.create(p.siteId, { plate: "KA01AB1234", deviceId: "camera-test" }, "session:1"), {
    code: /^unknown_device$/,
  });
  await t.rejects(
    async () => p.rules.create(p.siteId, { plate: "KA01AB1234", validFrom: 5, validTo: 5 }, "session:1"),
    { code: /^invalid_body$/ },
  );
  p.audits.length = 0;
  await p.rules.remove(p.siteId, first.id, "session:1");
  t.same(p.audits, ["plate_rule.removed"]);
  await t.rejects(p.rules.remove(p.siteId, first.id, "session:1"), { code: /^plate_rule_not_found$/ });
  const copy = await p.rules.import(p.testSiteId, [...p.rules.export(p.siteId), { plate: "DL8CAF5031" }], "session:1");
  t.hasStrict(copy, { added: [{ plate: "DL8CAF5031" }], refused: [{ index: 0, problem: { code: "unknown_device" } }] });
  await p.close();
});

t.test("pictures expire before their reads, and both before what a visit stands on", async (t) => {
  const p = await Premises.open(testFolder(t));
  const day = 86_400_000;
  const [old] = await p.capture({ plates: ["MH12AB1234"] }, { direction: "in" });
  await p.capture({ plates: ["KA01AB2222"] }, { direction: "out" });
  p.clock.advance(30 * day);
  const { pictures, visits, reads } = p.retention;
  t.equal(await removeAllDue(pictures), 0, "not on the last day");
  p.clock.advance(1);
  t.equal(await removeAllDue(pictures), 2);
  t.equal(p.reads.get(p.siteId, old ?? 0).hasImage, false);
  await t.rejects(p.reads.image(p.siteId, old ?? 0), { code: /^image_not_found$/ });
  p.clock.advance(336 * day);
  await removeAllDue(visits);
  t.equal(await removeAllDue(reads), 1, "the open visit keeps its entry");
  t.equal(p.vehicles.profile(p.siteId, "MH12AB1234").inside, true);
  t.throws(() => p.vehicles.profile(p.siteId, "KA01AB2222"), { code: /^vehicle_not_found$/ });
  await p.capture({ plates: ["MH12AB1234"] }, { direction: "out" });
  t.match(p.vehicles.profile(p.siteId, "MH12AB1234").visits, [{ status: /^closed$/, staySeconds: (366 * day) / 1000 }]);
  await p.close();
});

t.test("no picture is stored when the retention is 0, and strays of a crash are removed", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.capture({ plates: ["MH12AB1234"] });
  await new PlateImageFiles(join(t.testdirName, "images")).write(777, Buffer.from("no row")); // by the run before
  t.equal(await p.retention.removeStrays(), 1);
  t.ok(await p.reads.image(p.siteId, 1));
  p.settings.imageRetentionDays = 0;
  const [id] = await p.capture({ plates: ["KA01AB2222"] });
  t.equal(p.reads.get(p.siteId, id ?? 0).hasImage, false);
  await p.close();
});

t.test("everything about one plate can be forgotten", async (t) => {
  const p = await Premises.open(testFolder(t));
  await p.rules.create(p.siteId, { plate: "MH12AB1234" }, "session:1");
  const [id] = await p.capture({ plates: ["MH12AB1234"] }, { direction: "in" });
  t.equal(await p.reads.forget(p.siteId, "mh12ab1234", "session:1"), 1);
  t.same(p.reads.list(p.siteId, { limit: 5 }).reads, []);
  t.same(p.rules.list(p.siteId), []);
  t.equal(p.vehicles.insideNow(p.siteId), 0);
  t.equal(await p.images.read(id ?? 0), null);
  await p.close();
});

t.test("read ids go on after a restart, and a capture sent twice is known", async (t) => {
  const folder = testFolder(t);
  const p = await Premises.open(folder);
  await p.capture({ plates: ["MH12AB1234"] }, { key: "7 abc" });
  t.equal(p.gate.knows("camera-in", "7 abc", MINUTE), true);
  t.equal(p.gate.knows("camera-out", "7 abc", MINUTE), false);
  p.clock.advance(2 * MINUTE);
  t.equal(p.gate.knows("camera-in", "7 abc", MINUTE), false, "a camera that counts from 1 again is not shut out");
  t.same(await p.capture({ plates: ["KA01AB2222"] }), [2]);
  await p.close();
});
