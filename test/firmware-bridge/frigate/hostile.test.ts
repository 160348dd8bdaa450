import fc from "fast-check";
import t from "tap";
import { frigate } from "../../../firmware-bridge/frigate/frigate.ts";
import { REPLAY_START } from "../../support/conversation.ts";

const TOPICS = [
  "available",
  "events",
  "reviews",
  "stats",
  "tracked_object_update",
  "camera_activity",
  "gate/motion",
  "gate/detect/state",
  "gate/person",
  "gate/status/detect",
  "gate/ptz",
  "a/b/c/d",
  "",
  "/",
  "__proto__/motion",
];

t.test("messages of any form are tolerated; a plate that is passed on is valid", async (t) => {
  const adapter = frigate.open({ prefix: null });
  const value = fc.jsonValue({ maxDepth: 4 });
  const plate = fc.record({
    type: fc.constantFrom("lpr", "new", "end"),
    id: fc.oneof(fc.string(), value),
    plate: fc.oneof(fc.constantFrom("MH12AB1234", "KA 01 AA 0001"), fc.string(), value),
    score: fc.oneof(fc.double(), value),
    camera: fc.oneof(fc.constant("gate"), value),
    timestamp: value,
  });
  const event = fc.record({
    type: fc.constantFrom("new", "update", "end"),
    after: fc.record({
      id: value,
      camera: fc.constantFrom("gate", "__proto__"),
      severity: fc.constant("alert"),
      data: value,
      recognized_license_plate: value,
      recognized_license_plate_score: value,
    }),
  });
  const payload = fc.oneof(
    plate.map((one) => JSON.stringify(one)),
    event.map((one) => JSON.stringify(one)),
    value.map((one) => JSON.stringify(one)),
    fc.string(),
    fc.constantFrom("[".repeat(70_000), "ON", "5", "x".repeat(2_000_000)),
  );
  let plates = 0;
  const isSound = (topic: string, text: string): boolean =>
    adapter
      .message({ topic: `frigate/${topic}`, payload: Buffer.from(text), retained: false, at: REPLAY_START })
      .every((effect) => {
        if (effect.do === "device") return /^[a-z0-9_-]{1,48}$/.test(effect.device.key);
        if (effect.do !== "plate") return true;
        plates += 1;
        const { text: read, confidence, at, eventId } = effect.plate;
        return (
          read.length >= 2 &&
          read.length <= 20 &&
          confidence >= 0 &&
          confidence <= 1 &&
          at >= 0 &&
          at <= REPLAY_START + 300_000 &&
          eventId.length > 0
        );
      });
  fc.assert(fc.property(fc.constantFrom(...TOPICS), payload, isSound), { numRuns: 3000 });
  const reading = fc.record({
    type: fc.constant("lpr"),
    id: fc.string(),
    plate: fc.constantFrom("MH12AB1234", "KA 01 AA 0001"),
    score: fc.double(),
    camera: fc.constant("gate"),
    timestamp: value,
  });
  fc.assert(
    fc.property(reading, (one) => isSound("tracked_object_update", JSON.stringify(one))),
    { numRuns: 500 },
  );
  t.ok(plates > 5, `${plates} plates`);
  t.equal(Reflect.get({}, "polluted"), undefined);
});

t.test("neither cameras nor events accumulate without limit", async (t) => {
  const adapter = frigate.open({ prefix: null });
  const send = (topic: string, payload: object | string) =>
    adapter.message({
      topic: `frigate/${topic}`,
      payload: Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)),
      retained: false,
      at: REPLAY_START,
    });
  const made = new Set<string>();
  for (let index = 0; index < 1000; index++)
    for (const effect of send(`cam${index}/motion`, "ON")) if (effect.do === "device") made.add(effect.device.key);
  t.equal(made.size, 200);
  for (let index = 0; index < 2000; index++)
    send("tracked_object_update", { type: "lpr", id: `e${index}`, plate: "MH12AB1234", score: 0.9, camera: "cam1" });
  t.same(
    send("tracked_object_update", { type: "lpr", id: "e1999", plate: "MH12AB1234", score: 0.8, camera: "cam1" }),
    [],
    "the newest is remembered",
  );
  t.hasStrict(
    send("tracked_object_update", { type: "lpr", id: "e1", plate: "MH12AB1234", score: 0.8, camera: "cam1" }),
    [{ do: "plate" }],
    "the oldest is not",
  );
});
