import { createSocket } from "node:dgram";
import t, { type Test } from "tap";
import type { ClockTrustState } from "../../src/core/kernel/clock-trust.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { SntpServer } from "../../src/core/platform/sntp-server.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { FakeClock } from "../support/fake-clock.ts";

const NTP_OFFSET = 2_208_988_800;

interface Place {
  readonly server: SntpServer;
  readonly clock: FakeClock;
  trust: ClockTrustState;
  ask(packet: Buffer): Promise<Buffer | null>;
}

async function start(t: Test, host = "127.0.0.1"): Promise<Place> {
  const clock = new FakeClock();
  const place: Place = {
    server: new SntpServer({ host, port: 0, trust: { state: () => place.trust }, clock, logger: silentLogger }),
    clock,
    trust: "trusted",
    ask: (packet) => ask(host, place.server.figures.port ?? 0, packet),
  };
  await place.server.start();
  t.teardown(() => place.server.stop());
  return place;
}

/** One datagram and its answer; null if the next valid request is answered and this one was not. */
async function ask(host: string, port: number, packet: Buffer): Promise<Buffer | null> {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  try {
    return await new Promise<Buffer | null>((resolve, reject) => {
      const timer = setTimeout(() => resolve(null), 400);
      socket.once("message", (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      socket.once("error", reject);
      socket.send(packet, port, host);
    });
  } finally {
    socket.close();
  }
}

function request(version = 4, mode = 3): Buffer {
  const packet = Buffer.alloc(48);
  packet[0] = (version << 3) | mode;
  packet[2] = 6;
  packet.write("ORIGIN!!", 40, "ascii");
  return packet;
}

function timestamp(packet: Buffer, offset: number): number {
  return (packet.readUInt32BE(offset) - NTP_OFFSET) * 1000 + (packet.readUInt32BE(offset + 4) / 2 ** 32) * 1000;
}

for (const version of [1, 2, 3, 4]) {
  t.test(`the time is sent in the requested version, ${version}`, async (t) => {
    const place = await start(t);
    const answer = await place.ask(request(version));
    if (answer === null) throw new Error("no answer");
    t.equal(answer.length, 48);
    t.equal((answer[0] ?? 0) >> 6, 0, "no alarm");
    t.equal(((answer[0] ?? 0) >> 3) & 7, version);
    t.equal((answer[0] ?? 0) & 7, 4, "a server's answer");
    t.equal(answer[1], 5, "stratum");
    t.equal(answer[2], 6, "the client's poll interval");
    t.equal(answer.toString("ascii", 24, 32), "ORIGIN!!", "the client's own timestamp");
    const now = place.clock.now();
    for (const offset of [16, 32, 40]) t.ok(Math.abs(timestamp(answer, offset) - now) < 1, `the time at ${offset}`);
    t.match(place.server.figures, { served: 1, reason: null });
  });
}

t.test("while the clock is not trusted no time is given", async (t) => {
  const place = await start(t);
  place.trust = "unknown";
  const answer = await place.ask(request());
  t.equal((answer?.[0] ?? 0) >> 6, 3, "alarm");
  t.equal(answer?.[1], 16, "unsynchronised");
  t.same(answer?.subarray(40, 48), Buffer.alloc(8), "no time");
  t.equal(answer?.toString("ascii", 24, 32), "ORIGIN!!");
  place.trust = "holdover";
  const later = await place.ask(request());
  t.equal(later?.[1], 5);
  t.equal(later?.readUInt32BE(8), 65_536, "a second of doubt");
  t.match(place.server.figures, { served: 1, unsynchronised: 1 });
});

t.test("anything but a client's request gets no answer", async (t) => {
  const place = await start(t);
  for (const packet of [
    Buffer.alloc(0),
    Buffer.alloc(47),
    request(0),
    request(5),
    request(4, 4),
    request(4, 6),
    Buffer.concat([request(), Buffer.alloc(500)]),
  ]) {
    const size = packet.length;
    t.equal(await place.ask(packet), null, `${size} bytes beginning with ${packet[0]}`);
  }
  t.ok(await place.ask(Buffer.concat([request(), Buffer.alloc(20)])), "with a key identifier and digest");
  t.match(place.server.figures, { served: 1, ignored: 7 });
});

t.test("one address asks too often: it gets one refusal, then nothing", async (t) => {
  const place = await start(t);
  const answers: (Buffer | null)[] = [];
  for (let n = 0; n < 10; n++) answers.push(await place.ask(request()));
  t.equal(answers.filter((answer) => answer?.[1] === 5).length, 8);
  t.equal(answers[8]?.[1], 0, "kiss of death");
  t.equal(answers[8]?.toString("ascii", 12, 16), "RATE");
  t.equal(answers[9], null);
  place.clock.advance(60_000);
  t.equal((await place.ask(request()))?.[1], 5, "later it may ask again");
});

t.test("it continues after 2036", async (t) => {
  const place = await start(t);
  place.clock.advance(Date.parse("2036-02-07T06:28:17Z") - place.clock.now());
  const answer = await place.ask(request());
  t.equal(answer?.readUInt32BE(40), 1, "one second of the next era");
});

t.test("a port in use by another program does not stop the hub", async (t) => {
  const place = await start(t);
  const other = new SntpServer({
    host: "127.0.0.1",
    port: place.server.figures.port ?? 0,
    trust: { state: () => "trusted" },
    clock: place.clock,
    logger: silentLogger,
  });
  await other.start();
  t.match(other.figures, { port: null, reason: { code: /^sntp\.portTaken$/ } });
  await other.stop();
});

t.test("a hub serves it as configured, and reports it", async (t) => {
  const { hub } = await startConsoleHub(t, { env: { GATEHOUSE_SNTP: "true", GATEHOUSE_SNTP_PORT: "0" } });
  const port = hub.system.time.sntp?.figures.port ?? 0;
  const answer = await ask("127.0.0.1", port, request());
  t.equal(answer?.[1], hub.base.trust.state() === "unknown" ? 16 : 5);
  t.match(
    hub.system.health().checks.find(({ code }) => code === "sntp"),
    { level: "ok", text: new RegExp(`ort ${port}`) },
  );
});

t.test("no client gets more bytes than it sent, nor many answers, and the total is limited", async (t) => {
  const place = await start(t);
  const answers: Buffer[] = [];
  const flood = async (from: string, count: number): Promise<number> => {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, from, resolve));
    const before = answers.length;
    socket.on("message", (answer) => answers.push(answer));
    for (let at = 0; at < count; at++)
      await new Promise<void>((resolve) =>
        socket.send(request(), place.server.figures.port ?? 0, "127.0.0.1", () => resolve()),
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.close();
    return answers.length - before;
  };
  t.ok((await flood("127.0.0.5", 100)) <= 9, "eight times the time, one refusal for asking too often");
  for (let at = 1; at <= 60; at++) await flood(`127.0.1.${at}`, 10);
  t.ok(answers.length <= 400, `${answers.length} answers to 700 requests in one moment`);
  t.ok(answers.every((answer) => answer.length === 48));
});
