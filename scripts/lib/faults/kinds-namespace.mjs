// @ts-check
/**
 * A network between the hub and all others that cuts, drops and delays packets, below the sockets: in separate
 * namespaces.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { Cable, dialOverCable, HUB, PEERS, withoutLossyCable, withoutNamespaces } from "./namespace.mjs";

/** @typedef {import("./household.mjs").Household} Household */

/**
 * The household with the hub at the other end of a cable.
 * @param {Household} house
 * @param {{ program: string, seed: number }} [lossy]
 */
async function serveOverCable(house, lossy) {
  const cable = new Cable();
  house.endNetwork = () => cable.end();
  await cable.lay(lossy);
  const database = new SqliteDatabase(join(house.folder, "gatehouse.db"));
  database.prepare("UPDATE webhook SET url = replace(url, '127.0.0.1', ?)").run(PEERS.receivers);
  database.close();
  house.prefix = cable.prefix;
  house.host = HUB;
  house.env = { GATEHOUSE_HOST: HUB };
  house.dial = dialOverCable;
  await house.start();
  await house.signIn();
  await house.devices.connect();
  house.busy();
  return cable;
}

/** @type {import("./kinds.mjs").Fault[]} */
export const namespaceFaults = [
  {
    name: "net-cut",
    lacks: withoutNamespaces,
    async run(house, random) {
      const cable = await serveOverCable(house);
      const summary = [];
      for (let times = random.int(1, 3); times > 0; times--) {
        await pause(random.int(100, 800));
        const who = random.of(/** @type {const} */ (["devices", "receivers", "everybody"]));
        const ms = random.int(200, 4_000);
        house.expectsService = who !== "everybody";
        if (who === "everybody") cable.unplug();
        else cable.cutOff(who);
        await pause(ms);
        if (who === "everybody") cable.plug();
        else cable.joinAgain(who);
        summary.push(`${who} for ${ms} ms`);
      }
      const isKilled = random.of([true, false]);
      if (isKilled) {
        await house.hub.kill();
        await house.start();
      }
      await pause(500);
      return `${summary.join("; ")}${isKilled ? ", then killed" : ""}`;
    },
  },
  {
    name: "net-narrow",
    lacks: withoutNamespaces,
    async run(house, random) {
      const cable = await serveOverCable(house);
      const rate = random.of([64, 256, 1_000]);
      const ms = random.int(1_500, 4_000);
      house.expectsService = false; // the response may be lost
      cable.spoil(`tbf rate ${rate}kbit burst 3000 limit ${random.of([3_000, 12_000])}`);
      await pause(ms);
      cable.mend();
      return `${rate} kbit/s for ${ms} ms, and what is too much dropped`;
    },
  },
  {
    name: "net-lossy",
    lacks: withoutLossyCable,
    async run(house, random, { lossyCable }) {
      const cable = await serveOverCable(house, { program: lossyCable ?? "", seed: random.int(1, 1e6) });
      const summary = [];
      for (let times = random.int(1, 3); times > 0; times--) {
        const loss = random.of([2, 10, 30]);
        // One direction may lose everything: then the request or the response never arrives.
        const [fromHub, toHub] = random.of([
          [loss, loss],
          [loss, loss],
          [100, loss],
          [loss, 100],
        ]); // prettier-ignore
        const how = {
          fromHub: fromHub ?? 0,
          toHub: toHub ?? 0,
          delayMs: random.int(0, 200),
          jitterMs: random.int(0, 100),
          doubled: random.of([0, 3]),
        };
        const ms = random.int(500, 4_000);
        house.expectsService = false; // the response may be lost
        cable.lose(how);
        await pause(ms);
        cable.mend();
        summary.push(
          `${fromHub} % lost from the hub, ${toHub} % to it, ${how.delayMs} to ${how.delayMs + how.jitterMs} ms late, for ${ms} ms`,
        );
        await pause(random.int(0, 1_000));
      }
      const isKilled = random.of([true, false]);
      if (isKilled) {
        await house.hub.kill();
        await house.start();
      }
      return `${summary.join("; ")}${isKilled ? ", then killed" : ""}`;
    },
  },
];
