import t from "tap";
import { type BoundDevice, DeviceBook } from "../../firmware-bridge/device-book.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { device } from "../support/plain-family.ts";

t.test("the book: who keeps a device, and when another one gets it", async (t) => {
  const clock = new FakeClock();
  const book = new DeviceBook({ families: ["first", "second"], clock });
  const announced = (family: string, key: string, hardware: string[], name = key): BoundDevice => {
    const effect = device(key, { hardware, name });
    if (effect.do !== "device") throw new Error("an announcement");
    return book.announce(family, effect.device).entry;
  };
  const second = announced("second", "x", ["aa", "bb"]);
  t.equal(book.announce("second", second.device).changed, false);
  t.equal(book.bound, 0);
  book.bind(second, "hub-1");
  t.equal(book.ofDevice("hub-1"), second);
  t.same(book.takeChanged(), [second]);
  t.same(book.takeChanged(), []);
  book.again([second], []);
  t.same(book.takeChanged(), [second]);
  const first = announced("first", "y", ["bb"]);
  t.equal(book.keeper(first), null);
  t.equal(book.loser(first), second, "the one further up in the list gets it");
  t.equal(book.keeper(second), null, "one that holds nothing blocks no other");
  const other = announced("first", "z", ["cc"]);
  t.equal(book.loser(other), null, "other hardware");
  clock.advance(15 * 60_000);
  second.heardMono = clock.mono();
  t.equal(book.loser(first), second, "not silent for long enough");
  clock.advance(1);
  t.equal(book.loser(first), null);
  t.equal(book.keeper(first), second, "a silent one gets nothing from an active one");
  clock.advance(15 * 60_000 + 1);
  t.equal(book.loser(first), second, "of two silent ones the one further up");
  t.equal(book.setSpeaker(first, { client: 3, mqttClientId: null }), true);
  t.equal(book.setSpeaker(first, { client: 3, mqttClientId: null }), false);
  t.equal(book.setSpeaker(first, { client: 3, mqttClientId: "m" }), true);
  t.same([book.keeper(first), book.loser(first)], [null, null], "another credential's is never the same");
  t.same(book.ofClient(3), [first]);
  t.same(book.ofClient(null), [second, other]);
  book.setSpeaker(first, null);
  book.setBindingState(second, "shadowed");
  t.equal(book.ofDevice("hub-1"), null);
  t.same(book.alsoSeenBy(first), ["second"]);
  announced("second", "x", ["dd"]);
  t.same(book.alsoSeenBy(first), [], "it has other hardware now");
  book.drop(second);
  t.equal(book.find("second", "x"), null);
  t.same(book.takeChanged(), [], "what never became a device of the hub is not written");
  book.expect({ family: "first", key: "e", deviceId: "hub-9", client: 5, hardware: ["ee"] });
  t.hasStrict(book.find("first", "e"), { bindingState: "expected", deviceId: "hub-9", speaker: { client: 5 } });
  t.equal(book.bound, 0);
  const twin = announced("second", "f", ["ee"]);
  book.setSpeaker(twin, { client: 5, mqttClientId: null });
  t.equal(book.keeper(twin), book.find("first", "e"), "an expected one has a reserved place");
  book.expect({ family: "first", key: "e", deviceId: "hub-10", client: 5, hardware: [] });
  t.hasStrict(book.find("first", "e"), { deviceId: "hub-9" }, "known ones stay");
  for (const gone of ["removed", "gone"] as const) {
    const known = book.find("first", "e");
    if (known) book.setBindingState(known, gone);
    book.expect({ family: "first", key: "e", deviceId: `hub-${gone}`, client: 5, hardware: [] });
    t.hasStrict(book.find("first", "e"), { deviceId: `hub-${gone}`, bindingState: "expected" });
  }
  const later = new DeviceBook({ families: ["first"], clock });
  const memory = {
    family: "first",
    device: first.device,
    deviceId: "hub-2",
    bindingState: "bound" as const,
    speaker: null,
    changedAt: 0,
  };
  later.load([memory]);
  t.hasStrict([later.ofDevice("hub-2"), later.takeChanged()], [{ key: "y" }, []]);
});

t.test("a damaged stored description is left out, and the others are loaded", (t) => {
  const memory = (stored: string) => ({
    family: "first",
    device: JSON.parse(stored) as BoundDevice["device"],
    deviceId: "plug-1",
    bindingState: "bound" as const,
    speaker: null,
    changedAt: 0,
  });
  const effect = device("whole", { hardware: ["aa"] });
  if (effect.do !== "device") throw new Error("an announcement");
  const book = new DeviceBook({ families: ["first"], clock: new FakeClock() });
  book.load([memory("{}"), memory('{"key":"x","hardware":3}'), memory(JSON.stringify(effect.device))]);
  t.equal(book.find("first", "whole")?.deviceId, "plug-1");
  t.equal(book.find("first", "x"), null);
  t.end();
});
