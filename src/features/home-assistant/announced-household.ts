import { join } from "node:path";
import { OUTSIDE } from "../../../firmware-bridge/ports.ts";
import type { Base } from "../../core/base.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { BridgeFeature } from "../bridge/feature.ts";
import type { Device } from "../devices/device.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { HouseFeature } from "../house/feature.ts";
import type { MatterFeature } from "../matter/feature.ts";
import type { ScenesFeature } from "../scenes/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import { entitiesOf } from "./entities.ts";
import { HeardEvents } from "./heard-events.ts";
import { hubEntities, type LastRead, SCENE } from "./hub-entities.ts";
import type { Announced } from "./messages.ts";

/** The features that are seen in Home Assistant. */
export interface AnnouncedFeatures {
  readonly access: AccessFeature;
  readonly bridge: BridgeFeature;
  readonly devices: DevicesFeature;
  readonly house: HouseFeature;
  readonly scenes: ScenesFeature;
  readonly matter: MatterFeature;
  readonly gate: GateFeature;
  readonly telemetry: TelemetryFeature;
}

/** Where its devices' events are recorded. */
const EVENTS_FILE = "home-assistant-events.json";

/** The actor of its commands in the audit lists. */
const ACTOR = "home_assistant:0";
/** The announced entities of the live household, and the effect of their commands. */
export class AnnouncedHousehold {
  readonly #base: Base;
  readonly #features: AnnouncedFeatures;
  /** The latest measurements and state changes of each device, whichever is newer for each name. */
  readonly #latest = new Map<string, JsonObject>();
  readonly #events: HeardEvents;

  constructor(base: Base, features: AnnouncedFeatures) {
    this.#base = base;
    this.#features = features;
    const [program = ""] = ACTOR.split(":");
    features.access.limits.programMayOpen(program, () => this.#settings.homeAssistantGate);
    this.#events = new HeardEvents(join(base.dataFolder, EVENTS_FILE), (error) =>
      base.logger.warn({ err: error }, "events known to Home Assistant could not be stored"),
    );
  }

  get #siteId(): number | null {
    return this.#features.access.accounts.household()?.id ?? null;
  }

  get #settings() {
    return this.#base.settings().outsideBroker;
  }

  /** Takes a device's values. Returns whether the device is announced. */
  note(deviceId: string, data: JsonObject): boolean {
    const known = this.#latest.get(deviceId);
    if (known !== undefined) this.#latest.set(deviceId, { ...known, ...data });
    return known !== undefined;
  }

  /** Takes an event of a device; only if it is announced. */
  happened(deviceId: string, kind: string): ReturnType<HeardEvents["note"]> {
    return this.#latest.has(deviceId) ? this.#events.note(deviceId, kind) : null;
  }

  forget(deviceId: string): void {
    this.#latest.delete(deviceId);
    this.#events.forget(deviceId);
  }

  /** What changes without a fact, as one text for comparison. */
  marks(): string {
    const { homeAssistantGate, homeAssistantPlates } = this.#settings;
    return JSON.stringify([homeAssistantGate, homeAssistantPlates, this.#scenes(), [...this.#joinedHere()]]);
  }

  all(): Announced[] {
    const siteId = this.#siteId;
    if (siteId === null) return [];
    const here = this.#joinedHere();
    const devices = this.#features.devices.registry.list(siteId);
    return [
      this.#hub(siteId),
      ...devices.filter(({ id, hasPassword }) => hasPassword || here.has(id)).map((device) => this.#device(device)),
    ];
  }

  find(id: string | null): Announced | null {
    const siteId = this.#siteId;
    if (siteId === null) return null;
    if (id === null) return this.#hub(siteId);
    const device = this.#features.devices.registry.find(id);
    const isOurs = device?.siteId === siteId && (device.hasPassword || this.#joinedHere().has(id));
    return device !== null && isOurs ? this.#device(device) : null;
  }

  /** @throws Problem of the command's handler */
  async command(id: string | null, command: JsonObject): Promise<void> {
    const siteId = this.#siteId;
    const { devices, scenes } = this.#features;
    if (siteId === null) throw new Problem("unavailable", { code: "conflict.noOwner" });
    if (id === null) await scenes.scenes.activate(siteId, Number(command[SCENE]), ACTOR);
    else
      await devices.commands.send({
        siteId,
        deviceId: id,
        command: JSON.stringify(command),
        actor: ACTOR,
        source: "api",
      });
  }

  /**
   * Devices of other makes that are connected to the hub itself, and those that joined by Matter. A device that came
   * through that broker is already announced there by itself, and one being created has no known origin yet: only
   * devices known to be the hub's own are announced.
   */
  #joinedHere(): ReadonlySet<string> {
    const { bridge, matter } = this.#features;
    const bridged = bridge.core
      .entries()
      .flatMap(({ deviceId, bindingState, speaker }) =>
        deviceId !== null && bindingState === "bound" && speaker !== null && speaker.client !== OUTSIDE
          ? [deviceId]
          : [],
      );
    return new Set([...bridged, ...matter.controller.devices.ids()]);
  }

  #device(device: Device): Announced {
    const { id, name, model, manufacturer, firmware, room } = device;
    const values = this.#valuesOf(device);
    const mayOpen = this.#settings.homeAssistantGate;
    const { commands } = this.#features.devices;
    // they would be refused: the hub does not know who publishes at that broker
    const isUse = (control: Control): boolean =>
      commandsOf(control).every((command) => !commands.isUpkeep(id, command));
    const capabilities = { ...device.capabilities, controls: device.capabilities.controls.filter(isUse) };
    return {
      id,
      online: device.online,
      device: {
        name,
        ...(manufacturer === null ? {} : { manufacturer }),
        ...(model === null ? { model: device.type } : { model }),
        ...(firmware === null ? {} : { sw_version: firmware }),
        ...(room === null ? {} : { suggested_area: room }),
      },
      entities: entitiesOf({ ...pickDevice(device), capabilities, values, events: this.#events.of(id) }, mayOpen),
    };
  }

  #valuesOf(device: Device): JsonObject {
    const known = this.#latest.get(device.id);
    if (known !== undefined) return known;
    const [sample] = this.#features.telemetry.telemetry.recent(device.id, { limit: 1 });
    const values = { ...sample?.data, ...device.state };
    this.#latest.set(device.id, values);
    return values;
  }

  #hub(siteId: number): Announced {
    const { access, devices, house, gate: plates } = this.#features;
    const tellsPlates = this.#settings.homeAssistantPlates;
    const hasGateCamera = devices.registry.list(siteId).some(({ type }) => type === "camera");
    return {
      id: null,
      online: null,
      device: {
        name: access.accounts.site(siteId).name,
        manufacturer: "Gatehouse",
        model: "Gatehouse",
        sw_version: this.#base.version,
      },
      entities: hubEntities({
        scenes: this.#scenes(),
        mode: house.modes.now(siteId).mode,
        inside: hasGateCamera ? plates.occupancy.now(siteId).inside : null,
        lastRead: hasGateCamera ? this.#lastRead(siteId, tellsPlates) : null,
        tellsPlates,
      }),
    };
  }

  #lastRead(siteId: number, tellsPlate: boolean): LastRead | null {
    const [read] = this.#features.gate.reads.list(siteId, { status: "recognised", limit: 1 }).reads;
    if (read === undefined) return null;
    const { at, decision, direction } = read;
    return {
      at: new Date(at).toISOString(),
      decision,
      direction,
      plate: tellsPlate ? (read.formatted ?? read.plate) : null,
    };
  }

  /**
   * The owner decides what a scene does; but one that opens something or disarms an alarm is not run from where that may
   * not be done, nor one that sets the mode, to which automations may do so.
   */
  #scenes(): { id: number; name: string }[] {
    const siteId = this.#siteId;
    if (siteId === null) return [];
    const { commands } = this.#features.devices;
    const { scenes } = this.#features.scenes;
    const mayOpen = this.#settings.homeAssistantGate;
    return scenes
      .list(siteId)
      .filter(
        ({ actions, houseMode }) =>
          mayOpen ||
          (houseMode === null && actions.every(({ deviceId, command }) => !commands.opens(deviceId, command))),
      )
      .map(({ id, name }) => ({ id, name }));
  }
}

function pickDevice({ id, name, type, room, model, manufacturer, firmware, online, metrics, commandSchema }: Device) {
  return { id, name, type, room, model, manufacturer, firmware, online, metrics, commandSchema };
}

type Control = Device["capabilities"]["controls"][number];

/** The commands that a control sends. */
function commandsOf(control: Control): readonly JsonObject[] {
  switch (control.kind) {
    case "toggle":
      return [control.on, control.off];
    case "range":
      return [{ [control.key]: control.min }];
    case "choice":
      return control.options.map(({ command }) => command);
    case "button":
      return [control.command];
  }
}
