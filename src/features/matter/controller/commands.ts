/** Translates commands in the hub's words to commands of a Matter node. */
import { switching } from "../../../../firmware-bridge/channels.ts";
import { hueSaturationOfRgb, reciprocalMegakelvin, rgbOfHex, xyOfRgb } from "../../../../firmware-bridge/colours.ts";
import { booleanOf, numberOf } from "../../../../firmware-bridge/json-values.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import type { CommandedCluster } from "./commanded.ts";
import type { EndpointView, Unit } from "./node-view.ts";
import { kelvins, modes, targets } from "./schema.ts";
import {
  colorOfHueSaturation,
  colorOfXy,
  fanSpeeds,
  hasFeature,
  percentOfLevel,
  setpointOf,
  switches,
  systemModeOf,
} from "./state.ts";

/** One thing to ask of a node: a command, or an attribute to be written. */
export type Step = { readonly endpoint: number; readonly cluster: CommandedCluster } & (
  | { readonly invoke: string; readonly fields?: JsonObject }
  | { readonly write: string; readonly value: number }
);

/** A command's request, or the reason for refusal. */
export type MatterTranslation =
  | {
      readonly steps: readonly Step[];
      /** The state that proves it; null if the node's promise is all there is at first: a blind takes its time. */
      readonly expects: JsonObject | null;
    }
  | { readonly unsupported: string };

/** A member of a command that the device cannot take. */
class Unsupported extends Error {}

interface Plan {
  readonly steps: Step[];
  readonly expects: JsonObject;
  /** Part of it takes its time. */
  slow: boolean;
}

const NO_OPTIONS = { optionsMask: {}, optionsOverride: {} };
/** A lamp that is off takes a colour, too. */
const WHILE_OFF = { transitionTime: 0, optionsMask: { executeIfOff: true }, optionsOverride: { executeIfOff: true } };

/** Translates a command for a unit. Never throws. */
export function translate(unit: Unit, command: JsonObject): MatterTranslation {
  const outputs = switches(unit);
  const plan: Plan = { steps: [], expects: {}, slow: false };
  try {
    if (outputs.length > 1) channels(outputs, command, plan);
    else for (const [member, value] of Object.entries(command)) one(unit, member, value, command, plan);
  } catch (error) {
    if (error instanceof Unsupported) return { unsupported: error.message };
    throw error;
  }
  if (plan.steps.length === 0) return { unsupported: "the command asks for nothing" };
  return { steps: plan.steps, expects: plan.slow ? null : plan.expects };
}

function channels(outputs: readonly EndpointView[], command: JsonObject, plan: Plan): void {
  const asked = switching(command, outputs.length);
  if ("unsupported" in asked) throw new Unsupported(asked.unsupported);
  const [other] = Object.keys(asked.rest);
  if (other !== undefined) throw new Unsupported(`it has no ${other.slice(0, 40)}`);
  for (const [channel, on] of asked.outputs) {
    const endpoint = outputs[channel - 1]?.number;
    if (endpoint === undefined) continue;
    plan.steps.push({ endpoint, cluster: "onOff", invoke: on ? "on" : "off" });
    plan.expects[`power${channel}`] = on;
  }
}

function one(unit: Unit, member: string, value: unknown, command: JsonObject, plan: Plan): void {
  const find = (...names: (keyof EndpointView["values"])[]): EndpointView => {
    const endpoint = unit.endpoints.find(({ values }) => names.some((name) => Object.hasOwn(values, name)));
    if (endpoint === undefined) throw new Unsupported(`it has no ${member.slice(0, 40)}`);
    return endpoint;
  };
  switch (member) {
    case "power":
      power(find("onOff", "valve", "fanMode"), truth(member, value), command, plan);
      break;
    case "brightness":
      brightness(find("level"), range(member, value, 0, 100), plan);
      break;
    case "color":
      color(find("colorFeatures"), value, plan);
      break;
    case "colorTemperature":
      colorTemperature(find("colorFeatures"), member, value, plan);
      break;
    case "position":
    case "tilt":
      covering(find(member === "tilt" ? "tilt" : "lift", "covering"), member, range(member, value, 0, 100), plan);
      break;
    case "open":
      covering(find("lift", "covering"), "position", truth(member, value) ? 100 : 0, plan);
      break;
    case "stop":
      if (!truth(member, value)) throw new Unsupported("stop takes true");
      slow(plan, { endpoint: find("lift", "covering").number, cluster: "windowCovering", invoke: "stopMotion" });
      break;
    case "locked":
      lock(find("lockState"), truth(member, value), plan);
      break;
    case "target":
      target(find("systemMode"), member, value, plan);
      break;
    case "mode":
      mode(find("systemMode"), value, plan);
      break;
    case "speed":
      speed(find("fanMode"), member, value, plan);
      break;
    default:
      throw new Unsupported(`it has no ${member.slice(0, 40)}`);
  }
}

function power(endpoint: EndpointView, on: boolean, command: JsonObject, plan: Plan): void {
  const { number, values } = endpoint;
  if (Object.hasOwn(values, "fanMode") && !Object.hasOwn(values, "onOff")) {
    if (on && Object.hasOwn(command, "speed")) return; // the speed implies it
    plan.steps.push({ endpoint: number, cluster: "fanControl", write: "fanMode", value: on ? 3 : 0 });
  } else if (Object.hasOwn(values, "valve") && !Object.hasOwn(values, "onOff")) {
    plan.steps.push({
      endpoint: number,
      cluster: "valveConfigurationAndControl",
      invoke: on ? "open" : "close",
      ...(on ? { fields: {} } : {}),
    });
  } else if (!on || !Object.hasOwn(command, "brightness")) {
    // together with a brightness that implies it
    plan.steps.push({ endpoint: number, cluster: "onOff", invoke: on ? "on" : "off" });
  }
  plan.expects.power = on;
}

function brightness({ number }: EndpointView, percent: number, plan: Plan): void {
  if (percent === 0) {
    plan.steps.push({ endpoint: number, cluster: "onOff", invoke: "off" });
    plan.expects.power = false;
    return;
  }
  const level = Math.max(1, Math.round((percent / 100) * 254));
  plan.steps.push({
    endpoint: number,
    cluster: "levelControl",
    invoke: "moveToLevelWithOnOff",
    fields: { level, transitionTime: null, ...NO_OPTIONS },
  });
  plan.expects.brightness = percentOfLevel(level);
}

function color(endpoint: EndpointView, value: unknown, plan: Plan): void {
  const rgb = rgbOfHex(value);
  if (rgb === null) throw new Unsupported('color takes "#rrggbb"');
  const { number } = endpoint;
  if (hasFeature(endpoint, "colorFeatures", "hueSaturation")) {
    const turned = hueSaturationOfRgb(rgb);
    const [hue, saturation] = [Math.round((turned.hue / 360) * 254), Math.round((turned.saturation / 100) * 254)];
    plan.steps.push({
      endpoint: number,
      cluster: "colorControl",
      invoke: "moveToHueAndSaturation",
      fields: { hue, saturation, ...WHILE_OFF },
    });
    plan.expects.color = colorOfHueSaturation(hue, saturation);
  } else if (hasFeature(endpoint, "colorFeatures", "xy")) {
    const { x, y } = xyOfRgb(rgb);
    const [colorX, colorY] = [Math.round(x * 65_536), Math.round(y * 65_536)];
    plan.steps.push({
      endpoint: number,
      cluster: "colorControl",
      invoke: "moveToColor",
      fields: { colorX, colorY, ...WHILE_OFF },
    });
    plan.expects.color = colorOfXy(colorX, colorY);
  } else throw new Unsupported("it shows no colours");
}

function colorTemperature(endpoint: EndpointView, member: string, value: unknown, plan: Plan): void {
  if (!hasFeature(endpoint, "colorFeatures", "colorTemperature")) throw new Unsupported("its white is one");
  const { least, most } = kelvins(endpoint);
  const mireds = reciprocalMegakelvin(range(member, value, least, most)) ?? 250;
  plan.steps.push({
    endpoint: endpoint.number,
    cluster: "colorControl",
    invoke: "moveToColorTemperature",
    fields: { colorTemperatureMireds: mireds, ...WHILE_OFF },
  });
  plan.expects.colorTemperature = reciprocalMegakelvin(mireds);
}

function covering(endpoint: EndpointView, member: "position" | "tilt", open: number, plan: Plan): void {
  const { number } = endpoint;
  const word = member === "tilt" ? "Tilt" : "Lift";
  const canGo = hasFeature(endpoint, "coveringFeatures", `positionAware${word}`);
  if (member === "position" && (open === 100 || open === 0)) {
    slow(plan, { endpoint: number, cluster: "windowCovering", invoke: open === 100 ? "upOrOpen" : "downOrClose" });
  } else if (canGo) {
    const closed = Math.round((100 - open) * 100);
    slow(plan, {
      endpoint: number,
      cluster: "windowCovering",
      invoke: `goTo${word}Percentage`,
      fields: { [`${word.toLowerCase()}Percent100thsValue`]: closed },
    });
  } else throw new Unsupported("it only opens and closes");
}

function lock({ number, values }: EndpointView, locked: boolean, plan: Plan): void {
  if (values.pinRequired === true) throw new Unsupported("the lock asks for a PIN, which the hub does not keep");
  slow(plan, { endpoint: number, cluster: "doorLock", invoke: locked ? "lockDoor" : "unlockDoor", fields: {} });
}

function target(endpoint: EndpointView, member: string, value: unknown, plan: Plan): void {
  const { least, most } = targets(endpoint);
  const degrees = range(member, value, least, most);
  const which = setpointOf(endpoint) === "cooling" ? "occupiedCoolingSetpoint" : "occupiedHeatingSetpoint";
  plan.steps.push({ endpoint: endpoint.number, cluster: "thermostat", write: which, value: Math.round(degrees * 100) });
  plan.expects.target = Math.round(degrees * 10) / 10;
}

function mode(endpoint: EndpointView, value: unknown, plan: Plan): void {
  const systemMode = typeof value === "string" && modes(endpoint).includes(value) ? systemModeOf(value) : null;
  if (systemMode === null) throw new Unsupported(`mode takes ${modes(endpoint).join(", ")}`);
  plan.steps.push({ endpoint: endpoint.number, cluster: "thermostat", write: "systemMode", value: systemMode });
  plan.expects.mode = value;
}

function speed(endpoint: EndpointView, member: string, value: unknown, plan: Plan): void {
  const most = fanSpeeds(endpoint);
  const wanted = Math.round(range(member, value, 0, most));
  const isOwn = endpoint.values.speedMost === most;
  plan.steps.push({
    endpoint: endpoint.number,
    cluster: "fanControl",
    write: isOwn ? "speedSetting" : "percentSetting",
    value: isOwn ? wanted : Math.round((wanted / most) * 100),
  });
  plan.expects.speed = wanted;
}

function slow(plan: Plan, step: Step): void {
  plan.steps.push(step);
  plan.slow = true;
}

function truth(member: string, value: unknown): boolean {
  const wanted = booleanOf(value);
  if (wanted === null) throw new Unsupported(`${member} takes true or false`);
  return wanted;
}

function range(member: string, value: unknown, least: number, most: number): number {
  const wanted = numberOf(value);
  if (wanted === null || wanted < least || wanted > most) throw new Unsupported(`${member} takes ${least} to ${most}`);
  return wanted;
}
