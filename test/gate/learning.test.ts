/**
 * What a site learns of its owner's corrections: a camera that mixes up some characters is played, with views as the
 * reader gives them; the analyser, the vote, the gate and the database are real.
 */
import sharp from "sharp";
import t from "tap";
import { Countries } from "../../src/core/plates/countries.ts";
import type { Burst, BurstReading } from "../../src/core/plates/reading.ts";
import { vote } from "../../src/core/plates/vote.ts";
import { sighting } from "../support/sighting.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

const LISTED = 12;
const VISITORS = 48;
const CORRECTIONS = 100;
const READS = 500;
const MINUTE = 60_000;
/** What this camera mixes up, and how often. */
const MIXED: Readonly<Record<string, string>> = { 3: "8", 1: "7", M: "N", V: "Y", 6: "0" };
const MIXED_SHARE = 0.45;

t.test("a hundred corrections help the next five hundred reads, and give no stranger a listed plate", async (t) => {
  const chance = seeded(7);
  const pick = <One>(some: readonly One[]): One => some[Math.floor(chance() * some.length)] as One;
  const newPlate = (): string =>
    `${pick(["MH12", "MH14", "KA01", "DL3C", "GJ05"])}${pick([..."ABMVCDN"])}${pick([..."ABMVCDN"])}${1000 + Math.floor(chance() * 9000)}`.slice(
      0,
      10,
    );
  const listed = Array.from({ length: LISTED }, newPlate);
  const visitors = Array.from({ length: VISITORS }, newPlate);
  // some strangers differ from a resident only in what the camera mixes up
  const alike = listed.flatMap((plate) => {
    const place = [...plate].findIndex((one) => MIXED[one] !== undefined);
    return place < 0 ? [] : [plate.slice(0, place) + MIXED[plate[place] ?? ""] + plate.slice(place + 1)];
  });
  const arriving = (): string => {
    const share = chance();
    if (share < 0.3) return pick(listed);
    return share < 0.8 ? pick(visitors) : share < 0.88 ? pick(alike) : newPlate();
  };
  const seenOf = (truth: string): BurstReading => {
    const doubt = Object.fromEntries(
      [...truth].flatMap((character, place) => {
        const other = MIXED[character];
        if (other === undefined || chance() > MIXED_SHARE) return [];
        const own = 0.25 + 0.4 * chance();
        return [[place, { [character]: own, [other]: 0.97 - own }]];
      }),
    );
    const { vehicles, unread } = vote([sighting(0, truth, { doubt, certainty: 0.9 })], Countries.all);
    return { samples: 1, vehicles, unread, reason: vehicles.length > 0 ? null : "invalid_format", tookMs: 1 };
  };

  const p = await Premises.open(testFolder(t));
  p.settings.minConfidence = 0;
  await p.cameras.edit(p.siteId, "camera-in", { gate: { deviceId: "gate", command: { state: "open" } } });
  for (const plate of new Set(listed)) await p.rules.create(p.siteId, { plate }, "session:1");
  let reading: BurstReading = seenOf("MH12AB1234");
  p.recognise.use = async (_burst: Burst) => reading;
  const pass = async (truth: string) => {
    reading = seenOf(truth);
    p.clock.advance(5 * MINUTE);
    const before = p.commands.length;
    const [id = 0] = await p.capture({});
    const alone = reading.vehicles[0]?.analysis.plate ?? null;
    return { id, alone, plate: p.reads.get(p.siteId, id).plate, opened: p.commands.length > before };
  };

  for (let corrected = 0; corrected < CORRECTIONS; ) {
    const truth = arriving();
    const { id, plate } = await pass(truth);
    if (plate === truth) continue;
    await p.reads.correct(p.siteId, id, truth, "session:1");
    corrected += 1;
  }
  let [right, rightAlone, wrong, wrongAlone, forListed, openedWrongly] = [0, 0, 0, 0, 0, 0];
  for (let n = 0; n < READS; n++) {
    const truth = arriving();
    const { alone, plate, opened } = await pass(truth);
    if (plate === truth) right += 1;
    if (alone === truth) rightAlone += 1;
    if (plate !== null && plate !== truth) wrong += 1;
    if (alone !== null && alone !== truth) wrongAlone += 1;
    if (plate !== truth && alone !== plate && listed.includes(plate ?? "")) forListed += 1;
    if (opened && alone !== plate) openedWrongly += 1;
  }
  t.comment(`right ${rightAlone} → ${right} of ${READS}, wrong ${wrongAlone} → ${wrong}`);
  t.ok(right >= rightAlone + 10, `right ${rightAlone} → ${right}`);
  t.ok(wrong <= wrongAlone, `wrong ${wrongAlone} → ${wrong}`);
  t.equal(forListed, 0, "none is taken for a listed plate that it is not");
  t.equal(openedWrongly, 0, "what is assumed opens nothing, whatever the least confidence");
  await p.close();
});

t.test(
  "the picture of a corrected plate is kept where the owner wants it, for as long as the owner wants",
  async (t) => {
    const p = await Premises.open(testFolder(t));
    // a red plate on grey, where the played recogniser finds it
    const plate = await sharp({ create: { width: 80, height: 20, channels: 3, background: "#f00000" } })
      .png()
      .toBuffer();
    p.encodeImage = () =>
      sharp({ create: { width: 640, height: 480, channels: 3, background: "#808080" } })
        .composite([{ input: plate, left: 10, top: 10 }])
        .jpeg({ quality: 95 })
        .toBuffer();
    const corrected = async (text: string) => {
      p.clock.advance(5 * MINUTE);
      const [id = 0] = await p.capture({ plates: ["MH12AB8234"] });
      await p.reads.correct(p.siteId, id, text, "session:1");
      return id;
    };
    const kept = () => p.reads.samples(p.siteId, 0, 10);
    await corrected("MH12AB3234");
    t.same(kept(), [], "never, by itself");

    p.settings.keepCorrected = "with_picture";
    const id = await corrected("MH12AB3234");
    const [sample] = kept();
    t.match(sample, { readId: id, deviceId: "camera-in", plate: "MH12AB3234", seen: "MH12AB8234" });
    const { width = 0, height = 0 } = await sharp(sample?.crop).metadata();
    t.ok(width <= 120 && height <= 60, `the plate with a margin, not the picture: ${width} × ${height}`);
    const [red = 0, green = 255] = await sharp(sample?.crop)
      .extract({ left: 50, top: 20, width: 1, height: 1 })
      .raw()
      .toBuffer();
    t.ok(red > 200 && green < 60, "and it shows the plate");

    p.clock.advance(31 * 24 * 60 * MINUTE);
    t.ok(Number(await p.retention.pictures.due(30)) >= 2);
    p.settings.keepCorrected = "always";
    await p.retention.pictures.remove(100);
    t.equal(kept().length, 1, "the picture is gone, the plate stays");
    p.settings.keepCorrected = "with_picture";
    t.equal(await p.retention.pictures.due(30), 1);
    await p.retention.pictures.remove(100);
    t.same(kept(), []);

    await corrected("MH12AB3234");
    t.equal(kept().length, 1);
    await p.reads.forget(p.siteId, "MH12AB3234", "session:1");
    t.same(kept(), [], "who is forgotten is not kept for this either");
    await p.close();
  },
);

t.test("the site's accuracy counts what persons put right, month by month", async (t) => {
  const p = await Premises.open(testFolder(t));
  const ids: number[] = [];
  for (let n = 0; n < 4; n++) {
    p.clock.advance(5 * MINUTE);
    ids.push(...(await p.capture({ plates: [`MH12AB${1000 + 1111 * n}`] })));
  }
  for (let n = 0; n < 2; n++) {
    p.clock.advance(5 * MINUTE);
    ids.push(...(await p.capture({ reason: "invalid_format" })));
  }
  await p.reads.correct(p.siteId, ids[0] ?? 0, "KA01MM1111", "session:1");
  await p.reads.correct(p.siteId, ids[1] ?? 0, "MH12AB2111", "session:1");
  await p.reads.correct(p.siteId, ids[4] ?? 0, "KA01MM2222", "session:1");
  const month = new Date(p.clock.now()).toISOString().slice(0, 7);
  t.same(p.reads.accuracy(p.siteId), [{ month, read: 4, corrected: 1, filledIn: 1, illegible: 1 }]);
  t.same(p.reads.accuracy(p.testSiteId), []);
  p.clock.advance(400 * 24 * 60 * MINUTE);
  t.same(p.reads.accuracy(p.siteId), []);
  await p.close();
});

/** Numbers from 0 to 1, the same at each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
