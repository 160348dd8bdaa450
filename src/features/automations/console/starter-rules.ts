import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { type Device, deviceList } from "../../../console/store.ts";
import type { Block } from "./block-editor.tsx";

/** A rule that many houses have, made for this house's own devices. */
interface StarterRule {
  readonly key: string;
  readonly name: string;
  readonly trigger: Block;
  readonly actions: readonly Block[];
}

/** Most commands that one starter rule sends to lights at once; beyond that, a scene fits better. */
const MOST_LIGHTS = 10;
const LIGHTS: ReadonlySet<string> = new Set(["light", "dimmer"]);
const BY_CAMERA: ReadonlySet<string> = new Set(["camera"]);

/** The starter rules that fit the devices of this house. */
export function starterRules(): readonly StarterRule[] {
  const all = deviceList.value;
  const lights = all.filter(({ type }) => LIGHTS.has(type)).slice(0, MOST_LIGHTS);
  const gate = all.find(({ type, state }) => type === "gate" && typeof state.gate === "string");
  const motion = all.find(({ state }) => typeof state.motion === "boolean");
  const watched = gate ?? all.find(({ type }) => BY_CAMERA.has(type));
  const [light] = lights;
  const found: StarterRule[] = [];
  const add = (key: string, trigger: Block, actions: readonly Block[]): void => {
    const label = `starter.${key}` as TextKey; // held by the catalogue's test: each key below has its text
    found.push({ key, name: t(label), trigger, actions });
  };
  if (light) add("sunset", { type: "sun", event: "sunset", offsetMinutes: 0, days: [] }, [power(light, true)]);
  if (light)
    add(
      "night",
      { type: "time", at: "23:00", days: [] },
      lights.map((one) => power(one, false)),
    );
  if (light && motion)
    add("motion", { type: "state", deviceId: motion.id, field: "motion", op: "truthy" }, [power(light, true)]);
  if (gate) {
    const opened = { type: "state", deviceId: gate.id, field: "gate", op: "eq", value: "open", forSeconds: 600 };
    add("gate", opened, [
      { type: "notify", title: t("starter.gateTitle", { name: gate.name }), body: t("starter.gateBody") },
    ]);
  }
  if (all.some(({ type }) => BY_CAMERA.has(type))) {
    add("visitor", { type: "plate", decision: "unknown" }, [
      { type: "notify", title: t("starter.visitorTitle"), body: t("starter.visitorBody") },
    ]);
  }
  if (watched) {
    const title = t("starter.offlineTitle", { name: watched.name });
    add("offline", { type: "device", deviceId: watched.id, event: "offline" }, [
      { type: "notify", title, body: t("starter.offlineBody") },
    ]);
  }
  return found;
}

function power({ id }: Device, on: boolean): Block {
  return { type: "command", deviceId: id, command: { power: on } };
}
