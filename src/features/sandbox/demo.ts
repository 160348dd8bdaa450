/**
 * Owns the demo (`npm start -- --demo`): the household of household.ts on the account's live site, with devices that
 * connect to the broker as real ones do, and two weeks of history.
 *
 * In: where the broker is, a folder of photographs. Out: MQTT only, except for the history and drawn cars. Starting it again adds nothing: existing devices, scenes and rules stay as they are.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { MqttClient } from "mqtt";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Trigger } from "../../core/plates/reading.ts";
import type { Database } from "../../core/storage/database.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { CarPictures } from "./car-pictures.ts";
import { DeviceSimulator, type Outlet } from "./device-simulator.ts";
import { furnish } from "./furnish.ts";
import { GateCamera } from "./gate-camera.ts";
import { DEVICES, idOf, infoOf, type SimulatedDevice } from "./household.ts";
import { hourIn } from "./local-time.ts";
import type { Model } from "./model.ts";
import type { HouseholdPorts, SimulatedSite } from "./ports.ts";
import { Traffic } from "./traffic.ts";

const PREFIX = "demo-";
const DAY_MS = 86_400_000;
const HISTORY = { lengthMs: 14 * DAY_MS, stepMs: 600_000, pictures: 40, countersMs: 75 * DAY_MS } as const;
const KEEP_ALIVE_S = 30;
/** One picture in this many is a photograph. */
const PHOTO_EVERY = 4;

/** The demo household. */
export class Demo {
  readonly name = "demo";
  readonly #options: ConstructorParameters<typeof Demo>[0];
  readonly #clients = new Map<string, MqttClient>();
  #simulator: DeviceSimulator | null = null;
  #photos: readonly string[] = [];
  #pictures = 0;
  #sentPhotos = 0;
  #stopped = false;
  #work: Promise<void> = Promise.resolve();
  #home = Promise.withResolvers<void>();

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    /** 0 to 1, as Math.random. */
    readonly random: () => number;
    readonly ports: HouseholdPorts;
    /** Replaces the password of a device made in an earlier run; passwords are stored nowhere. */
    readonly registry: Pick<DeviceRegistry, "renewPassword">;
    readonly site: SimulatedSite;
    /** `mqtt://127.0.0.1:1883` */
    readonly brokerUrl: string;
    readonly topicRoot: string;
    /** Speed-up factor over real time. */
    readonly speed: number;
    /** Folder of JPEG photographs that the gate camera sends among drawn cars; null: only these. */
    readonly photosFolder: string | null;
    readonly pictures: CarPictures;
  }) {
    this.#options = options;
  }

  /** Starts to furnish and to connect, and returns; the hub serves meanwhile. */
  async start(): Promise<void> {
    this.#stopped = false;
    this.#home = Promise.withResolvers<void>();
    this.#work = this.#run()
      .catch((error: unknown) => this.#options.logger.error({ err: error }, "the demo household is not complete"))
      .finally(() => this.#home.resolve());
  }

  /** Resolves when the house can be looked at: it has its past, and its devices have said how they are. */
  atHome(): Promise<void> {
    return this.#home.promise;
  }

  /** Resolves when the household is complete and its devices have connected. */
  ready(): Promise<void> {
    return this.#work;
  }

  /** Disconnects the devices cleanly. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#simulator?.stop();
    this.#options.pictures.stop();
    await this.#disconnect();
    await this.#work;
    await this.#disconnect(); // one may just have been connecting
  }

  async #disconnect(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(clients.map((client) => client.endAsync()));
  }

  async #run(): Promise<void> {
    const { site, ports, database, clock, logger, random, photosFolder, pictures } = this.#options;
    const hourAt = hourIn(site.timeZone);
    this.#photos = photosFolder === null ? [] : await photographs(photosFolder);
    const camera = new GateCamera({ ports, clock, random, hourAt, pictures });
    const furnishing = {
      site,
      prefix: PREFIX,
      inProcess: false,
      ports,
      camera,
      database,
      clock,
      logger,
      random,
      isStopping: () => this.#stopped,
      history: HISTORY,
    };
    await furnish(furnishing, async (passwords) => {
      pictures.giveUp();
      await this.#connectAll(camera, hourAt, passwords);
      this.#home.resolve();
    });
    const simulator = this.#simulator;
    if (this.#stopped || simulator === null) return;
    simulator.wake();
    logger.info({ devices: this.#clients.size, photographs: this.#photos.length }, "the demo household is running");
  }

  /** The devices connect and act on commands; their time does not pass yet. */
  async #connectAll(
    camera: GateCamera,
    hourAt: (epochMs: number) => number,
    passwords: ReadonlyMap<string, string>,
  ): Promise<void> {
    const { site, ports, clock, logger, random, speed } = this.#options;
    const models = new Map<string, Model>();
    for (const device of DEVICES) {
      const id = idOf(PREFIX, device.key);
      const known = ports.findDevice(id);
      if (known?.siteId === site.siteId) models.set(id, device.make(known.state));
    }
    const simulator = new DeviceSimulator({
      devices: models,
      outlet: this.#outlet(camera),
      clock,
      logger,
      random,
      hourAt,
      speed,
    });
    this.#simulator = simulator;
    simulator.start();
    const connected = DEVICES.map(async (device) => {
      const id = idOf(PREFIX, device.key);
      if (!models.has(id)) return;
      const password = passwords.get(id) ?? (await this.#options.registry.renewPassword(site.siteId, id));
      if (!this.#stopped) await this.#connect(device, password, simulator);
    });
    const failed = (await Promise.allSettled(connected)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #connect(device: SimulatedDevice, password: string, simulator: DeviceSimulator): Promise<void> {
    const { brokerUrl, logger } = this.#options;
    const { connectAsync } = await import("mqtt"); // only the demo needs a client
    const id = idOf(PREFIX, device.key);
    const status = this.#topic(id, "status");
    const client = await connectAsync(brokerUrl, {
      clientId: id,
      username: id,
      password,
      keepalive: KEEP_ALIVE_S,
      clean: false,
      reconnectPeriod: 2_000,
      will: { topic: status, payload: Buffer.from("offline"), qos: 1, retain: true },
    });
    this.#clients.set(id, client);
    client.on("error", (error) => logger.warn({ deviceId: id, err: error }, "a demo device lost its connection"));
    client.on("message", (_topic, payload) => simulator.command(id, payload.toString("utf8")));
    const greet = async (): Promise<void> => {
      await client.subscribeAsync(this.#topic(id, "command"), { qos: 1 });
      const { firmware, interval } = device;
      await client.publishAsync(
        status,
        JSON.stringify({ status: "online", firmware, ...(interval === undefined ? {} : { interval }) }),
        {
          qos: 1,
          retain: true,
        },
      );
      await client.publishAsync(this.#topic(id, "info"), JSON.stringify(infoOf(device)), { qos: 1, retain: true });
      await simulator.report(id);
    };
    client.on(
      "connect",
      () =>
        void greet().catch((error: unknown) =>
          logger.warn({ deviceId: id, err: error }, "a demo device could not report"),
        ),
    );
    await greet();
  }

  #outlet(camera: GateCamera): Outlet {
    const { clock, random, ports, site } = this.#options;
    const traffic = new Traffic(random, (plate) => ports.isInside(site.siteId, plate));
    return {
      state: (deviceId, patch) => this.#publish(deviceId, "state", patch),
      telemetry: (deviceId, data) => this.#publish(deviceId, "telemetry", data),
      event: (deviceId, event) => this.#publish(deviceId, "event", event),
      // The household's own cars are drawn, so that the gate opens for them; photographs are of vehicles that nobody knows.
      picture: (deviceId, trigger) =>
        this.#photos.length > 0 && this.#pictures++ % PHOTO_EVERY === 0
          ? this.#sendPhoto(deviceId, trigger)
          : traffic.pass((passage) => camera.see(deviceId, { ...passage, trigger, at: clock.now() })),
    };
  }

  async #sendPhoto(deviceId: string, trigger: Trigger): Promise<void> {
    const file = this.#photos[this.#sentPhotos % this.#photos.length];
    const client = this.#clients.get(deviceId);
    if (file === undefined || client === undefined) return;
    this.#sentPhotos += 1;
    const { clock } = this.#options;
    const capture = this.#topic(deviceId, `capture/${clock.now().toString(36)}${this.#sentPhotos}`);
    await client.publishAsync(`${capture}/0`, await readFile(file), { qos: 1 });
    await client.publishAsync(
      `${capture}/done`,
      JSON.stringify({ trigger, frames: 1, at: new Date(clock.now()).toISOString() }),
      { qos: 1 },
    );
  }

  async #publish(deviceId: string, leaf: string, message: object): Promise<void> {
    const client = this.#clients.get(deviceId);
    if (client?.connected) await client.publishAsync(this.#topic(deviceId, leaf), JSON.stringify(message), { qos: 1 });
  }

  #topic(deviceId: string, leaf: string): string {
    return `${this.#options.topicRoot}/${deviceId}/${leaf}`;
  }
}

async function photographs(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder, { recursive: true });
    return names
      .filter((name) => /\.jpe?g$/i.test(name))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
