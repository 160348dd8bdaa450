// @ts-check
/**
 * Repeated kills of the machine at random moments under load: samples at QoS 1 and changes of the household in flight,
 * a backup being written in every third round. After each kill the disk is checked from outside (file system and
 * database), then the card is started and must serve with everything that was acknowledged.
 *
 * Writes that the guest had handed to its disk are kept here, as on a card that obeys flushes; scripts/power-cut.mjs
 * covers cards that reorder writes.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { partitionOf } from "../emulator.mjs";
import { check } from "./report.mjs";

/**
 * @typedef {import("./box.mjs").Box} Box
 * @typedef {import("./box.mjs").OpenDatabase} OpenDatabase
 * @typedef {{ next: number, roomId: number, edits: number }} State the next sample's number, and the room's last one
 */

const DATA_PARTITION = 7;
const IN_FLIGHT = 40;
const SAMPLE_EVERY_MS = 8;
const MOST_SECONDS = 12;
/** e2fsck's exit status 1: errors were corrected; the journal's replay is none. 4 and more: some were left. */
const LEFT_UNCORRECTED = 4;

/**
 * Telemetry as fast as it is acknowledged, up to a rate; stops when the connection is gone.
 * @param {import("mqtt").MqttClient} client
 * @param {number} first
 */
function sendSamples(client, first) {
  /** @type {number[]} */
  const acknowledged = [];
  let [next, waiting] = [first, 0];
  const timer = setInterval(() => {
    if (waiting >= IN_FLIGHT) return;
    const n = next++;
    waiting += 1;
    client.publish("gatehouse/meter/telemetry", JSON.stringify({ n, watts: n % 3000 }), { qos: 1 }, (error) => {
      waiting -= 1;
      if (!error) acknowledged.push(n);
    });
  }, SAMPLE_EVERY_MS);
  return { acknowledged, stop: () => clearInterval(timer), next: () => next };
}

/**
 * Renames the room again and again; `last` is the highest number whose change was answered, `sent` the one on its way.
 * @param {Box} box
 * @param {number} roomId
 * @param {number} first
 */
function editRoom(box, roomId, first) {
  /** @type {{ last: number, sent: number, going: boolean, refused?: number }} */
  const state = { last: first, sent: first, going: true };
  void (async () => {
    while (state.going) {
      const n = state.sent + 1;
      state.sent = n;
      const answer = await box.owner.call("PATCH", `/api/rooms/${roomId}`, { name: `Porch ${n}` }).catch(() => null);
      if (answer === null) return; // the power is cut; this one may or may not have been carried out
      if (answer.status === 200) state.last = n;
      else state.refused = answer.status;
    }
  })();
  return state;
}

/**
 * The data partition as the kill left it: file system checked on a copy, database read whole. @returns words
 * @param {Box} box
 * @param {string} folder
 * @param {OpenDatabase} openDatabase
 */
function lookFromOutside(box, folder, openDatabase) {
  const { start, bytes } = partitionOf(box.image, DATA_PARTITION);
  const copy = join(folder, "data.img");
  const files = ["gatehouse.db", "gatehouse.db-wal"].map((name) => join(folder, `cut-${name}`));
  try {
    rmSync(copy, { force: true });
    execFileSync("dd", [
      `if=${box.image}`,
      `of=${copy}`,
      "bs=1M",
      "iflag=skip_bytes,count_bytes",
      `skip=${start}`,
      `count=${bytes}`,
      "conv=sparse",
      "status=none",
    ]);
    const { status } = spawnSync("e2fsck", ["-f", "-y", copy], { encoding: "utf8" });
    check(status !== null && status < LEFT_UNCORRECTED, `e2fsck ends with ${status}`);
    for (const file of files) {
      rmSync(file, { force: true });
      spawnSync("debugfs", ["-R", `dump /gatehouse/${file.slice(file.indexOf("cut-") + 4)} ${file}`, copy]);
    }
    const database = openDatabase(join(folder, "cut-gatehouse.db"));
    try {
      const verdict = database.pragma("integrity_check", { simple: true });
      check(verdict === "ok", `the database is damaged: ${verdict}`);
      const rooms = database.prepare("SELECT count(*) FROM room WHERE name LIKE 'Porch%'").pluck().get();
      check(rooms === 1, "the room Porch is not in the database on the disk");
      const orphans = /** @type {unknown[]} */ (database.pragma("foreign_key_check"));
      check(orphans.length === 0, `${orphans.length} rows point nowhere`);
    } finally {
      database.close();
    }
  } finally {
    rmSync(copy, { force: true });
    for (const file of files) rmSync(file, { force: true });
  }
}

/** @param {{ box: Box, folder: string, openDatabase: OpenDatabase, state: State, round: number }} trial */
async function oneRound({ box, folder, openDatabase, state, round }) {
  const since = new Date(Date.now() - 60_000).toISOString();
  const client = await box.client("meter", { suffix: "" });
  const load = sendSamples(client, state.next);
  const edits = editRoom(box, state.roomId, state.edits);
  while (load.acknowledged.length < 20) await pause(20);
  if (round % 3 === 2) void box.owner.call("POST", "/api/backups", {}).catch(() => {});
  const after = Math.random() * MOST_SECONDS * 1000;
  await pause(after);
  await box.board.cut();
  load.stop();
  edits.going = false;
  const [held, renamed] = [[...load.acknowledged], edits.last];
  client.end(true);
  state.next = load.next() + 1_000;
  check(edits.refused === undefined, `a change was refused with ${edits.refused}`);
  lookFromOutside(box, folder, openDatabase);
  const boot = await box.boot();
  await box.signIn();
  const stored = new Set((await box.samples("meter", since)).map(({ data }) => data.n));
  const lost = held.filter((n) => !stored.has(n));
  check(lost.length === 0, `${lost.length} of ${held.length} acknowledged samples are gone, the first is ${lost[0]}`);
  const name = (await box.owner.call("GET", "/v1/rooms")).body.rooms.find(({ id }) => id === state.roomId)?.name ?? "";
  const number = Number(/^Porch (\d+)$/.exec(name)?.[1] ?? 0);
  check(number === renamed || number === edits.sent, `the room is named ${name}; ${renamed} was acknowledged`);
  state.edits = number;
  return { acknowledged: held.length, boot, after: after / 1000, edits: renamed };
}

/**
 * One row of `rounds` kills.
 * @param {{ box: Box, folder: string, openDatabase: OpenDatabase, rounds: number }} trial
 * @returns {import("./report.mjs").Row[]}
 */
export function killRows({ box, folder, openDatabase, rounds }) {
  return [
    {
      name: "kills",
      title: `machine killed at a random moment under load, ${rounds} times`,
      work: async () => {
        await box.signIn();
        const room = (await box.owner.call("GET", "/v1/rooms")).body.rooms.find(({ name }) => name.startsWith("Porch"));
        check(room !== undefined, "the room Porch is gone");
        const state = {
          next: Date.now() % 1_000_000_000,
          roomId: room.id,
          edits: Number(/\d+/.exec(room.name)?.[0] ?? 0),
        };
        const results = [];
        for (let round = 0; round < rounds; round++) {
          const result = await oneRound({ box, folder, openDatabase, state, round });
          results.push(result);
          const { acknowledged, boot, after } = result;
          console.log(
            `  kill ${round + 1}: ${after.toFixed(1)} s into the load, ${acknowledged} samples acknowledged, served after ${boot.toFixed(0)} s, nothing lost`,
          );
        }
        const sum = results.reduce((total, { acknowledged }) => total + acknowledged, 0);
        const boots = results.map(({ boot }) => boot).sort((a, b) => a - b);
        return `${sum} samples and ${state.edits} changes acknowledged, none gone; database sound on the disk each time; served after ${boots[0]?.toFixed(0)} to ${boots.at(-1)?.toFixed(0)} s`;
      },
    },
  ];
}
