import { join } from "node:path";
import type { Facts } from "../../core/api/facts.ts";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import type { HealthCheck } from "../../core/health/health.ts";
import type { Timer } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Service } from "../../core/kernel/service.ts";
import { outsideAddress, prefixOf } from "../outside-broker/address.ts";
import type { OutsideBrokerFeature } from "../outside-broker/feature.ts";
import { OutsideBroker } from "../outside-broker/outside-broker.ts";
import { type AnnouncedFeatures, AnnouncedHousehold } from "./announced-household.ts";
import { HomeAssistantExport } from "./export.ts";
import { homeAssistantCheck } from "./health.ts";
import { type ExportTopics, isOwnTopic, statusTopic } from "./messages.ts";

/** The features that Home Assistant sees, and the broker through which it does. */
interface Siblings extends AnnouncedFeatures {
  readonly outside: OutsideBrokerFeature;
}

/** How soon a change of the settings, a new scene or a device of another broker is noticed. */
const LOOK_MS = 2_000;
/** Changes without an event, such as a renamed room, are published after this time. */
const ALL_MS = 60_000;
/** Older events no longer switch anything. */
const EVENT_MS = 5_000;
const FAREWELL_MS = 1_000;

/** The household in Home Assistant. Idle, without a connection, until it is switched on. */
export class HomeAssistantFeature implements Feature {
  readonly services: readonly PlacedService[] = [];
  readonly checks: readonly HealthCheck[] = [];

  constructor(base: Base, { outside, ...features }: Siblings) {
    const { outsideBroker: fixed, mqtt } = base.settings();
    if (fixed.url === "") return;
    const name = base.hubKey.derive("home assistant").toString("hex").slice(0, 12);
    const own: ExportTopics = {
      discovery: fixed.homeAssistantPrefix,
      node: `gatehouse_${name}`,
      base: `${prefixOf(fixed)}${mqtt.topicRoot}-ha/${name}`,
    };
    const service = new HomeAssistantService(base, features, own);
    this.services = [{ service, start: "serve", stop: "intake" }];
    this.checks = [homeAssistantCheck(() => service.figures, base.clock.now)];
    outside.leaves((topic) => isOwnTopic(own, topic));
  }
}

/** Keeps the export's connection while it is switched on, or has something to withdraw. */
class HomeAssistantService implements Service {
  readonly name = "Home Assistant";
  readonly #base: Base;
  readonly #household: AnnouncedHousehold;
  readonly #broker: OutsideBroker;
  readonly #export: HomeAssistantExport;
  #timers: Timer[] = [];
  #stops: (() => void)[] = [];
  #isOpen = false;
  #isBusy = false;
  #refused: string | null = null;
  #marks = "";

  constructor(base: Base, features: AnnouncedFeatures, topics: ExportTopics) {
    const { outsideBroker } = base.settings();
    const logger = base.logger.child({ part: "home assistant" });
    this.#base = base;
    this.#household = new AnnouncedHousehold(base, features);
    const address = outsideAddress(outsideBroker, base.hubKey);
    this.#broker = new OutsideBroker({
      // A command that waited while the hub was away must not be carried out: the broker keeps nothing for this
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
        tell: (topic, payload) => void this.#broker.publish({ topic, payload }, EVENT_MS),
      },
      household: this.#household,
      origin: { name: "Gatehouse", sw_version: base.version },
      file: join(base.dataFolder, "home-assistant.json"),
      clock: base.clock,
      logger,
    });
  }

  /** Its state: null if it is switched off and nothing is left to withdraw. */
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
      bus.on("device.event", this.name, ({ deviceId, kind }) => {
        const outcome = this.#household.happened(deviceId, kind);
        if (outcome === "news") changed(deviceId);
        else if (outcome !== null) this.#export.happened(deviceId, outcome);
      }),
      bus.on("device.presence", this.name, ({ deviceId }) => changed(deviceId)),
      bus.on("device.edited", this.name, ({ deviceId, what }) => {
        if (what === "removed") this.#household.forget(deviceId);
        changed(deviceId);
      }),
      bus.on("occupancy.changed", this.name, () => changed(null)),
      bus.on("house.mode", this.name, () => changed(null)),
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
    // A broker that no longer answers is left without a DISCONNECT: the will informs the others.
    await Promise.race([
      this.#export.leave(),
      new Promise((resolve) => this.#base.clock.after(FAREWELL_MS, () => resolve(null))),
    ]);
    await this.#broker.stop();
  }

  get #isWanted(): boolean {
    return this.#base.settings().outsideBroker.homeAssistant;
  }

  /** Follows the setting, and changes without an event. */
  async #look(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      if (this.#isWanted) {
        const marks = this.#household.marks();
        if (marks !== this.#marks) this.#export.changed();
        this.#marks = marks;
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
