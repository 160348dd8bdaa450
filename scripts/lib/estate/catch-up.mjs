// @ts-check
/** A hub that was disconnected while the estate got many reads, and its API while it catches up. */
import { get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

/** @typedef {import("./town.mjs").HubAt} HubAt */
/** @typedef {Pick<import("./town.mjs").Node, "url">} Server */

const AT_ONCE = 500;
const PLATES = 5_000;
const LONGEST_MS = 120_000;

/**
 * Publishes reads as a hub called `far` would, one each millisecond until now. Returns the time of the last.
 * @param {readonly Server[]} nodes @param {number} count @param {(plate: string) => string} tokenOf
 */
export async function publishReads(nodes, count, tokenOf) {
  const connection = await connect({ servers: nodes.map(({ url }) => url) });
  const stream = jetstream(connection);
  const began = Date.now() - count;
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => {
        const number = from + index;
        const plate = `DL8CAF${1000 + (number % PLATES)}`;
        const at = began + number;
        const read = {
          uid: at,
          version: at,
          kind: 0,
          part: "far",
          plate,
          formatted: plate,
          deviceId: "camera",
          camera: "Camera",
          direction: Math.floor(number / PLATES) % 2 === 0 ? "in" : "out",
          opensVisit: 1,
          decision: "unknown",
          confidence: 95,
          label: "",
          at,
          lastAt: at,
        };
        return stream.publish(`gh.check.far.reads.${tokenOf(plate)}.${at}`, JSON.stringify(read), { retries: 5 });
      }),
    );
  await connection.close();
  return began + count - 1;
}

/** Waits until a hub has the read of `far` that was seen then. @param {HubAt} hub @param {number} at */
export async function whenTaken(hub, at) {
  for (const until = performance.now() + LONGEST_MS; performance.now() < until; await pause(200))
    if ((await hub.ask({ do: "far" })).at === at) return;
}

/**
 * Reconnects a hub's cable. Returns how long it took to catch up, and its API's latency meanwhile.
 * @param {HubAt} late @param {number} at the last read that it is to have
 */
export async function catchUp(late, at) {
  /** @type {number[]} */
  const times = [];
  const done = new AbortController();
  const asking = (async () => {
    while (!done.signal.aborted) {
      const took = await apiTime(late).catch(() => null);
      if (took !== null) times.push(took);
      await pause(20);
    }
  })();
  await late.ask({ do: "health" }); // resets the figures of the loop
  late.place.mend();
  const mended = performance.now();
  await whenTaken(late, at);
  const seconds = (performance.now() - mended) / 1000;
  done.abort();
  await asking;
  const { loop } = await late.ask({ do: "health" });
  return { seconds, times, loop };
}

/** Time of an answer of a hub's API, milliseconds. @param {HubAt} hub @returns {Promise<number>} */
function apiTime(hub) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    get(`http://${hub.place.address}:8080/healthz`, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(performance.now() - began));
    }).on("error", reject);
  });
}
