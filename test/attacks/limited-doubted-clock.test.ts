/** Times of a person while a jump of the clock is not confirmed: ahead or behind, they do not hold. */
import t from "tap";
import { HubClock } from "../../src/core/platform/hub-clock.ts";
import { PersonLimits } from "../../src/features/access/person-limits.ts";
import { FakeClock } from "../support/fake-clock.ts";

const DAY_MS = 86_400_000;
const limits = { times: [{ days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "00:00" }], gates: null };

for (const days of [-3, 3])
  t.test(`the hub starts ${days} days from the time that it has saved`, async (t) => {
    const machine = new FakeClock();
    const clock = new HubClock({ machine, uptimeMs: () => null, saved: null });
    clock.doubt(machine.now() - days * DAY_MS); // as ClockTrust does at such a start
    const persons = new PersonLimits({
      accounts: {
        anyLimits: true,
        limitsOf: () => limits,
        site: () => ({ timeZone: "UTC" }) as never,
        find: () => null,
      },
      sessions: { personOf: () => 2 },
      grants: { issuerOf: () => null },
      clock,
    });
    persons.timeKnownBy({ state: () => "trusted" });
    t.throws(() => persons.refuse("session:1", 1, "front"), { code: "forbidden" });
    clock.believe();
    persons.refuse("session:1", 1, "front");
  });
