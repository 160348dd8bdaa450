/**
 * Owns the simulated households behind test keys: for each account a second site whose devices live in this process.
 * Commands act after 50 to 300 ms; state, telemetry, feed, webhooks and plate reads take the same path as those of real
 * devices.
 *
 * In: commands for its devices, news of accounts. Out: messages of its devices, to the features that they concern
 * (`HouseholdPorts`). A household's time passes only while it is used (`wake`): a flash card must not wear out for an
 * idle test. Must never know: MQTT, HTTP, or anything about the live household.
 */

import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import { HubTable } from "../../core/storage/tables/hub.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { CarPictures } from "./car-pictures.ts";
import { DeviceSimulator, type Outlet } from "./device-simulator.ts";
import { addSamples, furnish, markOf, samplesOf } from "./furnish.ts";
import { GateCamera } from "./gate-camera.ts";
import { DEVICES, idOf, infoOf } from "./household.ts";
import { hourIn } from "./local-time.ts";
import type { Model } from "./model.ts";
import type { HouseholdPorts, SimulatedSite } from "./ports.ts";
import { Traffic } from "./traffic.ts";

/** A household goes to sleep after not being used for this long. */
export const AWAKE_MS = 600_000;
const HOUR_MS = 3_600_000;
const HISTORY = { lengthMs: 48 * HOUR_MS, stepMs: 900_000, pictures: 3 } as const;
const LONGEST_CATCH_UP_MS = 24 * HOUR_MS;

interface Household {
  readonly site: SimulatedSite;
  readonly prefix: string;
  readonly simulator: DeviceSimulator;
  asleepAt: Timer | null;
}

/** The test households of all accounts. */
export class Sandbox {
  readonly name = "sandbox";
  readonly #options: ConstructorParameters<typeof Sandbox>[0];
  readonly #households = new Map<number, Household>();
  readonly #byDevice = new Map<string, Household>();
  readonly #opening = new Set<Promise<void>>();
  readonly #pictures = new CarPictures();
  #running = false;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    /** 0 to 1, as Math.random. */
    readonly random: () => number;
    readonly household: HouseholdPorts;
    readonly devices: Pick<DevicesFeature, "state" | "presence" | "events" | "commands">;
    readonly telemetry: Pick<Telemetry, "ingest">;
    /** The test sites of all accounts. */
    readonly sites: () => readonly SimulatedSite[];
  }) {
    this.#options = options;
  }

  /** Opens every account's household; missing ones are created alongside the start. */
  async start(): Promise<void> {
    this.#running = true;
    for (const site of this.#options.sites()) this.add(site);
  }

  /** Ends every household. */
  async stop(): Promise<void> {
    this.#running = false;
    for (const { simulator, asleepAt } of this.#households.values()) {
      simulator.stop();
      asleepAt?.stop();
    }
    this.#pictures.stop();
    await this.settled();
    this.#households.clear();
    this.#byDevice.clear();
  }

  /**
   * Creates or opens the household of one account; call it for a new account too. Before the start it does nothing: the
   * start does it.
   */
  add(site: SimulatedSite): void {
    if (this.#running) this.#track(this.#open(site), site);
  }

  /** Whether a device lives here: its commands go to {@link deliver} instead of the broker. */
  has(deviceId: string): boolean {
    return this.#byDevice.has(deviceId);
  }

  /** Takes a command for one of the devices; it acts a moment later. */
  async deliver(deviceId: string, payload: string): Promise<"sent"> {
    const household = this.#byDevice.get(deviceId);
    if (household === undefined) throw new Error(`${deviceId} is no simulated device`);
    this.wake(household.site.siteId);
    household.simulator.command(deviceId, payload);
    queueMicrotask(() => this.#options.devices.commands.onDelivered(deviceId, payload));
    return "sent";
  }

  /**
   * The household is in use: its time passes for another ten minutes, and the time it slept is made up. Does nothing
   * for other sites.
   */
  wake(siteId: number): void {
    const household = this.#households.get(siteId);
    if (household === undefined || !this.#running) return;
    household.asleepAt?.stop();
    household.asleepAt = this.#options.clock.after(AWAKE_MS, () => this.#sleep(household));
    if (household.simulator.awake) return;
    household.simulator.wake();
    this.#track(this.#catchUp(household), household.site);
  }

  /** Resolves when no household is being created or caught up any longer. */
  async settled(): Promise<void> {
    while (this.#opening.size > 0) await Promise.all(this.#opening);
  }

  async #open(site: SimulatedSite): Promise<void> {
    const { database, clock, logger, random, household: ports, devices } = this.#options;
    const prefix = `test-${site.accountId}-`;
    const hourAt = hourIn(site.timeZone);
    const camera = new GateCamera({ ports, clock, random, hourAt, pictures: this.#pictures });
    await furnish({
      site,
      prefix,
      inProcess: true,
      ports,
      camera,
      database,
      clock,
      logger,
      random,
      isStopping: () => !this.#running,
      history: HISTORY,
    });
    if (!this.#running) return;
    const models = new Map<string, Model>();
    for (const { key, make } of DEVICES) {
      const device = ports.findDevice(idOf(prefix, key));
      if (device?.siteId === site.siteId) models.set(idOf(prefix, key), make(device.state));
    }
    const simulator = new DeviceSimulator({
      devices: models,
      outlet: this.#outlet(camera, site),
      clock,
      logger,
      random,
      hourAt,
      speed: 1,
    });
    const household: Household = { site, prefix, simulator, asleepAt: null };
    this.#households.set(site.siteId, household);
    for (const id of models.keys()) this.#byDevice.set(id, household);
    simulator.start();
    for (const device of DEVICES) {
      const id = idOf(prefix, device.key);
      if (!models.has(id)) continue;
      await devices.presence.status(id, { status: "online" });
      await devices.state.info(id, infoOf(device));
      await simulator.report(id);
    }
  }

  #outlet(camera: GateCamera, { siteId }: SimulatedSite): Outlet {
    const { devices, telemetry, clock, random, household } = this.#options;
    const { state, presence, events } = devices;
    const traffic = new Traffic(random, (plate) => household.isInside(siteId, plate));
    return {
      state: (deviceId, patch) => state.apply(deviceId, patch, { source: "device", at: clock.now() }),
      telemetry: (deviceId, data) => {
        presence.measured(deviceId, data);
        const receipt = { messageId: null, duplicate: false, at: clock.now() };
        return telemetry.ingest(deviceId, [{ at: null, data }], receipt);
      },
      event: (deviceId, event) => events.record(deviceId, event, clock.now()),
      picture: (deviceId, trigger) =>
        traffic.pass((passage) => camera.see(deviceId, { ...passage, trigger, at: clock.now() })),
    };
  }

  #sleep(household: Household): void {
    household.simulator.sleep();
    this.#track(
      this.#options.database.write(() => this.#mark(household)),
      household.site,
    );
  }

  /** Makes up the samples of the time during which the household slept. */
  async #catchUp(household: Household): Promise<void> {
    const { database, clock, random, household: ports } = this.#options;
    const { site, prefix } = household;
    const now = clock.now();
    const from = Math.max(Number(new HubTable(database).get(markOf(site.siteId)) ?? now), now - LONGEST_CATCH_UP_MS);
    if (now - from < HISTORY.stepMs) return;
    const past = { from, to: now, timeZone: site.timeZone, random, isBetween: true };
    const samples = samplesOf({ prefix, history: HISTORY }, past);
    await database.write(() => {
      addSamples({ site, ports }, samples);
      this.#mark(household);
    });
  }

  /** Inside a job: the past is written until now. */
  #mark({ site }: Household): void {
    const { database, clock } = this.#options;
    new HubTable(database).set(markOf(site.siteId), String(clock.now()));
  }

  #track(work: Promise<void>, site: SimulatedSite): void {
    const tracked = work
      .catch((error: unknown) =>
        this.#options.logger.error({ siteId: site.siteId, err: error }, "a test household is not complete"),
      )
      .finally(() => this.#opening.delete(tracked));
    this.#opening.add(tracked);
  }
}
