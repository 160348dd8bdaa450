/** Listed plates that are presented: what a camera learns, what is odd, and what follows. */
import t from "tap";
import type { SightingPixels } from "../../src/core/plates/reading.ts";
import { GLANCE, isRepeat } from "../../src/core/plates/repeats.ts";
import { type Look, lookOf } from "../../src/core/plates/vehicle-look.ts";
import type { PresentedTask } from "../../src/features/recognition/presented-task.ts";
import { approach, HELD, STANDING, vehicleOf } from "../support/approach.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

const PLATE = "MH12AB1234";
const BY = "session:1";
const GATE = { deviceId: "gate", command: { open: true } };

/** A household with two cameras at a gate, and a recogniser that compares frames as the real one does. */
async function premises(folder: string, presented?: "open" | "ask" | "refuse") {
  const p = await Premises.open(folder);
  p.settings.passMs = 10_000;
  await p.questions.start();
  for (const id of ["camera-in", "camera-out"])
    await p.cameras.edit(p.siteId, id, { gate: GATE, ...(presented === undefined ? {} : { presented }) });
  await p.rules.create(p.siteId, { plate: PLATE, label: "Asha" }, BY);
  let network: number | null = null;
  let look: Look | null = null;
  p.look = async (tasks: readonly PresentedTask[]) =>
    tasks.map(({ glances }) => ({
      network,
      look,
      repeats: glances.map(({ now, before }) => before.flatMap((one, at) => (isRepeat(now, one) ? [at] : []))),
    }));
  const settle = async () => {
    await p.database.write(() => {});
    await p.until(() => true);
    await p.database.write(() => {});
  };
  /** A burst of its own pass. */
  const shows = async (sightings: Parameters<typeof vehicleOf>[0], pixels?: SightingPixels, deviceId = "camera-in") => {
    p.clock.advance(60_000);
    const told = p.commands.length;
    const [id = 0] = await p.capture({ vehicles: [vehicleOf(sightings, pixels)] }, { deviceId });
    await settle();
    return { opens: p.commands.length > told, reason: p.reads.get(p.siteId, id).gate?.reason, odd: oddOf(p, id) };
  };
  const learn = async (passes = 50) => {
    for (let i = 0; i < passes; i++) await shows(approach(((i * 7) % 10) / 10));
  };
  return {
    p,
    shows,
    learn,
    settle,
    says: (score: number | null) => (network = score),
    looks: (seen: Look) => (look = seen),
  };
}

t.test("cameras that are set up now ask, those of earlier versions open as before", async (t) => {
  const folder = testFolder(t);
  const { p } = await premises(folder);
  t.equal(p.cameras.find("camera-in")?.presented, "ask");
  const columns = p.database.raw.prepare(
    "SELECT dflt_value AS value FROM pragma_table_info('camera') WHERE name = 'presented'",
  );
  t.same(columns.get(), { value: "'open'" }, "what stands in rows that were there before the column");
  await p.close();
});

t.test(
  "a lane is learned from passes that were let in, kept over a restart, and forgotten with the source",
  async (t) => {
    const folder = testFolder(t);
    const { p, learn } = await premises(folder);
    await learn(3);
    t.same(p.presented.learned("camera-in"), { passes: 3, of: 50 });
    const { siteId } = p;
    await p.close();
    const again = await Premises.reopen(folder, siteId);
    t.equal(again.presented.learned("camera-in").passes, 3);
    await again.cameras.edit(siteId, "camera-in", { source: { kind: "snapshot", url: "http://camera/" } }, BY);
    t.equal(again.presented.learned("camera-in").passes, 0);
    await again.close();
  },
);

t.test("until the lane is learned nothing but repeated frames is odd", async (t) => {
  const { p, shows, learn, says } = await premises(testFolder(t));
  says(20);
  t.match(await shows(HELD), { opens: true, odd: [] });
  t.match(await shows(STANDING), { opens: true, odd: [] });
  says(null);
  await learn(47);
  t.match(await shows(approach(0.3)), { opens: true, odd: [] });
  t.match(await shows(STANDING), { opens: false, reason: "asked", odd: ["stands"] });
  t.match(p.questions.list(p.siteId), [{ askedFor: "presented", kind: "ask", odd: ["stands"], label: "Asha" }]);
  await p.close();
});

t.test("what a person lets in all the same opens the gate, and teaches the camera", async (t) => {
  const { p, shows, learn, settle } = await premises(testFolder(t));
  await learn();
  t.match(await shows(STANDING), { opens: false, reason: "asked" });
  const told = p.commands.length;
  const [question] = p.questions.list(p.siteId);
  await p.questions.answer(p.siteId, question?.id ?? "", true, BY);
  await settle();
  t.equal(p.commands.length, told + 1);
  t.same(oddOf(p, question?.readId ?? 0), ["stands"], "the read still says it");
  t.equal(p.presented.learned("camera-in").passes, 51);
  t.match(await shows(STANDING), { opens: false }, "one alone says little");
  await p.close();
});

t.test("a vehicle that came in this pass may stand", async (t) => {
  const { p, learn } = await premises(testFolder(t));
  await learn();
  p.clock.advance(60_000);
  p.gateAnswer = () => Promise.reject(new Error("no broker"));
  await p.capture({ vehicles: [vehicleOf(approach(0.3))] });
  p.gateAnswer = () => Promise.resolve();
  const told = p.commands.length;
  p.clock.advance(2_000);
  const last = approach(0.3).slice(-1);
  const waits = [0, 1, 2, 3].flatMap((frame) => last.map((sighting) => ({ ...sighting, frame })));
  await p.capture({ vehicles: [vehicleOf(waits)] });
  t.equal(p.commands.length, told + 1, "it was seen to come, so it may wait");
  await p.close();
});

t.test("refuse keeps the gate shut and asks nobody; open looks at nothing", async (t) => {
  const { p, shows, learn } = await premises(testFolder(t), "refuse");
  await learn();
  t.match(await shows(STANDING), { opens: false, reason: "presented", odd: ["stands"] });
  t.same(p.questions.list(p.siteId), []);
  t.ok(p.feed.some(({ kind, body }) => kind === "gate.kept_shut" && /vehicle/.test(body ?? "")));
  await p.cameras.edit(p.siteId, "camera-in", { presented: "open" }, BY);
  t.ok(p.audits.includes("camera.presented_set"));
  p.look = () => Promise.reject(new Error("nobody asks"));
  t.match(await shows(STANDING), { opens: true, odd: [] });
  await p.close();
});

t.test(
  "a frame that comes again is known at every camera, over a restart, and by its own stay only while that lasts",
  async (t) => {
    const folder = testFolder(t);
    const { p, shows } = await premises(folder);
    const [first, other] = [pixels(1), pixels(2)];
    t.match(await shows(approach(0.3), first), { opens: true });
    t.match(await shows(approach(0.3), first), { opens: false, reason: "asked", odd: ["seen_before"] });
    t.match(await shows(approach(0.3), first, "camera-out"), { opens: false, reason: "asked", odd: ["seen_before"] });
    t.match(await shows(approach(0.3), brighter(first), "camera-out"), {
      opens: false,
      reason: "asked",
      odd: ["seen_before"],
    });
    t.match(await shows(approach(0.3), other), { opens: true, odd: [] }, "another frame of the same vehicle");
    const { siteId } = p;
    await p.close();
    const again = await Premises.reopen(folder, siteId);
    again.look = p.look;
    const [id = 0] = await again.capture({ vehicles: [vehicleOf(approach(0.3), first)] });
    t.same(oddOf(again, id), ["seen_before"]);
    await again.close();
  },
);

t.test("frames shown before open by themselves nowhere: not at a camera that opens, nor by a rule", async (t) => {
  const { p, shows } = await premises(testFolder(t));
  await p.cameras.edit(p.siteId, "camera-in", { presented: "open" }, BY);
  t.match(await shows(HELD, pixels(1)), { opens: true, odd: [] });
  p.look = async (tasks) =>
    tasks.map(({ glances }) => ({
      network: null,
      look: null,
      repeats: glances.map(({ before }) => before.map((_, at) => at)),
    }));
  t.match(await shows(HELD, pixels(2)), { opens: false, reason: "asked", odd: ["seen_before"] });
  await p.cameras.edit(p.siteId, "camera-in", { gate: null }, BY);
  t.match(await shows(HELD, pixels(3)), { opens: false, reason: "no_gate", odd: ["seen_before"] });
  const late = () =>
    p.facts.flatMap(({ kind, fact }) => (kind === "read.decided" ? [(fact as { late: boolean }).late] : []));
  t.same(late().slice(-3), [false, true, true], "what rules go by");
  await p.cameras.edit(p.siteId, "camera-in", { gate: GATE }, BY);
  await p.cameras.edit(p.siteId, "camera-out", { presented: "open" }, BY);
  p.look = () => Promise.reject(new Error("nobody asks"));
  t.match(await shows(HELD, pixels(3)), { opens: true, odd: [] }, "where no camera asks, frames are not compared");
  await p.close();
});

t.test("a frame is known however many came after it", async (t) => {
  const folder = testFolder(t);
  const { p, shows } = await premises(folder);
  await shows(approach(0.3), pixels(1));
  await shows(approach(0.3), pixels(2));
  const { siteId, look } = p;
  const [place] = p.tables.glances.places(siteId, PLATE);
  t.ok(place);
  if (place === undefined) return;
  const later = Array.from({ length: 300 }, (_, i) => ({
    ...{ ...place, readId: 2, x: place.x + 0.001 * (1 + (i % 20)) },
    pixels: Buffer.from(pixels(3 + i).glance),
  }));
  await p.database.write(() => p.tables.glances.note(2, later, { each: 500, most: 2_000 }));
  await p.close();
  const again = await Premises.reopen(folder, siteId);
  again.look = look;
  const [id = 0] = await again.capture({ vehicles: [vehicleOf(approach(0.3), brighter(pixels(1)))] });
  t.same(oddOf(again, id), ["seen_before"]);
  await again.close();
});

t.test("a vehicle that waits and was not let in is no repetition of itself", async (t) => {
  const { p } = await premises(testFolder(t));
  p.gateAnswer = () => Promise.reject(new Error("no broker"));
  await p.capture({ vehicles: [vehicleOf(approach(0.3), pixels(1))] });
  p.gateAnswer = () => Promise.resolve();
  const told = p.commands.length;
  p.clock.advance(3_000);
  await p.capture({ vehicles: [vehicleOf(approach(0.3), pixels(1))] });
  t.equal(p.commands.length, told + 1);
  await p.close();
});

/** What the network makes of a vehicle, a little different each time. */
function lookOfVehicle(vehicle: number, time = 0): Look {
  const wave = (n: number, by: number): number => Math.sin(n * 12.9898 + by * 78.233) * 2;
  const look = lookOf([Array.from({ length: 64 }, (_, n) => wave(n, vehicle) + 0.2 * wave(n, 100 + time))]);
  if (look === null) throw new Error("it has no length");
  return look;
}

t.test("a plate that comes on another vehicle than before is asked about, also where others are refused", async (t) => {
  const folder = testFolder(t);
  const { p, shows, looks } = await premises(folder, "refuse");
  const comes = (vehicle: number, time: number) => {
    looks(lookOfVehicle(vehicle, time));
    return shows(approach(((time * 7) % 10) / 10), pixels(1_000 * vehicle + time));
  };
  for (let i = 0; i < 50; i++) t.match(await comes(1, i), { opens: true, odd: [] });
  t.match(await comes(1, 60), { opens: true, odd: [] });
  t.match(await comes(2, 61), { opens: false, reason: "asked", odd: ["other_vehicle"] });
  const [question] = p.questions.list(p.siteId);
  t.match(await p.questions.answer(p.siteId, question?.id ?? "", true, BY), { state: "opened" });
  t.match(await comes(2, 62), { opens: false, odd: ["other_vehicle"] }, "once let in, it is still another");
  const { siteId, look } = p;
  await p.close();
  const again = await Premises.reopen(folder, siteId);
  again.look = look;
  const [id = 0] = await again.capture({ vehicles: [vehicleOf(approach(0.3), pixels(9_000))] });
  t.same(oddOf(again, id), ["other_vehicle"], "kept over a restart");
  await again.database.write(() => again.database.raw.prepare("DELETE FROM plate_read").run());
  await again.close();
  const later = await Premises.reopen(folder, siteId);
  later.look = look;
  const [last = 0] = await later.capture({ vehicles: [vehicleOf(approach(0.4), pixels(9_500))] });
  t.same(oddOf(later, last), [], "without the reads nobody knows whose looks they were");
  await later.close();
});

t.test("what could not be looked at is not taken for a vehicle", async (t) => {
  const { p, shows } = await premises(testFolder(t));
  p.look = async () => [];
  t.match(await shows(approach(0.3), pixels(1)), { opens: false, reason: "asked", odd: ["unchecked"] });
  p.look = async (tasks) => tasks.map(() => ({ network: null, look: null, repeats: [] }));
  t.match(
    await shows(approach(0.3), pixels(2)),
    { opens: false, reason: "asked", odd: ["unchecked"] },
    "not its frames",
  );
  await p.close();
});

t.test("the listed plates of a burst are looked at together, and each has its own answer", async (t) => {
  const { p, shows } = await premises(testFolder(t));
  const others = ["KA01AB2222", "TN09CD3333"];
  for (const plate of others) await p.rules.create(p.siteId, { plate, label: plate }, BY);
  await shows(approach(0.3, { plate: "KA01AB2222" }), pixels(1));
  const looks: number[] = [];
  const { look } = p;
  p.look = (tasks, deviceId) => {
    looks.push(tasks.length);
    return look(tasks, deviceId);
  };
  p.clock.advance(60_000);
  const vehicles = [PLATE, ...others, "MH14XY4444"].map((plate, i) =>
    vehicleOf(approach(0.3, { plate }), pixels(plate === "KA01AB2222" ? 1 : 5 + i)),
  );
  const ids = await p.capture({ vehicles });
  t.same(looks, [3], "once for all three, so that their limit is one; a stranger's is not looked at");
  t.same(
    ids.map((id) => oddOf(p, id)),
    [[], ["seen_before"], [], []],
  );
  await p.close();
});

t.test("frames are remembered of listed plates only, a few of a read, and go with it", async (t) => {
  const { p, shows } = await premises(testFolder(t));
  const count = () => p.database.raw.prepare<[], { n: number }>("SELECT count(*) AS n FROM shown_glance").get()?.n;
  await shows(approach(0.3, { plate: "KA01AB2222" }), pixels(1));
  t.equal(count(), 0, "a stranger's");
  await shows(approach(0.3), pixels(2));
  t.equal(count(), 6);
  p.clock.advance(60_000);
  for (let i = 0; i < 10; i++) {
    p.clock.advance(1_000);
    await p.capture({ vehicles: [vehicleOf(approach(0.3), pixels(3 + i))] });
  }
  await p.database.write(() => {});
  t.equal(count(), 6 + 24);
  await p.reads.forget(p.siteId, PLATE, BY);
  t.equal(count(), 0);
  await p.close();
});

/** What a read says is odd. */
function oddOf(p: Premises, id: number): unknown {
  const row = p.database.raw
    .prepare<[number], { odd: string | null }>("SELECT odd FROM plate_read WHERE id = ?")
    .get(id);
  return JSON.parse(row?.odd ?? "[]");
}

/** Pixels of a frame that differ from those of every other number. */
function pixels(which: number): SightingPixels {
  const glance = Uint8Array.from({ length: GLANCE.width * GLANCE.height }, (_, i) => {
    const [x, y] = [i % GLANCE.width, Math.floor(i / GLANCE.width)];
    return Math.round(128 + 60 * Math.sin(x / (3 + which) + which) + 50 * Math.cos(y / (2 + which / 3) - which));
  });
  return { around: new Uint8Array(96 * 64), glance };
}

function brighter({ around, glance }: SightingPixels): SightingPixels {
  return { around, glance: glance.map((value) => Math.min(255, Math.round(value * 1.05 + 3))) };
}
