/**
 * The composition root: builds every part in flow order and joins them with plain functions. Imported by main, the
 * command line and tests only. It decides nothing; what the hub does is in the parts.
 */
import { join } from "node:path";
import type { Facts } from "./core/api/facts.ts";
import { type Base, telemetrySettings } from "./core/base.ts";
import type { Health } from "./core/health/health.ts";
import type { AgeLimits } from "./core/jobs/age-limits.ts";
import { JobRunner } from "./core/jobs/jobs.ts";
import { Bus } from "./core/kernel/bus.ts";
import type { Clock } from "./core/kernel/clock.ts";
import { FileTroubles } from "./core/kernel/file-troubles.ts";
import type { Logger } from "./core/kernel/logger.ts";
import { QuietWrites } from "./core/kernel/quiet-writes.ts";
import { startInOrder, stopInStages } from "./core/kernel/service.ts";
import type { Authority } from "./core/platform/certificates.ts";
import type { ClockTrust } from "./core/platform/clock-trust.ts";
import type { HubClock } from "./core/platform/hub-clock.ts";
import { type HubKey, loadHubKey } from "./core/platform/hub-key.ts";
import { LogRing } from "./core/platform/log-ring.ts";
import { buildClock } from "./core/platform/open-clock.ts";
import { SntpServer } from "./core/platform/sntp-server.ts";
import type { HubTls } from "./core/platform/tls.ts";
import type { SettingsStore } from "./core/settings/store.ts";
import type { Database } from "./core/storage/database.ts";
import type { Source } from "./core/storage/database-options.ts";
import { readHubValue } from "./core/storage/peek.ts";
import { Reserve } from "./core/storage/reserve.ts";
import { type Access, buildAccess } from "./features/access/access.ts";
import { givenClaimCode } from "./features/access/claim.ts";
import { householdAudit } from "./features/access/household-audit.ts";
import { OwnershipMark } from "./features/access/ownership-mark.ts";
import type { ScryptCost } from "./features/access/password.ts";
import type { Automations } from "./features/automations/automations.ts";
import { buildAutomations } from "./features/automations/feature.ts";
import { buildBox } from "./features/backups/feature.ts";
import { buildDatabase } from "./features/backups/open-database.ts";
import { type BridgeParts, buildBridge } from "./features/bridge/feature.ts";
import { buildRecognition, type RecognitionParts } from "./features/cameras/feature.ts";
import { buildDevices, type DeviceParts } from "./features/devices/feature.ts";
import { forgetRemoved } from "./features/devices/removed.ts";
import { type LoadedParts, loadParts } from "./features/estate/loaded.ts";
import { type EstateParts, NO_ESTATE } from "./features/estate/parts.ts";
import { buildPlates, type PlateParts } from "./features/gate/feature.ts";
import { keepsOpeningConfidence } from "./features/gate/opening-confidence.ts";
import { buildMatter } from "./features/matter/feature.ts";
import type { MatterParts } from "./features/matter/parts.ts";
import type { Broker } from "./features/mqtt/broker.ts";
import { buildBroker } from "./features/mqtt/feature.ts";
import { nativeHandlers } from "./features/mqtt/native-handlers.ts";
import { buildNotifications, type NotificationParts } from "./features/notifications/feature.ts";
import { buildOutside, type OutsideParts } from "./features/outside-broker/feature.ts";
import { buildSandbox, type SandboxParts } from "./features/sandbox/feature.ts";
import { buildSeries, type SeriesParts } from "./features/series/feature.ts";
import { buildAgeLimits } from "./features/system/ages.ts";
import type { BoxParts } from "./features/system/box.ts";
import { correctRecordedTimes } from "./features/system/clock-correction.ts";
import { recordClockChanges } from "./features/system/clock-feed.ts";
import { recordDamage, recordTroubles } from "./features/system/damage-feed.ts";
import { FirstUse, piecesOf } from "./features/system/first-use.ts";
import { endGrant } from "./features/system/grant-ends.ts";
import { jobTable } from "./features/system/jobs/table.ts";
import { jobWork } from "./features/system/jobs/work.ts";
import { KEY_PROOF, settleKey } from "./features/system/key-proof.ts";
import { type OwnParts, startOrder, stopStages } from "./features/system/life-cycle.ts";
import type { HubParts } from "./features/system/parts.ts";
import { buildWeb, type WebParts } from "./features/system/web.ts";
import { Telemetry } from "./features/telemetry/telemetry.ts";
import { buildWebhooks, type WebhookParts } from "./features/webhooks/feature.ts";

/** What a hub is made from. */
export interface HubOptions {
  readonly settings: SettingsStore;
  /** The machine's clock; the hub follows it as far as it can be believed. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Root of the installed project: migrations, models, the built console. */
  readonly projectFolder: string;
  /** The data folder, absolute; it exists. */
  readonly dataFolder: string;
  readonly version: string;
  /** When this version was built, epoch milliseconds: no true clock shows an earlier time. */
  readonly builtAt: number;
  /** Certificates for https and mqtts; null while TLS is off. */
  readonly tls?: HubTls | null;
  /** Restarts the process; absent where nothing would start it again. */
  readonly restart?: () => void;
  /** Files that could not be used before the hub was built; it adds its own. */
  readonly troubles?: FileTroubles;
  /** The latest lines of the log, for the console; none are shown without. */
  readonly log?: LogRing;
  /** What the start takes its rows from, and why; see `Source`. */
  readonly source?: Source;
  readonly because?: string;
  /** Cheaper password hashes, for tests. */
  readonly passwordCost?: ScryptCost;
}

/** A whole hub. */
export class Hub implements HubParts {
  readonly database: Database;
  readonly bus: Bus<Facts>;
  readonly access: Access;
  readonly devices: DeviceParts;
  readonly telemetry: Telemetry;
  readonly automations: Automations;
  readonly plates: PlateParts;
  readonly recognition: RecognitionParts;
  readonly webhooks: WebhookParts;
  readonly notifications: NotificationParts;
  readonly broker: Broker;
  readonly bridge: BridgeParts;
  readonly outside: OutsideParts;
  readonly estate: EstateParts;
  readonly series: SeriesParts;
  readonly matter: MatterParts;
  /** The time for the LAN; null where it is switched off. */
  readonly sntp: SntpServer | null;
  readonly sandbox: SandboxParts;
  readonly box: BoxParts;
  readonly web: WebParts;
  readonly trust: ClockTrust;
  readonly ages: AgeLimits;
  readonly #options: HubOptions;
  readonly #mark: OwnershipMark;
  readonly #own: OwnParts;
  readonly #hubKey: HubKey;
  /** Files of the hub's own that could not be used at this start. */
  readonly troubles: FileTroubles;
  /** Whether `hub.key` is not the key with which the database's secrets were sealed. */
  isKeyForeign = false;
  /** The hub's time: the machine's, as far as it can be believed. */
  readonly clock: HubClock;

  /** Builds a hub, with the parts that only some hubs need where this one does; nothing of it runs yet. */
  static async open(options: HubOptions): Promise<Hub> {
    return new Hub(options, await loadParts(options.dataFolder));
  }

  private constructor(options: HubOptions, loaded: LoadedParts) {
    const { settings: store, clock: machine, logger, projectFolder, dataFolder } = options;
    const settings = store.current;
    const clockRequest = settings.box.clockRequest;
    const { clock, trust } = buildClock({ machine, dataFolder, builtAt: options.builtAt, clockRequest, logger });
    this.#options = options;
    this.clock = clock;
    this.trust = trust;
    this.bus = new Bus(logger);
    const mark = new OwnershipMark(dataFolder);
    this.#mark = mark;
    this.database = buildDatabase({
      dataFolder,
      migrationsFolder: join(projectFolder, "src/core/storage/migrations"),
      commitIntervalMs: settings.storage.commitIntervalMs,
      mark,
      source: options.source ?? "usual",
      because: options.because ?? "",
      onDamage: (reason) => recordDamage(this, reason, logger),
      clock,
      logger: logger.child({ part: "storage" }),
    });
    const { database, bus } = this;
    const reserve = new Reserve(join(dataFolder, "gatehouse.reserve"), database);
    const base: Base = {
      settings: () => store.current,
      database,
      reserve,
      bus,
      clock,
      quietWrites: new QuietWrites(clock),
      logger,
      dataFolder,
      projectFolder,
    };
    this.troubles = options.troubles ?? new FileTroubles();
    const hubKey = loadHubKey(dataFolder, {
      proof: () => readHubValue(join(dataFolder, "gatehouse.db"), KEY_PROOF),
      isExpected: () => mark.isSet,
      troubles: this.troubles,
    });
    this.#hubKey = hubKey;
    this.webhooks = buildWebhooks(base, {
      hubKey,
      recordFeed: (item) => void this.devices.feed.record(item),
      issuerStands: (webhookId) => this.access.grants.stands("webhook", String(webhookId)),
      ownPorts: () => this.#ownPorts(),
    });
    this.devices = buildDevices(base, {
      outbox: this.webhooks.outbox,
      deliver: (deviceId, payload, ttlMs, from) => {
        const { sandbox } = this.sandbox;
        const { core } = this.bridge;
        const matter = this.matter.controller.devices;
        if (matter.has(deviceId)) return Promise.resolve(matter.deliver(deviceId, payload, ttlMs, from));
        if (core.has(deviceId)) return Promise.resolve(core.deliver(deviceId, payload, ttlMs, from));
        if (this.outside.carries(deviceId))
          return Promise.resolve(this.outside.deliver(deviceId, payload, ttlMs, from));
        return sandbox.has(deviceId)
          ? sandbox.deliver(deviceId, payload)
          : this.broker.publishCommand(deviceId, payload, ttlMs, from);
      },
      openings: () => this.plates.openings,
      onRemoved: (deviceId) => void this.#endConnections(deviceId),
      recorded: (item) => this.notifications.recorded(item),
    });
    this.notifications = buildNotifications(base, this, { hubKey, ownPorts: () => this.#ownPorts() });
    const { feed, registry, commands } = this.devices;
    const recordFeed = feed.record.bind(feed);
    this.access = buildAccess({
      database: this.database,
      clock,
      logger,
      hubKey,
      recordFeedItem: recordFeed,
      created: ({ accountId, testSiteId }) => this.database.committed(() => this.#householdMade(accountId, testSiteId)),
      siteEdited: (siteId) => this.automations.siteChanged(siteId),
      newSite: { name: settings.site.name, timeZone: settings.site.timeZone },
      sessionIdleDays: settings.access.sessionIdleDays,
      sessionMaxDays: settings.access.sessionMaxDays,
      claimFromAnywhere: settings.access.claimFromAnywhere,
      endGrant: (grant, by) => endGrant(base, this, grant, by),
      dataFolder,
      hadOwner: () => mark.isSet || this.database.isFallback,
      givenClaimCode: givenClaimCode(options.dataFolder),
      ...(options.passwordCost === undefined ? {} : { passwordCost: options.passwordCost }),
    });
    this.telemetry = new Telemetry({
      database: this.database,
      bus: this.bus,
      clock,
      quietWrites: base.quietWrites,
      logger,
      settings: telemetrySettings(base),
      siteOf: (deviceId) => registry.find(deviceId)?.siteId ?? null,
      clockTrusted: () => this.trust.state() !== "unknown",
      webhooks: this.webhooks.outbox,
      stored: (messages) => this.series.stored(messages),
    });
    this.series = buildSeries(base, { hub: () => this, hubKey, ownPorts: () => this.#ownPorts() });
    forgetRemoved(this.bus, this.telemetry, logger);
    this.recognition = buildRecognition(base, {
      take: (arrival) => this.plates.gate.take(arrival),
      gate: () => this.plates.gate,
      shownFrames: () => this.plates.shownFrames,
      cameras: () => this.plates.cameras,
    });
    this.plates = buildPlates(base, {
      hubKey,
      device: (id) => registry.find(id),
      recordFeed,
      report: (report) => this.webhooks.outbox.enqueue(report),
      forgetFeed: (siteId, plate) => feed.forgetPlate(siteId, plate),
      recordAudit: householdAudit(() => this.access),
      passStands: (passId) => this.access.grants.stands("guest_pass", String(passId)),
      recognise: async (burst, reading) => {
        const last = burst.frames.at(-1);
        if (last !== undefined) this.recognition.cameras.latest.note(burst.deviceId, last);
        return reading === null || reading instanceof Promise ? this.recognition.recognise(burst, reading) : reading;
      },
      encodeImage: (frame, deviceId) => this.recognition.encodeImage(frame, deviceId),
      sendGateCommand: (siteId, deviceId, command, readId) =>
        commands.send({ siteId, deviceId, command, actor: `gate:${readId}`, source: "automation", chargedTo: null }),
      stateOf: (deviceId) => registry.find(deviceId)?.state ?? null,
      site: (siteId) => this.access.accounts.site(siteId),
      capacity: (siteId) => this.access.accounts.site(siteId).capacity,
      checkSource: (source) => this.recognition.checkSource(source),
      cameraChanged: (camera) => this.recognition.cameraChanged(camera),
    });
    this.estate = loaded.estate?.buildEstate(base, this, options.version) ?? NO_ESTATE;
    this.automations = buildAutomations(base, this);
    this.ages = buildAgeLimits(base, this);
    const siteIds = () => this.access.accounts.sites().flatMap(({ id, env }) => (env === "live" ? [id] : []));
    recordClockChanges(base, { trust: this.trust, recordFeed, siteIds });
    correctRecordedTimes(this, logger);
    this.bridge = buildBridge(base, {
      issuerStands: (clientId) => this.access.grants.stands("bridge_client", String(clientId)),
      devices: this.devices,
      telemetry: () => this.telemetry,
      gate: () => this.plates.gate,
      broker: () => this.broker,
      outside: () => this.outside,
      siteId: () => this.access.accounts.sites().find((site) => site.env === "live")?.id ?? null,
    });
    const handlers = nativeHandlers({
      devices: this.devices,
      telemetry: this.telemetry,
      captures: this.recognition.captures,
      isCamera: (deviceId) => this.plates.cameras.find(deviceId) !== null,
      clock,
    });
    this.outside = buildOutside(base, {
      handlers: () => handlers,
      bridge: () => this.bridge.core,
      device: (deviceId) => {
        const device = registry.find(deviceId);
        return device?.hasPassword ? device : null;
      },
      onDelivered: (deviceId, payload) => commands.onDelivered(deviceId, payload),
      hubKey,
      hub: () => this,
      version: options.version,
    });
    this.broker = buildBroker(base, this, { tls: options.tls ?? null, handlers });
    const { host } = settings.http;
    this.sntp = settings.sntp.enabled
      ? new SntpServer({
          host,
          port: settings.sntp.port,
          trust: () => this.trust.state(),
          clock,
          logger: logger.child({ part: "sntp" }),
        })
      : null;
    this.sandbox = buildSandbox(base, {
      devices: this.devices,
      telemetry: this.telemetry,
      automations: this.automations,
      plates: () => this.plates,
      sites: () => this.access.accounts.sites(),
      clockTrusted: () => this.trust.state() !== "unknown",
      brokerPort: () => this.broker.port,
    });
    this.matter = buildMatter(base, this, { store, hubKey, version: options.version });
    this.box = buildBox(base, this, {
      hubKey,
      version: options.version,
      tls: options.tls ?? null,
      restart: options.restart ?? null,
    });
    this.web = buildWeb(base, this, {
      store,
      version: options.version,
      tls: options.tls ?? null,
      log: options.log ?? new LogRing(),
      restart: options.restart ?? null,
    });
    const jobs = new JobRunner({ jobs: [...jobTable(jobWork(base, this)), ...this.box.jobs], clock, logger });
    const openingConfidence = keepsOpeningConfidence({ database, settings: store, logger });
    const firstUse = new FirstUse(base, () => piecesOf(base, this));
    this.#own = { reserve, openingConfidence, jobs, firstUse };
  }

  /** The hub's own certificate authority; null without one. */
  get authority(): Authority | null {
    return this.#options.tls?.authority ?? null;
  }

  /** How the hub is now. */
  health(): Health {
    return this.web.health();
  }

  /** Starts every part in flow order. @throws Error of the part that could not; what ran is stopped again. */
  async start(): Promise<void> {
    await startInOrder(startOrder(this, this.#own), this.#options.logger);
    this.database.served();
    this.isKeyForeign = settleKey(this.database, this.#hubKey);
    recordTroubles(this, this.#options.logger);
    await this.access.revocations.report();
    if (this.access.accounts.claimed && !this.database.isFallback) await this.#mark.set(this.#options.logger);
  }

  /** Stops in stages. Returns the names of parts that were late. */
  async stop(): Promise<string[]> {
    return stopInStages(stopStages(this, this.#own), this.#options.logger);
  }

  /** A new account: its simulated household is made beside, and the demo has found its owner. */
  #householdMade(accountId: number, testSiteId: number): void {
    const { timeZone } = this.access.accounts.site(testSiteId);
    void this.#mark.set(this.#options.logger);
    this.sandbox.sandbox.add({ siteId: testSiteId, accountId, timeZone });
    void this.sandbox.demo.start();
    void this.bridge.core.join();
  }

  /** A removed device loses its sessions and retained messages too; one with a new password only its connections. */
  #endConnections(deviceId: string): void {
    if (this.devices.registry.find(deviceId) !== null) this.broker.disconnect(deviceId);
    else
      this.broker
        .forget(deviceId)
        .catch((error: unknown) =>
          this.#options.logger.error({ deviceId, err: error }, "the removed device's sessions stay"),
        );
  }

  #ownPorts(): number[] {
    return [this.web.server.port, this.web.server.tlsPort, this.broker.port, this.broker.tlsPort].filter(
      (port): port is number => port !== null && port > 0,
    );
  }
}
