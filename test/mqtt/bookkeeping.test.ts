import t from "tap";
import type { LiveClient } from "../../src/core/mqtt/aedes/client.ts";
import { DeviceConnections } from "../../src/core/mqtt/device-connections.ts";
import { Pacer } from "../../src/core/mqtt/pacer.ts";
import { Refusals } from "../../src/core/mqtt/refusals.ts";
import { TimeSlices } from "../../src/core/mqtt/time-slices.ts";
import { FakeClock } from "../support/fake-clock.ts";

t.test("refusals are counted by device and reason, with the last example of each", async (t) => {
  const refusals = new Refusals();
  refusals.count("plug", { reason: "oversize", topic: "a", payload: Buffer.from("x"), at: 1 });
  refusals.count("plug", { reason: "foreign", topic: "b", payload: "", at: 2 });
  refusals.count("plug", { reason: "foreign", topic: "c", at: 3 });
  refusals.count("", { reason: "no_password", topic: "", at: 4 });
  t.same(refusals.of("plug"), [
    { reason: "foreign", count: 2, lastAt: 3, lastTopic: "c", lastExample: null },
    { reason: "oversize", count: 1, lastAt: 1, lastTopic: "a", lastExample: "x" },
  ]);
  t.equal(refusals.total, 4);
  t.same([...refusals.all().keys()], ["plug", ""]);
  t.same(refusals.of("nobody"), []);
});

t.test("examples are cut and printable", async (t) => {
  const refusals = new Refusals();
  const exampleOf = (payload: string | Buffer, topic = "t") => {
    refusals.count("plug", { reason: "r", topic, payload, at: 0 });
    return refusals.of("plug")[0];
  };
  t.equal(exampleOf("x".repeat(200))?.lastExample, "x".repeat(200));
  t.equal(exampleOf("x".repeat(201))?.lastExample, `${"x".repeat(200)}…`);
  t.equal(exampleOf(Buffer.from("अ".repeat(200)))?.lastExample, "अ".repeat(200), "letters of three bytes, whole");
  t.equal(exampleOf("a\u0000\u001f \u007f~")?.lastExample, "a\ufffd\ufffd \ufffd~");
  t.equal(exampleOf("x", "t".repeat(128))?.lastTopic, "t".repeat(128));
  t.equal(exampleOf("x", "t".repeat(129))?.lastTopic, `${"t".repeat(128)}…`);
});

t.test("1,000 devices with 32 reasons each are remembered; the least recently refused is evicted first", async (t) => {
  const refusals = new Refusals();
  for (let n = 0; n < 33; n++) refusals.count("plug", { reason: `reason ${n}`, topic: "", at: n });
  t.equal(refusals.of("plug").length, 32);
  refusals.count("plug", { reason: "reason 0", topic: "", at: 40 });
  t.hasStrict(refusals.of("plug")[0], { reason: "reason 0", count: 2 }, "a known one still counts");
  for (let n = 1; n < 1_000; n++) refusals.count(`device ${n}`, { reason: "r", topic: "", at: 0 });
  t.equal(refusals.all().size, 1_000);
  refusals.count("plug", { reason: "reason 0", topic: "", at: 50 });
  refusals.count("one more", { reason: "r", topic: "", at: 0 });
  t.equal(refusals.all().size, 1_000);
  t.same(refusals.of("device 1"), []);
  t.equal(refusals.of("plug").length, 32, "it was refused again meanwhile");
  t.equal(refusals.total, 33 + 1 + 999 + 2);
});

/** A client as the broker passes it on, with the members that connections use. */
function client(id: string, { clean = false, saidGoodbye = false } = {}): LiveClient {
  return { id, clean, _disconnected: saidGoodbye } as LiveClient;
}

t.test("a device's first and last connection are reported, and which sessions are away since when", async (t) => {
  const clock = new FakeClock();
  const connections = new DeviceConnections(clock);
  const [one, two] = [client("plug"), client("plug-2")];
  t.equal(connections.add("plug", one), true);
  t.equal(connections.add("plug", two), false);
  t.same(connections.of("plug"), [one, two]);
  t.same(connections.all(), [one, two]);
  t.equal(connections.devices, 1);
  t.equal(connections.remove("plug", client("plug")), false, "another connection of the same id");
  t.equal(connections.remove("plug", one), false);
  clock.advance(10);
  t.equal(connections.remove("plug", two), true);
  t.equal(connections.devices, 0);
  t.equal(connections.remove("plug", two), false, "once");
  t.equal(connections.remove("fan", two), false);
  clock.advance(90);
  t.same(connections.expired(101), []);
  t.same(connections.expired(100), ["plug"], "exactly as long");
  t.same(connections.expired(90), ["plug", "plug-2"]);
  connections.add("plug", one);
  t.same(connections.expired(0), ["plug-2"], "a reconnected one is not away");
  connections.gone("plug-2");
  t.same(connections.expired(0), []);
  connections.add("lamp", client("lamp", { clean: true }));
  connections.remove("lamp", client("lamp"));
  const clean = client("fan", { clean: true });
  connections.add("fan", clean);
  connections.remove("fan", clean);
  t.same(connections.expired(0), [], "a clean session leaves nothing");
  connections.away("stored");
  t.same(connections.expired(0), ["stored"]);
});

t.test("only a client that broke off may repeat, and only once", async (t) => {
  const connections = new DeviceConnections(new FakeClock());
  const leave = (id: string, saidGoodbye: boolean): void => {
    const gone = client(id, { saidGoodbye });
    connections.add(id, gone);
    connections.remove(id, gone);
  };
  t.equal(connections.mayRepeat("new"), true);
  leave("plug", true);
  t.equal(connections.mayRepeat("plug"), false);
  t.equal(connections.mayRepeat("plug"), true, "its next connection may break");
  leave("plug", false);
  t.equal(connections.mayRepeat("plug"), true);
  for (let n = 0; n < 10_000; n++) leave(`c${n}`, true);
  leave("last", true);
  t.equal(connections.mayRepeat("c0"), true, "ten thousand are remembered");
  t.equal(connections.mayRepeat("c1"), false);
  t.equal(connections.mayRepeat("last"), false);
});

t.test("a rate is kept to the millisecond: a burst at once, then one by one in order", async (t) => {
  const clock = new FakeClock();
  const passed: string[] = [];
  const pacer = new Pacer<string>({ perSecond: 10, burst: 3 }, clock, (item) => passed.push(item));
  for (const item of ["a", "b", "c", "d", "e"]) pacer.pass("plug", item);
  pacer.pass("fan", "other");
  t.same(passed, ["a", "b", "c", "other"]);
  t.equal(pacer.held, 2);
  clock.advance(99);
  t.equal(passed.length, 4);
  clock.advance(1);
  t.same(passed.slice(4), ["d"]);
  clock.advance(100);
  t.same(passed.slice(4), ["d", "e"]);
  pacer.pass("plug", "f");
  t.same(passed.slice(4), ["d", "e"], "the allowance is used up");
  pacer.pass("plug", "g");
  clock.advance(1_000);
  t.same(passed.slice(4), ["d", "e", "f", "g"]);
  for (const item of ["h", "i", "j", "k"]) pacer.pass("plug", item);
  t.same(passed.slice(8), ["h", "i", "j"], "idle time saves up a burst, and no more");
  pacer.release();
  t.same(passed.slice(8), ["h", "i", "j", "k"]);
  clock.advance(1_000);
  t.same(passed.slice(8), ["h", "i", "j", "k"], "nothing twice");
});

t.test("the rate of 2,000 devices is remembered; those that exceed it are not forgotten", async (t) => {
  const clock = new FakeClock();
  const passed: string[] = [];
  const pacer = new Pacer<string>({ perSecond: 1, burst: 1 }, clock, (item) => passed.push(item));
  pacer.pass("plug", "first");
  pacer.pass("plug", "held");
  for (let n = 1; n < 2_100; n++) pacer.pass(`device ${n}`, "x");
  pacer.pass("plug", "held too");
  t.notOk(passed.includes("held too"));
  clock.advance(2_000);
  t.ok(passed.includes("held") && passed.includes("held too"));
  const all = new Pacer<string>({ perSecond: 0, burst: 1 }, clock, (item) => passed.push(item));
  for (let n = 0; n < 10; n++) all.pass("plug", "free");
  t.equal(passed.filter((item) => item === "free").length, 10, "without a limit nothing is delayed");
});

t.test("tasks run in order, a few milliseconds of them before others have their turn", async (t) => {
  const clock = new FakeClock();
  const slices = new TimeSlices(clock);
  const ran: number[] = [];
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  for (let n = 0; n < 7; n++)
    slices.run(() => {
      ran.push(n);
      clock.advance(2);
    });
  t.same(ran, [], "not before this turn ends");
  await turn();
  t.same(ran, [0, 1, 2]);
  await turn();
  t.same(ran, [0, 1, 2, 3, 4, 5]);
  slices.run(() => void ran.push(7));
  slices.release();
  t.same(ran, [0, 1, 2, 3, 4, 5, 6, 7]);
  await turn();
  slices.run(() => void ran.push(8));
  await turn();
  await turn();
  t.same(ran, [0, 1, 2, 3, 4, 5, 6, 7, 8], "each once");
});
