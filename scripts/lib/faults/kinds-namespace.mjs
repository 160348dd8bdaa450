// @ts-check
/** A network between the hub and everybody else that cuts, drops and delays, below the sockets: in namespaces of their own. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { Cable, dialOverCable, HUB, PEERS, withoutNamespaces, withoutNetem } from "./namespace.mjs";

/** @typedef {import("./household.mjs").Household} Household */

/** The household with the hub at the other end of a cable. @param {Household} house */
async function serveOverCable(house) {
  const cable = new Cable();
  house.endNetwork = () => cable.end();
  await cable.lay();
  const database = new SqliteDatabase(join(house.folder, "gatehouse.db"));
  database.prepare("UPDATE webhook SET url = replace(url, '127.0.0.1', ?)").run(PEERS.receivers);
  database.close();
  house.prefix = cable.prefix;
  house.host = HUB;
  house.env = { GATEHOUSE_HOST: HUB };
  house.dial = dialOverCable;
  await house.start();
  await house.signIn();
  await house.connectDevices();
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
      const said = [];
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
        said.push(`${who} for ${ms} ms`);
      }
      const isKilled = random.of([true, false]);
      if (isKilled) {
        await house.hub.kill();
        await house.start();
      }
      await pause(500);
      return `${said.join("; ")}${isKilled ? ", then killed" : ""}`;
    },
  },
  {
    name: "net-narrow",
    lacks: withoutNamespaces,
    async run(house, random) {
      const cable = await serveOverCable(house);
      const rate = random.of([64, 256, 1_000]);
      const ms = random.int(1_500, 4_000);
      house.expectsService = false; // the answer may not come through
      cable.spoil(`tbf rate ${rate}kbit burst 3000 limit ${random.of([3_000, 12_000])}`);
      await pause(ms);
      cable.mend();
      return `${rate} kbit/s for ${ms} ms, and what is too much dropped`;
    },
  },
  {
    name: "net-lossy",
    lacks: withoutNetem,
    async run(house, random) {
      const cable = await serveOverCable(house);
      const ms = random.int(1_500, 4_000);
      const words = `netem loss ${random.of([2, 10, 30])}% delay ${random.int(5, 200)}ms ${random.int(1, 100)}ms duplicate 3% reorder 10%`;
      house.expectsService = false;
      cable.spoil(words);
      await pause(ms);
      cable.mend();
      return `${words} for ${ms} ms`;
    },
  },
];
