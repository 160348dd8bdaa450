/** The feed as people read it: one line for one event, also where it was about many devices. */
import t from "tap";
import { linesOf } from "../../src/features/feed/rules/lines.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");

let lastId = 0;
/** An item so many seconds after noon. */
function item(kind: string, deviceId: string | null, seconds: number) {
  lastId += 1;
  const at = new Date(NOON + seconds * 1_000).toISOString();
  return { id: lastId, kind, deviceId, title: `${kind} ${deviceId}`, body: "", read: false, at } as const;
}

/** Items in the order in which they happened, as lines: newest first. */
const shown = (...items: ReturnType<typeof item>[]): string[] =>
  linesOf(items.toReversed()).map(
    (line) =>
      `${line.item.title}${line.more.length > 0 ? ` & ${line.more.length}` : ""}${line.alike.length > 0 ? ` and ${line.alike.length} like it` : ""}`,
  );

t.test("many devices that come together are one line, also where another kind is between them", async (t) => {
  const house = Array.from({ length: 14 }, (_, n) => [
    item("device.added", `d${n}`, n),
    item("device.online", `d${n}`, n),
  ]);
  t.same(shown(...house.flat()), ["device.online d13 and 13 like it", "device.added d13 and 13 like it"]);
});

t.test("two devices, and devices that come at different times, have lines of their own", async (t) => {
  t.same(shown(item("device.offline", "a", 0), item("device.offline", "b", 1)), [
    "device.offline b",
    "device.offline a",
  ]);
  const apart = [0, 100, 200, 300].map((seconds) => item("device.online", `d${seconds}`, seconds));
  t.equal(shown(...apart).length, 4);
});

t.test(
  "a long event is one line as long as each comes soon after the one before; what else happens stays",
  async (t) => {
    const slow = Array.from({ length: 5 }, (_, n) => item("device.online", `d${n}`, n * 50));
    t.same(shown(...slow.slice(0, 2), item("scene.activated", null, 60), ...slow.slice(2)), [
      "device.online d4 and 4 like it",
      "scene.activated null",
    ]);
  },
);

t.test("what one opening records is one line, as before", async (t) => {
  t.same(shown(item("gate.opened", "gate", 0), item("device.event", "gate", 2)), ["gate.opened gate & 1"]);
  t.same(shown(item("automation.notify", null, 0), item("automation.fired", null, 0)), ["automation.notify null & 1"]);
});

t.test("one vehicle, from the question to its end, and a rule's message about an opening are one line", async (t) => {
  const asked = { ...item("gate.asked", "camera", 0), readId: 4 };
  const opened = { ...item("gate.opened", "gate", 14), readId: 4 };
  const told = { ...item("automation.notify", null, 15), becauseOf: "gate" };
  const other = { ...item("automation.notify", null, 16), becauseOf: "lamp" };
  const kinds = (...items: Parameters<typeof linesOf>[0][number][]) =>
    linesOf(items.toReversed()).map(({ item: { kind }, more }) => [kind, ...more.map((one) => one.kind)]);
  t.same(kinds(asked, opened), [["gate.asked", "gate.opened"]]);
  const shut = { ...item("gate.kept_shut", "camera", 30), readId: 4 };
  t.same(kinds(asked, shut), [["gate.kept_shut", "gate.asked"]]);
  t.same(kinds({ ...opened, readId: null }, told), [["gate.opened", "automation.notify"]]);
  t.same(kinds({ ...opened, readId: null }, other), [["automation.notify"], ["gate.opened"]]);
});

t.test("an opening, the run of the rule that it sets off and the rule's message are one line", async (t) => {
  const opened = item("gate.opened", "gate", 0);
  const told = { ...item("automation.notify", null, 1), becauseOf: "gate" };
  const ran = { ...item("automation.fired", null, 1), becauseOf: "gate" };
  const kinds = linesOf([ran, told, opened]).map(({ item: { kind }, more }) => [kind, ...more.map((one) => one.kind)]);
  t.same(kinds, [["gate.opened", "automation.notify", "automation.fired"]]);
  const later = { ...item("automation.fired", null, 200), becauseOf: "gate" };
  t.equal(linesOf([later, told, opened]).length, 2, "what a rule does later is a line of its own");
});

t.test("batteries that are found weak together are one line", async (t) => {
  const weak = Array.from({ length: 5 }, (_, n) => item("device.battery_low", `sensor${n}`, n));
  t.same(shown(...weak), ["device.battery_low sensor4 and 4 like it"]);
});

t.test("batteries that are found weak during a day are one line: a battery can wait", async (t) => {
  const weak = Array.from({ length: 7 }, (_, n) => item("device.battery_low", `sensor${n}`, n * 3_600));
  const between = item("scene.activated", null, 7_300);
  t.same(shown(...weak.slice(0, 3), between, ...weak.slice(3)), [
    "device.battery_low sensor6 and 6 like it",
    "scene.activated null",
  ]);
});

t.test("what a rule says of a car belongs to the car that came before it", async (t) => {
  const first = { ...item("plate.allowed", "camera", 0), readId: 1 };
  const second = { ...item("plate.unknown", "camera", 20), readId: 2 };
  const told = { ...item("automation.notify", null, 21), becauseOf: "camera" };
  const third = { ...item("plate.allowed", "camera", 40), readId: 3 };
  const kinds = linesOf([third, told, second, first]).map((line) => [line.item.id, ...line.more.map(({ id }) => id)]);
  t.same(kinds, [[third.id], [second.id, told.id], [first.id]]);
});

t.test("a longer list is looked at as often for each item as a short one", async (t) => {
  const looks = (count: number): number => {
    let looked = 0;
    const items = Array.from({ length: count }, (_, n) => {
      const { kind, ...rest } = item("device.event", `d${n}`, -n * 10);
      return Object.defineProperty(rest, "kind", {
        get: () => {
          looked += 1;
          return kind;
        },
      }) as ReturnType<typeof item>; // kind is there, as a getter
    });
    t.equal(linesOf(items).length, count);
    return looked / count;
  };
  t.ok(looks(2_000) < 1.1 * looks(20));
});
