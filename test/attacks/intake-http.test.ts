import { readFileSync } from "node:fs";
import t from "tap";
import { ask, crowd, disperse, Hostile } from "../support/attacker.ts";
import { eventually, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

/** The machine is shared: the promise is 100 ms, the assertion is that every client is served. */
const SOON_MS = 15_000;
const HEAD = "Host: 127.0.0.1\r\n";

const { hub, owner } = await startOwnedHub(testFolder(t), {
  GATEHOUSE_RECOGNITION: "false",
  GATEHOUSE_MQTT_WEBSOCKET: "true",
});
t.teardown(() => hub.kill());
const port = Number(new URL(hub.url).port);

/** Another person in the house: the page, and a call with the session, from a different address. */
async function served(t: import("tap").Test, when: string): Promise<void> {
  for (let at = 0; at < 5; at++) {
    const health = await ask(port, "/healthz", { limitMs: SOON_MS });
    t.equal(health.status, 200, `${when}: /healthz in ${health.tookMs.toFixed(0)} ms`);
  }
  t.equal(
    (await ask(port, "/v1/devices", { headers: { Cookie: owner.cookie }, limitMs: SOON_MS })).status,
    200,
    `${when}: the owner's own call`,
  );
}

const memory = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${hub.pid}/status`, "utf8"))?.[1]) / 1024;

// Deadlines take their time: these start here and are checked at the end.
const begun = performance.now();
const slowBody = new Hostile(port, "127.0.9.1");
await slowBody.open();
slowBody
  .listen()
  .send(`POST /api/session HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 200\r\n\r\n`);
const drip = setInterval(() => slowBody.send(" "), 1_000);
const slowHead = new Hostile(port, "127.0.9.2");
await slowHead.open();
slowHead.listen().send("GET / HTTP/1.1\r\n");
const dripHead = setInterval(() => slowHead.send("x"), 1_000);
// Only a client that reads notices an orderly end, which Node's own limit makes if it comes first.
const silent = (await new Hostile(port, "127.0.9.3").open()).listen();
const unread = await crowd(port, 20, { net: 10, data: `GET /v1/openapi.json HTTP/1.1\r\n${HEAD}\r\n`.repeat(40) });
for (const { socket } of unread) socket.pause();

t.test("a recovery with long passwords costs nothing before its code is right", async (t) => {
  const password = "비밀번호가나다라마바사".repeat(24).slice(0, 256);
  const tried = Array.from({ length: 95 }, (_, at) =>
    ask(port, "/api/session/recover", {
      from: `127.0.1.${(at % 40) + 1}`,
      json: { email: `p${at}@example.org`, code: "AAAAA-AAAAA", password },
    }),
  );
  await served(t, "while 95 recoveries are tried");
  for (const { status } of await Promise.all(tried)) if (![401, 429, 503].includes(status)) t.fail(`${status}`);
});

t.test("large bodies under invented ids are not read", async (t) => {
  const before = memory();
  const data = Buffer.concat([
    Buffer.from(
      `PUT /api/uploads/${"A".repeat(32)}?offset=0 HTTP/1.1\r\n${HEAD}Content-Type: application/octet-stream\r\nContent-Length: 4194304\r\n\r\n`,
    ),
    Buffer.alloc(1_048_576),
  ]);
  const all = await crowd(port, 200, { net: 2, addresses: 10, data, read: true });
  await served(t, "while 200 pieces are sent");
  await eventually(() => all.every((one) => one.isOver || one.text.includes("404 Not Found")), 20_000);
  t.ok(memory() - before < 100, `the memory grew by ${(memory() - before).toFixed(0)} MB, 200 MB were sent`);
  disperse(all);

  const { body } = await owner.call<{ upload: { id: string } }>("POST", "/api/uploads", {
    kind: "backup",
    bytes: 5_000_000,
  });
  const piece = await owner.send(
    "PUT",
    `/api/uploads/${body.upload.id}?offset=0`,
    new Uint8Array(4_194_304),
    "application/octet-stream",
  );
  t.match(piece, { status: 200, body: { upload: { received: 4_194_304 } } }, "an announced one is");
  const early = await new Hostile(port, "127.0.2.99").open();
  early
    .listen()
    .send(
      `PUT /api/uploads/${body.upload.id}?offset=7 HTTP/1.1\r\n${HEAD}Content-Type: application/octet-stream\r\nContent-Length: 4194304\r\nExpect: 100-continue\r\n\r\n`,
    );
  await eventually(() => early.text.includes("409"));
  t.notMatch(early.text, /100 Continue/, "no client is asked to continue with a piece that is not wanted");
  disperse([early]);
});

t.test("bodies of unauthenticated clients share a small room, and a sign-in still fits", async (t) => {
  const data = `POST /api/session HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 65536\r\n\r\n${" ".repeat(65_000)}`;
  const all = await crowd(port, 400, { net: 3, addresses: 20, data, read: true });
  const login = await ask(port, "/api/session", {
    json: { email: "asha@example.org", password: "correct horse battery staple" },
  });
  t.equal(login.status, 200);
  await eventually(() => all.some((one) => /^HTTP\/1\.1 (503|408)/.test(one.text)), 30_000);
  disperse(all);
});

for (const { what, net, addresses } of [
  { what: "one address", net: 4, addresses: 1 },
  { what: "51 addresses", net: 5, addresses: 51 },
])
  t.test(`600 half-sent requests of ${what} shut no one out`, async (t) => {
    const all = await crowd(port, 600, { net, addresses, data: "GET / HTTP/1.1\r\nHost: x\r\n" });
    await served(t, "meanwhile");
    const neighbour = await ask(port, "/healthz", { from: `127.0.${net}.1`, limitMs: SOON_MS });
    t.equal(neighbour.status, 200, "nor a neighbour behind the same address");
    await eventually(() => all.filter((one) => one.isOver).length >= (addresses === 1 ? 530 : 90), 15_000);
    disperse(all);
  });

t.test("500 clients that reconnect at once from one address are all served", async (t) => {
  const all = await Promise.all(
    Array.from({ length: 480 }, () =>
      ask(port, "/v1/devices", { from: "127.0.6.1", headers: { Cookie: owner.cookie } }),
    ),
  );
  t.equal(all.filter(({ status }) => status === 200).length, 480);
});

t.test("of many event streams of one session ten stay, and its calls are answered", async (t) => {
  const all = await crowd(port, 60, {
    net: 7,
    data: `GET /api/stream HTTP/1.1\r\n${HEAD}Cookie: ${owner.cookie}\r\n\r\n`,
    read: true,
  });
  await eventually(() => all.filter((one) => one.text.includes("retry: 60000")).length === 50);
  t.equal(all.filter((one) => one.text.includes("200 OK") && !one.text.includes("retry: 60000")).length, 10);
  await served(t, "with the streams open");
  const unauthenticated = await crowd(port, 300, {
    net: 7,
    addresses: 30,
    data: `GET /api/stream HTTP/1.1\r\n${HEAD}\r\n`,
    read: true,
  });
  await eventually(() => unauthenticated.every((one) => one.isOver || one.text.includes("401 Unauthorized")));
  t.pass("no credential, no stream");
  disperse([...all, ...unauthenticated]);
});

t.test("no request smuggles another", async (t) => {
  const hidden = `GET /healthz HTTP/1.1\r\n${HEAD}X-Request-Id: smuggled-request\r\n\r\n`;
  const post = `POST /api/session HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\n`;
  const chunked = `0\r\n\r\n${hidden}`;
  const table: Record<string, string> = {
    "length and chunks": `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    "chunks and length": `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}`,
    "two lengths": `${post}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    "a list of lengths": `${post}Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`,
    "a signed length": `${post}Content-Length: +0\r\n\r\n${hidden}`,
    "chunks that are not last": `${post}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`,
    "a misspelt coding": `${post}Transfer-Encoding: xchunked\r\n\r\n${chunked}`,
    "a coding behind a tab and a line": `${post}Transfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n\r\n${chunked}`,
    "a blank before the colon": `${post}Content-Length : ${hidden.length}\r\n\r\n${hidden}`,
    "a folded header": `${post}X-Long: one\r\n two\r\nContent-Length : 5\r\n\r\n${hidden}`,
    "a bare line feed": `${post}X-Odd: a\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}`,
    "a zero byte": `${post}X-Odd: a\0b\r\n\r\n${hidden}`,
    "a chunk size of another kind": `${post}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${hidden}`,
    "two hosts": `GET /healthz HTTP/1.1\r\n${HEAD}Host: other\r\nConnection: close\r\n\r\n${hidden}`,
    "too many headers": `GET /healthz HTTP/1.1\r\n${HEAD}Connection: close\r\n${Array.from({ length: 200 }, (_, at) => `a${at}: b\r\n`).join("")}\r\n${hidden}`,
    "headers that are too large": `GET /healthz HTTP/1.1\r\n${HEAD}X: ${"y".repeat(20_000)}\r\n\r\n${hidden}`,
  };
  const all = await Promise.all(
    Object.entries(table).map(async ([what, text]) => {
      const one = await new Hostile(port, "127.0.8.1").open();
      one.listen().send(Buffer.from(text, "latin1"));
      await one.over(15_000);
      return { what, text: one.text, isOver: one.isOver, one };
    }),
  );
  for (const { what, text, isOver } of all) {
    t.match(text, /^HTTP\/1\.1 4\d\d /, `${what}: ${text.slice(9, 40).split("\r")[0]}`);
    t.notMatch(text, /smuggled-request/, what);
    t.ok(isOver, `${what}: the connection ends`);
  }
  disperse(all.map(({ one }) => one));
  await served(t, "afterwards");
});

t.test("an unauthenticated client that guesses too often is disconnected and no longer served", async (t) => {
  const one = await new Hostile(port, "127.0.8.9").open();
  one
    .listen()
    .send(`GET /v1/devices HTTP/1.1\r\n${HEAD}Authorization: Bearer gth_live_${"x".repeat(43)}\r\n\r\n`.repeat(2_000));
  t.ok(await one.over(15_000), "the connection ends");
  const refused = one.text.split("HTTP/1.1 429").length - 1;
  t.match(one.text, /^HTTP\/1.1 401/);
  t.equal(refused, 1, "one guess is refused, the others are not read");
  t.match(one.text.slice(one.text.lastIndexOf("HTTP/1.1 429")), /\r\nConnection: close\r\n/i);
  await served(t, "afterwards");
});

t.test("a flood of silent, foreign and reset upgrades leaves the hub unchanged", async (t) => {
  const upgrade = (path: string, protocol: string) =>
    `GET ${path} HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`;
  const silentOnes = await crowd(port, 300, { net: 11, addresses: 30, data: upgrade("/mqtt", "mqtt") });
  const foreign = await crowd(port, 100, { net: 12, data: upgrade("/mqtt", "chat"), read: true });
  const elsewhere = await crowd(port, 100, { net: 13, data: upgrade("/nowhere", "mqtt") });
  for (const { socket } of elsewhere) socket.resetAndDestroy();
  await served(t, "meanwhile");
  t.ok(await (foreign[0] as Hostile).over(10_000), "another protocol ends");
  disperse([...silentOnes, ...foreign]);
});

t.test("half-sent requests and unread responses end by themselves", async (t) => {
  const left = (): number => Math.max(0, 25_000 - (performance.now() - begun));
  t.ok(await slowBody.over(left()), "a body that trickles");
  t.match(slowBody.text, /408/);
  t.ok(await slowHead.over(left()), "headers that trickle");
  t.ok(await silent.over(left()), "a silent connection");
  clearInterval(drip);
  clearInterval(dripHead);
  // The responses stay in the hub's buffers until they are read; when the hub gives up it resets the connection.
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 22_000 - (performance.now() - begun))));
  for (const { socket } of unread) socket.resume();
  await eventually(() => unread.every((one) => one.isOver), 10_000).catch(() => {});
  t.ok(
    unread.every((one) => one.isOver),
    `unread responses: ${unread.filter((one) => one.isOver).length} of ${unread.length} ended`,
  );
  disperse([slowBody, slowHead, silent, ...unread]);
  t.notMatch(hub.output(), /uncaught|unhandled/i);
  t.equal(await hub.stop(), 0);
});
