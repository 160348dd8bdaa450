import t from "tap";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import { InputCheck } from "../../src/features/automations/input.ts";
import { HOUSEHOLD } from "../../src/features/automations/rights.ts";

const check = new InputCheck({
  registry: { find: (id) => ({ siteId: id === "stranger" ? 2 : 1 }) },
  accounts: { personsOf: () => [{ id: 2, role: "owner" }] },
  scenes: { devicesOf: (_siteId, sceneId) => (sceneId === 1 ? ["lamp"] : null) },
  countries: Countries.all,
});

const command = { type: "command", deviceId: "lamp", command: { power: true } };
const state = { type: "state", deviceId: "plug", field: "power", op: "truthy" };
const foreign = { type: "command", deviceId: "stranger", command: {} };

function refusal(body: unknown): Problem {
  try {
    check.whole(1, body, HOUSEHOLD);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(body)}`);
}

function rule(members: JsonObject): JsonObject {
  return { name: "Rule", trigger: state, action: command, ...members };
}

t.test("every shape of docs/spec/device-control-api.md §2 and docs/spec/domain.md §6 is accepted", async (t) => {
  const triggers = [
    { type: "time", at: "00:00" },
    { type: "time", at: "23:59", days: [0, 7, 1] },
    { type: "time", at: "07:00", days: [] },
    { type: "sun", event: "sunset", offsetMinutes: -30, days: [6] },
    { type: "interval", everySeconds: 60 },
    state,
    { ...state, op: "in", value: ["a", 1, null], forSeconds: 600 },
    { ...state, op: "eq", value: null },
    { ...state, op: "changed" },
    { type: "device", deviceId: "plug", event: "offline" },
    { type: "plate" },
    { type: "plate", deviceId: "camera", plate: "dl 3c ab 1234", decision: "deny", direction: "out" },
    { type: "occupancy", op: "changed" },
    { type: "occupancy", op: "gte", value: 3 },
    { type: "event", deviceId: "plug", kind: "button.double" },
  ];
  for (const trigger of triggers)
    t.doesNotThrow(() => check.whole(1, rule({ trigger }), HOUSEHOLD), JSON.stringify(trigger));
  const conditions = [
    { type: "state", deviceId: "plug", field: "a.b", op: "contains", value: "x" },
    { type: "time", from: "22:00", to: "06:00", days: [5] },
    { type: "days", days: [6, 7] },
    { type: "sun", is: "down" },
    { type: "occupancy", op: "eq", value: 0 },
    { type: "all", conditions: [{ type: "any", conditions: [{ type: "not", condition: { type: "sun", is: "up" } }] }] },
  ];
  t.doesNotThrow(() => check.whole(1, rule({ conditions }), HOUSEHOLD));
  const actions = [
    command,
    { type: "notify", title: "a", body: "" },
    { type: "scene", sceneId: 1 },
    { type: "delay", seconds: 0.5 },
  ];
  t.doesNotThrow(() =>
    check.whole(
      1,
      rule({ action: { type: "sequence", actions: [...actions, { type: "sequence", actions }] } }),
      HOUSEHOLD,
    ),
  );
});

t.test("errors are located by JSON pointer", async (t) => {
  const deep = (depth: number): JsonObject =>
    depth === 0 ? { type: "sun", is: "up" } : { type: "not", condition: deep(depth - 1) };
  const cases: [unknown, string, string][] = [
    [null, "", "wrong_type"],
    [[], "", "wrong_type"],
    [{}, "/name", "required"],
    [rule({ name: "   " }), "/name", "required"],
    [rule({ name: "a\u0007b" }), "/name", "bad_format"],
    [rule({ name: "x".repeat(121) }), "/name", "too_long"],
    [rule({ surprise: 1 }), "/surprise", "unknown_field"],
    [rule({ enabled: "yes" }), "/enabled", "wrong_type"],
    [rule({ mode: "fast" }), "/mode", "not_allowed"],
    [rule({ cooldownSeconds: -1 }), "/cooldownSeconds", "out_of_range"],
    [rule({ trigger: { type: "moon" } }), "/trigger/type", "unknown_type"],
    [rule({ trigger: { at: "07:00" } }), "/trigger/type", "required"],
    [rule({ trigger: { type: "time" } }), "/trigger/at", "required"],
    [rule({ trigger: { type: "time", at: "24:00" } }), "/trigger/at", "bad_format"],
    [rule({ trigger: { type: "time", at: "7:00" } }), "/trigger/at", "bad_format"],
    [rule({ trigger: { type: "time", at: "07:60" } }), "/trigger/at", "bad_format"],
    [rule({ trigger: { type: "time", at: "07:00", days: [8] } }), "/trigger/days/0", "out_of_range"],
    [rule({ trigger: { type: "time", at: "07:00", days: ["mon"] } }), "/trigger/days/0", "wrong_type"],
    [rule({ trigger: { ...state, op: "like" } }), "/trigger/op", "not_allowed"],
    [rule({ trigger: { ...state, op: "eq" } }), "/trigger/value", "required"],
    [rule({ trigger: { ...state, op: "gt", value: "1" } }), "/trigger/value", "wrong_type"],
    [rule({ trigger: { ...state, op: "in", value: 1 } }), "/trigger/value", "wrong_type"],
    [rule({ trigger: { ...state, value: 1 } }), "/trigger/value", "unexpected"],
    [rule({ trigger: { ...state, extra: 1 } }), "/trigger/extra", "unknown_field"],
    [rule({ trigger: { type: "occupancy", op: "gt" } }), "/trigger/value", "required"],
    [rule({ conditions: [{ type: "sun", is: "up" }, { type: "wind" }] }), "/conditions/1/type", "unknown_type"],
    [rule({ conditions: [{ ...state, op: "changed" }] }), "/conditions/0/op", "not_allowed"],
    [
      rule({ conditions: [{ type: "all", conditions: [{ ...state, op: "lt" }] }] }),
      "/conditions/0/conditions/0/value",
      "required",
    ],
    [
      rule({ conditions: [deep(9)] }),
      "/conditions/0/condition/condition/condition/condition/condition/condition/condition/condition",
      "too_deep",
    ],
    [rule({ action: { type: "explode" } }), "/action/type", "unknown_type"],
    [rule({ action: [command] }), "/action", "wrong_type"],
    [rule({ action: { type: "command", deviceId: "lamp" } }), "/action/command", "required"],
    [rule({ action: { type: "command", deviceId: "lamp", command: [] } }), "/action/command", "wrong_type"],
    [
      rule({ action: { type: "command", deviceId: "lamp", command: { a: "x".repeat(17_000) } } }),
      "/action/command",
      "too_long",
    ],
    [rule({ action: { type: "notify", title: "a" } }), "/action/body", "required"],
    [rule({ action: { type: "sequence", actions: [] } }), "/action/actions", "too_few"],
    [
      rule({ action: { type: "sequence", actions: [command, { type: "delay", seconds: -1 }] } }),
      "/action/actions/1/seconds",
      "out_of_range",
    ],
  ];
  for (const [body, field, code] of cases) {
    const problem = refusal(body);
    t.equal(problem.code, "invalid_body");
    t.hasStrict(problem.details, [{ field, code }], `${field} ${code}`);
  }
});

t.test("another household's device is refused wherever it is named", async (t) => {
  const bodies = [
    rule({ trigger: { ...state, deviceId: "stranger" } }),
    rule({ trigger: { type: "plate", deviceId: "stranger" } }),
    rule({ action: foreign }),
    rule({ action: { type: "sequence", actions: [command, { type: "sequence", actions: [foreign] }] } }),
    rule({
      conditions: [{ type: "any", conditions: [{ type: "not", condition: { ...state, deviceId: "stranger" } }] }],
    }),
  ];
  for (const body of bodies) {
    const problem = refusal(body);
    t.equal(problem.code, "device_not_owned");
    t.same(problem.fields, { deviceIds: ["stranger"] });
  }
});

t.test("a missing scene and an invalid plate are refused; a plate is stored as reads carry it", async (t) => {
  t.hasStrict(refusal(rule({ action: { type: "sequence", actions: [{ type: "scene", sceneId: 2 }] } })), {
    code: "unknown_scene",
    details: [{ field: "/action/actions/0/sceneId" }],
  });
  t.hasStrict(refusal(rule({ trigger: { type: "plate", plate: "???" } })), { code: "invalid_plate" });
  t.hasStrict(check.whole(1, rule({ trigger: { type: "plate", plate: "dl 3c ab 1234" } }), HOUSEHOLD).trigger, {
    plate: "DL3CAB1234",
  });
});

t.test("every limit is accepted at its edge and refused one further", async (t) => {
  const sun = { type: "sun", is: "up" };
  const nots = (depth: number): JsonObject => (depth === 1 ? sun : { type: "not", condition: nots(depth - 1) });
  const leaves = (count: number): JsonObject[] => Array.from({ length: count }, () => sun);
  const sequence = (...actions: JsonObject[]): JsonObject => ({ type: "sequence", actions });
  const steps = (count: number): JsonObject =>
    sequence(
      sequence(...Array.from({ length: 50 }, () => command)),
      sequence(...Array.from({ length: count - 50 }, () => command)),
    );
  const sequences = (depth: number): JsonObject => (depth === 0 ? command : sequence(sequences(depth - 1)));
  const bytes = (count: number): JsonObject => ({ ...command, command: { a: "x".repeat(count - '{"a":""}'.length) } });
  const nested = (depth: number): JsonObject => (depth === 1 ? {} : { a: nested(depth - 1) });
  const edges: [what: string, within: JsonObject, beyond: JsonObject, field: string, code: string][] = [
    [
      "conditions eight deep",
      { conditions: [nots(8)] },
      { conditions: [nots(9)] },
      `/conditions/0${"/condition".repeat(8)}`,
      "too_deep",
    ],
    [
      "groups eight deep",
      { conditions: [{ type: "any", conditions: [nots(7)] }] },
      { conditions: [{ type: "any", conditions: [nots(8)] }] },
      `/conditions/0/conditions/0${"/condition".repeat(7)}`,
      "too_deep",
    ],
    [
      "100 conditions, groups among them",
      { conditions: [{ type: "all", conditions: leaves(50) }, ...leaves(49)] },
      { conditions: [{ type: "all", conditions: leaves(50) }, nots(2), ...leaves(48)] },
      "/conditions",
      "too_many",
    ],
    ["100 steps", { action: steps(100) }, { action: sequence(steps(100), command) }, "/action", "too_many"],
    [
      "sequences eight deep",
      { action: sequences(8) },
      { action: sequences(9) },
      `/action${"/actions/0".repeat(9)}`,
      "too_deep",
    ],
    ["a command of 16 KiB", { action: bytes(16_384) }, { action: bytes(16_385) }, "/action/command", "too_long"],
    [
      "a command of 16 KiB of letters that are three bytes long",
      { action: { ...command, command: { a: "अ".repeat(5_458) } } },
      { action: { ...command, command: { a: "अ".repeat(5_459) } } },
      "/action/command",
      "too_long",
    ],
    [
      "a command 16 levels deep",
      { action: { ...command, command: nested(16) } },
      { action: { ...command, command: nested(17) } },
      "/action/command",
      "too_deep",
    ],
  ];
  for (const [what, within, beyond, field, code] of edges) {
    t.doesNotThrow(() => check.whole(1, rule(within), HOUSEHOLD), what);
    const problem = refusal(rule(beyond));
    t.hasStrict(problem.details, [{ field, code }], what);
    t.equal(problem.details.length, 1, what);
  }
  t.hasStrict(refusal(rule({ action: sequence(command, { type: "notify", title: " ", body: "" }) })).details, [
    { field: "/action/actions/1/title", code: "required" },
  ]);
});

t.test("a refusal names the error in words, one per place", async (t) => {
  const wordsOf = (body: unknown): string[] => refusal(body).details.map(({ message }) => message);
  t.same(wordsOf({ ...rule({}), name: undefined }), ["This field is required."]);
  t.same(wordsOf(rule({ trigger: { ...state, value: 1 } })), ["This operator takes no value."]);
  t.same(wordsOf(rule({ trigger: { ...state, "a/b~c": 1 } })), ["There is no such field here."]);
  t.equal(refusal(rule({ trigger: { ...state, "a/b~c": 1 } })).details[0]?.field, "/trigger/a~1b~0c");
  t.same(wordsOf(rule({ trigger: { type: "moon" } })), ["There is no type 'moon' here."]);
  t.same(wordsOf(rule({ trigger: { type: 7 } })), ["The type must be a string."]);
  t.hasStrict(refusal(rule({ trigger: { ...state, op: undefined } })).details, [
    { field: "/trigger/op", code: "required" },
  ]);
  t.same(wordsOf(rule({ mode: "fast" })), ["Must be one of single, restart, queued, parallel."]);
  for (const at of ["at", "from", "to"]) {
    const place = at === "at" ? rule({ trigger: { type: "time", at: "7" } }) : null;
    const window = { type: "time", from: "07:00", to: "08:00", [at]: "7" };
    t.same(wordsOf(place ?? rule({ conditions: [window] })), ["Must be a clock time HH:MM, 00:00 to 23:59."]);
  }
  t.same(wordsOf(rule({ trigger: { ...state, deviceId: "a b" } })), [
    "Has a character that is not allowed, or is too long.",
  ]);
  const several = refusal(rule({ name: "", enabled: 1 }));
  t.same(several.details.map(({ field }) => field).sort(), ["/enabled", "/name"]);
  t.match(several.message, /^The rule is not valid: \/(name|enabled): /);
  t.equal(refusal(null).message, "The rule is not valid: Value must be object.");
  const two = refusal(rule({ action: foreign, trigger: { ...state, deviceId: "stranger" } }));
  t.equal(two.message, "The rule names a device that the account does not own: stranger.");
});

t.test("unchanged parts are not checked again, and keep their author", async (t) => {
  const known = { devices: new Set(["lamp", "plug"]) };
  const own = new InputCheck({
    registry: { find: (id) => (known.devices.has(id) ? { siteId: 1 } : null) },
    accounts: { personsOf: () => [] },
    scenes: { devicesOf: () => null },
    countries: Countries.all,
  });
  const stored = own.whole(1, rule({}), HOUSEHOLD);
  known.devices.clear(); // removed since
  const merged = (patch: unknown, from = stored) => own.merged(1, from, patch, HOUSEHOLD);
  t.hasStrict(merged({ name: "Other", enabled: false }), { rule: { name: "Other", enabled: false }, rewritten: false });
  t.match(merged({ trigger: state, action: command }), { rewritten: false }, "sent back unchanged");
  t.match(merged({ cooldownSeconds: 5 }), { rule: { cooldownSeconds: 5 }, rewritten: true });
  t.hasStrict(merged({ mode: "queued" }), { rule: { mode: "queued" }, rewritten: true });
  const off = { ...stored, enabled: false };
  t.match(merged({ name: "Still off" }, off), { rule: { enabled: false } });
  const lookedUp: [string, unknown, typeof stored][] = [
    ["switched on", { enabled: true }, off],
    ["another trigger", { trigger: { ...state, field: "watts" } }, stored],
    ["another condition", { conditions: [{ ...state }] }, stored],
    ["another action", { action: { ...command, command: { power: false } } }, stored],
  ];
  for (const [what, patch, from] of lookedUp) t.throws(() => merged(patch, from), { code: /^device_not_owned$/ }, what);
  for (const empty of [{}, { id: 3 }, { createdAt: "now", etag: "x" }])
    t.throws(() => merged(empty), { code: /^invalid_body$/, details: [{ field: /^$/, code: /^empty$/ }] });
  for (const wrong of [null, [], "x", 3])
    t.throws(() => merged(wrong), { code: /^invalid_body$/, details: [{ field: /^$/, code: /^wrong_type$/ }] });
});

t.test("a part is valid by itself only where it could be in a rule", async (t) => {
  t.ok(check.isTrigger(state));
  t.notOk(check.isTrigger({ ...state, op: "eq" }), "without a value");
  t.notOk(check.isTrigger(undefined));
  t.ok(check.isCondition({ type: "all", conditions: [state] }));
  t.notOk(check.isCondition({ type: "all", conditions: [{ ...state, op: "changed" }] }));
});
