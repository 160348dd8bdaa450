/**
 * An owner who has a rule wait for months before it opens the gate, writes something harmless into it, and goes: a run
 * keeps the steps with which it began, and a person who rewrites the rule or takes it over does not answer for them.
 */
import t from "tap";
import type { Trace } from "../../src/features/automations/traces.ts";
import { commandTo, Household } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(180_000);
const MONTH = 30 * 86_400;
const [ASHA, MEENA] = [3, 4];

for (const isCut of [false, true])
  t.test(`a run that waits${isCut ? ", over a restart," : ""} while another comes to answer for it`, async (t) => {
    const home = await Household.open(testFolder(t));
    home.issuer = ASHA;
    const later = { type: "sequence", actions: [{ type: "delay", seconds: MONTH }, commandTo("plug")] };
    const rule = { trigger: { type: "time", at: "04:00" }, action: later };
    const [hers, taken] = [await home.rule(rule), await home.rule({ ...rule, name: "Taken over" })];
    for (const id of [hers, taken]) home.automations.runNow(home.siteId, id, "session:1");
    await home.automations.edit(home.siteId, taken, { action: commandTo("lamp") });
    await home.automations.edit(home.siteId, hers, { cooldownSeconds: 5 });
    if (isCut) await home.powerCut(1_000);
    home.issuer = MEENA; // she has rewritten them, or kept them as Asha was removed
    home.commands.length = 0;
    home.clock.advance(MONTH * 1_000);
    await home.settle();
    t.same(
      home.commands.filter(({ deviceId }) => deviceId === "plug"),
      [],
    );
    for (const id of [hers, taken]) t.ok((await home.automations.traces(home.siteId, id)).some(isStopped));
    home.automations.runNow(home.siteId, hers, "session:2");
    home.commands.length = 0;
    home.clock.advance(MONTH * 1_000);
    await home.settle();
    t.equal(home.commands.filter(({ deviceId }) => deviceId === "plug").length, 1, "what she has begun goes on");
    await home.close();
  });

function isStopped({ outcome, reason }: Trace): boolean {
  return outcome === "stopped" && reason === "author";
}
