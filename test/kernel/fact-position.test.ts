/** The position by which a page knows that it has missed nothing. */
import t from "tap";
import { FactPosition } from "../../src/core/api/fact-position.ts";
import type { Facts } from "../../src/core/api/facts.ts";
import { Bus } from "../../src/core/kernel/bus.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";

t.test("it moves with each fact of the household that lists are made of, and with no other", async (t) => {
  const bus = new Bus<Facts>(silentLogger);
  const position = new FactPosition(bus);
  const first = position.of(1);
  bus.announce("occupancy.changed", { siteId: 2, inside: 1, previous: 0, at: 0 });
  bus.announce("device.telemetry", { siteId: 1, deviceId: "plug", at: 0, data: {} });
  t.equal(position.of(1), first);
  bus.announce("occupancy.changed", { siteId: 1, inside: 1, previous: 0, at: 0 });
  t.not(position.of(1), first);
  t.not(new FactPosition(bus).of(1), first, "another start of the hub has positions of its own");
});
