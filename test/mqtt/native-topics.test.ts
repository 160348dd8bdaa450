import t from "tap";
import { clientIdAllowed, deviceOfClient, NativeTopics, topicWithin } from "../../src/core/mqtt/authorise.ts";
import {
  parseCaptureDone,
  parseEvent,
  parseSamples,
  parseStatus,
  parseTime,
  RefusedPayload,
} from "../../src/core/mqtt/native-topics.ts";

const topics = new NativeTopics("gatehouse");
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Why `task` refuses, or null. */
function reasonOf(task: () => unknown): string | null {
  try {
    task();
    return null;
  } catch (error) {
    return error instanceof RefusedPayload ? error.reason : "another error";
  }
}

t.test("topics are parsed by the contract's table", (t) => {
  t.same(topics.parse("gatehouse/cam_1-A/capture/01J/11"), {
    name: "frame",
    deviceId: "cam_1-A",
    captureId: "01J",
    frame: 11,
  });
  t.same(topics.parse("gatehouse/cam/capture/01J/done"), {
    name: "captureDone",
    deviceId: "cam",
    captureId: "01J",
    frame: null,
  });
  t.same(topics.parse("gatehouse/p/state"), { name: "state", deviceId: "p", captureId: null, frame: null });
  for (const other of [
    "",
    "gatehouse",
    "gatehouse/p",
    "gatehouse/p/",
    "gatehouse/p/state/",
    "/gatehouse/p/state",
    "Gatehouse/p/state",
    "gatehouse/p q/state",
  ]) {
    t.equal(topics.parse(other), null, other);
  }
  for (const frame of ["01", "-1", "1000", "1.5", "x"])
    t.equal(topics.parse(`gatehouse/p/capture/c/${frame}`), null, frame);
  t.equal(topics.parse("gatehouseXp/state"), null);
  t.equal(new NativeTopics("a_b").parse("a_b/p/info")?.name, "info");
  t.end();
});

t.test("publishing is allowed on the device's own topics only", (t) => {
  t.hasStrict(topics.publishable("p", "gatehouse/p/state"), { name: "state" });
  t.equal(topics.publishable("p", "gatehouse/p/command"), "unknown_topic");
  t.equal(topics.publishable("p", "gatehouse/p/x"), "unknown_topic");
  t.equal(topics.publishable("p", "gatehouse/pp/state"), "foreign_topic");
  t.equal(topics.publishable("", "gatehouse//state"), "unknown_topic");
  t.equal(topics.publishable("p", "$SYS/p"), "reserved_topic");
  t.ok(topicWithin("a/b", { topicBytes: 3, topicLevels: 2 }));
  t.notOk(topicWithin("a/b", { topicBytes: 2, topicLevels: 2 }));
  t.notOk(topicWithin("é/b", { topicBytes: 3, topicLevels: 2 }), "bytes, not characters");
  t.notOk(topicWithin("a/b", { topicBytes: 9, topicLevels: 1 }));
  t.end();
});

t.test("a client id is the device's id, with or without a suffix", (t) => {
  for (const good of ["p", "p:1", "p:log:2"]) t.ok(clientIdAllowed(good, "p"), good);
  for (const bad of ["", "q", "pp", "p:", "p-1", "p: x", `p:${"x".repeat(65)}`, "p:\n"])
    t.notOk(clientIdAllowed(bad, "p"), bad);
  t.equal(deviceOfClient("p:1:2"), "p");
  t.equal(deviceOfClient("p"), "p");
  t.end();
});

t.test("status is a word or an object", (t) => {
  for (const word of ["online", "offline"] as const) {
    t.same(parseStatus(Buffer.from(word)), { status: word });
    t.same(parseStatus(json(word)), { status: word });
  }
  t.same(parseStatus(Buffer.from("online\n")), { status: "online" });
  t.same(parseStatus(json({ status: "online", firmware: "1.2", interval: 900, more: 1 })), {
    status: "online",
    firmware: "1.2",
    interval: 900,
  });
  t.same(parseStatus(json({ status: "online", firmware: null, interval: null })), { status: "online" });
  t.same(
    [0, 31 * 86_400].map((interval) => parseStatus(json({ status: "online", interval })).interval),
    [0, 31 * 86_400],
    "from nothing to 31 days",
  );
  for (const bad of [
    { status: "on" },
    { status: "online", interval: -1 },
    { status: "online", interval: 31 * 86_400 + 1 },
    { status: "online", interval: "9" },
    { status: "online", firmware: 1 },
    1,
    null,
    [],
  ]) {
    t.equal(
      reasonOf(() => parseStatus(json(bad))),
      "invalid_payload",
    );
  }
  t.equal(
    reasonOf(() => parseStatus(Buffer.from("on"))),
    "invalid_json",
  );
  t.end();
});

t.test("telemetry: plain, wrapped, or many", (t) => {
  t.match(
    parseSamples(json({ watts: 5 })),
    [{ at: null, data: { watts: 5 }, text: '{"watts":5}' }],
    "a bare sample is kept as it came",
  );
  t.match(
    parseSamples(Buffer.from('{"watts": 5}')),
    [{ at: null, data: { watts: 5 }, text: undefined }],
    "but not with its whitespace",
  );
  t.same(parseSamples(json({ at: 1_772_366_400, data: { watts: 5 } })), [
    { at: 1_772_366_400_000, data: { watts: 5 }, text: undefined },
  ]);
  t.same(parseSamples(json({ data: { watts: 5 } })), [{ at: null, data: { watts: 5 }, text: undefined }]);
  t.same(
    parseSamples(json({ data: { raw: 1 }, watts: 5 })),
    [{ at: null, data: { data: { raw: 1 }, watts: 5 }, text: '{"data":{"raw":1},"watts":5}' }],
    "its own key `data`",
  );
  t.equal(parseSamples(json(Array.from({ length: 1_000 }, () => ({ watts: 1 })))).length, 1_000);
  for (const bad of [
    [],
    Array.from({ length: 1_001 }, () => ({ watts: 1 })),
    [1],
    [[]],
    "x",
    null,
    { at: "soon", data: {} },
    [{ at: true, data: {} }],
  ]) {
    t.equal(
      reasonOf(() => parseSamples(json(bad))),
      "invalid_payload",
    );
  }
  t.end();
});

t.test("times: ISO, milliseconds or seconds", (t) => {
  const noon = Date.parse("2026-03-01T12:00:00Z");
  for (const same of [
    "2026-03-01T12:00:00Z",
    "2026-03-01T17:30:00+05:30",
    "2026-03-01T12:00",
    "2026-03-01 12:00:00.000",
    noon,
    noon / 1_000,
  ]) {
    t.equal(parseTime(same), noon, String(same));
  }
  t.equal(parseTime(99_999_999_999), 99_999_999_999_000, "the largest seconds");
  t.equal(parseTime(100_000_000_000), 100_000_000_000, "the smallest milliseconds");
  t.equal(parseTime(1_772_366_400.25), 1_772_366_400_250);
  for (const none of [undefined, null]) t.equal(parseTime(none), null);
  for (const bad of [
    "",
    "noon",
    "2026-03-01",
    "2026-13-01T12:00Z",
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
    true,
    {},
  ])
    t.equal(
      reasonOf(() => parseTime(bad)),
      "invalid_payload",
    );
  t.end();
});

t.test("events and the end of a capture", (t) => {
  t.same(parseEvent(json({ kind: "button" })), { kind: "button", title: "button", body: "" });
  t.same(parseEvent(json({ kind: "a.b-c", title: "T", body: "B", x: 1 })), { kind: "a.b-c", title: "T", body: "B" });
  for (const bad of [
    {},
    { kind: "" },
    { kind: "a b" },
    { kind: "a", title: 1 },
    { kind: "a", title: "x".repeat(201) },
    { kind: "a", body: "x".repeat(2_001) },
    [{ kind: "a" }],
  ]) {
    t.equal(
      reasonOf(() => parseEvent(json(bad))),
      "invalid_payload",
    );
  }
  const longest = { kind: "a", title: "x".repeat(200), body: "x".repeat(2_000) };
  t.same(parseEvent(json(longest)), longest);
  t.same(parseCaptureDone(Buffer.alloc(0)), { trigger: "motion", frames: null, at: null, direction: null });
  t.same(parseCaptureDone(json({ trigger: "loop", frames: 3, at: 1_772_366_400, direction: "out" })), {
    trigger: "loop",
    frames: 3,
    at: 1_772_366_400_000,
    direction: "out",
  });
  t.same(
    [0, 1_000].map((frames) => parseCaptureDone(json({ frames })).frames),
    [0, 1_000],
  );
  for (const bad of [
    { direction: "up" },
    { frames: 1_001 },
    { frames: 1.5 },
    { frames: -1 },
    { frames: "3" },
    { trigger: 1 },
  ])
    t.equal(
      reasonOf(() => parseCaptureDone(json(bad))),
      "invalid_payload",
    );
  t.end();
});
