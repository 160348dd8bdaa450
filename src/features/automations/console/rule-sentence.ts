import { isSaidOfDevice, operatorText, valueWord } from "../../../console/components/state-values.ts";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { measureName } from "../../../console/i18n/measures.ts";
import { clockText, duration, type TextKey, t } from "../../../console/i18n/translate.ts";
import { devices, scenes } from "../../../console/store.ts";
import type { Block } from "./block-editor.tsx";
import { persons } from "./persons.ts";

/** A car at the gate by its decision, and one that comes in. */
const CARS: Readonly<Record<string, readonly [comes: TextKey, comesIn: TextKey]>> = {
  allow: ["say.carAllow", "say.carAllowIn"],
  deny: ["say.carDeny", "say.carDenyIn"],
  unknown: ["say.carUnknown", "say.carUnknownIn"],
  watch: ["say.carWatch", "say.carWatchIn"],
};

/** A trigger, condition or action as a sentence for a homeowner. */
export function sentence(rule: { readonly type: string }): string {
  const block: Block = { ...rule };
  const by: Readonly<Record<string, () => string>> = {
    time: () =>
      block.at === undefined
        ? t("say.window", { from: clockText(word(block.from)), to: clockText(word(block.to)) })
        : t("say.time", { at: clockText(word(block.at)), days: daysWord(block.days) }),
    sun: () =>
      block.is === undefined
        ? t("say.sun", {
            event: t(block.event === "sunrise" ? "sun.sunrise" : "sun.sunset"),
            offset: offsetWord(block.offsetMinutes),
          })
        : t(block.is === "up" ? "say.sunUp" : "say.sunDown"),
    interval: () => t("say.interval", { every: duration(Number(block.everySeconds)) }),
    state: () => {
      const key = String(block.field);
      const words = {
        device: deviceName(block.deviceId),
        op: operatorText(String(block.op), key),
        hold: block.forSeconds === undefined ? "" : t("say.hold", { time: duration(Number(block.forSeconds)) }),
      };
      if (isSaidOfDevice(key, String(block.op))) return t("say.switched", words);
      const value =
        block.value === undefined ? "" : Array.isArray(block.value) ? word(block.value) : valueWord(key, block.value);
      return t("say.state", { ...words, field: measureName(key), value });
    },
    device: () =>
      t("say.device", {
        device: deviceName(block.deviceId),
        event: t(block.event === "online" ? "device.online" : "device.offline"),
      }),
    plate: () => {
      const { plate, deviceId, decision, direction } = block;
      if (plate === undefined && deviceId === undefined) {
        if (direction === "out" && decision === undefined) return t("say.carLeaves");
        const key = direction === "out" ? undefined : CARS[String(decision)]?.[direction === "in" ? 1 : 0];
        if (key !== undefined) return t(key);
      }
      return [
        t("say.plate", { plate: block.plate === undefined ? t("say.anyPlate") : word(block.plate) }),
        // the decisions are keys of the catalogue
        block.decision === undefined ? "" : t(`decision.${String(block.decision)}` as TextKey).toLowerCase(),
        block.direction === undefined ? "" : t(block.direction === "in" ? "read.in" : "read.out"),
      ]
        .filter((part) => part !== "")
        .join(", ");
    },
    any_state: () => {
      const key = String(block.field);
      const op = String(block.op);
      const hold = block.forSeconds === undefined ? "" : t("say.hold", { time: duration(Number(block.forSeconds)) });
      const device = anyDeviceText(block.deviceType);
      if (isSaidOfDevice(key, op)) return t("say.switched", { device, op: operatorText(op, key), hold });
      return t("say.anyState", {
        device,
        hold,
        field: measureName(key),
        op: operatorText(String(block.op), key),
        value: block.value === undefined ? "" : valueWord(key, block.value),
      });
    },
    either: () => t("say.either", { what: sentence(block.do as Block), otherwise: sentence(block.otherwise as Block) }), // as above
    occupancy: () =>
      block.op === "eq" && block.value === 0
        ? t("say.noneInside")
        : block.op === "gte" && block.value === 1
          ? t("say.someInside")
          : t("say.occupancy", { op: operatorText(String(block.op)), value: word(block.value ?? "") }),
    event: () => t("say.event", { device: deviceName(block.deviceId), kind: word(block.kind) }),
    days: () => daysWord(block.days),
    command: () => {
      const { frame, what } = commandWords(block.command);
      return t(frame, { device: deviceName(block.deviceId), what });
    },
    notify: () =>
      t("say.notify", { title: titleText(block.title), whom: whomText(block.to), picture: pictureText(block.picture) }),
    scene: () =>
      t("say.scene", { scene: scenes.value.find((scene) => scene.id === block.sceneId)?.name ?? word(block.sceneId) }),
    delay: () => t("say.delay", { time: duration(Number(block.seconds)) }),
    sequence: () => list(block.actions).map(sentence).join(", "),
    all: () =>
      `(${list(block.conditions)
        .map(sentence)
        .join(` ${t("say.and")} `)})`,
    any: () =>
      block.triggers === undefined
        ? `(${list(block.conditions)
            .map(sentence)
            .join(` ${t("say.or")} `)})`
        : list(block.triggers)
            .map(sentence)
            .join(` ${t("say.or")} `),
    not: () => t("say.not", { what: sentence(block.condition as Block) }), // the hub checked the shape
  };
  return (by[block.type]?.() ?? block.type).replace(/\s+/g, " ").trim();
}

function list(value: unknown): Block[] {
  return Array.isArray(value) ? (value as Block[]) : []; // the hub checked the shape
}

function word(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function deviceName(id: unknown): string {
  return devices.value.get(String(id))?.name ?? String(id);
}

function daysWord(days: unknown): string {
  if (!Array.isArray(days) || days.length === 0 || days.length === 7) return t("block.everyDay");
  // 1 to 7 are keys of the catalogue
  return days.map((day: number) => t(`day.${day === 0 ? 7 : day}` as TextKey)).join(" ");
}

function offsetWord(minutes: unknown): string {
  const n = Number(minutes ?? 0);
  return n === 0 ? "" : n > 0 ? t("say.after", { n }) : t("say.before", { n: -n });
}

/** Any device, or any of one product type. */
export function anyDeviceText(deviceType: unknown): string {
  if (typeof deviceType !== "string") return t("tap.anyDevice");
  return t("tap.anyOfKind", { kind: keyedText(`type.${deviceType}`, deviceType).toLocaleLowerCase() });
}

/** Whom a message is for, as its sentence says it. */
export function whomText(to: unknown): string {
  if (!Array.isArray(to)) return t("say.us");
  const name = (one: string): string => {
    if (one === "owners") return t("say.owners");
    const person = persons.value.find(({ id }) => one === `person:${id}`);
    if (person !== undefined) return t("say.toPerson", { name: person.name });
    return persons.value.length === 0 ? "…" : t("say.toGone");
  };
  return to.map((one) => name(String(one))).join(", ");
}

/** The picture that a message carries, as its sentence says it; empty without one. */
export function pictureText(picture: unknown): string {
  if (typeof picture !== "object" || picture === null) return "";
  const { type, deviceId } = picture as { readonly type?: unknown; readonly deviceId?: unknown }; // the hub checked it
  return type === "camera" ? t("say.withCamera", { camera: deviceName(deviceId) }) : t("say.withRead");
}

/** The title of a message as a person reads it before the hub has filled it in: "the device reports water". */
export function titleText(title: unknown): string {
  const parts = { device: t("tap.theDevice"), plate: t("tap.thePlate"), value: t("tap.theValue") };
  const text = word(title).replace(/\{(device|plate|value)\}/g, (_, name: keyof typeof parts) => parts[name]);
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/** The sentence that a command stands in, with a place for its device, and its own word in it. */
export function commandWords(command: unknown): {
  readonly frame: "say.turn" | "say.act" | "say.put" | "say.command";
  readonly what: string;
} {
  const named: Readonly<Record<string, unknown>> =
    typeof command === "object" && command !== null ? { ...command } : {};
  const keys = Object.keys(named).filter((key) => key !== "power" || named.brightness === undefined);
  const [key] = keys;
  const value = key === undefined ? undefined : named[key];
  if (keys.length === 1 && (key === "power" || key === "on") && typeof value === "boolean")
    return { frame: "say.turn", what: t(value ? "say.on" : "say.off") };
  if (keys.length === 1 && key === "brightness" && typeof value === "number" && named.power !== false)
    return { frame: "say.turn", what: t("say.onAt", { n: value }) };
  if (keys.length === 1 && (key === "open" || key === "locked" || key === "armed") && typeof value === "boolean")
    return { frame: "say.act", what: t(`say.${key}.${value}`) };
  if (keys.length === 1 && (key === "position" || key === "speed"))
    return { frame: "say.put", what: key === "speed" ? commandText(command) : `${word(value)} %` };
  return { frame: "say.command", what: commandText(command) };
}

/** A command in words where its keys are the usual ones; JSON otherwise. */
export function commandText(command: unknown): string {
  if (typeof command !== "object" || command === null) return JSON.stringify(command);
  if ("capture" in command && Object.keys(command).length === 1) return t("button.capture");
  // an object, checked
  const { power, brightness, speed, position, open, locked, ch, on, ...others } = command as Record<string, unknown>;
  if (Object.keys(others).length > 0) return JSON.stringify(command);
  const parts: string[] = [];
  if (typeof ch === "number") parts.push(t("control.channel", { n: ch }));
  const onOff = power ?? on;
  if (typeof onOff === "boolean") parts.push(onOff ? t("device.on") : t("device.off"));
  if (typeof open === "boolean") parts.push(open ? t("quick.open") : t("quick.close"));
  if (typeof locked === "boolean") parts.push(locked ? t("quick.lock") : t("quick.unlock"));
  if (typeof brightness === "number") parts.push(`${brightness} %`);
  if (typeof position === "number") parts.push(`${t("control.position")} ${position} %`);
  if (typeof speed === "number") parts.push(t("device.speed", { n: speed }));
  return parts.length > 0 ? parts.join(", ") : JSON.stringify(command);
}
