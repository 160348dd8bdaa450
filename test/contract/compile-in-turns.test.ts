/** A large schema is compiled a piece at a time, and checks the same as when compiled at once. */
import { setImmediate } from "node:timers/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import t from "tap";
import { gradually } from "../../src/core/api/compile-in-turns.ts";
import { QUICKLY_COMPILED } from "../../src/core/api/quickly-compiled.ts";
import {
  AUTOMATION_DEFINITIONS,
  AutomationInput,
  AutomationPatch,
} from "../../src/features/automations/resources/automation.ts";

const OPTIONS = { allErrors: true, discriminator: true, strict: false, validateFormats: false, ...QUICKLY_COMPILED };

const command = { type: "command", deviceId: "gate-1", command: { open: true } };
const RULE = { name: "Night", trigger: { type: "time", at: "22:00" }, action: command };
const BODIES: readonly unknown[] = [
  RULE,
  {
    ...RULE,
    action: {
      type: "sequence",
      actions: [command, { type: "delay", seconds: 3 }, { type: "sequence", actions: [command] }],
    },
  },
  { ...RULE, conditions: [{ type: "all", conditions: [{ type: "not", condition: { type: "sun", is: "up" } }] }] },
  { ...RULE, trigger: { type: "state", deviceId: "a", field: "power", op: "truthy" } },
  { ...RULE, trigger: { type: "state", deviceId: "a", field: "power", op: "truthy", value: 3 } },
  { ...RULE, trigger: { type: "state", deviceId: "a", field: "power", op: "gt", value: "much" } },
  { ...RULE, trigger: { type: "moon" } },
  { ...RULE, trigger: { type: "time", at: "25:00", more: 1 }, action: { type: "delay", seconds: -1 } },
  { ...RULE, action: { type: "sequence", actions: [] }, conditions: [{ type: "any", conditions: [{ type: "days" }] }] },
  {},
];

t.test("it finds the same, at the same places", async (t) => {
  const ajv = new Ajv2020(OPTIONS);
  for (const schema of [AutomationInput, AutomationPatch]) {
    const whole = new Ajv2020(OPTIONS);
    for (const [name, definition] of Object.entries(AUTOMATION_DEFINITIONS)) whole.addSchema(definition, name);
    const atOnce = whole.compile(schema);
    const inTurns = gradually(ajv, schema, AUTOMATION_DEFINITIONS);
    await inTurns.ready();
    t.equal(inTurns.ready(), null, "it is compiled");
    const validate = inTurns.validate();
    for (const body of BODIES) {
      t.equal(validate(body), atOnce(body), JSON.stringify(body));
      const found = (errors: typeof validate.errors) =>
        (errors ?? []).map(({ instancePath, keyword, params }) => ({ instancePath, keyword, params }));
      t.same(found(validate.errors), found(atOnce.errors), JSON.stringify(body));
    }
  }
});

t.test("others get their turn while it is compiled, and an urgent caller has it at once", async (t) => {
  const inTurns = gradually(new Ajv2020(OPTIONS), AutomationInput, AUTOMATION_DEFINITIONS);
  let isDone = false;
  const ready = inTurns.ready()?.then(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await setImmediate();
  await ready;
  t.ok(turns >= 20, `${turns} turns`);
  t.ok(gradually(new Ajv2020(OPTIONS), AutomationInput, AUTOMATION_DEFINITIONS).validate()(RULE));
});
