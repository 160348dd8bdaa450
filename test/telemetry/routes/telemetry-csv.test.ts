import { get } from "node:http";
import t from "tap";
import { ApiHub } from "../../support/api-hub.ts";
import { testFolder } from "../../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { api } = hub;
const key = await hub.key({ scopes: ["telemetry:read"] });
await hub.device("meter");
await hub.device("odd");
await hub.device("foreign", { siteId: hub.other.siteId });
const now = hub.clock.now();
const HEAD = "time,device,metric,value\r\n";

/** The file as it arrives; with `Connection: close` there is one response per connection. */
async function file(path: string, credential = key): Promise<{ status: number; text: string; name: string }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${credential}` };
    get({ host: "127.0.0.1", port: hub.server.port, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response
        .on("error", reject)
        .on("end", () =>
          resolve({ status: response.statusCode ?? 0, text, name: response.headers["content-disposition"] ?? "" }),
        );
    }).on("error", reject);
  });
}

t.test("the response matches the API description, including its headers", async (t) => {
  const { status, headers } = await api.get("/v1/devices/odd/telemetry.csv", { key });
  t.equal(status, 200);
  t.match(headers["content-disposition"], /^attachment; filename="odd-/);
});

t.test("every sample is listed once, oldest first, whether from blocks or from the journal", async (t) => {
  const first = now - 20_000_000;
  const at = (n: number): number => first + Math.floor(n / 3) * 1_000; // three of one time
  const samples = Array.from({ length: 6_000 }, (_, n) => ({ at: at(n), data: { watts: n } }));
  for (let from = 0; from < 5_000; from += 1_000) await hub.samples("meter", samples.slice(from, from + 1_000));
  await hub.telemetry.compact();
  await hub.samples("meter", samples.slice(5_000));
  await hub.samples("meter", [{ at: first + 500, data: { watts: -0.5 } }]); // late
  const { status, text, name } = await file(
    `/v1/devices/meter/telemetry.csv?from=${new Date(first).toISOString()}&metric=watts`,
  );
  t.equal(status, 200);
  t.match(name, /^attachment; filename="meter-\d{4}-\d\d-\d\d\.csv"$/);
  t.ok(text.startsWith(HEAD));
  const lines = text.slice(HEAD.length).trimEnd().split("\r\n");
  const values = lines.map((line) => Number(line.split(",")[3]));
  t.same(values, [0, 1, 2, -0.5, ...samples.slice(3).map(({ data }) => data.watts)], "each once, in its order");
  const [time = ""] = (lines[3] ?? "").split(",");
  t.match(time, /\+05:30$/, "in the household's local time, with its offset");
  t.equal(Date.parse(time), first + 500, "and exact");
});

t.test("a range includes its first instant and excludes its last", async (t) => {
  const day = Date.parse("2026-01-01T00:00:00Z");
  await hub.device("edges");
  await hub.samples(
    "edges",
    [0, 1, 2, 3].map((second) => ({ at: day + second * 1_000, data: { a: second } })),
  );
  const { text } = await file("/v1/devices/edges/telemetry.csv?from=2026-01-01T00:00:01Z&to=2026-01-01T00:00:03Z");
  t.equal(text, `${HEAD}2026-01-01T05:30:01.000+05:30,edges,a,1\r\n2026-01-01T05:30:02.000+05:30,edges,a,2\r\n`);
});

t.test("a search for a value that does not occur lets others have their turn", async (t) => {
  const turns = new Map<number, number>();
  let turn = 0;
  let isOver = false;
  const next = (): void => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  next();
  const original = hub.telemetry.oldestFirst.bind(hub.telemetry);
  hub.telemetry.oldestFirst = (id, query) => {
    turns.set(turn, (turns.get(turn) ?? 0) + 1);
    return original(id, query);
  };
  t.teardown(() => {
    isOver = true;
    hub.telemetry.oldestFirst = original;
  });
  const from = new Date(now - 20_000_000).toISOString();
  t.equal((await file(`/v1/devices/meter/telemetry.csv?from=${from}&metric=nowhere`)).text, HEAD);
  const reads = [...turns.values()];
  t.ok(reads.reduce((sum, count) => sum + count, 0) > 10, "all of it was searched");
  t.ok(Math.max(...reads) <= 2, `${Math.max(...reads)} pieces were read in one turn`);
});

t.test("texts never run as formulas, and no name breaks a line", async (t) => {
  const at = now - 1_000;
  await hub.samples("odd", [
    { at, data: { '=cmd|"x"': "=1+1", "a,b": "@x", line: "two\nlines", minus: -3, plus: "+1", on: true, none: null } },
  ]);
  await hub.samples("odd", [{ at: at + 1, data: { nested: { a: [1, "2"] } } }]);
  const { text } = await file("/v1/devices/odd/telemetry.csv");
  const rest = text
    .slice(HEAD.length)
    .split("\r\n")
    .map((line) => line.split(",").slice(2).join(","));
  t.same(rest, [
    `"'=cmd|""x""",'=1+1`,
    `"a,b",'@x`,
    'line,"two\nlines"',
    "minus,-3",
    "plus,'+1",
    "on,true",
    "none,",
    'nested,"{""a"":[1,""2""]}"',
    "",
  ]);
  t.equal(
    (await file("/v1/devices/odd/telemetry.csv?metric=toString")).text,
    HEAD,
    "a property name of every object is not a metric",
  );
});

t.test("callers who may not read telemetry, and objects of other households", async (t) => {
  const others = await hub.key({ scopes: ["devices:read", "devices:control", "events:read"] });
  t.equal((await file("/v1/devices/meter/telemetry.csv", others)).status, 403);
  t.equal((await api.get("/v1/devices/meter/telemetry.csv")).status, 401);
  for (const id of ["foreign", "nobody"]) t.equal((await file(`/v1/devices/${id}/telemetry.csv`)).status, 404, id);
  const { status, text } = await file(
    "/v1/devices/meter/telemetry.csv?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
  );
  t.hasStrict({ status, body: JSON.parse(text) }, { status: 400, body: { error: { code: "invalid_query" } } });
});

t.test("a client that does not read holds one piece in memory, and ends with its key", async (t) => {
  const secret = await hub.key({ scopes: ["telemetry:read"] });
  const asked = { reads: 0 };
  const original = hub.telemetry.oldestFirst.bind(hub.telemetry);
  hub.telemetry.oldestFirst = (id, query) => {
    asked.reads += 1;
    return original(id, query).map((sample) => ({ ...sample, data: { text: "x".repeat(2_000) } }));
  };
  t.teardown(() => {
    hub.telemetry.oldestFirst = original;
  });
  const from = new Date(now - 20_000_000).toISOString();
  const ended = new Promise<string>((resolve, reject) => {
    const request = get(
      {
        host: "127.0.0.1",
        port: hub.server.port,
        path: `/v1/devices/meter/telemetry.csv?from=${from}`,
        headers: { Authorization: `Bearer ${secret}` },
      },
      (response) => {
        response.pause();
        response.on("aborted", () => resolve("aborted")).on("error", () => resolve("aborted"));
        response.on("end", () => resolve("whole"));
        void (async () => {
          let before = -1;
          // until the sockets' buffers are full and nothing more is read
          while (before !== asked.reads) {
            before = asked.reads;
            await new Promise((next) => setTimeout(next, 100));
          }
          t.ok(asked.reads < 13, `${asked.reads} of 13 pieces were made`);
          const { keys } = hub.access;
          const [known] = keys.list(hub.home.accountId).filter(({ lastFour }) => secret.endsWith(lastFour));
          await keys.revoke(hub.home.accountId, known?.id ?? 0, { accountId: hub.home.accountId, actor: "cli" });
          response.resume();
        })().catch(reject);
      },
    );
    request.on("error", () => resolve("aborted"));
  });
  t.equal(await ended, "aborted");
});
