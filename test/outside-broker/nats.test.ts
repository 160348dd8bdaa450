/**
 * NATS, killed under load. The long form, also against RabbitMQ and a pair of Mosquittos: node
 * scripts/outside-brokers.mjs.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { type Clock, systemClock } from "../../src/core/kernel/clock.ts";
import { OutsideBroker } from "../../src/features/outside-broker/outside-broker.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(240_000);

interface SiteBroker {
  readonly stop: () => Promise<void>;
}
const load = (name: string): Promise<unknown> => import(pathToFileURL(join(PROJECT_ROOT, "scripts/lib", name)).href);
const { notInstalled, startNats } = (await load("site-brokers.mjs")) as {
  notInstalled: (program: string, debian: string) => string | false;
  startNats: (folder: string) => Promise<SiteBroker>;
}; // as its JSDoc describes
const { trial } = (await load("broker-trial.mjs")) as {
  trial: (
    broker: SiteBroker,
    wish: { messages: number; kills: number; OutsideBroker: typeof OutsideBroker; clock: Clock },
  ) => Promise<object>;
}; // as its JSDoc describes

t.test(
  "a broker with only MQTT 3.1.1, killed under load: nothing acknowledged is lost, in either direction",
  { skip: notInstalled("nats-server", "nats-server") },
  async (t) => {
    const broker = await startNats(testFolder(t));
    t.teardown(() => broker.stop());
    const messages = 400;
    const result = await trial(broker, { messages, kills: 1, OutsideBroker, clock: systemClock });
    t.match(result, {
      mqtt: "3.1.1",
      published: messages,
      acknowledged: messages,
      lost: 0,
      disordered: 0,
      commands: messages / 10,
      commandsLost: 0,
    });
    t.match(result, { connections: 2 }, "it was away once");
  },
);
