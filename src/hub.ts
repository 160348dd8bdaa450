/**
 * The composition root: builds every part in flow order and joins them with plain functions. Imported by main, the
 * command line and tests only. It decides nothing; what the hub does is in the parts.
 */
import { join } from "node:path";
import { type Access, buildAccess } from "./access/access.js";
import { givenClaimCode } from "./access/claim.js";
import { type HubKey, loadHubKey } from "./access/hub-key.js";
import { OwnershipMark } from "./access/ownership-mark.js";
import type { ScryptCost } from "./access/password.js";
import type { Automations } from "./automations/automations.js";
import { buildAgeLimits } from "./composition/age-parts.js";
import { buildAutomations } from "./composition/automation-parts.js";
import { type Base, telemetrySettings } from "./composition/base.js";
import type { BoxParts } from "./composition/box.js";
import { buildClock } from "./composition/box-clock.js";
import { buildBox } from "./composition/box-parts.js";
import { type BridgeParts, buildBridge } from "./composition/bridge-parts.js";
import { buildBroker } from "./composition/broker-parts.js";
import { correctRecordedTimes } from "./composition/clock-correction.js";
import { recordClockChanges } from "./composition/clock-feed.js";
import { recordDamage, recordTroubles } from "./composition/damage-feed.js";
import { buildDevices, type DeviceParts } from "./composition/device-parts.js";
import { type EstateParts, NO_ESTATE } from "./composition/estate.js";
import { FirstUse, piecesOf } from "./composition/first-use.js";
import { endGrant } from "./composition/grant-ends.js";
import { householdAudit } from "./composition/household-audit.js";
import { jobWork } from "./composition/job-work.js";
import { KEY_PROOF, settleKey } from "./composition/key-proof.js";
import { type OwnParts, startOrder, stopStages } from "./composition/life-cycle.js";
import { type LoadedParts, loadParts } from "./composition/loaded-parts.js";
import type { MatterParts } from "./composition/matter.js";
import { buildMatter } from "./composition/matter-parts.js";
import { nativeHandlers } from "./composition/native-handlers.js";
import { buildNotifications, type NotificationParts } from "./composition/notification-parts.js";
import { keepsOpeningConfidence } from "./composition/opening-confidence.js";
import { buildOutside, type OutsideParts } from "./composition/outside-parts.js";
import type { HubParts } from "./composition/parts.js";
import { buildPlates, type PlateParts } from "./composition/plate-parts.js";
import { buildRecognition, type RecognitionParts } from "./composition/recognition-parts.js";
import { forgetRemoved } from "./composition/removed-devices.js";
import { buildSandbox, type SandboxParts } from "./composition/sandbox-parts.js";
import { buildSeries, type SeriesParts } from "./composition/series-parts.js";
import { buildDatabase } from "./composition/storage-parts.js";
import type { HubTls } from "./composition/tls.js";
import { buildWeb, type WebParts } from "./composition/web-parts.js";
import { buildWebhooks, type WebhookParts } from "./composition/webhook-parts.js";
import type { Facts } from "./contract/facts.js";
import type { Health } from "./health/health.js";
import type { AgeLimits } from "./jobs/age-limits.js";
import { JobRunner } from "./jobs/jobs.js";
import { jobTable } from "./jobs/table.js";
import { Bus } from "./kernel/bus.js";
import type { Clock } from "./kernel/clock.js";
import { FileTroubles } from "./kernel/file-troubles.js";
import { ownCopy } from "./kernel/free-bytes.js";
import type { Logger } from "./kernel/logger.js";
import { QuietWrites } from "./kernel/quiet-writes.js";
import { type Service, startInOrder, stopInStages } from "./kernel/service.js";
import type { Broker } from "./mqtt/broker.js";
import type { Authority } from "./platform/certificates.js";
import type { ClockTrust } from "./platform/clock-trust.js";
import type { HubClock } from "./platform/hub-clock.js";
import { LogRing } from "./platform/log-ring.js";
import { SntpServer } from "./platform/sntp-server.js";
import type { SettingsStore } from "./settings/store.js";
import type { Database } from "./storage/database.js";
import type { Source } from "./storage/database-options.js";
import { readHubValue } from "./storage/peek.js";
import { Reserve } from "./storage/reserve.js";
import { Telemetry } from "./telemetry/telemetry.js";

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
      migrationsFolder: join(projectFolder, "src/storage/migrations"),
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
      sceneStands: (sceneId) => this.access.grants.stands("scene", String(sceneId)),
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
        // a copy: the memory of a burst is reused, and one picture must not hold a whole form's
        if (last !== undefined) this.recognition.cameras.latest.note(burst.deviceId, ownCopy(last));
        return reading === null || reading instanceof Promise ? this.recognition.recognise(burst, reading) : reading;
      },
      encodeImage: (frame, deviceId, part) => this.recognition.encodeImage(frame, deviceId, part),
      sendGateCommand: (siteId, deviceId, command, by) =>
        commands.send({ siteId, deviceId, command, ...by, source: "automation", chargedTo: null }),
      estate: () => this.estate.estate?.view ?? null,
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
    this.#own = { reserve, owner: this.#ownerStands(), openingConfidence, jobs, firstUse };
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

  /**
   * A database without the owner's account is damaged, however sound its pages are: the next attempt checks everything,
   * then looks for an earlier copy.
   */
  #ownerStands(): Service {
    return {
      name: "owner",
      start: async () => {
        if (!this.database.isFallback && this.#mark.isSet && !this.access.accounts.claimed)
          throw new Error("the database has lost the owner's account");
      },
      stop: async () => {},
    };
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
