import { join } from "node:path";
import { ALL_SCOPES, type Scope } from "../../src/core/api/scopes.ts";
import type { BoundRoute } from "../../src/core/http/exchange.ts";
import { LiveEvents } from "../../src/core/http/live/live-events.ts";
import type { Credentials } from "../../src/core/http/middleware/access.ts";
import { credentialHeaders } from "../../src/core/http/middleware/access.ts";
import type { RateSettings } from "../../src/core/http/middleware/rate-limit.ts";
import { HttpServer, type HttpServerOptions } from "../../src/core/http/server.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { analyse } from "../../src/core/plates/analyse.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import type { Database } from "../../src/core/storage/database.ts";
import type { AccessFeature } from "../../src/features/access/feature.ts";
import { accountRoutes } from "../../src/features/access/routes/account.ts";
import { appPairingRoutes } from "../../src/features/access/routes/pairing.ts";
import { Automations } from "../../src/features/automations/automations.ts";
import { automationRoutes } from "../../src/features/automations/routes/automations.ts";
import { deviceRoutes } from "../../src/features/devices/routes/devices.ts";
import { roomRoutes } from "../../src/features/devices/routes/rooms.ts";
import { estateRoutes } from "../../src/features/estate/routes/estate.ts";
import { eventRoutes } from "../../src/features/feed/routes/events.ts";
import { CameraSettings } from "../../src/features/gate/camera-settings.ts";
import { carEvidence } from "../../src/features/gate/car-evidence.ts";
import { GateChoices } from "../../src/features/gate/gate-choices.ts";
import { GateFeed } from "../../src/features/gate/gate-feed.ts";
import { PlateImageFiles } from "../../src/features/gate/images.ts";
import { PlateReads } from "../../src/features/gate/plate-reads.ts";
import { PlateRules } from "../../src/features/gate/plate-rules.ts";
import { Questions } from "../../src/features/gate/questions.ts";
import { gateQuestionRoutes } from "../../src/features/gate/routes/gate-questions.ts";
import { plateRuleRoutes } from "../../src/features/gate/routes/plate-rules.ts";
import { plateRoutes } from "../../src/features/gate/routes/plates.ts";
import { vehicleRoutes } from "../../src/features/gate/routes/vehicles.ts";
import { SiteOccupancy } from "../../src/features/gate/site-occupancy.ts";
import { type GateTables, gateTables } from "../../src/features/gate/tables.ts";
import { Vehicles } from "../../src/features/gate/vehicles.ts";
import { VisitMatcher } from "../../src/features/gate/visit-matcher.ts";
import { Presence } from "../../src/features/house/presence.ts";
import { sceneRoutes } from "../../src/features/scenes/routes/scenes.ts";
import { householdMetricsRoutes } from "../../src/features/series/routes/console-series.ts";
import { referenceRoutes } from "../../src/features/system/routes/reference.ts";
import { streamRoutes } from "../../src/features/system/routes/stream.ts";
import { telemetryRoutes } from "../../src/features/telemetry/routes/telemetry.ts";
import { Telemetry } from "../../src/features/telemetry/telemetry.ts";
import { ApiClient, apiDocument } from "./api-client.ts";
import { openDatabase, seedAccount } from "./database.ts";
import { DeviceParts } from "./device-parts.ts";
import { FakeClock } from "./fake-clock.ts";

/** All limits off. */
const NO_LIMITS: RateSettings = {
  requestsPerMinute: 0,
  requestBurst: 0,
  commandsPerMinute: 0,
  commandBurst: 0,
  deviceCommandsPer10Seconds: 0,
  scenesPerMinute: 0,
  imagesPerMinute: 0,
  failedCredentialsPerMinute: 0,
};

/** What a test may set differently. */
export interface ApiHubOptions {
  readonly rates?: Partial<RateSettings>;
  /** More routes, also of the console. */
  readonly routes?: readonly BoundRoute[] | ((hub: ApiHub) => readonly BoundRoute[]);
  readonly server?: Partial<
    Pick<
      HttpServerOptions,
      | "consoleFolder"
      | "firstSightOf"
      | "socketFile"
      | "tls"
      | "allowedHosts"
      | "closed"
      | "trustProxy"
      | "figures"
      | "maxConnections"
    >
  >;
}

/** An account with a household. */
export interface Household {
  readonly accountId: number;
  readonly siteId: number;
  readonly testSiteId: number;
}

/**
 * The web server in front of the real services on a real database; only the broker, the recogniser and time are
 * simulated.
 */
export class ApiHub {
  readonly database: Database;
  readonly clock: FakeClock;
  readonly devices: DeviceParts;
  readonly access: AccessFeature;
  readonly telemetry: Telemetry;
  readonly automations: Automations;
  readonly tables: GateTables;
  readonly questions: Questions;
  readonly cameras: CameraSettings;
  readonly rules: PlateRules;
  readonly images: PlateImageFiles;
  readonly server: HttpServer;
  readonly pairing: VisitMatcher;
  readonly presence: Presence;
  readonly reads: PlateReads;
  readonly vehicles: Vehicles;
  api!: ApiClient; // set by open(), before anything uses the hub
  home!: Household; // set by open()
  other!: Household; // set by open()

  private constructor(folder: string, database: Database, options: ApiHubOptions) {
    this.database = database;
    this.clock = new FakeClock();
    const { clock } = this;
    this.devices = new DeviceParts(database, clock);
    const { base, registry, bus, feed, scenes, commands } = this.devices;
    this.access = this.devices.access;
    this.telemetry = new Telemetry(base, { registry, outbox: this.devices.outbox });
    this.tables = gateTables(base);
    const { tables } = this;
    const { access } = this;
    const countries = Countries.all;
    const { accounts, recordAudit } = access;
    this.presence = new Presence(base, { accounts, registry, recordAudit });
    this.presence.carsKnownBy(
      (siteId, plate) => carEvidence(tables, siteId, plate),
      (text) => analyse(text, countries).plate,
    );
    const { presence } = this;
    this.pairing = new VisitMatcher(base, { tables, feed, access, presence });
    const visitMatcher = this.pairing;
    const cameras = new CameraSettings(base, { tables, registry, access });
    this.cameras = cameras;
    this.rules = new PlateRules(base, { tables, cameras, access, countries });
    this.images = new PlateImageFiles(join(folder, "images"));
    const { images } = this;
    const encodeImage = async (frame: Uint8Array) => frame;
    this.reads = new PlateReads(base, { tables, images, visitMatcher, access, countries, encodeImage });
    this.reads.forgottenBy((siteId, plate) => feed.forgetPlate(siteId, plate));
    this.vehicles = new Vehicles(base, { tables, visitMatcher, access, countries });
    const occupancy = new SiteOccupancy(tables, access);
    this.automations = new Automations({
      database,
      clock,
      trust: { state: () => "trusted", onChange: () => () => {}, onJump: () => () => {} },
      logger: silentLogger,
      bus,
      house: {
        registry,
        commands,
        scenes,
        accounts: access.accounts,
        keys: access.keys,
        limits: access.limits,
        grants: access.grants,
        feed,
        outbox: this.devices.outbox,
        lan: { notify: () => {} },
        occupancy,
        modes: this.devices.modes,
        presence,
        decides: () => false,
        countries,
        recordAudit: access.recordAudit,
      },
    });
    const gateFeed = new GateFeed(base, { tables, registry, feed });
    const choices = new GateChoices(base, { tables, registry, cameras, access });
    const { hands } = commands;
    const { limits } = access;
    const asking = { tables, feed: gateFeed, choices, registry, hands, limits, visitMatcher, encodeImage };
    this.questions = new Questions(base, asking);
    const operations = [
      ...accountRoutes(this.access.accounts, (siteId) => registry.list(siteId).length),
      ...deviceRoutes(registry, commands),
      ...telemetryRoutes({ telemetry: this.telemetry, registry, accounts: this.access.accounts, clock: base.clock }),
      ...householdMetricsRoutes(async () => null),
      ...roomRoutes(this.devices.rooms),
      ...sceneRoutes(scenes),
      ...automationRoutes(this.automations),
      ...eventRoutes(feed),
      ...plateRoutes(this.reads),
      ...vehicleRoutes(this.vehicles, occupancy),
      ...plateRuleRoutes(this.rules, (caller) => () => this.access.authenticator.askAgain(caller, "gatekeeper")),
      ...gateQuestionRoutes(this.questions),
      ...estateRoutes({ of: () => null, plateOf: (text) => text }),
      ...streamRoutes(new LiveEvents({ bus, clock }), registry),
      ...appPairingRoutes(this.access.appPairing),
    ];
    const credentials: Credentials = {
      check: (facts) => this.access.authenticator.check(credentialHeaders(facts)),
      authenticator: this.access.authenticator,
      watch: this.access.watch,
      keys: this.access.keys,
      checkProof: (caller) => this.access.checkProof(caller, null),
      deviceCaller: (id, password) => {
        const device = registry.authenticate(id, password);
        return device === null ? null : this.access.authenticator.deviceCaller(device);
      },
    };
    this.server = new HttpServer({
      listen: { host: "127.0.0.1", port: 0 },
      tls: null,
      socketFile: null,
      allowedHosts: ["hub.example.org"],
      maxConnections: 100,
      trustProxy: false,
      consoleFolder: null,
      closed: () => null,
      ...options.server,
      rates: { ...NO_LIMITS, ...options.rates },
      routes: [
        ...operations,
        ...referenceRoutes(operations.map(({ spec }) => spec)),
        ...(typeof options.routes === "function" ? options.routes(this) : (options.routes ?? [])),
      ],
      credentials,
      database,
      clock,
      logger: silentLogger,
    });
  }

  /** Vehicles that fit on the premises. */
  set capacity(capacity: number | null) {
    this.database.raw.prepare("UPDATE site SET capacity = ?").run(capacity);
  }

  /** Starts a hub with two accounts; data lies in `folder`. */
  static async open(folder: string, options: ApiHubOptions = {}): Promise<ApiHub> {
    const database = await openDatabase(folder);
    const hub = new ApiHub(folder, database, options);
    hub.home = seedAccount(database, "owner@example.org");
    hub.other = seedAccount(database, "stranger@example.org");
    await hub.access.keys.start();
    await hub.access.watch.start();
    await hub.devices.start();
    await hub.telemetry.start();
    await hub.automations.start();
    await hub.server.start();
    hub.api = new ApiClient(hub.server.port, await apiDocument(hub.server.port, "/v1/openapi.json"));
    return hub;
  }

  async close(): Promise<void> {
    await this.server.stop();
    await this.automations.stop();
    await this.telemetry.stop();
    await this.devices.stop();
    await this.database.stop();
  }

  /** A key of the first account (or another household's) with these scopes, all of them unless given. */
  async key(
    options: {
      scopes?: readonly Scope[];
      origins?: readonly string[];
      env?: "live" | "test";
      of?: Household;
      expiresAt?: number;
    } = {},
  ): Promise<string> {
    const { scopes = ALL_SCOPES, origins = [], env = "live", of = this.home, expiresAt = null } = options;
    const { secret } = await this.access.keys.create(
      of.accountId,
      { name: "test", env, scopes, origins, expiresAt },
      { accountId: of.accountId, actor: "cli" },
    );
    return secret;
  }

  /** A console session of the first account, as a Cookie header. */
  async cookie(): Promise<string> {
    const { token } = await this.database.write(() =>
      this.access.sessions.open(this.home.accountId, { address: "127.0.0.1", userAgent: "test" }),
    );
    return `gatehouse_session=${token}`;
  }

  /** A device of the first account, or of the given household. */
  async device(
    id: string,
    options: { type?: string; room?: string; siteId?: number; name?: string } = {},
  ): Promise<void> {
    const { type = "smart-plug", room = null, siteId = this.home.siteId, name = id } = options;
    await this.devices.registry.create(siteId, { id, name, type, room });
  }

  /** Stores samples of a device, one message each. */
  async samples(deviceId: string, samples: readonly { at: number; data: { [key: string]: unknown } }[]): Promise<void> {
    await this.telemetry.ingest(deviceId, samples, { messageId: 1, duplicate: false, at: this.clock.now() });
  }

  /** A recognised read of a plate at a camera, with its visits and register row. Returns its id. */
  async read(
    plate: string,
    options: {
      deviceId?: string;
      direction?: "in" | "out" | null;
      at?: number;
      image?: Buffer;
      siteId?: number;
      decision?: "allow" | "deny" | "watch" | "unknown";
    } = {},
  ): Promise<number> {
    const {
      deviceId = "camera-gate",
      direction = "in",
      at = this.clock.now(),
      image,
      siteId = this.home.siteId,
      decision = "unknown",
    } = options;
    const analysis = analyse(plate, Countries.all);
    const id = this.tables.reads.highest().id + 1;
    if (image) await this.images.write(id, image);
    await this.database.write(() => {
      this.tables.reads.insert({
        id,
        siteId,
        deviceId,
        captureId: id,
        captureKey: null,
        plate: analysis.plate,
        formatted: analysis.formatted,
        seenPlate: analysis.plate,
        seenText: plate,
        plateKind: "standard",
        confidence: analysis.plate === null ? 0 : 95,
        votes: 2,
        samples: 3,
        status: analysis.plate === null ? "unrecognised" : "recognised",
        reason: analysis.plate === null ? "invalid_format" : null,
        decision,
        ruleId: null,
        direction,
        opensVisit: 1,
        trigger: "motion",
        at,
        lastAt: at,
        storedAt: at,
        correctedAt: null,
        notTold: null,
        odd: null,
        gateWasOpen: 0,
        gateWasShut: 0,
        gateOpenSince: null,
        askedAt: null,
        answeredAt: null,
        answeredBy: null,
        correctedBy: null,
      });
      if (image) this.tables.images.put({ readId: id, bytes: image.length, at, box: null });
      if (analysis.plate !== null) this.pairing.repair(siteId, [analysis.plate], at);
    });
    return id;
  }
}
