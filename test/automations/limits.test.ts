/** The limits that a rule begins with are near what a device measures, and not passed already. */
import t from "tap";
import { firstLimit, settingLimit } from "../../src/features/automations/console/limits.ts";

t.test("a limit fits what is measured", async (t) => {
  for (const [base, now, op, value] of [
    ["voltage", 231, "gt", 250],
    ["voltage", 118, "gt", 130],
    ["voltage", 12.6, "lt", 11],
    ["voltage", 255, "gt", 290],
    ["frequency", 50.02, "lt", 49.5],
    ["frequency", 60, "lt", 59.5],
    ["temperature", null, "gt", 28],
    ["temperature", 21.4, "gt", 28],
    ["temperature", 31.2, "gt", 34],
    ["temperature", -18, "gt", -13],
    ["temperature", 4.2, "gt", 10],
    ["temperature", 61.3, "gt", 67],
    ["humidity", 55, "gt", 70],
    ["humidity", 82, "gt", 91],
    ["illuminance", 300, "lt", 50],
    ["illuminance", 0, "lt", 50],
    ["humidity", 99.9, "gt", 95],
    ["pressure", 1_013, "lt", 1_000],
    ["pressure", 980, "lt", 880],
    ["battery", 12, "lt", 20],
    ["kwh", 40_312, "gt", 40_400],
    ["kwh", 3.21, "gt", 3.22],
    ["kwh", 0, "gt", 1],
    ["pm25", 12.4, "gt", 14],
    ["tank", 0, "gt", 1],
    ["tank", null, "gt", 1],
    ["depth", -60, "gt", -54],
  ] as const)
    t.same(firstLimit(base, now, false), { op, value }, `${base} at ${now}`);
});

t.test("power of the whole house is more than that of one appliance", async (t) => {
  t.same(firstLimit("watts", 60, false), { op: "gt", value: 10 });
  t.same(firstLimit("watts", 400, true), { op: "gt", value: 2_000 });
  t.same(firstLimit("watts", 3_010, true), { op: "gt", value: 3_400 });
});

t.test("what a person sets has one limit, wherever it stands", async (t) => {
  t.same(settingLimit("brightness"), { op: "gt", value: 50 });
  t.equal(settingLimit("temperature"), null);
});

t.test("no limit is passed at the moment when it is offered, whatever is measured", async (t) => {
  for (const base of ["temperature", "pressure", "current", "co2", "kwh", "anything", "voltage"])
    for (const now of [-250, -18, -0.3, 0, 0.36, 4, 9.99, 10, 12.4, 27.9, 28, 99.9, 118, 231, 999, 1_013, 48_211.7]) {
      const { op, value } = firstLimit(base, now, false);
      t.ok(op === "gt" ? value > now : value < now, `${base} at ${now}: ${op} ${value}`);
    }
});
