import { join } from "node:path";
import type { Bridge } from "../../firmware-bridge/bridge.js";
import { OUTSIDE } from "../../firmware-bridge/ports.js";
import type { Access } from "../access/access.js";
import type { Facts, JsonObject } from "../contract/facts.js";
import type { Device } from "../devices/device.js";
import { BARRIER_TYPES } from "../domain/device-types.js";
import { onlyCloses } from "../domain/plates/opening.js";
import type { HealthCheck } from "../health/health.js";
import { homeAssistantCheck } from "../health/home-assistant.js";
import { entitiesOf } from "../home-assistant/entities.js";
import { HomeAssistantExport } from "../home-assistant/export.js";
import { hubEntities, type LastRead, SCENE } from "../home-assistant/hub-entities.js";
import { type Announced, type ExportTopics, isOwnTopic, statusTopic } from "../home-assistant/messages.js";
import type { Timer } from "../kernel/clock.js";
import { Problem } from "../kernel/problem.js";
import type { Service } from "../kernel/service.js";
import type { MatterDevices } from "../matter/controller/devices.js";
import { OutsideBroker } from "../outside-broker/outside-broker.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { Base } from "./base.js";
import type { DeviceParts } from "./device-parts.js";
import { type HubSecret, outsideAddress, prefixOf } from "./outside-address.js";
import type { PlateParts } from "./plate-parts.js";

/** The household in Home Assistant, from the rest of the hub's view. */
export interface HomeAssistantParts {
  readonly services: readonly Service[];
  readonly checks: readonly HealthCheck[];
  /** Whether a topic of the outside broker is one of the export's own. */
  isOwn(topic: string): boolean;
}

/** What it works with; called once the hub runs. */
export interface HomeAssistantNeeds {
  readonly hub: () => {
    readonly access: Pick<Access, "accounts">;
    readonly bridge: { readonly core: Pick<Bridge, "entries"> };
    readonly devices: Pick<DeviceParts, "registry" | "commands" | "scenes">;
    readonly matter: { readonly controller: { readonly devices: Pick<MatterDevices, "ids"> } };
    readonly plates: Pick<PlateParts, "occupancy" | "reads">;
    readonly telemetry: Pick<Telemetry, "recent">;
  };
  readonly hubKey: HubSecret;
  readonly version: string;
}

/** Who stands behind its commands, in the lists of who did what. */
const ACTOR = "home_assistant:0";
/** How soon a switch in the settings, a new scene or a device of another broker is noticed. */
const LOOK_MS = 2_000;
/** What nobody announces, such as another name of a room, is told after this. */
const ALL_MS = 60_000;
const FAREWELL_MS = 1_000;

/** Builds the export; it is quiet, and holds no connection, until it is switched on. */
export function buildHomeAssistant(base: Base, needs: HomeAssistantNeeds): HomeAssistantParts {
  const { outsideBroker: fixed, mqtt } = base.settings();
  const name = needs.hubKey.derive("home assistant").toString("hex").slice(0, 12);
  const own: ExportTopics = {
    discovery: fixed.homeAssistantPrefix,
    node: `gatehouse_${name}`,
    base: `${prefixOf(fixed)}${mqtt.topicRoot}-ha/${name}`,
  };
  const service = new HomeAssistantService(base, needs, own);
  return {
    services: [service],
    checks: [homeAssistantCheck(() => service.figures, base.clock.now)],
    isOwn: (topic) => isOwnTopic(own, topic),
  };
}

/** Holds the connection of the export as long as it is switched on, or has something to take back. */
class HomeAssistantService implements Service {
  readonly name = "Home Assistant";
  readonly #base: Base;
  readonly #household: Household;
  readonly #broker: OutsideBroker;
  readonly #export: HomeAssistantExport;
  #timers: Timer[] = [];
  #stops: (() => void)[] = [];
  #isOpen = false;
  #isBusy = false;
  #refused: string | null = null;
  #told = "";

  constructor(base: Base, needs: HomeAssistantNeeds, topics: ExportTopics) {
    const { outsideBroker } = base.settings();
    const logger = base.logger.child({ part: "home assistant" });
    this.#base = base;
    this.#household = new Household(base, needs);
    const address = outsideAddress(outsideBroker, needs.hubKey);
    this.#broker = new OutsideBroker({
      // A command that waited while the hub was away is not to be carried out: the broker keeps nothing for this
      // connection.
      address: {
        ...address,
        clientId: `${address.clientId}-ha`,
        isForgotten: true,
        will: { topic: statusTopic(topics), payload: "offline" },
      },
      prefix: "",
      filters: () => this.#export.filters,
      message: async (message) => this.#export.message(message),
      connected: () => this.#export.connected(),
      clock: base.clock,
      logger,
      random: Math.random,
    });
    this.#export = new HomeAssistantExport({
      topics,
      broker: {
        isConnected: () => this.#broker.isConnected,
        put: async (topic, payload) => {
          const outcome = await this.#broker.leaveRetained(topic, payload);
          if (outcome === "refused") this.#refused = topic;
          return outcome === "sent" || outcome === "unheard";
        },
      },
      wanted: () => this.#household.all(),
      find: (id) => this.#household.find(id),
      command: (id, command) => this.#household.command(id, command),
      origin: { name: "Gatehouse", sw_version: needs.version },
      file: join(base.dataFolder, "home-assistant.json"),
      clock: base.clock,
      logger,
    });
  }

  /** How it is: null where it is switched off and nothing is left to be taken back. */
  get figures() {
    const { connected, since, reason } = this.#broker.figures;
    return this.#isOpen ? { isOn: this.#isWanted, connected, since, reason, refused: this.#refused } : null;
  }

  async start(): Promise<void> {
    const { bus, clock } = this.#base;
    const changed = (deviceId: string | null): void => this.#export.changed(deviceId);
    this.#stops = [
      bus.on(
        "device.changed",
        this.name,
        (fact) => this.#household.note(fact.deviceId, pick(fact)) && changed(fact.deviceId),
      ),
      bus.on(
        "device.telemetry",
        this.name,
        ({ deviceId, data }) => this.#household.note(deviceId, data) && changed(deviceId),
      ),
      bus.on("device.presence", this.name, ({ deviceId }) => changed(deviceId)),
      bus.on("device.edited", this.name, ({ deviceId, what }) => {
        if (what === "removed") this.#household.forget(deviceId);
        changed(deviceId);
      }),
      bus.on("occupancy.changed", this.name, () => changed(null)),
      bus.on("read.decided", this.name, () => changed(null)),
    ];
    this.#timers = [clock.every(LOOK_MS, () => void this.#look()), clock.every(ALL_MS, () => this.#export.changed())];
    await this.#look();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    for (const timer of this.#timers) timer.stop();
    this.#timers = [];
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A broker that does not answer any more is left without a word: it tells the others by the will.
    await Promise.race([
      this.#export.leave(),
      new Promise((resolve) => this.#base.clock.after(FAREWELL_MS, () => resolve(null))),
    ]);
    await this.#broker.stop();
  }

  get #isWanted(): boolean {
    return this.#base.settings().outsideBroker.homeAssistant;
  }

  /** Follows the switch, and what nobody announces. */
  async #look(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      if (this.#isWanted) {
        const told = this.#household.marks();
        if (told !== this.#told) this.#export.changed();
        this.#told = told;
        await this.#open();
      } else if (this.#export.hasAnnounced) {
        await this.#open();
        if (this.#broker.isConnected && (await this.#export.takeBack())) await this.#close();
      } else await this.#close();
    } finally {
      this.#isBusy = false;
    }
  }

  async #open(): Promise<void> {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#refused = null;
    await this.#broker.start();
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#broker.stop();
  }
}

function pick({ changed, state }: Facts["device.changed"]): JsonObject {
  return Object.fromEntries(changed.map((key) => [key, Object.hasOwn(state, key) ? state[key] : null]));
}

/** What is announced of the live household, and what its commands become. */
class Household {
  readonly #base: Base;
  readonly #needs: HomeAssistantNeeds;
  /** The latest measurements and changes of state of each device, the newer of each name. */
  readonly #latest = new Map<string, JsonObject>();

  constructor(base: Base, needs: HomeAssistantNeeds) {
    this.#base = base;
    this.#needs = needs;
  }

  get #siteId(): number | null {
    return (
      this.#needs
        .hub()
        .access.accounts.sites()
        .find(({ env }) => env === "live")?.id ?? null
    );
  }

  get #settings() {
    return this.#base.settings().outsideBroker;
  }

  /** Takes in what a device told. Answers whether it is one that is announced. */
  note(deviceId: string, data: JsonObject): boolean {
    const known = this.#latest.get(deviceId);
    if (known !== undefined) this.#latest.set(deviceId, { ...known, ...data });
    return known !== undefined;
  }

  forget(deviceId: string): void {
    this.#latest.delete(deviceId);
  }

  /** What changes without a word, as one text: whether it is another than before. */
  marks(): string {
    const { homeAssistantGate, homeAssistantPlates } = this.#settings;
    return JSON.stringify([homeAssistantGate, homeAssistantPlates, this.#scenes(), [...this.#joinedHere()]]);
  }

  all(): Announced[] {
    const siteId = this.#siteId;
    if (siteId === null) return [];
    const here = this.#joinedHere();
    const devices = this.#needs.hub().devices.registry.list(siteId);
    return [
      this.#hub(siteId),
      ...devices.filter(({ id, hasPassword }) => hasPassword || here.has(id)).map((device) => this.#device(device)),
    ];
  }

  find(id: string | null): Announced | null {
    const siteId = this.#siteId;
    if (siteId === null) return null;
    if (id === null) return this.#hub(siteId);
    const device = this.#needs.hub().devices.registry.find(id);
    const isOurs = device?.siteId === siteId && (device.hasPassword || this.#joinedHere().has(id));
    return device !== null && isOurs ? this.#device(device) : null;
  }

  /** @throws Problem of whoever carries it out */
  async command(id: string | null, command: JsonObject): Promise<void> {
    const siteId = this.#siteId;
    const { devices } = this.#needs.hub();
    if (siteId === null) throw new Problem("unavailable", "Nobody owns this hub yet.");
    if (id === null) await devices.scenes.activate(siteId, Number(command[SCENE]), ACTOR);
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
   * Devices of other makes that are connected to the hub itself, and those that joined by Matter. One that came by way
   * of that broker is there already, by its own announcement, and one that is being made does not say yet where it came
   * from: only what is known to be the hub's own is told.
   */
  #joinedHere(): ReadonlySet<string> {
    const { bridge, matter } = this.#needs.hub();
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
      entities: entitiesOf({ ...pickDevice(device), values }, mayOpen),
    };
  }

  #valuesOf(device: Device): JsonObject {
    const known = this.#latest.get(device.id);
    if (known !== undefined) return known;
    const [sample] = this.#needs.hub().telemetry.recent(device.id, { limit: 1 });
    const values = { ...sample?.data, ...device.state };
    this.#latest.set(device.id, values);
    return values;
  }

  #hub(siteId: number): Announced {
    const { access, devices, plates } = this.#needs.hub();
    const tellsPlates = this.#settings.homeAssistantPlates;
    const hasGateCamera = devices.registry.list(siteId).some(({ type }) => type === "camera");
    return {
      id: null,
      online: null,
      device: {
        name: access.accounts.site(siteId).name,
        manufacturer: "Gatehouse",
        model: "Gatehouse",
        sw_version: this.#needs.version,
      },
      entities: hubEntities({
        scenes: this.#scenes(),
        inside: hasGateCamera ? plates.occupancy.now(siteId).inside : null,
        lastRead: hasGateCamera ? this.#lastRead(siteId, tellsPlates) : null,
        tellsPlates,
      }),
    };
  }

  #lastRead(siteId: number, tellsPlate: boolean): LastRead | null {
    const [read] = this.#needs.hub().plates.reads.list(siteId, { status: "recognised", limit: 1 }).reads;
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
   * What a scene does is its owner's word; but one that opens a gate or lock is not run from where these may not be
   * opened.
   */
  #scenes(): { id: number; name: string }[] {
    const siteId = this.#siteId;
    if (siteId === null) return [];
    const { scenes, registry } = this.#needs.hub().devices;
    const isBarrier = (deviceId: string): boolean => BARRIER_TYPES.has(registry.find(deviceId)?.type ?? "");
    const mayOpen = this.#settings.homeAssistantGate;
    return scenes
      .list(siteId)
      .filter(
        ({ actions }) =>
          mayOpen || actions.every(({ deviceId, command }) => !isBarrier(deviceId) || onlyCloses(command)),
      )
      .map(({ id, name }) => ({ id, name }));
  }
}

function pickDevice({
  id,
  name,
  type,
  room,
  model,
  manufacturer,
  firmware,
  online,
  metrics,
  commandSchema,
  capabilities,
}: Device) {
  return { id, name, type, room, model, manufacturer, firmware, online, metrics, commandSchema, capabilities };
}
