/**
 * The recorded conversations in full, compared with test/fixtures/in-full. After an intended change:
 * `GATEHOUSE_WRITE_IN_FULL=1 npm test -- test/firmware-bridge/in-full.test.ts`, and review its diff there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { FAMILIES } from "../../firmware-bridge/families.ts";
import type { Adapter, BridgedDevice } from "../../firmware-bridge/family.ts";
import { conversations, everyValue, everyValueFile } from "../support/conversation.ts";
import { damaged } from "../support/damaged.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { conversationText, fixtureText } from "../support/fixture-text.ts";
import { devicesOf, inFull, sends, stepper, withResults } from "../support/in-full.ts";

/** A fan's last speed is not kept over a restart, and a group's members are in its gateway's retained list. */
const isCommandedAsBefore = ({ manufacturer, type, model }: BridgedDevice): boolean =>
  !(manufacturer === "Tasmota" && type === "fan") && model !== "Zigbee group";

for (const family of FAMILIES) {
  const file = join(PROJECT_ROOT, "test/fixtures/in-full", `${family.name}.json`);

  t.test(`${family.name}: every recorded device, its controls' messages, and its effects`, async (t) => {
    const all = [...conversations(family.name), ...everyValue(family.name)];
    const { name, label, source, prefix } = family;
    const found: Record<string, unknown> = {
      family: { name, label, source, prefix, filters: family.filters("base"), large: family.large?.("base") ?? [] },
      setup: family.setup({ host: "192.168.1.2", port: 1883, username: "user", password: "word", topic: "thing" }),
      ...Object.fromEntries(all.map((one) => [one.name, inFull(family, one)])),
      "one value changed": damaged(family, conversations(family.name)),
    };
    if (process.env.GATEHOUSE_WRITE_IN_FULL === "1") writeFileSync(file, fixtureText(found));
    const wanted = JSON.parse(readFileSync(file, "utf8")) as typeof found; // written by the line above
    t.same(Object.keys(found), Object.keys(wanted));
    for (const [name, one] of Object.entries(wanted)) t.same(JSON.parse(JSON.stringify(found[name])), one, name);
  });

  for (const every of everyValue(family.name))
    t.test(`${family.name}: the result of every step with every value`, async (t) => {
      const { name: _, ...found } = withResults(family, every);
      if (process.env.GATEHOUSE_WRITE_IN_FULL === "1")
        writeFileSync(everyValueFile(family.name), conversationText(found));
      const wanted = JSON.parse(readFileSync(everyValueFile(family.name), "utf8")) as typeof found; // written above
      t.equal(found.steps.length, wanted.steps.length);
      for (const [index, one] of wanted.steps.entries()) t.same(found.steps[index], one, `step ${index + 1}`);
    });

  for (const conversation of [...conversations(family.name), ...everyValue(family.name)]) {
    const heard = () => {
      const adapter = family.open({ prefix: conversation.prefix ?? family.prefix });
      adapter.restore([]);
      return { adapter, devices: devicesOf(conversation.steps.flatMap(stepper(adapter))) };
    };

    t.test(`${family.name}, ${conversation.name}: a stored device works again after a restart`, async (t) => {
      const { adapter, devices } = heard();
      const restored = family.open({ prefix: conversation.prefix ?? family.prefix });
      restored.restore(devices.map(({ key, memo }) => ({ key, memo: JSON.parse(JSON.stringify(memo)) })));
      for (const device of devices) {
        t.same(keptTopics(restored, device.key), keptTopics(adapter, device.key), `${device.key}: its topics`);
        if (isCommandedAsBefore(device))
          t.same(sends(restored, device), sends(adapter, device), `${device.key}: its commands`);
      }
    });

    t.test(`${family.name}, ${conversation.name}: a removed device comes back when it is heard again`, async (t) => {
      const { adapter, devices } = heard();
      for (const { key } of devices) {
        adapter.forget(key);
        t.equal(adapter.topics(key), null, `${key} has no topics`);
        t.ok("unsupported" in adapter.command(key, { power: true }), `${key} accepts no commands`);
      }
      const again = devicesOf(conversation.steps.flatMap(stepper(adapter)));
      t.same(again.map(({ key }) => key).sort(), devices.map(({ key }) => key).sort());
      t.same(devices.map(keyAndTopics(adapter)).sort(), devices.map(keyAndTopics(heard().adapter)).sort());
    });
  }
}

const keyAndTopics =
  (adapter: Adapter) =>
  ({ key }: { readonly key: string }): string =>
    `${key} ${JSON.stringify(adapter.topics(key))}`;

/** Effects that do not wait for a node's own answer: every node is queried as soon as the hub is back. */
function keptTopics(adapter: Adapter, key: string): unknown {
  const topics = adapter.topics(key);
  return topics && { ...topics, says: topics.says.filter((topic) => !topic.startsWith("esphome/discover/")) };
}
