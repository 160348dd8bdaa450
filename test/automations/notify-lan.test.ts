import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { LanNotifier, type LanReceiver } from "../../src/features/automations/notify-lan.ts";

interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver on the loopback; `answer` gives the status for each request, 0 for never. */
async function receiver(
  t: { teardown(task: () => void): void },
  answer: (count: number) => number,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      received.push({ url: request.url ?? "", headers: request.headers, body });
      const status = answer(received.length);
      if (status > 0) response.writeHead(status, status === 302 ? { Location: "/elsewhere" } : {}).end("x".repeat(100));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/home`, received }; // it listens on TCP
}

function notifier(to: LanReceiver | null, timeoutMs = 5_000): LanNotifier {
  return new LanNotifier({
    receiver: () => to,
    clock: { now: () => Date.parse("2026-03-01T12:00:00Z") },
    logger: silentLogger,
    timeoutMs,
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

t.test("ntfy gets the title as a header and the body as text", async (t) => {
  const { url, received } = await receiver(t, () => 200);
  const lan = notifier({ kind: "ntfy", url, token: "tk_1" });
  lan.notify({ title: "Gate", body: "It opened." });
  lan.notify({ title: "Türe", body: "ज़रा" });
  await until(() => lan.figures.sent === 2);
  t.match(received[0], {
    url: "/home",
    headers: { title: "Gate", authorization: "Bearer tk_1", "content-type": "text/plain; charset=utf-8" },
    body: "It opened.",
  });
  t.match(received[1], { headers: { title: `=?UTF-8?B?${Buffer.from("Türe").toString("base64")}?=` }, body: "ज़रा" });
});

t.test("a webhook gets JSON, in order", async (t) => {
  const { url, received } = await receiver(t, () => 204);
  const lan = notifier({ kind: "webhook", url });
  for (const title of ["1", "2", "3"]) lan.notify({ title, body: "" });
  await until(() => lan.figures.sent === 3);
  t.same(
    received.map(({ body }) => JSON.parse(body)),
    ["1", "2", "3"].map((title) => ({ title, body: "", at: "2026-03-01T12:00:00.000Z" })),
  );
});

t.test("redirects are not followed, refusals and silence lose the message and nothing else", async (t) => {
  const { url, received } = await receiver(t, (count) => [302, 500, 0, 200][count - 1] ?? 200);
  const lan = notifier({ kind: "webhook", url }, 100);
  for (let i = 0; i < 4; i++) lan.notify({ title: String(i), body: "" });
  await until(() => lan.figures.sent + lan.figures.failed === 4);
  t.same(lan.figures, { sent: 1, failed: 3, waiting: 0 });
  t.ok(received.every((request) => request.url === "/home"));
});

t.test("a hanging receiver delays at most fifty messages", async (t) => {
  const { url } = await receiver(t, () => 0);
  const lan = notifier({ kind: "webhook", url }, 60_000);
  for (let i = 0; i < 80; i++) lan.notify({ title: String(i), body: "" });
  t.equal(lan.figures.waiting, 50);
});

t.test("without a receiver nothing is sent or stored", async (t) => {
  const lan = notifier(null);
  lan.notify({ title: "a", body: "b" });
  t.same(lan.figures, { sent: 0, failed: 0, waiting: 0 });
});

t.test("a receiver that answers in another protocol costs one message, and not all later ones", async (t) => {
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const { url, received } = await receiver(t, () => 200);
  let to: LanReceiver = { kind: "webhook", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  const lan = new LanNotifier({ receiver: () => to, clock: { now: () => 0 }, logger: silentLogger });
  lan.notify({ title: "Gate", body: "lost" });
  await until(() => lan.figures.failed === 1);
  to = { kind: "webhook", url };
  lan.notify({ title: "Gate", body: "heard" });
  await until(() => lan.figures.sent === 1);
  t.match(received[0], { body: /heard/ });
});
