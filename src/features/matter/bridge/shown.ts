import { isGuarded } from "../../devices/rules/device-types.ts";
import type { MatterTables } from "../tables/matter.ts";
import { type BridgedEndpoint, MOST_ENDPOINTS } from "./calls.ts";
import { endpointName, endpointRoom, isHarmless, partsOf, SCENE_FEATURES } from "./endpoints.ts";
import type { BridgeableDevice, BridgeableScene, Part } from "./part.ts";
import type { BridgePorts } from "./ports.ts";

/** A device or scene of the household, and whether Matter sees it. */
export interface Showable {
  /** `device:ID` or `scene:ID`. */
  readonly subject: string;
  readonly name: string;
  readonly room: string | null;
  /** Type of the device; `scene` for a scene. */
  readonly type: string;
  readonly shown: boolean;
  /** It gives entry or guards the house: showing it takes a person with a fresh proof of identity. */
  readonly guarded: boolean;
  /** Why it cannot be shown; null if it can. */
  readonly refusal: "nothing" | "opens" | null;
  /** How Matter sees it, as kinds of endpoints. */
  readonly kinds: readonly string[];
}

/** An endpoint with the device or scene behind it. */
export interface ShownEndpoint {
  /** The subject of its number: constant, across renames. */
  readonly subject: string;
  readonly deviceId: string | null;
  readonly sceneId: number | null;
  readonly part: Part | null;
  readonly endpoint: Omit<BridgedEndpoint, "number">;
}

/** The household's devices and scenes, and the owner's choice for each. */
export function showables(siteId: number, ports: BridgePorts, tables: Pick<MatterTables, "choices">): Showable[] {
  const shownBy = chosen(siteId, tables);
  const devices = ports.devices(siteId);
  return [
    ...devices.map((device): Showable => {
      const guarded = isGuarded(device);
      const subject = `device:${device.id}`;
      const kinds = partsOf(device).map(({ kind }) => kind);
      const refusal = kinds.length === 0 ? "nothing" : null;
      const { name, room, type } = device;
      return {
        subject,
        name,
        room,
        type,
        guarded,
        refusal,
        kinds,
        shown: refusal === null && shownBy(subject, guarded),
      };
    }),
    ...ports.scenes.list(siteId).map((scene): Showable => {
      const subject = `scene:${scene.id}`;
      const refusal = isHarmless(scene, ports.commands) ? null : "opens";
      return {
        subject,
        name: scene.name,
        room: null,
        type: "scene",
        guarded: false,
        refusal,
        kinds: ["scene"],
        shown: refusal === null && shownBy(subject, false),
      };
    }),
  ];
}

/** The shown ones, by the owner's choice or by default. */
function chosen(siteId: number, tables: Pick<MatterTables, "choices">): (subject: string, guarded: boolean) => boolean {
  const choices = new Map(tables.choices(siteId).map((row) => [row.subject, row]));
  return (subject, guarded) => {
    const choice = choices.get(subject);
    // Something that became a gate after it was chosen has not been chosen as a gate.
    return choice === undefined || (guarded && choice.guarded === 0) ? !guarded : choice.shown === 1;
  };
}

/**
 * A part as its device is now; null if it is not shown any more. Its state when last reported to Matter does not count.
 */
export function partNow(
  siteId: number,
  device: BridgeableDevice,
  was: Part,
  tables: Pick<MatterTables, "choices">,
): Part | null {
  if (!chosen(siteId, tables)(`device:${device.id}`, isGuarded(device))) return null;
  return partsOf(device).find(({ part, kind }) => part === was.part && kind === was.kind) ?? null;
}

/** How {@link shownEndpoints} reads. */
export interface Reading {
  /** Whether opening requires a PIN; null: not chosen, and nothing opens. */
  readonly pin: boolean | null;
  /** A device's state with the latest measurements. */
  readonly stateOf: (device: BridgeableDevice) => BridgeableDevice["state"];
}

/** The endpoints of the shown devices, at most as many as a bridge holds. */
export function shownEndpoints(
  siteId: number,
  ports: BridgePorts,
  tables: Pick<MatterTables, "choices">,
  { pin, stateOf }: Reading,
): ShownEndpoint[] {
  const shown = new Set(
    showables(siteId, ports, tables)
      .filter((one) => one.shown)
      .map(({ subject }) => subject),
  );
  const ofDevice = (device: BridgeableDevice): ShownEndpoint[] =>
    partsOf(device)
      .filter(({ features }) => !features.pin || pin !== null)
      .map((part) => ({
        subject: `device:${device.id}/${part.part}/${part.kind}`,
        deviceId: device.id,
        sceneId: null,
        part,
        endpoint: {
          kind: part.kind,
          name: endpointName(device.name, part.suffix),
          room: endpointRoom(device.room),
          serial: serialOf(`${device.id}/${part.part}`),
          manufacturer: (device.manufacturer ?? "").slice(0, 32),
          model: (device.model ?? "").slice(0, 32),
          reachable: device.online,
          features: { ...part.features, pin: part.features.pin && pin === true },
          values: part.read(stateOf(device)),
        },
      }));
  const ofScene = (scene: BridgeableScene): ShownEndpoint => ({
    subject: `scene:${scene.id}`,
    deviceId: null,
    sceneId: scene.id,
    part: null,
    endpoint: {
      kind: "plug",
      name: endpointName(scene.name, ""),
      room: "",
      serial: serialOf(`scene-${scene.id}`),
      manufacturer: "",
      model: "",
      reachable: true,
      features: SCENE_FEATURES,
      values: { on: false },
    },
  });
  return [
    ...ports.devices(siteId).flatMap((device) => (shown.has(`device:${device.id}`) ? ofDevice(device) : [])),
    ...ports.scenes.list(siteId).flatMap((scene) => (shown.has(`scene:${scene.id}`) ? [ofScene(scene)] : [])),
  ].slice(0, MOST_ENDPOINTS);
}

/** A device's id as a serial number of at most 32 characters; of a longer id the end, since beginnings are alike. */
function serialOf(id: string): string {
  return id.slice(-32);
}
