/** What the parts of the gate answer, refuse, tell and store, in full and at the edges of every limit. */

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { Feed } from "../../src/features/feed/feed.ts";
import { GateFeed } from "../../src/features/gate/gate-feed.ts";
import { openerName, openingText } from "../../src/features/gate/opening-texts.ts";
import type { PlateReadRow } from "../../src/features/gate/tables/plate-read.ts";
import { Recorded, sameAsRecorded } from "../support/recorded.ts";
import { EveryDevice } from "../support/stand-ins.ts";
import { testFolder } from "../support/test-folder.ts";
import { openingScenarios } from "./in-full-openings.ts";
import { ruleScenarios } from "./in-full-rules.ts";
import { Premises, reading as readingOf, rows } from "./premises.ts";

const OPEN = { deviceId: "gate", command: { ch: 1, on: true } };
const [PLATE, OTHER] = ["MH12AB1234", "KA01AB2222"] as const;
const BY = "session:1";
const MINUTE = 60_000;
const DAY = 86_400_000;

type Scenario = (r: Recorded, p: Premises) => Promise<void>;

const scenarios: Readonly<Record<string, Scenario>> = {
  async cameras(r, p) {
    const { siteId, testSiteId, cameras } = p;
    const all = {
      enabled: false,
      direction: "in",
      approach: "out",
      insideGate: true,
      gate: OPEN,
      source: { kind: "snapshot", url: "http://192.168.1.5/a.jpg" },
    } as const;
    await r.step("none is set", () => [cameras.all(), cameras.find("camera-in"), cameras.find("gate")]);
    await r.step("all is set", () => cameras.edit(siteId, "camera-in", all));
    await r.step("nothing is set", () => cameras.edit(siteId, "camera-out", {}));
    await r.step("nothing is changed", () => cameras.edit(siteId, "camera-in", {}));
    await r.step("a gate is made a camera", () => cameras.edit(siteId, "gate", { direction: "out" }));
    await r.step("another household's", () => cameras.edit(testSiteId, "camera-in", {}));
    await r.step("nobody's", () => cameras.edit(siteId, "nothing", {}));
    await r.step("its gate is another household's", () => cameras.edit(testSiteId, "camera-test", { gate: OPEN }));
    await r.step("asked of another household", () => cameras.get(testSiteId, "camera-in"));
    await r.step("what stands", () => [cameras.all(), rows(p, "camera")]);
    await r.step("pictures of whom", () =>
      ["camera-in", "camera-out", "gate", "nothing"].map((id) => p.gate.takes(id)),
    );
  },

  async "reads of one pass, and of the next"(r, p) {
    const { siteId } = p;
    await p.cameras.edit(siteId, "camera-in", { gate: OPEN, direction: "in" });
    await p.rules.create(siteId, { plate: PLATE, label: "Asha" }, BY);
    await p.rules.create(siteId, { plate: OTHER, kind: "watch", label: "Rao" }, BY);
    p.settings.minConfidence = 60;
    p.capacity = 2;
    const passes = async (name: string, ms: number, ...seen: Parameters<Premises["capture"]>) => {
      p.clock.advance(ms);
      await r.step(name, () => p.capture(...seen));
    };
    await passes("not sure", 0, { plates: [PLATE], confidence: 59 }, { key: "1" });
    await passes("sure, at the end of the pass", 30_000, { plates: [PLATE], confidence: 60 });
    await passes("worse again", 30_000, { plates: [PLATE], confidence: 50 }, { isFresh: false });
    await passes("a pass later", 30_001, { plates: [PLATE], confidence: 100 }, { isFresh: false });
    await passes("watched", MINUTE, { plates: [OTHER] }, { deviceId: "camera-out", direction: "out" });
    await passes("two at once", MINUTE, { plates: [OTHER, "DL8CAF5031"] });
    await passes("from the past", MINUTE, { plates: [OTHER] }, { at: p.clock.now() - 10 * MINUTE, isFresh: false });
    for (const reason of ["no_plate", "no_recogniser", "provider_error", "no_recogniser"] as const)
      await passes(`nothing: ${reason} ${Object.keys(r.steps).length}`, 0, { reason }, { direction: "in" });
    await passes("a trouble again, a moment too early", 10 * MINUTE - 1, { reason: "no_recogniser" });
    await passes("and in time", 1, { reason: "no_recogniser" }, { deviceId: "camera-in" });
    p.gateAnswer = () => Promise.reject(new Error("offline"));
    await passes("a gate that refuses", MINUTE, { plates: [PLATE] });
    await r.step("figures", () => [p.gate.figures, p.occupancy.now(siteId), p.gate.nextCaptureId()]);
    await r.step("known captures", () =>
      [0, 1].map((ms) => p.gate.knows("camera-in", "1", p.clock.now() - (p.reads.get(siteId, 1).at + ms))),
    );
    await r.step("what stands", () => rows(p, "plate_read", "visit", "vehicle", "plate_image", "plate_rule"));
    for (const query of [
      { limit: 2 },
      { limit: 2, before: { at: p.reads.get(siteId, 3).at, id: 3 } },
      { limit: 50, plate: "dl8 caf 5031" },
      { limit: 50, direction: "out" },
      { limit: 50, status: "unrecognised", deviceId: "camera-in" },
      { limit: 50, until: p.reads.get(siteId, 2).at },
      { limit: 50, decision: "watch" },
    ] as const)
      await r.step(`listed: ${JSON.stringify(Object.keys(query))} ${Object.keys(r.steps).length}`, () =>
        p.reads.list(siteId, query),
      );
    await r.step("listed for no plate", () => p.reads.list(siteId, { limit: 1, plate: "?" }));
    await r.step("a picture of none", () => p.reads.image(siteId, 99));
    await r.step("a picture that there never was", () => p.reads.image(siteId, 10));
    await r.step("corrected", () => p.reads.correct(siteId, 4, "dl 8 caf 5031", "session:2"));
    await r.step("corrected to nothing", () => p.reads.correct(siteId, 4, "?", BY));
    await r.step("recognised by hand", () => p.reads.correct(siteId, 9, "22 BH 1234 AA", BY));
    await r.step("vehicles", () => p.vehicles.list(siteId, { days: 1, limit: 2 }));
    await r.step("further vehicles", () =>
      p.vehicles.list(siteId, {
        days: 1,
        limit: 2,
        before: p.vehicles.list(siteId, { days: 1, limit: 2 }).next ?? undefined,
      }),
    );
    await r.step("all vehicles", () => p.vehicles.list(siteId, { days: 1, limit: 4 }).next);
    await r.step("inside", () => [p.vehicles.inside(siteId), p.vehicles.insideNow(siteId)]);
    await r.step("one of them", () => p.vehicles.profile(siteId, "dl8caf5031"));
    await r.step("one never seen", () => p.vehicles.profile(siteId, "DL8CAF5039"));
    await r.step("none", () => p.vehicles.profile(siteId, "?"));
    await r.step("closed by hand", () => p.vehicles.closeVisit(siteId, p.vehicles.inside(siteId)[0]?.id ?? 0, BY));
    await r.step("closed again", () => p.vehicles.closeVisit(siteId, 1, BY));
    await r.step("closed for nobody", () => p.vehicles.closeVisit(siteId, 99, BY));
    await r.step("seen", async () => {
      const account = Number(p.database.raw.prepare("SELECT id FROM account").pluck().get());
      const marks = [p.seenReads.upTo(account)];
      for (const upTo of [0, 3, 2, 99]) {
        await p.seenReads.raise(siteId, account, upTo);
        marks.push(p.seenReads.upTo(account));
      }
      return marks;
    });
    const forgotten: unknown[] = [];
    p.reads.tellForgotten((...what) => forgotten.push(what));
    await p.rules.create(siteId, { plate: PLATE, deviceId: "camera-in" }, BY);
    await r.step("forgotten elsewhere", () => p.reads.forget(siteId, PLATE, "hub", true));
    await r.step("what stands of it", () => [p.rules.list(siteId), forgotten]);
    await r.step("forgotten here", () => p.reads.forget(siteId, PLATE, BY));
    await r.step("forgotten for nothing", () => p.reads.forget(siteId, "?", BY));
    await r.step("what was told", () => [p.rules.list(siteId), forgotten]);
  },

  async "what becomes old"(r, p) {
    const { siteId, retention } = p;
    const { pictures, visits, reads } = retention;
    p.settings.imageRetentionDays = 2;
    p.settings.readRetentionDays = 3;
    for (const [plate, direction] of [
      [PLATE, "in"],
      [PLATE, "out"],
      [OTHER, "out"],
      ["DL8CAF5031", "in"],
    ] as const) {
      await p.capture({ plates: [plate] }, { direction });
      p.clock.advance(MINUTE);
    }
    await p.capture({ reason: "no_recogniser" });
    const state = () =>
      [pictures, visits, reads].map((one) => [
        one.kind,
        one.setting,
        one.keepDays(),
        one.held(),
        one.due(one.keepDays()),
      ]);
    await r.step("new", () => [state(), retention.imageBytes(), visits.due(0), reads.due(0), pictures.due(0)]);
    p.clock.advance(2 * DAY - 4 * MINUTE);
    await r.step("on the edge of two days", state);
    p.clock.advance(1);
    await r.step("past it", state);
    await r.step("one picture at most", async () => [await pictures.remove(1), state(), await pictures.remove(0)]);
    await r.step("room is made", async () => [await retention.evictImages(2), state(), retention.imageBytes()]);
    await r.step("strays", async () => {
      await p.images.remove([4]);
      return [await retention.removeStrays(), await retention.removeStrays(), await p.images.read(5)];
    });
    p.clock.advance(DAY - 1);
    await r.step("on the edge of three", state);
    p.clock.advance(MINUTE + 1);
    await r.step("past two reads", async () => [state(), await visits.remove(500), await reads.remove(500), state()]);
    p.clock.advance(3 * MINUTE);
    await r.step("past all", async () => [state(), await visits.remove(1), await reads.remove(1), state()]);
    await r.step("all that may go", async () => [await visits.remove(500), await reads.remove(500), state()]);
    await r.step("what stands", () => rows(p, "plate_read", "visit", "vehicle", "visit_closure"));
    p.settings.imageRetentionDays = 9;
    await r.step("reads are kept as long as their pictures", () => [reads.due(3), visits.due(3), reads.due(9)]);
    await r.step("of another household", () => p.vehicles.list(p.testSiteId, { days: 9, limit: 9 }));
    await r.step("vehicles of so many days", () =>
      [3, 4].map((days) => p.vehicles.list(siteId, { days, limit: 9 }).vehicles.map(({ plate }) => plate)),
    );
  },

  async "what cannot be stored"(r, p) {
    const { siteId } = p;
    const { raw } = p.database;
    await p.rules.create(siteId, { plate: PLATE }, BY);
    const files = async () => {
      const found = [];
      for (let id = 0; id < 9; id++) if ((await p.images.read(id)) !== null) found.push(id);
      return found;
    };
    await r.step("without frames", () =>
      p.gate.take({
        burst: {
          ...{
            deviceId: "camera-in",
            captureId: 9,
            trigger: "manual",
            at: p.clock.now(),
            direction: "out",
            frames: [],
          },
          completeMono: p.clock.mono() - 7,
        },
        ...{ captureKey: null, opensUntilMono: Number.POSITIVE_INFINITY, reading: null },
      }),
    );
    p.encodeImage = async () => null;
    await r.step("a picture that cannot be decoded", () => p.capture({ plates: [PLATE] }));
    p.encodeImage = () => Promise.reject(new Error("broken"));
    p.clock.advance(MINUTE);
    await r.step("one that cannot be written", () => p.capture({ plates: [PLATE] }));
    p.encodeImage = async (frame) => frame;
    await r.step("a picture for the same pass", async () => [await p.capture({ plates: [PLATE] }), await files()]);
    await r.step("none for a worse read", () => {
      p.encodeImage = () => Promise.reject(new Error("asked for"));
      return p.capture({ plates: [PLATE], confidence: 90 });
    });
    p.encodeImage = async (frame) => frame;
    raw.exec("CREATE TEMP TRIGGER refused BEFORE INSERT ON plate_read BEGIN SELECT RAISE(ABORT, 'no'); END");
    p.clock.advance(MINUTE);
    const both = [p.capture({ plates: [OTHER] }), p.capture({ plates: [OTHER] })];
    await r.step("a pass", () => both[0]);
    await r.step("its next burst", () => both[1]);
    await r.step("nothing read", () => p.capture({ reason: "timeout" }));
    await r.step("no pictures of them", files);
    raw.exec("DROP TRIGGER refused");
    await r.step("then it goes on", async () => [await p.capture({ plates: [OTHER] }), await files()]);
    await r.step("without a picture kept", async () => {
      p.settings.imageRetentionDays = 0;
      p.clock.advance(MINUTE);
      return [await p.capture({ plates: [OTHER] }), await p.capture({ reason: "timeout" }), await files()];
    });
    await r.step("a vehicle without a plate", () => {
      p.recognise.use = async () => ({ samples: 3, vehicles: [], reason: null, unread: [], tookMs: 1 });
      return p.capture({});
    });
    await r.step("strays", async () => {
      await p.images.write(1_999, Buffer.from("x"));
      await writeFile(join(p.folder, "images", "0", "1.jpg.part"), "x");
      await writeFile(join(p.folder, "images", "0", "notes"), "x");
      await writeFile(join(p.folder, "images", "stray"), "x");
      const first = await p.retention.removeStrays();
      return [first, await p.retention.removeStrays(), await readdir(join(p.folder, "images")), await files()];
    });
    await r.step("what stands", () => rows(p, "plate_read", "plate_image", "plate_rule"));
  },

  async "how long a burst took"(r, p) {
    const times: object[] = [];
    p.gate.onTimed((timing) => times.push(timing));
    await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
    await p.rules.create(p.siteId, { plate: PLATE }, BY);
    const took = async (plates: string[], ready: number | null) => {
      times.length = 0;
      const { vehicles } = readingOf({ plates });
      p.recognise.use = async (burst) => {
        p.clock.advance(50);
        const readyMono = ready === null ? {} : { readyMono: burst.completeMono + ready };
        return { samples: 1, vehicles, reason: null, unread: [], tookMs: 1, ...readyMono };
      };
      p.gateAnswer = async () => p.clock.advance(7);
      await p.capture({});
      return [times, p.gate.figures];
    };
    await r.step("unknown", () => took([OTHER], 40));
    await r.step("allowed", () => took([PLATE], 40));
    p.clock.advance(MINUTE);
    await r.step("read before it was complete", () => took([PLATE], -40));
    p.clock.advance(MINUTE);
    await r.step("not said when", () => took([PLATE], null));
    await r.step("told already", () => took([PLATE], 0));
    await r.step("nothing", () => took([], 40));
    p.clock.advance(MINUTE);
    p.gateAnswer = () => Promise.reject(new Error("offline"));
    await r.step("refused", () => {
      times.length = 0;
      p.recognise.use = async () => readingOf({ plates: [PLATE] });
      return p.capture({}).then(() => times);
    });
  },

  async "more than is kept in mind"(r, p) {
    const { siteId } = p;
    const told: string[] = [];
    const { database, clock } = p;
    const noted = new Feed(p.base);
    noted.record = ({ deviceId }) => {
      told.push(deviceId ?? "");
      return null;
    };
    const registry = new EveryDevice(p.base, () => null);
    const feed = new GateFeed(p.base, { tables: p.tables, registry, feed: noted });
    const camera = p.cameras.get(siteId, "camera-in");
    const unread = (deviceId: string) =>
      feed.unrecognised({ ...camera, deviceId }, { reason: "timeout", at: 1 } as PlateReadRow); // looks at nothing else
    await r.step("cameras with trouble", () => {
      for (let n = 0; n < 1_000; n++) unread(`c${n}`);
      unread("c0");
      const thousand = told.length;
      unread("c1000");
      unread("c0");
      return [thousand, told.slice(999)];
    });
    await p.openings.start();
    p.states.set("gate", { gate: "closed" });
    const order = { siteId, deviceId: "gate", command: '{"open":true}', actor: "cli", delivery: "sent" as const };
    for (let commandId = 1; commandId <= 201; commandId++) p.openings.sent({ ...order, commandId });
    await database.write(() => {});
    await r.step("orders", async () => {
      p.states.set("gate", { gate: "open" });
      for (const commandId of [1, 2])
        p.bus.announce("command.changed", {
          ...{ siteId, deviceId: "gate", commandId, actor: "", status: "acknowledged", reason: null, at: 0 },
        });
      await database.write(() => {});
      const settled = p.openings.list(siteId, { limit: 300 }).filter(({ result }) => result !== "waiting");
      return [settled.map(({ id }) => id), clock.pending];
    });
    await p.openings.stop();
    await r.step("timers", () => clock.pending);
  },

  async "passwords of cameras from before they were sealed"(r, p) {
    const source = JSON.stringify({ kind: "snapshot", url: "http://u:secret@192.168.1.5/a.jpg" });
    const put = (deviceId: string) =>
      p.database.raw
        .prepare(
          "INSERT INTO camera (device_id, site_id, enabled, inside_gate, source, updated_at) VALUES (?, ?, 1, 0, ?, 5)",
        )
        .run(deviceId, p.siteId, source);
    put("camera-in");
    const stored = () => p.database.raw.prepare<[], { source: string }>("SELECT source FROM camera").all();
    await r.step("read", () => [p.cameras.find("camera-in"), stored().map((row) => row.source.includes("secret"))]);
    await r.step("sealed", async () => {
      await p.cameras.start();
      return [p.cameras.find("camera-in"), stored().map((row) => row.source.includes("secret"))];
    });
    await r.step("left alone", async () => {
      const before = stored();
      await p.cameras.start();
      return before[0]?.source === stored()[0]?.source;
    });
  },
};

t.test("what the parts of the gate answer, refuse and tell is what is recorded", async (t) => {
  const found: Record<string, unknown> = {};
  for (const [name, scenario] of Object.entries({ ...ruleScenarios, ...scenarios, ...openingScenarios }))
    await t.test(name, async (t) => {
      const p = await Premises.open(testFolder(t));
      const { feed, facts, reports, commands, audited } = p;
      const told: Readonly<Record<string, unknown[]>> = { feed, facts, reports, commands, audited };
      const r = new Recorded(told, p.clock.now(), () => p.database.write(() => {}));
      await scenario(r, p);
      found[name] = r.steps;
      await p.close();
    });
  found["words for openings"] = words();
  sameAsRecorded(t, "gate", found);
});

/** Every way to say what became of an opening. */
function words(): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const told of ["opened", "not_opened"] as const)
    for (const isLate of [false, true])
      for (const isLock of [false, true])
        for (const name of [null, "", "Asha"])
          for (const plate of [null, "MH 12 AB 1234"])
            for (const reason of [null, "offline"] as const)
              for (const kind of ["device", "person"] as const) {
                const text = openingText({ told, isLate, gate: "Gate", isLock, by: { kind, name }, plate, reason });
                found[JSON.stringify([told, isLate, isLock, name, plate, reason, kind])] =
                  Object.values(text).join(" ");
              }
  for (const byKind of ["plate", "person"] as const)
    for (const label of [null, "", "Asha"])
      found[`${byKind} ${label}`] = openerName({ byKind, byName: "By", label, formatted: "MH 12" } as Parameters<
        typeof openerName
      >[0]);
  return found;
}
