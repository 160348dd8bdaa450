/** What the rules of the domain make of inputs on both sides of every limit, in full. */
import t from "tap";
import { sameAsRecorded } from "../support/recorded.js";
import { automationTables } from "./in-full-automation.js";
import { deviceTables } from "./in-full-devices.js";
import { energyTables } from "./in-full-energy.js";
import { gateTables } from "./in-full-gate.js";
import { plateTables } from "./in-full-plates.js";

for (const [name, tables] of Object.entries({
  automations: automationTables,
  devices: deviceTables,
  energy: energyTables,
  passes: gateTables,
  plates: plateTables,
}))
  t.test(`${name}: what is made of every input is what is recorded`, async (t) =>
    sameAsRecorded(t, `domain-${name}`, await tables()),
  );
