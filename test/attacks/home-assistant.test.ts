/**
 * Publishers at the site's broker, and a device that renames its values each time: how much of the hub Home Assistant's
 * export lets them wear out.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { liveSite, moveDevicesIn, RetainedTopics } from "../home-assistant/household.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { eventually as within } from "../support/hub-process.ts";
import { Mosquitto, NO_MOSQUITTO } from "../support/mosquitto.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(120_000);
/** A slow machine is not a failure. */
const eventually = <Found>(probe: () => Promise<Found | undefined> | Found | undefined): Promise<Found> =>
  within(probe, 40_000);

t.test(
  "a flood of commands, of Home Assistant starts and of new names is bounded",
  { skip: NO_MOSQUITTO },
  async (t) => {
    const folder = testFolder(t, { broker: {}, home: {} });
    const mosquitto = await Mosquitto.start(t, `${folder}/broker`);
    const seen = await RetainedTopics.watch(t, mosquitto.port);
    const env = {
      GATEHOUSE_OUTSIDE_BROKER_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
      GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT: "true",
    };
    const { hub } = await startConsoleHub(t, { folder: `${folder}/home`, env });
    const siteId = liveSite(hub);
    const clients = await moveDevicesIn(t, { hub }, ["light", "sensor"]);
    const scene = await hub.scenes.scenes.create(siteId, {
      name: "Evening",
      actions: [{ deviceId: "light", command: { power: true } }],
    });
    const topic = await eventually(
      () => seen.devices.get("Home")?.config.components[`scene_${scene.id}`]?.command_topic,
    );
    let runs = 0;
    hub.base.bus.on("scene.activated", "test", () => (runs += 1));
    await Promise.all(Array.from({ length: 500 }, () => seen.client.publishAsync(String(topic), "ON", { qos: 1 })));
    await eventually(() => (runs >= 20 ? true : undefined));

    await eventually(() => (seen.devices.has("Garden sensor") ? true : undefined));
    const configs = (): number => seen.heard.filter((heard) => heard.endsWith("/sensor/config")).length;
    const before = configs();
    for (let n = 0; n < 300; n++) await seen.client.publishAsync("homeassistant/status", "online", { qos: 1 });
    await eventually(() => (configs() > before ? true : undefined));
    t.ok(configs() - before <= 2, "three hundred starts are answered once or twice");

    const sensor = clients.get("sensor");
    for (let round = 0; round < 12; round++) {
      const names = Array.from({ length: 40 }, (_, n) => `name${round}x${n}`);
      await sensor?.publishAsync(
        "gatehouse/sensor/state",
        JSON.stringify(Object.fromEntries(names.map((name) => [name, round]))),
        { qos: 1 },
      );
      await eventually(() =>
        hub.devices.registry.find("sensor")?.state[`name${round}x0`] === round ? true : undefined,
      );
      // as long as changes are gathered: each round is published
      await new Promise((resolve) => setTimeout(resolve, 250));
      await sensor?.publishAsync(
        "gatehouse/sensor/state",
        JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))),
        { qos: 1 },
      );
    }
    await sensor?.publishAsync("gatehouse/sensor/state", '{"temperature":31.5}', { qos: 1 });
    await eventually(() => (seen.messages.get(seen.topic("/sensor/state"))?.includes("31.5") ? true : undefined));
    const kept = JSON.parse(readFileSync(join(folder, "home", "home-assistant.json"), "utf8")) as Record<
      string,
      object
    >; // written by the hub
    t.ok(Object.keys(kept.sensor ?? {}).length <= 200, "names are not kept forever");
    t.ok(
      (seen.devices.get("Garden sensor")?.config.components.sensor_temperature as object | undefined) !== undefined,
      "its first names are still published",
    );
    t.ok(runs <= 25, `of five hundred orders ${runs} ran the scene`);
  },
);

for (const mayOpen of [false, true])
  t.test(
    `a plug that a rule opens the gate by, where Home Assistant may ${mayOpen ? "" : "not "}open it`,
    { skip: NO_MOSQUITTO },
    async (t) => {
      const folder = testFolder(t, { broker: {}, home: {} });
      const mosquitto = await Mosquitto.start(t, `${folder}/broker`);
      const seen = await RetainedTopics.watch(t, mosquitto.port);
      const env = {
        GATEHOUSE_OUTSIDE_BROKER_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
        GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT: "true",
        GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT_GATE: String(mayOpen),
      };
      const { hub } = await startConsoleHub(t, { folder: `${folder}/home`, env });
      await moveDevicesIn(t, { hub }, ["plug", "fan", "gate"]);
      await hub.automations.automations.create(liveSite(hub), {
        name: "The plug opens",
        trigger: { type: "state", deviceId: "plug", field: "power", op: "changed" },
        action: { type: "command", deviceId: "gate", command: { open: true } },
      });
      const sent: string[] = [];
      hub.base.bus.on("command.sent", "test", ({ deviceId }) => void sent.push(deviceId));
      const switchOf = (id: string) =>
        eventually(() => {
          const name = hub.devices.registry.find(id)?.name ?? "";
          const parts = Object.values(seen.devices.get(name)?.config.components ?? {});
          return parts.map((part) => String(part.command_topic ?? "")).find((topic) => topic.includes("/set/"));
        });
      const switches = [await switchOf("plug"), await switchOf("fan")];
      for (const topic of switches)
        for (const word of ["OFF", "ON"]) await seen.client.publishAsync(topic, word, { qos: 1 });
      await eventually(() => (sent.includes(mayOpen ? "gate" : "fan") ? true : undefined));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      t.same(
        [...new Set(sent)].sort(),
        mayOpen ? ["fan", "gate", "plug"] : ["fan"],
        "the fan is theirs; what the gate opens by only with the gate",
      );
    },
  );
