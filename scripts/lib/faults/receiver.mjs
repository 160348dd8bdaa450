// @ts-check
/** Webhook receivers: one that accepts everything, and one with a configurable misbehaviour. */
import { createServer } from "node:http";
import { hasOwnNetwork } from "./namespace.mjs";

/** @typedef {"ok" | "hang" | "drip" | "late" | "large" | "reset" | "refuse"} Behaviour */

const LARGE_BYTES = 30 * 1024 * 1024;

/** Starts both on the loopback interface. */
export async function startReceivers() {
  /** @type {Map<string, { deviceId: string, numbers: number[] }>} by the delivery's id */
  const deliveries = new Map();
  /** @type {Behaviour} */
  let behaviour = "ok";
  /** @type {Set<import("node:http").ServerResponse>} */
  const open = new Set();

  const good = createServer((request, response) => {
    if (request.headers["webhook-id"] === undefined) return void response.writeHead(404).end(); // of another program
    /** @type {Buffer[]} */
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { id, deviceId, data } = JSON.parse(Buffer.concat(chunks).toString());
      const numbers = (data?.samples ?? []).map((/** @type {{ data: { n: number } }} */ sample) => sample.data.n);
      if (!deliveries.has(id)) deliveries.set(id, { deviceId, numbers });
      response.writeHead(204).end();
    });
  });
  const bad = createServer((request, response) => {
    request.resume();
    open.add(response);
    response.on("close", () => open.delete(response));
    response.on("error", () => {});
    if (behaviour === "ok") response.writeHead(204).end();
    else if (behaviour === "refuse") response.writeHead(500).end();
    else if (behaviour === "reset") request.socket.resetAndDestroy();
    else if (behaviour === "late") setTimeout(() => response.writeHead(204).end(), 4_000).unref();
    else if (behaviour === "drip") {
      response.writeHead(200, { "content-length": "100000" });
      const timer = setInterval(() => response.write("x"), 100).unref();
      response.on("close", () => clearInterval(timer));
    } else if (behaviour === "large") {
      response.writeHead(200);
      for (let sent = 0; sent < LARGE_BYTES; sent += 1 << 20) response.write(Buffer.alloc(1 << 20, "x"));
      response.end();
    }
  });
  for (const server of [good, bad])
    await new Promise((done) => server.listen(0, hasOwnNetwork() ? "0.0.0.0" : "127.0.0.1", () => done(null)));
  const url = (/** @type {import("node:http").Server} */ server) =>
    `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}/`;
  return {
    goodUrl: url(good),
    badUrl: url(bad),
    /** The number of separate deliveries of each `device n`. */
    counts() {
      /** @type {Map<string, number>} */
      const counts = new Map();
      for (const { deviceId, numbers } of deliveries.values())
        for (const n of numbers) counts.set(`${deviceId} ${n}`, (counts.get(`${deviceId} ${n}`) ?? 0) + 1);
      return counts;
    },
    behave(/** @type {Behaviour} */ how) {
      behaviour = how;
    },
    reset() {
      deliveries.clear();
      behaviour = "ok";
      for (const response of open) response.destroy();
    },
    close() {
      for (const server of [good, bad]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startReceivers>>} Receivers */
