/** A Matter node that lies or floods: what the Matter process keeps of it and what the hub makes of it is bounded. */
import t from "tap";
import type { AttributeName } from "../../src/features/matter/controller/clusters.ts";
import { NodePicture } from "../../src/features/matter/controller/node-picture.ts";
import { MOST_ENDPOINTS, unitsOf } from "../../src/features/matter/controller/node-view.ts";
import { MEASURED_GAP_MS, Pace } from "../../src/features/matter/controller/pace.ts";

const NODE = "00112233445566ff";

t.test("ten thousand endpoints with huge texts, each a part of every other", async (t) => {
  const picture = new NodePicture();
  const all = Array.from({ length: 10_000 }, (_, number) => number);
  const huge = "\u{1f4a5}".repeat(50_000);
  const before = process.memoryUsage().heapUsed;
  for (const number of all) {
    picture.attribute(
      number,
      0x1d,
      0,
      Array.from({ length: 1_000 }, () => ({ deviceType: 0x13, revision: 1 })),
    );
    picture.attribute(number, 0x1d, 3, all);
    for (const attribute of [1, 3, 5, 10]) picture.attribute(number, 0x39, attribute, huge);
    picture.attribute(number, 0x06, 0, true);
    picture.attribute(number, 0xfff1_0000 + number, number, huge);
  }
  const endpoints = picture.endpoints();
  t.ok(endpoints.length <= MOST_ENDPOINTS, `${endpoints.length} endpoints are kept`);
  const bytes = JSON.stringify(endpoints).length;
  t.ok(bytes < 500_000, `${bytes} bytes are passed on`);
  t.ok(process.memoryUsage().heapUsed - before < 64 * 1024 * 1024);
  const units = unitsOf({ node: NODE, endpoints });
  t.ok(units.length <= 100, `${units.length} devices`);
});

t.test("nonsense of every kind is ignored", async (t) => {
  const picture = new NodePicture();
  const nonsense = [
    undefined,
    null,
    Number.NaN,
    -1,
    2n ** 70n,
    "",
    [],
    {},
    [[[[]]]],
    { deviceType: {} },
    { energy: "1e999" },
    { occupied: 1 },
    Symbol("x"),
    () => 1,
  ];
  for (const value of nonsense)
    for (const cluster of [0x1d, 0x28, 0x2f, 0x06, 0x08, 0x300, 0x406, 0x402, 0x102, 0x201, 0x202, 0x91])
      for (const attribute of [0, 1, 3, 5, 8, 12, 0xfffc]) picture.attribute(1, cluster, attribute, value);
  for (const value of nonsense) for (const event of [0, 1, 2, 3, 6, 99]) picture.event(1, 0x3b, event, value);
  t.doesNotThrow(() => unitsOf({ node: NODE, endpoints: picture.endpoints() }));
  const text = JSON.stringify(picture.takeChanges());
  t.ok(text.length < 20_000);
  t.notMatch(text, /1e999|Infinity/);
});

t.test(
  "a value that changes 100,000 times is reported once, as the last; a held button is reported 32 times",
  async (t) => {
    const picture = new NodePicture();
    picture.attribute(1, 0x06, 0, false);
    picture.takeChanges();
    for (let count = 0; count <= 100_000; count++) picture.attribute(1, 0x06, 0, count % 2 === 0);
    for (let count = 0; count < 10_000; count++) picture.event(1, 0x3b, 1, { newPosition: 1 });
    const { values, pressed } = picture.takeChanges();
    t.same(values, [{ endpoint: 1, name: "onOff", value: true }]);
    t.equal(pressed.length, 32);
  },
);

t.test("a storm costs the hub a few messages a second, and then none", async (t) => {
  const pace = new Pace();
  const sentAt: number[] = [];
  const names: AttributeName[] = ["onOff"];
  let pending: number | null = null;
  let stormAt: number | null = null;
  for (let now = 0; now < 10_000 && stormAt === null; now += 5) {
    if (pace.isStorm(now)) stormAt = now;
    pending ??= pace.due(now, names, false);
    if (now < pending) continue;
    pace.told(now, names);
    sentAt.push(now);
    pending = null;
  }
  t.ok(stormAt !== null && stormAt <= 3_100, `200 reports a second are too many after ${stormAt} ms`);
  t.ok(sentAt.length <= 22, `${sentAt.length} messages by then`);
  const measured = new Pace();
  measured.told(0, ["watts"]);
  t.equal(measured.due(100, ["watts", "voltage"], false), MEASURED_GAP_MS, "measurements are delayed");
  t.equal(measured.due(200, ["watts", "onOff"], false), 210, "switching is not");
});
