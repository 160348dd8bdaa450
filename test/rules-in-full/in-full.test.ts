/** The results of the pure rules for inputs on both sides of every limit, in full. */
import t from "tap";
import { sameAsRecorded } from "../support/recorded.ts";
import { automationTables } from "./in-full-automation.ts";
import { deviceTables } from "./in-full-devices.ts";
import { energyTables } from "./in-full-energy.ts";
import { gateTables } from "./in-full-gate.ts";
import { plateTables } from "./in-full-plates.ts";

for (const [name, tables] of Object.entries({
  automations: automationTables,
  devices: deviceTables,
  energy: energyTables,
  passes: gateTables,
  plates: plateTables,
}))
  t.test(`${name}: the result for every input is as recorded`, async (t) =>
    sameAsRecorded(t, `domain-${name}`, await tables()),
  );
