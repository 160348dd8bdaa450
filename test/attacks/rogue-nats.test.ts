/**
 * A host that answers in place of the estate's server, or a server that was taken over: before TLS anyone at its
 * address can greet a hub. Whatever it sends, the hub neither keeps it nor works without end.
 */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import t, { type Test } from "tap";
import { SystemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { ServerFrames } from "../../src/features/estate/server-frames.ts";
import { keepSessions } from "../../src/features/estate/session.ts";
import { eventually } from "../support/hub-process.ts";

const GREETING = `INFO ${JSON.stringify({ server_id: "A", version: "2.10.0", proto: 1, headers: true, max_payload: 1_048_576 })}\r\n`;
const MB = 1_048_576;
const PIECE = Buffer.alloc(262_144, "a");
/** Many whole messages to a subscription that every hub has. */
const MESSAGES = Buffer.from("MSG x.y 1 5\r\nhello\r\n".repeat(10_000));

/** Starts a hub's connection to a server of this kind; `flood` sends `piece` for as long as the hub takes it. */
async function meet(t: Test, ca: string | null, greets: (socket: Socket, flood: (piece: Buffer) => void) => void) {
  const met = { taken: 0, ended: 0 };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("close", () => {
      met.ended += 1;
      met.taken = Math.max(met.taken, socket.bytesWritten);
    });
    greets(socket, (piece) => {
      const more = (): void => {
        met.taken = Math.max(met.taken, socket.bytesWritten - socket.writableLength);
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on("drain", more);
      more();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const ended = new AbortController();
  const reasons: (string | null)[] = [];
  const config = { estate: "e", hub: "h", name: "H", part: "main", role: "gate", seed: null, jwt: null } as const;
  const kept = keepSessions(
    {
      config: { ...config, servers: [`nats://127.0.0.1:${port}`], ca, plateKey: Buffer.alloc(32) },
      clock: new SystemClock(),
      logger: silentLogger,
      random: Math.random,
      work: async ({ connection }) => void (await connection.closed()),
      changed: (reason) => reasons.push(reason),
    },
    ended.signal,
  );
  t.teardown(async () => {
    ended.abort();
    await kept;
    server.close();
  });
  return { met, reasons };
}

/** Greets, and sends `piece` without end once the hub has a session. */
function afterGreeting(begin: string, piece: Buffer) {
  return (socket: Socket, flood: (piece: Buffer) => void): void => {
    socket.write(GREETING);
    let heard = "";
    socket.on("data", (data) => {
      heard += data.toString("latin1");
      if (!heard.includes("PING")) return;
      heard = "";
      socket.write(`PONG\r\n${begin}`);
      flood(piece);
    });
  };
}

for (const [what, ca, greets] of [
  [
    "a greeting without an end, before TLS",
    "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----",
    (socket: Socket, flood: (piece: Buffer) => void) => {
      socket.write("INFO {");
      flood(PIECE);
    },
  ],
  ["a line without an end", null, afterGreeting("MSG ", PIECE)],
  ["a message of 67 MB", null, afterGreeting("MSG x.y 1 67000000\r\n", PIECE)],
  ["another protocol", null, afterGreeting("HTTP/1.1 200 OK\r\n", PIECE)],
] as const)
  t.test(`${what} ends the connection`, async (t) => {
    const { met } = await meet(t, ca, greets);
    await eventually(() => (met.ended > 1 ? true : undefined), 15_000);
    t.ok(met.taken < 16 * MB, `${(met.taken / MB).toFixed(0)} MB were taken`);
  });

t.test("messages without end are taken no faster than a hub works", async (t) => {
  const { met, reasons } = await meet(t, null, afterGreeting("", MESSAGES));
  await eventually(() => (met.taken > MB ? true : undefined), 15_000);
  const before = met.taken;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  t.ok(met.taken - before < 8 * MB, `${((met.taken - before) / MB).toFixed(0)} MB in a second`);
  t.same(reasons, [null], "the session goes on");
});

t.test("the lengths of a server's output are read wherever it is cut", async (t) => {
  const whole = Buffer.from(
    `${GREETING}+OK\r\nMSG a.b 12 r.x 11\r\nINFO\r\nMSG 9\r\nHMSG a 1 2 3\r\nxyz\r\nPING\r\n-ERR 'no'\r\n`,
  );
  for (let cut = 0; cut <= whole.length; cut++) {
    const frames = new ServerFrames();
    t.equal(frames.take(whole.subarray(0, cut)), null);
    t.equal(frames.take(whole.subarray(cut)), null, `cut at ${cut}`);
  }
  for (const text of ["MSG a 1 1048577\r\n", "MSG a 1 -5\r\n", "msg\r\n", "\r\n", "OK\r\n", "A".repeat(16_385)])
    t.type(new ServerFrames().take(Buffer.from(text)), "string", text.slice(0, 20));
});
