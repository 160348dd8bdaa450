/** Vehicles that come through a gate behind one that was let in. */
import t from "tap";
import type { Choices } from "../../src/features/gate/gate-choices.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

const [PLATE, OTHER, STRANGER, THIRD] = ["MH12AB1234", "KA01AB2222", "DL8CAF5031", "TN09CB8888"] as const;
const BY = "session:1";
const NOTHING: Choices = {
  ...{ defaults: [], away: null, confirmedBy: [], whenInside: "open", elsewhere: null, asksNearMisses: false },
  followed: [],
};
const LOOP = { deviceId: "keypad", field: "loop", value: true } as const;

/** A gate at which followers are counted, with a loop behind it. */
async function premises(folder: string, loop: typeof LOOP | null = null) {
  const p = await Premises.open(folder);
  await p.openings.start();
  await p.following.start();
  await p.cameras.edit(p.siteId, "camera-in", { gate: { deviceId: "gate", command: { open: true } } });
  for (const plate of [PLATE, OTHER]) await p.rules.create(p.siteId, { plate }, BY);
  await p.choices.set(p.siteId, { ...NOTHING, followed: [{ gateId: "gate", loop }] }, BY);
  const events: string[] = [];
  p.bus.on("device.event", "test", ({ deviceId, kind }) => events.push(`${deviceId} ${kind}`));
  let commandId = 0;
  const order = (actor: string) => {
    commandId += 1;
    const command = JSON.stringify({ open: true });
    p.openings.sent({ siteId: p.siteId, deviceId: "gate", command, commandId, actor, delivery: "sent" });
  };
  p.gateAnswer = async () => order(`gate:${p.commands.at(-1)?.readId}`);
  const says = (deviceId: string, state: Record<string, unknown>, previous: Record<string, unknown> = {}) => {
    p.states.set(deviceId, state);
    p.bus.announce("device.changed", {
      ...{ siteId: p.siteId, deviceId, state: state as never, previous: previous as never },
      ...{ changed: Object.keys(state), source: "device", at: p.clock.now(), initial: false },
    });
  };
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await p.database.write(() => {});
  };
  const comes = async (...plates: string[]) => {
    p.clock.advance(2_000);
    await p.capture({ plates });
    await settle();
  };
  const opens = () => says("gate", { gate: "open" }, { gate: "closed" });
  const closes = () => says("gate", { gate: "closed" }, { gate: "open" });
  const passes = async () => {
    says("keypad", { loop: true });
    says("keypad", { loop: false });
    await settle();
  };
  const told = () => p.feed.filter(({ kind }) => kind === "gate.followed");
  return { p, events, order, comes, opens, closes, passes, told, settle };
}

t.test("a plate that was not let in, at the open gate: reported in feed, webhook and to rules", async (t) => {
  const { p, events, comes, opens, closes, told } = await premises(testFolder(t));
  await comes(PLATE);
  opens();
  await comes(OTHER);
  t.same(told(), [], "another allowed vehicle follows nobody");
  await comes(STRANGER);
  t.match(told(), [
    {
      title: "A vehicle followed through Gate",
      body: "DL 8 CAF 5031 was there while it was open for another vehicle.",
    },
  ]);
  t.match(p.reports.at(-1), { event: "gate.followed", deviceId: "gate", data: { vehicles: 1, plate: STRANGER } });
  t.same(events, ["gate gate.followed"]);
  await comes(STRANGER);
  t.equal(told().length, 1, "one vehicle is told once");
  await comes(THIRD);
  t.match(told(), [{}, { title: "2 vehicles followed through Gate" }]);
  closes();
  await comes("GJ05CD4321");
  t.equal(told().length, 2, "who stands at the closed gate has followed nobody");
  await p.close();
});

t.test("what is no follower", async (t) => {
  const { p, comes, opens, told, order, settle } = await premises(testFolder(t));
  await comes(PLATE);
  opens();
  await comes("MH12AB1284");
  t.same(told(), [], "the same vehicle, read a little differently");
  p.clock.advance(2_000);
  await p.capture({ plates: [STRANGER] }, { direction: "out" });
  await settle();
  t.same(told(), [], "a vehicle that leaves");
  p.clock.advance(61_000);
  await comes(STRANGER);
  t.same(told(), [], "a gate that does not say when it closes is not open for ever");
  order("session:1");
  await settle();
  await comes(THIRD);
  t.same(told(), [], "a person opened for it");
  await comes(STRANGER);
  t.equal(told().length, 1, "and not for the one behind");
  await p.close();
});

t.test("two in the picture that opened the gate: the one behind counts once it is seen at the open gate", async (t) => {
  const { p, comes, told } = await premises(testFolder(t));
  await comes(PLATE, STRANGER);
  t.same(told(), []);
  await comes(STRANGER);
  t.equal(told().length, 1);
  await p.close();
});

t.test("a loop behind the gate counts vehicles without a plate", async (t) => {
  const { p, comes, opens, closes, passes, told } = await premises(testFolder(t), LOOP);
  await passes();
  t.same(told(), [], "while nobody has opened");
  await comes(PLATE);
  opens();
  await passes();
  t.same(told(), []);
  await passes();
  t.match(told(), [{ body: "The loop behind it counted more vehicles than were let in." }]);
  t.match(p.reports.at(-1), { data: { vehicles: 1, plate: null, readId: null } });
  closes();
  await comes(OTHER);
  await passes();
  t.equal(told().length, 1, "it counts anew for each opening");
  for (let n = 0; n < 20; n++) await passes();
  t.equal(told().length, 11, "and tells of ten at most");
  await p.close();
});

t.test("without the choice nothing is counted", async (t) => {
  const { p, comes, opens, told } = await premises(testFolder(t));
  await p.choices.set(p.siteId, NOTHING, BY);
  await comes(PLATE);
  opens();
  await comes(STRANGER);
  t.same(told(), []);
  const followed = [{ gateId: "nobody", loop: null }];
  await t.rejects(p.choices.set(p.siteId, { ...NOTHING, followed }, BY), { code: "unknown_device" });
  await p.close();
});
