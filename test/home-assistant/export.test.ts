/**
 * A household in Home Assistant, through a real broker: announcements are checked against Home Assistant's schemas, and
 * read by the bridge of another hub.
 */
import t, { type Test } from "tap";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { isEverydaySetting } from "../../src/core/settings/schema.ts";
import { DEVICES } from "../../src/features/sandbox/household.ts";
import { type ConsoleHub, startConsoleHub } from "../support/console-hub.ts";
import { eventually as within } from "../support/hub-process.ts";
import { Mosquitto, NO_MOSQUITTO } from "../support/mosquitto.ts";
import { testFolder } from "../support/test-folder.ts";
import { discoveryMistakes } from "./discovery-schema.ts";
import { liveSite, moveDevicesIn, RetainedTopics } from "./household.ts";

t.setTimeout(240_000);
const skip = NO_MOSQUITTO;
/** A slow machine is not a failure. */
const eventually = <Found>(probe: () => Promise<Found | undefined> | Found | undefined): Promise<Found> =>
  within(probe, 60_000);

interface Place {
  readonly mosquitto: Mosquitto;
  readonly seen: RetainedTopics;
  /** Whose household is shown. */
  readonly home: ConsoleHub;
  /** Another hub at the same broker, which reads the messages there. */
  readonly reader: ConsoleHub;
}

async function place(t: Test): Promise<Place> {
  const folder = testFolder(t, { broker: {}, home: {}, reader: {} });
  const mosquitto = await Mosquitto.start(t, `${folder}/broker`);
  const seen = await RetainedTopics.watch(t, mosquitto.port);
  const url = { GATEHOUSE_OUTSIDE_BROKER_URL: `mqtt://127.0.0.1:${mosquitto.port}` };
  const home = await startConsoleHub(t, { folder: `${folder}/home`, env: { ...url, GATEHOUSE_SITE_NAME: "Home" } });
  const reader = await startConsoleHub(t, {
    folder: `${folder}/reader`,
    env: { ...url, GATEHOUSE_SITE_NAME: "Reader", GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT: "true" },
  });
  return { mosquitto, seen, home, reader };
}

/** What each device of the demo becomes at the other hub, a command for it there, and the resulting state of both. */
const SHOWN: Readonly<
  Record<
    string,
    { readonly type: string; readonly command?: JsonObject; readonly there?: JsonObject; readonly here?: JsonObject }
  >
> = {
  hub: { type: "home-hub", command: { ch: 2, on: true }, there: { power2: true } },
  plug: { type: "smart-plug", command: { power: false }, there: { power: false } },
  light: { type: "light", command: { power: true }, there: { power: true } },
  dimmer: { type: "dimmer", command: { power: true, brightness: 40 }, there: { power: true, brightness: 40 } },
  fan: { type: "fan", command: { speed: 4 }, there: { power: true, speed: 4 } },
  switch: { type: "smart-plug", command: { power: true }, there: { power: true } },
  cover: { type: "cover", command: { position: 30 }, there: { position: 30 } },
  gate: { type: "sensor" },
  lock: { type: "sensor" },
  sensor: { type: "sensor" },
  meter: { type: "energy-meter" },
  thermostat: { type: "thermostat", command: { target: 21, mode: "heat" }, there: { target: 21, mode: "heat" } },
  camera: { type: "switch", command: { power: false }, there: { power: false }, here: { recording: false } },
  sentinel: { type: "sentinel", command: { armed: true }, there: { armed: true } },
};

t.test(
  "the household appears there when an owner switches it on, and another hub reads and drives every device of it",
  { skip },
  async (t) => {
    const { seen, home, reader } = await place(t);
    const clients = await moveDevicesIn(t, home);
    const siteId = liveSite(home.hub);
    const { registry, commands } = home.hub.devices;
    const { scenes } = home.hub.scenes;
    const scene = await scenes.create(siteId, {
      name: "Evening",
      actions: [{ deviceId: "light", command: { power: false } }],
    });
    await scenes.create(siteId, { name: "Off guard", actions: [{ deviceId: "sentinel", command: { armed: false } }] });
    await scenes.create(siteId, { name: "Let me in", actions: [{ deviceId: "gate", command: { open: true } }] });
    t.notOk(
      [...seen.messages.keys()].some((topic) => topic.includes("gatehouse-ha") && topic.includes("/device/")),
      "nothing is published before",
    );

    const settings = (json: JsonObject) => home.call("PATCH", "/api/settings", { settings: json });
    t.equal((await settings({ "outsideBroker.homeAssistant": true })).status, 200);

    const announced = await eventually(() =>
      DEVICES.every(({ name }) => seen.devices.has(name)) ? seen.devices : undefined,
    );
    for (const [name, { config }] of announced)
      t.same(discoveryMistakes(config), [], `${name} is valid for Home Assistant`);
    const homeName = home.hub.access.accounts.site(siteId).name;
    const components = (name: string): Record<string, JsonObject> => seen.devices.get(name)?.config.components ?? {};
    t.match(components("Driveway gate"), { binary_sensor_open: { device_class: "opening" } });
    t.notOk(JSON.stringify(components("Driveway gate")).includes("command_topic"), "the gate is read-only");
    t.notOk(JSON.stringify(components("Front door")).includes("command_topic"), "so is the lock");
    t.match(components("House meter"), {
      sensor_kwh: { device_class: "energy", state_class: "total_increasing", unit_of_measurement: "kWh" },
    });

    // The other hub reads it all.
    const theirs = new Map<string, string>();
    for (const { key, name } of DEVICES) {
      const there = await eventually(() =>
        reader.hub.devices.registry.list(liveSite(reader.hub)).find((device) => device.name === name && device.online),
      );
      theirs.set(key, there.id);
      t.equal(there.type, SHOWN[key]?.type, `${name} is ${there.type}`);
    }
    const stateThere = (key: string): JsonObject =>
      reader.hub.devices.registry.find(theirs.get(key) ?? "")?.state ?? {};
    await eventually(() => (typeof stateThere("thermostat").target === "number" ? true : undefined));
    await eventually(() => (stateThere("plug").power === true ? true : undefined));
    const [climate] = reader.hub.telemetry.telemetry.recent(theirs.get("sensor") ?? "", { limit: 1 });
    t.match(climate?.data, { temperature: Number, humidity: Number });

    // It drives it all.
    for (const [key, { command, there, here = there }] of Object.entries(SHOWN)) {
      if (command === undefined || there === undefined || here === undefined) continue;
      await reader.hub.devices.commands.send({
        siteId: liveSite(reader.hub),
        deviceId: theirs.get(key) ?? "",
        command: JSON.stringify(command),
        actor: "session:1",
        source: "console",
      });
      const isSo = (state: JsonObject, wanted: JsonObject): true | undefined =>
        Object.entries(wanted).every(([name, value]) => state[name] === value) || undefined;
      await eventually(() => isSo(registry.find(key)?.state ?? {}, here));
      await eventually(() => isSo(stateThere(key), there));
      t.pass(`${key} obeyed, and it shows there`);
    }
    const [sent] = commands.list(siteId, "dimmer", { limit: 1 });
    t.hasStrict(sent, { actor: "home_assistant:0", name: "Home Assistant" });

    // A button appears with its first press; from then on each press arrives there.
    const heardThere: string[] = [];
    t.teardown(
      reader.hub.base.bus.on("device.event", "test", ({ deviceId, kind }) => {
        if (deviceId === theirs.get("light")) heardThere.push(kind);
      }),
    );
    const press = (kind: string) =>
      clients.get("light")?.publishAsync("gatehouse/light/event", JSON.stringify({ kind }), { qos: 1 });
    for (const kind of ["button2.double", "updated", "no source at all.x", "button2.+/#"]) await press(kind);
    const button = await eventually(() => components("Kitchen light").event_button2);
    t.hasStrict(button, { name: "Button 2", device_class: "button", event_types: ["single", "double", "triple"] });
    t.match(await eventually(() => components("Kitchen light").event_event), { event_types: ["updated"] });
    t.same(discoveryMistakes(seen.devices.get("Kitchen light")?.config ?? {}), []);
    t.notOk(JSON.stringify(components("Kitchen light")).includes("no source"), "odd words are not published");
    await eventually(async () => {
      await press("button2.long"); // the other hub needs a moment to subscribe to new topics
      return heardThere.includes("button2.long") || undefined;
    });

    // Scenes: the one that opens nothing is offered, and runs.
    const shown = components(homeName);
    t.match(shown, { sensor_inside: {}, sensor_last_read: {} });
    t.hasStrict(shown.sensor_house_mode, { device_class: "enum", options: ["home", "away", "night", "holiday"] });
    t.notOk("sensor_last_plate" in shown, "plates are published only if an owner wants it");
    t.hasStrict(shown, { [`scene_${scene.id}`]: { name: "Evening" } });
    t.notOk(JSON.stringify(shown).includes("Let me in"), "a scene that opens the gate is not offered");
    t.notOk(JSON.stringify(shown).includes("Off guard"), "nor one that disarms the alarm");
    const sentinel = DEVICES.find(({ key }) => key === "sentinel")?.name ?? "";
    const disarm = () =>
      seen.client.publishAsync(String(components(sentinel).alarm_control_panel_armed?.command_topic), "DISARM", {
        qos: 1,
      });
    await disarm();
    await seen.client.publishAsync(String(shown[`scene_${scene.id}`]?.command_topic), "ON");
    await eventually(() => (registry.find("light")?.state.power === false ? true : undefined));
    t.same(
      commands.list(siteId, "sentinel", { limit: 10 }).map(({ command }) => command),
      [{ armed: true }],
      "what was sent before the scene disarmed nothing",
    );
    t.equal(registry.find("sentinel")?.state.armed, true);

    // No way back: the reader exports its own home there, and none of what it learned.
    const ofReader = await eventually(() =>
      seen.devices.get(reader.hub.access.accounts.site(liveSite(reader.hub)).name),
    );
    t.ok(ofReader);
    const nodes = new Map<string, number>();
    for (const topic of seen.messages.keys()) {
      const [, node = ""] = /^homeassistant\/device\/(\w+)\//.exec(topic) ?? [];
      if (node !== "") nodes.set(node, (nodes.get(node) ?? 0) + 1);
    }
    t.same(
      [...nodes.values()].sort(),
      [1, DEVICES.length + 1],
      "one hub announces its home alone, the other its devices once",
    );
    t.equal(
      home.hub.devices.registry.list(siteId).filter(({ name }) => name === "Kitchen light").length,
      1,
      "and nothing has come back to where it came from",
    );

    // The gate, once an owner allows it.
    for (const name of ["homeAssistant", "homeAssistantGate", "homeAssistantPlates"])
      t.notOk(isEverydaySetting(`outsideBroker.${name}`), `${name} needs a fresh proof`);
    t.equal((await settings({ "outsideBroker.homeAssistantGate": true })).status, 200);
    await eventually(() => components("Driveway gate").cover_gate);
    t.same(components("Driveway gate").binary_sensor_open, { platform: "binary_sensor" }, "its former form is removed");
    await eventually(() => Object.values(components(homeName)).find(({ name }) => name === "Let me in"));
    await seen.client.publishAsync(String(components("Driveway gate").cover_gate?.command_topic), "OPEN");
    await eventually(() => (registry.find("gate")?.state.open === true ? true : undefined));
    const [opening] = await eventually(() => {
      const openings = home.hub.gate.openings.list(siteId, { deviceId: "gate", limit: 5 });
      return openings.length > 0 ? openings : undefined;
    });
    t.hasStrict(opening?.by, { kind: "key", name: "Home Assistant" });
    await disarm();
    await eventually(() => (registry.find("sentinel")?.state.armed === false ? true : undefined));

    // Removed from the hub, removed from there; switched off, all removed.
    await registry.remove(siteId, "camera");
    await eventually(() => (seen.devices.has("Gate camera") ? undefined : true));
    await eventually(() => ([...seen.messages.keys()].some((topic) => topic.includes("/camera/")) ? undefined : true));
    await clients.get("light")?.publishAsync("gatehouse/light/status", "offline", { qos: 1, retain: true });
    await eventually(() => (seen.messages.get(seen.topic("/device/light/online")) === "offline" ? true : undefined));
    t.equal((await settings({ "outsideBroker.homeAssistant": false })).status, 200);
    const mine = [...nodes].find(([, count]) => count > 1)?.[0] ?? "";
    const own = mine.slice("gatehouse_".length);
    await eventually(() => ([...seen.messages.keys()].some((topic) => topic.includes(own)) ? undefined : true));
    t.pass("nothing retained is left of it");
  },
);

t.test("Home Assistant's starts and stops, old commands, plates, and a hub that is killed", { skip }, async (t) => {
  const folder = testFolder(t, { broker: {}, home: {} });
  const mosquitto = await Mosquitto.start(t, `${folder}/broker`);
  const seen = await RetainedTopics.watch(t, mosquitto.port);
  const url = `mqtt://127.0.0.1:${mosquitto.port}`;
  const env = {
    GATEHOUSE_OUTSIDE_BROKER_URL: url,
    GATEHOUSE_OUTSIDE_BROKER_TOPIC_PREFIX: "site/north",
    GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT: "true",
  };
  const first = await startConsoleHub(t, { folder: `${folder}/home`, env });
  const clients = await moveDevicesIn(t, first, ["light", "gate", "camera"]);
  await eventually(() => (seen.devices.size === 4 ? true : undefined));
  const config = seen.devices.get("Kitchen light")?.config;
  const command = String(config?.components.light_power?.command_topic);
  t.match(
    command,
    /^site\/north\/gatehouse-ha\//,
    "values and commands are below the hub's prefix, discovery where Home Assistant expects it",
  );
  const isOn = (): unknown => first.hub.devices.registry.find("light")?.state.power;

  const heard = (): number => seen.heard.filter((topic) => topic.endsWith("/light/config")).length;
  const before = heard();
  await seen.client.publishAsync("homeassistant/status", "online");
  await eventually(() => (heard() > before ? true : undefined));
  t.pass("it is published again when Home Assistant has started");

  for (const bad of [
    "",
    "ON",
    "{",
    "[]",
    '{"state":1}',
    '{"state":"ON","brightness":"x"}',
    "x".repeat(5_000),
    "\u0000",
    '{"__proto__":{"state":"ON"}}',
  ])
    await seen.client.publishAsync(command, bad, { qos: 1 });
  await seen.client.publishAsync(command.replace("/light/set/light_power/", "/gate/set/cover_gate/"), "OPEN", {
    qos: 1,
  });
  await seen.client.publishAsync(command.replace("/light/", "/../"), "ON", { qos: 1 });
  await seen.client.publishAsync(command.replace("command_topic", "constructor"), "ON", { qos: 1 });
  await seen.client.publishAsync(command, '{"state":"ON"}', { qos: 1 });
  await eventually(() => (isOn() === true ? true : undefined));
  t.equal(first.hub.devices.registry.find("gate")?.state.open, false, "a gate without permission stays shut");
  const taken = await eventually(() => {
    const list = first.hub.devices.commands.list(liveSite(first.hub), "light", { limit: 10 });
    return list.length >= 2 ? list : undefined;
  });
  t.same(
    taken.map((sent) => sent.command),
    [{ power: true }, { power: true }],
    "only two of those were commands: a light that is switched on without a brightness, twice",
  );

  const press = () => clients.get("light")?.publishAsync("gatehouse/light/event", '{"kind":"button.long"}', { qos: 1 });
  const presses = () => seen.heard.filter((topic) => topic.endsWith("/device/light/event/event_button")).length;
  await press();
  await eventually(() => seen.devices.get("Kitchen light")?.config.components.event_button);
  t.equal(presses(), 0, "the press that introduces a button is not published: nobody could be subscribed yet");
  await press();
  await eventually(() => presses() === 1 || undefined);
  for (let n = 0; n < 100; n++) await press();
  await press();
  const late = await RetainedTopics.watch(t, mosquitto.port, "late");
  await eventually(() => (late.devices.size === 4 ? true : undefined));
  t.notOk(
    [...late.messages.keys()].some((topic) => topic.includes("/event/")),
    "no press is retained",
  );
  t.ok(presses() <= 60, `of 100 presses at once ${presses()} are published`);

  // Commands that were retained, or waited while the hub was away, are not carried out.
  await first.hub.stop();
  await eventually(() => (seen.messages.get(seen.topic("/status")) === "offline" ? true : undefined));
  await seen.client.publishAsync(command, '{"state":"OFF"}', { qos: 1, retain: true });
  await seen.client.publishAsync(command, '{"state":"OFF"}', { qos: 1 });
  const second = await startConsoleHub(t, {
    folder: `${folder}/home`,
    env: { ...env, GATEHOUSE_OUTSIDE_BROKER_HOME_ASSISTANT_PLATES: "true" },
  });
  await eventually(() => (seen.messages.get(seen.topic("/status")) === "online" ? true : undefined));
  await eventually(() => seen.devices.get("Home")?.config.components.sensor_last_plate);
  t.equal(
    second.hub.devices.commands.list(liveSite(second.hub), "light", { limit: 10 }).length,
    2,
    "no old command was accepted",
  );
  t.ok(seen.devices.get("Kitchen light")?.config.components.event_button?.event_types, "its button is still known");
  const before2 = seen.devices.get("Home")?.config.components ?? {};
  t.match(before2, { sensor_inside: {}, sensor_last_read: { device_class: "timestamp" }, sensor_last_plate: {} });
  await second.hub.stop();
});
