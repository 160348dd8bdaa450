/** The export against a server that answers as the test wants: behaviour that InfluxDB 1 does not show by itself. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import t, { type Test } from "tap";
import { until } from "../support/receivers.ts";
import { SeriesBench } from "./setup.ts";

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly lines: string[];
}

interface Server {
  readonly url: string;
  readonly asked: Asked[];
  /** The responses to the next requests; 204 by default. */
  answer: (asked: Asked) => { status: number; body?: string; headers?: Record<string, string> };
}

async function serve(t: Test): Promise<Server> {
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const lines = gunzipSync(Buffer.concat(chunks)).toString().trimEnd().split("\n");
      const asked = { path: request.url ?? "", headers: request.headers, lines };
      server.asked.push(asked);
      const { status, body = "", headers = {} } = server.answer(asked);
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  const server: Server = { url: `http://127.0.0.1:${port}`, asked: [], answer: () => ({ status: 204 }) };
  return server;
}

const begin = Date.now() - 60_000;
const points = (server: Server): string[] =>
  server.asked.flatMap(({ lines }) => lines.filter((line) => / n=/.test(line)));
const numbers = (lines: readonly string[]): number[] => lines.map((line) => Number(/ n=(-?\d+)/.exec(line)?.[1]));

t.test("version 2: organisation, bucket and token, and a device's name once", async (t) => {
  const [server, bench] = [await serve(t), await SeriesBench.open(t)];
  bench.device("plug", { name: "Kettle", room: "Kitchen", type: "smart-plug" });
  await bench.samples("plug", [{ at: begin, data: { n: 1 } }]);
  await bench.target({ url: `${server.url}/behind/`, version: "2", org: "my org", bucket: "b/1", secret: "t0ken" });
  await until(() => bench.export.state.sent === 1);
  await bench.samples("plug", [{ at: begin + 1, data: { n: 2 } }]);
  await until(() => bench.export.state.sent === 2);
  const [first, second] = server.asked;
  t.equal(first?.path, "/behind/api/v2/write?org=my+org&bucket=b%2F1");
  t.match(first?.headers, { authorization: "Token t0ken", "content-encoding": "gzip" });
  t.same(first?.lines, [`gatehouse,device=plug,home=Home n=1 ${begin}000000`, first?.lines[1] ?? ""]);
  t.match(
    first?.lines[1],
    /^gatehouse_device,device=plug,home=Home name="Kettle",room="Kitchen",type="smart-plug" \d{19}$/,
  );
  t.same(second?.lines, [`gatehouse,device=plug,home=Home n=2 ${begin + 1}000000`]);
});

t.test("only 204 means that a server has them: no redirect is followed, no other page trusted", async (t) => {
  const [server, elsewhere, bench] = [await serve(t), await serve(t), await SeriesBench.open(t)];
  bench.device("plug");
  await bench.samples("plug", [{ at: begin, data: { n: 1 } }]);
  server.answer = () => ({ status: 307, headers: { Location: `${elsewhere.url}/write?db=house` } });
  await bench.target({ url: server.url, user: "hub", secret: "secret" });
  await until(() => bench.export.state.problem?.code === "series.notInflux");
  server.answer = () => ({ status: 200, body: "<h1>Welcome to your router</h1>" });
  const before = server.asked.length;
  await bench.again();
  await until(() => server.asked.length > before && bench.export.state.state === "waiting");
  server.answer = () => ({ status: 400, body: '{"error":"this is no InfluxDB"}' });
  await bench.again();
  await until(() => server.asked.length > before + 1 && bench.export.state.problem?.code === "series.notInflux");
  t.match(bench.export.state, { sent: 0, refused: 0 });
  server.answer = () => ({ status: 204 });
  await bench.again();
  await until(() => bench.export.state.sent === 1);
  t.equal(elsewhere.asked.length, 0, "no other server saw the password");
});

t.test("a bad line is found among good ones, and an oversize batch halved", async (t) => {
  const [server, bench] = [await serve(t), await SeriesBench.open(t)];
  bench.device("plug");
  await bench.samples(
    "plug",
    Array.from({ length: 40 }, (_, n) => ({ at: begin + n, data: { n } })),
  );
  const kept: string[] = [];
  server.answer = ({ lines }) => {
    if (lines.length > 16) return { status: 413 };
    if (lines.some((line) => line.includes(" n=17 ")))
      return { status: 400, body: '{"code":"invalid","message":"unable to parse \'x\': bad"}' };
    kept.push(...lines);
    return { status: 204 };
  };
  await bench.target({ url: server.url });
  await until(() => bench.export.state.sent === 40);
  const taken = numbers(kept.filter((line) => line.includes(" n=")));
  t.same(
    taken,
    [...Array(40).keys()].filter((n) => n !== 17),
  );
  t.match(bench.export.state, { refused: 1 });
});

t.test("a sample that comes late while a batch is in flight is sent all the same", async (t) => {
  const [server, bench] = [await serve(t), await SeriesBench.open(t)];
  bench.device("plug");
  await bench.samples("plug", [
    { at: begin, data: { n: 1 } },
    { at: begin + 10, data: { n: 2 } },
  ]);
  let late: Promise<void> | null = null;
  server.answer = () => {
    late ??= bench.samples("plug", [{ at: begin + 5, data: { n: 3 } }]);
    return { status: 204 };
  };
  await bench.target({ url: server.url });
  await until(() => numbers(points(server)).includes(3));
  await late;
  await bench.kill();
  const before = server.asked.length;
  await bench.samples("plug", [{ at: begin + 20, data: { n: 4 } }]);
  await until(() => numbers(points(server)).includes(4));
  t.ok(server.asked.length > before);
});

t.test(
  "after a stop nothing is sent again; a late sample is, with everything after it, even after a kill",
  async (t) => {
    const [server, bench] = [await serve(t), await SeriesBench.open(t)];
    bench.device("plug");
    await bench.samples(
      "plug",
      [1, 2, 3].map((n) => ({ at: begin + n * 10, data: { n } })),
    );
    await bench.target({ url: server.url });
    await until(() => bench.export.state.sent === 3);
    await bench.export.stop();
    server.asked.length = 0;
    await bench.begin();
    await until(() => bench.export.state.state === "sending" && bench.marks.waiting.size === 0);
    t.same(points(server), [], "the marks were stored");
    server.answer = () => ({ status: 503, headers: { "Retry-After": "1" } });
    await bench.samples("plug", [{ at: begin + 15, data: { n: 4 } }]);
    await until(() => bench.export.state.problem?.code === "series.busy");
    server.answer = () => ({ status: 204 });
    server.asked.length = 0;
    await bench.kill();
    await until(() => numbers(points(server)).length > 0);
    t.same(numbers(points(server)), [4, 2, 3]);
  },
);

t.test(
  "while the time is not known nothing is sent, and samples moved to their true time are sent there",
  async (t) => {
    const [server, bench] = [await serve(t), await SeriesBench.open(t)];
    bench.device("plug");
    await bench.target({ url: server.url });
    await bench.samples("plug", [{ at: begin, data: { n: 1 } }]);
    await until(() => bench.export.state.sent === 1);
    bench.world.clockTrusted = false;
    await bench.again();
    await until(() => bench.export.state.state === "clock");
    await bench.samples("plug", [{ at: begin + 30_000, data: { n: 2 } }]);
    const span = { fromMs: begin + 30_000, toMs: begin + 30_000, shiftMs: -60_000 };
    bench.world.clockTrusted = true;
    await bench.export.whileMoved(span.fromMs + span.shiftMs, async () => {
      await bench.telemetry.move(span);
      t.equal(points(server).length, 1);
    });
    await until(() => numbers(points(server)).includes(2));
    t.same(
      points(server).filter((line) => / n=2 /.test(line)),
      [`gatehouse,device=plug,home=Home n=2 ${begin - 30_000}000000`],
    );
  },
);

t.test("an excluded device is not exported, and its samples meanwhile stay here", async (t) => {
  const [server, bench] = [await serve(t), await SeriesBench.open(t)];
  bench.device("plug");
  bench.device("bedroom");
  await bench.target({ url: server.url });
  const leave = async (ids: readonly string[], again: readonly string[]): Promise<void> => {
    await bench.setup.putLeftOut(ids, () => bench.marks.skipTo(begin + 100, again));
    await bench.again();
  };
  await leave(["bedroom"], []);
  await bench.samples("bedroom", [{ at: begin, data: { n: 7 } }]);
  await bench.samples("plug", [{ at: begin, data: { n: 1 } }]);
  await until(() => bench.export.state.sent === 1);
  await leave([], ["bedroom"]);
  await bench.samples("bedroom", [{ at: begin + 200, data: { n: 8 } }]);
  await until(() => bench.export.state.sent === 2);
  t.same(numbers(points(server)), [1, 8]);
});

t.test("a secret belongs to the server it was given for, and invalid addresses are not accepted", async (t) => {
  const bench = await SeriesBench.open(t);
  await bench.target({ url: "http://127.0.0.1:1", user: "hub", secret: "s" });
  const refused = async (edit: Parameters<SeriesBench["target"]>[0], field: string): Promise<void> => {
    await t.rejects(
      bench.target(edit),
      { code: /^invalid_body$/, details: [{ field: new RegExp(`^${field}$`) }] },
      `${edit.url} ${field}`,
    );
  };
  await refused({ url: "http://127.0.0.1:2", user: "hub" }, "/secret");
  await refused({ url: "http://127.0.0.1:1", user: "site:hub", secret: "s" }, "/user");
  await refused({ url: "ftp://127.0.0.1:1" }, "/url");
  await refused({ url: "http://hub:pw@127.0.0.1:1" }, "/url");
  await refused({ url: "http://127.0.0.1:1/?db=x" }, "/url");
  await refused({ url: "http://169.254.169.254/" }, "/url");
  await refused({ url: "http://127.0.0.1:1", database: "" }, "/database");
  await refused({ url: "http://127.0.0.1:1", version: "2", org: "o", bucket: "", secret: "t" }, "/bucket");
  await refused({ url: "http://127.0.0.1:1", version: "2", org: "o", bucket: "b", secret: null }, "/secret");
  for (const secret of ["two\nlines", "with blank ", "पासवर्ड"])
    await refused({ url: "http://127.0.0.1:1", version: "2", org: "o", bucket: "b", secret }, "/secret");
  await bench.target({ url: "http://127.0.0.1:1", user: "other" });
  t.equal(bench.setup.secret(), "s", "the same server keeps it");
});

t.test("a device that invents names does not fill the database with them", async (t) => {
  const [server, bench] = [await serve(t), await SeriesBench.open(t)];
  bench.device("odd");
  await bench.target({ url: server.url });
  for (let round = 0; round < 3; round++) {
    const names = Array.from({ length: 150 }, (_, n) => [`name${round}x${n}`, n] as const);
    await bench.samples("odd", [{ at: begin + round, data: { n: round, ...Object.fromEntries(names) } }]);
  }
  await until(() => bench.export.state.sent === 3);
  const fields = points(server).flatMap((line) => [...line.matchAll(/(\w+)=\d/g)].map(([, name]) => name));
  t.equal(new Set(fields).size, 256);
  t.same(numbers(points(server)), [0, 1, 2], "known ones continue");
});

t.test("simultaneous set-ups do not undo each other", async (t) => {
  const bench = await SeriesBench.open(t);
  const { setup } = bench;
  await Promise.all([setup.putPrometheus(true), setup.putLeftOut(["bedroom"], () => {}), setup.putPrometheus(false)]);
  t.match(setup.settings, { prometheus: false, leftOut: ["bedroom"] });
});
