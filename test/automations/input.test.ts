import t from "tap";
import { InputCheck } from "../../src/automations/input.js";
import { HOUSEHOLD } from "../../src/automations/rights.js";
import type { JsonObject } from "../../src/contract/facts.js";
import { Problem } from "../../src/kernel/problem.js";

const check = new InputCheck({
  ownsDevice: (siteId, deviceId) => siteId === 1 && deviceId !== "stranger",
  sceneDevices: (_siteId, sceneId) => (sceneId === 1 ? ["lamp"] : null),
  normalisePlate: (text) => (text === "???" ? null : text.toUpperCase()),
});

const command = { type: "command", deviceId: "lamp", command: { power: true } };
const state = { type: "state", deviceId: "plug", field: "power", op: "truthy" };
const stranger = { type: "command", deviceId: "stranger", command: {} };

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

t.test("every shape of the contract and of the domain page is taken", async (t) => {
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
    { type: "plate", deviceId: "camera", plate: "ab1", decision: "deny", direction: "out" },
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

t.test("what is wrong is named by JSON pointer", async (t) => {
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
    t.match(problem.details, [{ field, code }], `${field} ${code}`);
  }
});

t.test("a device of somebody else is refused wherever it is named", async (t) => {
  const bodies = [
    rule({ trigger: { ...state, deviceId: "stranger" } }),
    rule({ trigger: { type: "plate", deviceId: "stranger" } }),
    rule({ action: stranger }),
    rule({ action: { type: "sequence", actions: [command, { type: "sequence", actions: [stranger] }] } }),
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

t.test(
  "a scene that does not exist and a text that is no plate are refused; a plate is kept as reads carry it",
  async (t) => {
    t.match(refusal(rule({ action: { type: "sequence", actions: [{ type: "scene", sceneId: 2 }] } })), {
      code: "unknown_scene",
      details: [{ field: "/action/actions/0/sceneId" }],
    });
    t.match(refusal(rule({ trigger: { type: "plate", plate: "???" } })), { code: "invalid_plate" });
    t.match(check.whole(1, rule({ trigger: { type: "plate", plate: "ab1" } }), HOUSEHOLD).trigger, { plate: "AB1" });
  },
);
