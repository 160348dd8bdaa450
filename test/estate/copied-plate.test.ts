/** A plate at two gates of an estate: two hubs, a real NATS server. */
import t from "tap";
import { clocks, isCurrent, openPair, readsOf, siteOf, until } from "../support/estate-pair.ts";
import { NO_NATS } from "../support/nats.ts";

const [PLATE, OTHER] = ["MH12AB1234", "KA01CD5678"] as const;
const BY = "session:1";

t.test("what another hub has seen counts at this gate", { skip: NO_NATS, timeout: 120_000 }, async (t) => {
  const { north, south } = await openPair(t);
  await south.call("POST", "/api/devices", { id: "barrier", name: "Barrier", type: "gate", room: null });
  await south.call("PATCH", "/api/cameras/south-in", { gate: { deviceId: "barrier", command: { open: true } } });
  for (const plate of [PLATE, OTHER]) await south.hub.gate.rules.create(siteOf(south), { plate }, BY);
  const choices = south.hub.gate.choices.of(siteOf(south));
  const choose = (more: object) => south.hub.gate.choices.set(siteOf(south), { ...choices, ...more }, BY);
  const reasonAtSouth = async (plate: string): Promise<string | null> => {
    const id = await south.pass(plate, "in");
    return south.hub.gate.reads.get(siteOf(south), id).gate?.reason ?? null;
  };
  const passesNorth = async (plate: string, direction: "in" | "out", reads: number): Promise<void> => {
    await north.pass(plate, direction);
    await until(() => readsOf(south).length === reads && isCurrent(south));
  };

  const later = (ms: number): void => {
    for (const clock of [clocks.north, clocks.south]) clock.aheadMs += ms;
  };

  await choose({ whenInside: "refuse" });
  await passesNorth(PLATE, "in", 1);
  t.equal(await reasonAtSouth(PLATE), "already_inside", "it came in at the other gate");
  await passesNorth(PLATE, "out", 3);
  later(120_000);
  t.equal(await reasonAtSouth(PLATE), "offline", "it left there: the gate was told");

  await choose({ elsewhere: { withinSeconds: 3_600, follows: "refuse" } });
  await passesNorth(OTHER, "in", 5);
  t.equal(await reasonAtSouth(OTHER), "elsewhere", "it was at the other gate just now");
  later(7_200_000);
  t.equal(await reasonAtSouth(OTHER), "offline", "in this time it can drive");
});
