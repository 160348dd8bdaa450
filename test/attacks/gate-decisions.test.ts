/**
 * The moment of a decision, attacked by what happens between a camera's picture and the gate's command: queues, clocks,
 * edits. The parts are real from the camera's messages to the command; only the recogniser and the clock are played.
 */
import { join } from "node:path";
import t from "tap";
import type { Facts } from "../../src/core/api/facts.ts";
import { ownCopy } from "../../src/core/kernel/free-bytes.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { Direction, VehicleReading } from "../../src/core/plates/reading.ts";
import { Captures } from "../../src/features/cameras/captures.ts";
import { Spool } from "../../src/features/cameras/spool.ts";
import { Premises, reading, type Seen } from "../gate/premises.ts";
import { commandTo, Household } from "../support/automations.ts";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const PLATE = "MH12AB1234";
const BANNED = "DL8CAF5031";
const OPEN = { deviceId: "gate", command: { open: true } };

/** Premises whose entry camera sends captures by its messages. */
async function premises(folder: string) {
  const p = await Premises.open(join(folder, "house"));
  await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
  const captures = new Captures({
    spool: new Spool(join(folder, "spool")),
    openReading: () => null,
    taker: () => ({ gate: p.gate, shownFrames: { claim: (_, frames) => frames.map(() => true) } }),
    maxFrameBytes: 100,
    clock: p.clock,
    logger: silentLogger,
  });
  await captures.start();
  /** Readings of a queue that is full: each is given when its turn comes. */
  const queue: ((seen: Seen) => void)[] = [];
  p.recognise.use = () => new Promise((resolve) => queue.push((seen) => resolve(reading(seen))));
  let sent = 0;
  const send = async (at: number | null, direction: Direction | null = null): Promise<void> => {
    sent += 1;
    const before = queue.length;
    await captures.frame("camera-in", String(sent), 0, ownCopy(Buffer.from(`picture ${sent}`)));
    await captures.captureDone("camera-in", String(sent), { trigger: "motion", frames: 1, at, direction });
    await p.until(() => queue.length > before);
  };
  const stored = async (read: Seen): Promise<void> => {
    const count = () => p.reads.list(p.siteId, { limit: 100 }).reads.length;
    const before = count();
    queue.at(-1)?.(read);
    await p.until(() => count() > before);
  };
  const latest = () => p.reads.list(p.siteId, { limit: 1 }).reads[0];
  const close = async () => {
    await captures.stop();
    await p.close();
  };
  return { p, send, stored, latest, close, queue };
}

t.test("a capture that waits for the recogniser grows old there: 120 s hold at the command", async (t) => {
  const { p, send, stored, latest, close } = await premises(testFolder(t, { house: {}, rules: {} }));
  await p.rules.create(p.siteId, { plate: PLATE }, "session:1");
  await send(p.clock.now() - 100_000);
  p.clock.advance(101_000);
  await stored({ plates: [PLATE] });
  t.same(p.commands, [], "100 s by the sender's word, 101 s in the queue");
  t.hasStrict(latest()?.gate, { result: "not_told", reason: "late" });
  p.clock.advance(60_000);
  await send(p.clock.now() - 100_000);
  p.clock.advance(19_000);
  await stored({ plates: [PLATE] });
  t.equal(p.commands.length, 1, "in time");
  await close();
});

t.test("neither an older clock of the camera nor a corrected one of the hub makes a capture younger", async (t) => {
  const { p, send, stored, close } = await premises(testFolder(t, { house: {}, rules: {} }));
  await p.rules.create(p.siteId, { plate: PLATE }, "session:1");
  await send(p.clock.now() + 240_000);
  p.clock.advance(121_000);
  await stored({ plates: [PLATE] });
  t.same(p.commands, [], "dated ahead, so that its age would begin later");
  p.clock.advance(60_000);
  await send(null);
  p.clock.advance(121_000);
  p.clock.jump(-3_600_000);
  await stored({ plates: [PLATE] });
  t.same(p.commands, [], "the hub's clock was set back meanwhile");
  await close();
});

t.test("a rule holds by the hub's clock at the decision, not by the camera's", async (t) => {
  const { p, send, stored, close } = await premises(testFolder(t, { house: {}, rules: {} }));
  const now = p.clock.now();
  await p.rules.create(p.siteId, { plate: PLATE, validFrom: now + 180_000 }, "session:1");
  await send(now + 240_000);
  await stored({ plates: [PLATE] });
  t.same(p.commands, [], "four minutes ahead: not valid yet");
  await p.rules.create(p.siteId, { plate: BANNED, validTo: now + 200_000 }, "session:1");
  p.clock.advance(210_000);
  await send(p.clock.now() - 60_000);
  await stored({ plates: [BANNED] });
  t.same(p.commands, [], "a minute behind: not valid any more");
  await send(null);
  await p.rules.create(p.siteId, { plate: "KA05MK7777", validTo: p.clock.now() + 10_000 }, "session:1");
  p.clock.advance(11_000);
  await stored({ plates: ["KA05MK7777"] });
  t.same(p.commands, [], "it ended while the picture waited");
  await close();
});

t.test("what its owner turned into something else opens nothing, also what waits already", async (t) => {
  const { p, send, stored, close, queue } = await premises(testFolder(t, { house: {}, rules: {} }));
  await p.rules.create(p.siteId, { plate: PLATE }, "session:1");
  p.setType("gate", "light");
  await send(null);
  await stored({ plates: [PLATE] });
  t.same(p.commands, [], "the gate is a light by now");
  p.setType("gate", "gate");
  p.clock.advance(60_000);
  await send(null);
  p.setType("camera-in", "light");
  queue.at(-1)?.({ plates: [PLATE] });
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.same(p.commands, [], "the camera became a light while its picture waited");
  t.notOk(p.gate.takes("camera-in"), "and no further picture is looked at");
  t.throws(() => p.cameras.get(p.siteId, "camera-in"), { code: /^device_not_found$/ });
  p.setType("camera-in", "camera");
  p.clock.advance(60_000);
  await send(null);
  await p.cameras.edit(p.siteId, "camera-in", { enabled: false });
  queue.at(-1)?.({ plates: [PLATE] });
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.same(p.commands, [], "nor one that was switched off meanwhile");
  await close();
});

t.test("a banned plate beside an allowed one keeps the gate shut for this picture", async (t) => {
  const { p, send, stored, close, queue } = await premises(testFolder(t, { house: {}, rules: {} }));
  await p.rules.create(p.siteId, { plate: PLATE }, "session:1");
  await p.rules.create(p.siteId, { plate: BANNED, kind: "deny" }, "session:1");
  await send(null);
  await stored({ plates: [PLATE, BANNED], confidence: 100 });
  t.same(p.commands, []);
  const { reads } = p.reads.list(p.siteId, { limit: 2 });
  t.hasStrict(
    reads
      .map(({ plate, decision, gate }) => ({ plate, decision, reason: gate?.reason }))
      .sort((a, b) => ((a.plate ?? "") < (b.plate ?? "") ? 1 : -1)),
    [
      { plate: PLATE, decision: "allow", reason: "beside_denied" },
      { plate: BANNED, decision: "deny", reason: "denied" },
    ],
  );
  p.clock.advance(5_000);
  await send(null);
  queue.at(-1)?.({ plates: [PLATE], confidence: 100 });
  await p.until(() => p.commands.length === 1);
  t.pass("alone it is let in");
  await close();
});

t.test("a rule does not open for a picture that shows a banned plate beside the one that started it", async (t) => {
  const { p, send, stored, close } = await premises(testFolder(t, { house: {}, rules: {} }));
  await p.rules.create(p.siteId, { plate: PLATE }, "session:1");
  await p.rules.create(p.siteId, { plate: BANNED, kind: "deny" }, "session:1");
  const home = await Household.open(join(t.testdirName, "rules"));
  for (const deviceId of ["gate", "lamp"])
    await home.rule({ trigger: { type: "plate", decision: "allow" }, action: commandTo(deviceId, { open: true }) });
  const lock = { trigger: { type: "plate", decision: "deny" }, action: commandTo("gate", { close: true }) };
  await home.rule(lock);
  await home.rule({
    trigger: { type: "plate", decision: "allow" },
    action: { type: "sequence", actions: [{ type: "delay", seconds: 1 }, commandTo("gate", { open: "later" })] },
  });
  const decided = () => p.facts.flatMap(({ kind, fact }) => (kind === "read.decided" ? [fact] : []));
  const tell = (): void => {
    for (const fact of decided().splice(0))
      home.bus.announce("read.decided", { ...(fact as Facts["read.decided"]), siteId: home.siteId });
    p.facts.length = 0;
  };
  const sent = () => home.commands.map(({ deviceId, command }) => `${deviceId} ${command}`);
  await send(null);
  await stored({ plates: [PLATE, BANNED], confidence: 100 });
  await eventually(() => (decided().length === 2 ? true : undefined), 10_000);
  tell();
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  t.same(sent().sort(), ['gate {"close":true}', 'lamp {"open":true}'], "the lamp, and what a ban itself does");
  home.commands.length = 0;
  p.clock.advance(60_000);
  await send(null);
  await stored({ plates: [PLATE], confidence: 100 });
  await eventually(() => (decided().length === 1 ? true : undefined), 10_000);
  tell();
  t.same(sent().sort(), ['gate {"open":true}', 'lamp {"open":true}'], "alone it is let in");
  await home.close();
  await close();
});

t.test("a rule does not open for a picture that is too late for the gate", async (t) => {
  const { p, send, stored, close } = await premises(testFolder(t, { house: {}, rules: {} }));
  const home = await Household.open(join(t.testdirName, "rules"));
  for (const deviceId of ["gate", "lamp"])
    await home.rule({ trigger: { type: "plate", plate: PLATE }, action: commandTo(deviceId, { open: true }) });
  const decided = () => p.facts.flatMap(({ kind, fact }) => (kind === "read.decided" ? [fact] : []));
  await send(null);
  p.clock.advance(121_000);
  await stored({ plates: [PLATE] });
  await eventually(() => (decided().length === 1 ? true : undefined), 10_000);
  t.match(decided(), [{ late: true, firstOfPass: true }]);
  p.clock.advance(60_000);
  await send(null);
  await stored({ plates: [PLATE] });
  await eventually(() => (decided().length === 2 ? true : undefined), 10_000);
  t.match(decided()[1], { late: false });
  for (const fact of decided())
    home.bus.announce("read.decided", { ...(fact as Facts["read.decided"]), siteId: home.siteId });
  t.same(
    home.commands.map(({ deviceId }) => deviceId),
    ["lamp", "gate", "lamp"],
    "the lamp for both, the gate for the one in time",
  );
  await home.close();
  await close();
});

/** Premises whose camera looks both ways; `pass` sends one capture and waits until it is stored. */
async function twoWay(folder: string) {
  const p = await Premises.open(folder);
  await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN, approach: "in" });
  await p.rules.create(p.siteId, { plate: PLATE }, "session:1");
  const pass = async (claimed: Direction | null, more: { seen?: Direction; at?: number; confidence?: number } = {}) => {
    p.clock.advance(2_000);
    const { seen, at, confidence = 95 } = more;
    p.recognise.use = async () => {
      const read = reading({ plates: [PLATE], confidence });
      return seen === undefined ? read : { ...read, vehicles: read.vehicles.map((one) => moving(one, seen)) };
    };
    return p.capture({}, { direction: claimed, ...(at === undefined ? {} : { at }) });
  };
  const reads = () => p.reads.list(p.siteId, { limit: 50 }).reads;
  return { p, pass, reads };
}

/** A vehicle whose plate grows through the burst, or shrinks. */
function moving(vehicle: VehicleReading, way: Direction): VehicleReading {
  const [first] = vehicle.sightings;
  if (first === undefined) return vehicle;
  const sightings = [0, 1, 2].map((frame) => {
    const width = way === "in" ? 80 + 20 * frame : 120 - 20 * frame;
    return {
      ...first,
      frame,
      corners: [
        [10, 10],
        [10 + width, 10],
        [10 + width, 30],
        [10, 30],
      ] as const,
    };
  });
  return { ...vehicle, sightings, best: { ...first, frame: 0 } };
}

t.test("who comes in, goes out and comes in again within the time of a pass is inside", async (t) => {
  const { p, pass, reads } = await twoWay(testFolder(t));
  for (const way of ["in", "out", "in"] as const) await pass(null, { seen: way });
  t.same(
    reads().map(({ direction }) => direction),
    ["in", "out", "in"],
  );
  t.match(p.vehicles.profile(p.siteId, PLATE), { passes: 3, inside: true });
  t.equal(p.commands.length, 3, "each was seen to be a pass of its own");
  await pass(null, { seen: "in" });
  t.equal(reads().length, 3, "and the last one goes on");
  t.equal(p.commands.length, 3);
  await p.close();
});

t.test("votes and samples are those of the burst that produced the plate, and no burst vanishes", async (t) => {
  const { p, pass, reads } = await twoWay(testFolder(t));
  const [id = 0] = await pass("in", { confidence: 90 });
  await pass("in", { confidence: 97 });
  await pass("in", { confidence: 91 });
  t.hasStrict(reads(), [{ id, votes: 2, samples: 2, confidence: 97, captureId: 2 }]);
  const listed = p.database.raw.prepare(
    "SELECT capture_id, confidence, votes FROM plate_capture WHERE read_id = ? ORDER BY id",
  );
  t.same(listed.raw().all(id), [
    [1, 90, 2],
    [2, 97, 2],
    [3, 91, 2],
  ]);
  await p.close();
});

t.test("neither a direction nor a time that a camera's credential claims opens a gate a second time", async (t) => {
  const { p, pass, reads } = await twoWay(testFolder(t));
  for (const way of ["in", "out", "in", "out"] as const) await pass(way);
  t.equal(p.commands.length, 1, "directions in turn");
  t.same(
    reads()
      .map(({ gate }) => gate?.reason ?? null)
      .slice(0, 3),
    ["same_pass", "same_pass", "same_pass"],
  );
  p.clock.advance(60_000);
  for (const ago of [0, 40_000, 80_000]) await pass(null, { at: p.clock.now() - ago });
  t.equal(p.commands.length, 2, "times that lie apart");
  await p.close();
});
