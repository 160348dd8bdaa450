import t from "tap";
import { Influx, NO_INFLUX, type Point } from "../support/influx.ts";
import { until } from "../support/receivers.ts";
import { SeriesBench } from "./setup.ts";

t.test("a real InfluxDB", { skip: NO_INFLUX }, async (t) => {
  const influx = await Influx.start(t);
  const { url, user, password: secret } = influx;
  const begin = Date.now() - 3_600_000;
  const idle = (bench: SeriesBench) => () => bench.export.state.state === "sending" && bench.marks.waiting.size === 0;
  const ofDevice = (id: string): Promise<Point[]> => influx.query(`SELECT * FROM gatehouse WHERE device = '${id}'`);

  await t.test("every sample is there once, whichever side is killed in the middle", async (t) => {
    const bench = await SeriesBench.open(t);
    bench.device("meter");
    bench.device("other");
    await bench.target({ url, user, secret });
    const sent: { at: number; data: { n: number } }[] = [];
    const measure = async (from: number, count: number): Promise<void> => {
      // three of each millisecond, so that only the order distinguishes them
      const some = Array.from({ length: count }, (_, i) => ({
        at: begin + Math.floor((from + i) / 3),
        data: { n: from + i },
      }));
      sent.push(...some);
      await bench.samples("meter", some);
      await bench.samples("other", some);
    };
    await measure(0, 900);
    await until(() => bench.export.state.sent >= 900);
    await influx.kill();
    await measure(900, 900);
    await until(() => bench.export.state.state === "waiting");
    t.hasStrict(bench.export.state, { problem: { code: "series.away" } });
    t.ok((bench.export.state.oldestWaiting ?? 0) >= begin, "and the hub knows since when");
    await bench.telemetry.compact(); // waiting samples are in blocks now
    await bench.kill();
    await measure(1_800, 900);
    await influx.start();
    await measure(2_700, 300);
    await until(idle(bench));
    await bench.samples("meter", [{ at: begin + 50, data: { n: -1 } }]); // late, and of a time that is already there
    await bench.kill();
    await until(idle(bench));
    await influx.kill();
    await influx.start();
    const points = await ofDevice("meter");
    const numbers = points.map(({ n }) => Number(n));
    t.same(
      [...numbers].sort((one, other) => one - other),
      [-1, ...sent.map(({ data }) => data.n)],
    );
    t.same(
      points.filter(({ n }) => n !== -1).map(({ time }) => BigInt(String(time)) / 1_000_000n),
      sent.map(({ at }) => BigInt(at)),
      "at its millisecond",
    );
    t.equal((await ofDevice("other")).length, sent.length);
    t.equal(bench.export.state.refused, 0);
  });

  await t.test("names and texts of every kind arrive unchanged", async (t) => {
    const bench = await SeriesBench.open(t);
    const id = 'ugly, "name" = \\ x\\';
    bench.device(id, { name: 'A "quoted" \\ name\nof two lines', room: "घर" });
    await bench.target({ url, user, secret, home: "Home, = sweet \\" });
    const data = {
      "a b,c=d": 1,
      'q"uote': 2.5,
      "back\\slash\\": 3,
      "line\nbreak": 4,
      "ends with blank ": 5,
      तापमान: -0.000_001,
      time: 6,
      _field: 7,
      big: 1e300,
      whole: 9_007_199_254_740_991,
      on: true,
      off: false,
      text: 'say "hi", \\ and\nbye = ok',
      empty: "",
      nothing: null,
      list: [1, 2],
      deep: { er: { value: 8 } },
      plate: "MH12AB1234",
      access_token: "secret",
      pin: 1_234,
      image: "data:image/jpeg;base64,AAAA",
    };
    await bench.samples(id, [{ at: begin, data }]);
    await until(() => bench.export.state.sent > 0);
    const [point] = await influx.query(`SELECT * FROM gatehouse WHERE home =~ /sweet/`);
    t.match(point, { time: `${begin}000000`, device: 'ugly, "name" = %5C x%5C', home: "Home, = sweet %5C" });
    const { time: _time, device: _device, home: _home, ...fields } = point ?? {};
    const values = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ""));
    delete values.n;
    t.same(values, {
      "a b,c=d": 1,
      'q"uote': 2.5,
      "back%5Cslash%5C": 3,
      "line%0Abreak": 4,
      "ends with blank ": 5,
      तापमान: -0.000_001,
      value_time: 6,
      value__field: 7,
      big: 1e300,
      whole: 9_007_199_254_740_991,
      on_bool: true,
      off_bool: false,
      text_str: 'say "hi", \\ and bye = ok',
      "deep.er.value": 8,
    });
    t.match(await influx.query("SELECT * FROM gatehouse_device WHERE home =~ /sweet/"), [
      { name: /^A "quoted" \\ name of two lines$/, room: "घर", type: /^sensor$/ },
    ]);
  });

  await t.test("a refused point takes no other with it", async (t) => {
    const bench = await SeriesBench.open(t);
    bench.device("odd");
    t.equal(await influx.write(`gatehouse,device=odd,home=Home level="high" ${begin}000000`), 204);
    await bench.target({ url, user, secret });
    await bench.samples("odd", [
      { at: begin + 1, data: { n: 1 } },
      { at: begin + 2, data: { level: 2 } },
      { at: begin + 3, data: { n: 3 } },
    ]);
    await until(() => bench.export.state.sent >= 3);
    t.match(bench.export.state, { refused: 1, problem: { code: /^series\.refused$/, why: /type conflict/ } });
    t.same(
      (await influx.query("SELECT n FROM gatehouse WHERE device = 'odd'")).map(({ n }) => n),
      [1, 3],
    );
  });

  await t.test("an owner's wrong settings are reported, and nothing is lost by them", async (t) => {
    const bench = await SeriesBench.open(t);
    bench.device("patient");
    await bench.samples("patient", [{ at: begin, data: { n: 1 } }]);
    await bench.target({ url, user, secret: "wrong" });
    await until(() => bench.export.state.problem?.code === "series.forbidden");
    await bench.target({ url, user, secret, database: "nowhere" });
    await until(() => bench.export.state.problem?.code === "series.noDatabase");
    await bench.target({ url, user, secret });
    await until(() => bench.export.state.sent === 1);
    t.equal((await ofDevice("patient")).length, 1);
    t.equal(bench.export.state.problem, null);
  });
});
