import type { IconName } from "../../../console/components/icon.tsx";
import { openTest } from "../../../console/components/standing.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { type Device, deviceList, house, scenes } from "../../../console/store.ts";
import type { Block } from "./block-editor.tsx";

/** A rule that many houses have, made for this house's own devices. */
export interface StarterRule {
  readonly key: string;
  readonly name: string;
  readonly icon: IconName;
  readonly triggers: readonly Block[];
  readonly conditions: readonly Block[];
  readonly actions: readonly Block[];
}

/** Most commands that one starter rule sends to lights at once; beyond that, a scene fits better. */
const MOST_LIGHTS = 10;
/** A switch that water hangs on, by its name. */
const PUMP = /pump|valve|water|motor|पंप|पम्प|वाल्व|पानी|मोटर/i;
const LIGHTS: ReadonlySet<string> = new Set(["light", "dimmer"]);
const NIGHT: Block = { type: "time", from: "22:00", to: "06:00" };
const DARK: Block = { type: "sun", is: "down" };

/** The starter rules that fit the devices of this house, those for its gate first. */
export function starterRules(): readonly StarterRule[] {
  const all = deviceList.value;
  const of = (type: string): Device | undefined => all.find((device) => device.type === type);
  const lights = all.filter(({ type }) => LIGHTS.has(type)).slice(0, MOST_LIGHTS);
  const [light] = lights;
  const gate = all.find((device) => device.type === "gate" && openTest(device) !== null);
  const motion = all.find(({ state }) => typeof state.motion === "boolean");
  const warm = all.find(({ state }) => typeof state.temperature === "number");
  const plug = all.find(({ type, state }) => type === "smart-plug" && typeof state.watts === "number");
  const camera = of("camera");
  const [cover, lock, fan, sentinel] = ["cover", "lock", "fan", "sentinel"].map(of);
  const pump = all.find(({ type, name }) => type === "switch" && PUMP.test(name));
  const [scene] = scenes.value;
  const found: StarterRule[] = [];
  const add = (
    key: string,
    icon: IconName,
    rule: { when: Block | readonly Block[]; only?: readonly Block[]; does: readonly Block[] },
  ): void => {
    const label = `starter.${key}` as TextKey; // held by the catalogue's test: each key below has its text
    const triggers = Array.isArray(rule.when) ? (rule.when as readonly Block[]) : [rule.when as Block];
    found.push({ key, icon, name: t(label), triggers, conditions: rule.only ?? [], actions: rule.does });
  };
  if (camera && light)
    add("late", "lightbulb", {
      when: { type: "plate", decision: "allow" },
      only: [NIGHT],
      does: forAWhile(light, 300),
    });
  if (camera) {
    add("visitor", "car", {
      when: { type: "plate", decision: "unknown" },
      does: [{ ...message("starter.visitorTitle", "starter.visitorBody"), picture: { type: "read" } }],
    });
    add("denied", "circleAlert", {
      when: { type: "plate", decision: "deny" },
      does: [{ ...message("starter.deniedTitle", "starter.deniedBody"), picture: { type: "read" } }],
    });
  }
  if (gate) {
    add("gate", "fence", {
      when: { type: "state", ...openTest(gate), forSeconds: 600 },
      does: [{ type: "notify", title: t("starter.gateTitle", { name: gate.name }), body: t("starter.gateBody") }],
    });
  }
  const watched = gate ?? camera;
  if (watched) {
    const title = t("starter.offlineTitle", { name: watched.name });
    add("offline", "wifiOff", {
      when: { type: "device", deviceId: watched.id, event: "offline" },
      does: [{ type: "notify", title, body: t("starter.offlineBody") }],
    });
  }
  add(pump ? "leak" : "leakOnly", "circleAlert", {
    when: { type: "any_state", field: "leak", op: "truthy" },
    does: [message("starter.leakTitle", "starter.leakBody"), ...(pump ? [power(pump, false)] : [])],
  });
  add(lights.length > 0 ? "smoke" : "smokeOnly", "circleAlert", {
    when: { type: "any_state", field: "smoke", op: "truthy" },
    does: [message("starter.smokeTitle", "starter.smokeBody"), ...lights.map((one) => power(one, true))],
  });
  add("battery", "gauge", {
    when: { type: "any_state", field: "battery", op: "lt", value: 20 },
    does: [message("starter.batteryTitle", "starter.batteryBody")],
  });
  if (light) {
    add("sunset", "lightbulb", { when: sun("sunset"), does: [power(light, true)] });
    add("night", "lightbulb", { when: at("23:00"), does: lights.map((one) => power(one, false)) });
    if (motion) {
      const moved = { type: "state", deviceId: motion.id, field: "motion", op: "truthy" };
      add("motion", "lightbulb", { when: moved, only: [DARK], does: forAWhile(light, 300) });
    }
  }
  // as long as nobody's presence is known, only the cars show it
  const isKnown = house.value?.persons.some(({ is }) => is !== null) === true;
  const allLeft: Block =
    camera && !isKnown ? { type: "occupancy", op: "eq", value: 0 } : { type: "presence", event: "leaves" };
  if (lights.length > 0) add("away", "house", { when: allLeft, does: lights.map((one) => power(one, false)) });
  add("awayMode", "doorOpen", { when: allLeft, does: [{ type: "house", mode: "away" }] });
  add("nightMode", "moon", { when: at("23:00"), does: [{ type: "house", mode: "night" }] });
  if (camera && lights.length > 0) {
    add("home", "house", {
      when: { type: "plate", decision: "allow", direction: "in" },
      only: [DARK],
      does: lights.slice(0, 1).map((one) => power(one, true)),
    });
  }
  if (motion && camera)
    add("intruder", "shield", {
      when: { type: "state", deviceId: motion.id, field: "motion", op: "truthy" },
      only: [{ type: "occupancy", op: "eq", value: 0 }, NIGHT],
      does: [message("starter.intruderTitle", "starter.intruderBody")],
    });
  add("doorAtNight", "doorOpen", {
    when: { type: "any_state", field: "contact", op: "falsy" },
    only: [NIGHT],
    does: [message("starter.doorTitle", "starter.doorBody")],
  });
  if (lock)
    add("lock", "lock", {
      when: at("22:30"),
      does: [{ type: "command", deviceId: lock.id, command: { locked: true } }],
    });
  if (cover) {
    const move = (position: number): Block => ({ type: "command", deviceId: cover.id, command: { position } });
    add("shutterUp", "blinds", { when: sun("sunrise"), does: [move(100)] });
    add("shutterDown", "blinds", { when: sun("sunset"), does: [move(0)] });
  }
  if (warm && fan)
    add("fan", "fan", {
      when: { type: "state", deviceId: warm.id, field: "temperature", op: "gt", value: 28 },
      does: [power(fan, true)],
    });
  if (plug)
    add("standby", "plug", {
      when: { type: "state", deviceId: plug.id, field: "watts", op: "lt", value: 5, forSeconds: 600 },
      does: [power(plug, false)],
    });
  if (sentinel)
    add("arm", "shield", {
      when: at("23:00"),
      does: [{ type: "command", deviceId: sentinel.id, command: { armed: true } }],
    });
  if (scene && camera)
    add("welcome", "clapperboard", {
      when: { type: "plate", decision: "allow", direction: "in" },
      does: [{ type: "scene", sceneId: scene.id }],
    });
  return found;
}

function at(time: string): Block {
  return { type: "time", at: time, days: [] };
}

function sun(event: "sunrise" | "sunset"): Block {
  return { type: "sun", event, offsetMinutes: 0, days: [] };
}

function power({ id }: Device, on: boolean): Block {
  return { type: "command", deviceId: id, command: { power: on } };
}

function forAWhile(device: Device, seconds: number): Block[] {
  return [power(device, true), { type: "delay", seconds }, power(device, false)];
}

function message(title: TextKey, body: TextKey): Block {
  // {device}, {plate} and {value} stay as they are: the hub fills them in
  const kept = { device: "{device}", plate: "{plate}", value: "{value}" };
  return { type: "notify", title: t(title, kept), body: t(body, kept) };
}
