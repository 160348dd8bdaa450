import { type AddressInfo, createServer } from "node:net";
import t from "tap";
import { Poster, type ReceiverResponse } from "../../src/core/kernel/post.ts";
import type { Resolve } from "../../src/core/kernel/target.ts";
import { Receiver } from "../webhooks/setup.ts";

const policy = { allowLoopback: true, ownPorts: () => [], ownAddresses: () => [] };

async function post(
  url: string,
  options: { timeoutMs?: number; allowLoopback?: boolean; resolve?: Resolve } = {},
): Promise<ReceiverResponse> {
  const { timeoutMs = 5_000, allowLoopback = true, resolve } = options;
  const poster = new Poster({ targets: { ...policy, allowLoopback }, timeoutMs, ...(resolve ? { resolve } : {}) });
  const answer = await poster.post(url, { "X-Test": "1" }, "{}", new AbortController().signal);
  poster.close();
  return answer;
}

t.test("any 2xx is success, everything else is not", async (t) => {
  const receiver = new Receiver();
  await receiver.start();
  for (const [status, ok] of [
    [200, true],
    [202, true],
    [204, true],
    [299, true],
    [301, false],
    [304, false],
    [400, false],
    [404, false],
    [500, false],
    [599, false],
  ] as const) {
    receiver.respond = (response) => response.writeHead(status).end();
    t.hasStrict(await post(receiver.url), { ok, status, error: ok ? null : `answered ${status}` });
  }
  await receiver.stop();
});

t.test("an unsendable request is a failure like any other, and its message has no secret", async (t) => {
  const receiver = new Receiver();
  await receiver.start();
  t.teardown(() => receiver.stop());
  const poster = new Poster({ targets: policy, timeoutMs: 5_000 });
  for (const secret of ["two\nlines", "पासवर्ड"]) {
    const headers = { Authorization: `Token ${secret}` };
    const answer = await poster.post(receiver.url, headers, "{}", new AbortController().signal);
    t.match(answer, { ok: false, status: null, error: /Invalid character in header content/ });
    t.notOk(answer.error?.includes(secret));
  }
  poster.close();
  t.equal(receiver.received.length, 0);
});

t.test("a redirect is a failure and is not followed", async (t) => {
  const [first, second] = [new Receiver(), new Receiver()];
  await first.start();
  await second.start();
  for (const status of [301, 302, 303, 307, 308]) {
    first.respond = (response) => response.writeHead(status, { Location: second.url }).end();
    t.hasStrict(await post(first.url), { ok: false, status });
  }
  t.equal(second.received.length, 0);
  await first.stop();
  await second.stop();
});

t.test("a receiver that does not answer in time has failed", async (t) => {
  const silent = new Receiver();
  await silent.start();
  silent.respond = () => {};
  t.match(await post(silent.url, { timeoutMs: 100 }), { ok: false, status: null, error: "no answer within 0.1 s" });
  await silent.stop();
  const dripping = createServer((socket) => {
    socket.on("error", () => {});
    const drip = setInterval(() => socket.write("x"), 20);
    socket.on("close", () => clearInterval(drip));
    socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
  });
  await new Promise<void>((resolve) => dripping.listen(0, "127.0.0.1", resolve));
  t.match(
    await post(`http://127.0.0.1:${(dripping.address() as AddressInfo).port}/`, { timeoutMs: 150 }),
    { ok: false, status: null },
    "headers that never end count too",
  );
  dripping.close();
  const never: Resolve = () => {};
  t.match(
    await post("http://slow.example/", { timeoutMs: 100, resolve: never }),
    { ok: false, error: "no answer within 0.1 s" },
    "and so does the name's lookup",
  );
});

t.test("an endless or huge body does no harm", async (t) => {
  const receiver = new Receiver();
  await receiver.start();
  let sent = 0;
  receiver.respond = (response) => {
    response.writeHead(200);
    const flood = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
      if (!response.destroyed) response.once("drain", flood);
    };
    response.on("error", () => {});
    flood();
  };
  t.match(await post(receiver.url), { ok: true, status: 200 });
  t.ok(sent < 50_000_000, "the connection was cut");
  receiver.respond = (response) => response.writeHead(200).write("and then silence");
  t.match(await post(receiver.url), { ok: true, status: 200 });
  await receiver.stop();
});

t.test("a reply that is not HTTP, and no server at all, are failures in plain words", async (t) => {
  const garbage = createServer((socket) =>
    socket
      .on("error", () => {})
      .resume()
      .end("SSH-2.0-OpenSSH_9.9\r\n"),
  );
  await new Promise<void>((resolve) => garbage.listen(0, "127.0.0.1", resolve));
  const { port } = garbage.address() as AddressInfo;
  t.match(await post(`http://127.0.0.1:${port}/`), { ok: false, status: null, error: String });
  t.match(await post(`https://127.0.0.1:${port}/`), { ok: false, status: null, error: String });
  await new Promise((resolve) => garbage.close(resolve));
  t.match(await post(`http://127.0.0.1:${port}/`), { ok: false, status: null, error: "connection refused" });
});

t.test("a receiver that answers in another protocol has failed, and delays no other", async (t) => {
  const switching = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    );
  });
  await new Promise<void>((resolve) => switching.listen(0, "127.0.0.1", resolve));
  t.teardown(() => switching.close());
  t.match(await post(`http://127.0.0.1:${(switching.address() as AddressInfo).port}/`), {
    ok: false,
    status: null,
    error: "the receiver closed the connection without an answer",
  });
});

t.test("a kept-alive connection closed by the receiver meanwhile is not a failure", async (t) => {
  const receiver = new Receiver();
  await receiver.start();
  const poster = new Poster({ targets: policy, timeoutMs: 5_000 });
  const once = () => poster.post(receiver.url, {}, "{}", new AbortController().signal);
  let requests = 0;
  receiver.respond = (response) => {
    requests += 1;
    if (requests === 2) response.socket?.resetAndDestroy();
    else response.writeHead(204).end();
  };
  t.match(await once(), { ok: true });
  t.match(await once(), { ok: true }, "sent again on a fresh connection");
  t.equal(receiver.received.length, 3);
  poster.close();
  await receiver.stop();
});
