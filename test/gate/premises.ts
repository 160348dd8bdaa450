import { join } from "node:path";
import type { Facts } from "../../src/core/api/facts.ts";
import type { NewFeedItem } from "../../src/core/api/feed-kinds.ts";
import { Bus } from "../../src/core/kernel/bus.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { analyse } from "../../src/core/plates/analyse.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import { OPENS_NEVER } from "../../src/core/plates/freshness.ts";
import type {
  Burst,
  BurstReading,
  Direction,
  Sighting,
  UnrecognisedReason,
  VehicleReading,
} from "../../src/core/plates/reading.ts";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { Reserve } from "../../src/core/storage/reserve.ts";
import type { RecordAudit } from "../../src/features/access/household-audit.ts";
import { CameraSettings } from "../../src/features/gate/camera-settings.ts";
import { sourceSecrets } from "../../src/features/gate/feature.ts";
import { Following } from "../../src/features/gate/following.ts";
import { Gate, type SeenByOthers } from "../../src/features/gate/gate.ts";
import { GateChoices } from "../../src/features/gate/gate-choices.ts";
import { GateContacts } from "../../src/features/gate/gate-contacts.ts";
import { GateFeed } from "../../src/features/gate/gate-feed.ts";
import { GuestPasses } from "../../src/features/gate/guest-passes.ts";
import { PlateImageFiles } from "../../src/features/gate/images.ts";
import { Openings } from "../../src/features/gate/openings.ts";
import { PlateReads } from "../../src/features/gate/plate-reads.ts";
import { PlateRules } from "../../src/features/gate/plate-rules.ts";
import type { GateSettings, ReportRead } from "../../src/features/gate/ports.ts";
import { PresentedPlates, type PresentedPlatesOptions } from "../../src/features/gate/presented-plates.ts";
import { Questions } from "../../src/features/gate/questions.ts";
import { PlateRetention } from "../../src/features/gate/retention.ts";
import { SeenReads } from "../../src/features/gate/seen-reads.ts";
import { SiteOccupancy } from "../../src/features/gate/site-occupancy.ts";
import { type GateTables, gateTables } from "../../src/features/gate/tables.ts";
import { Vehicles } from "../../src/features/gate/vehicles.ts";
import { VisitMatcher } from "../../src/features/gate/visit-matcher.ts";
import { Picture } from "../../src/features/recognition/picture.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type ShownItem, shownItem } from "../support/feed.ts";

/** What a test's recogniser sees in a burst. */
export interface Seen {
  readonly plates?: readonly string[];
  readonly reason?: UnrecognisedReason;
  readonly confidence?: number;
  /** Vehicles as they are, instead of plates. */
  readonly vehicles?: readonly VehicleReading[];
}

/** A household with two cameras and a gate: every part of the gate is real, only the recogniser is played. */
export class Premises {
  readonly clock = new FakeClock();
  readonly feed: ShownItem[] = [];
  /** What receivers outside are sent. */
  readonly reports: Parameters<ReportRead>[0][] = [];
  readonly commands: {
    siteId: number;
    deviceId: string;
    command: string;
    readId: number;
    rowsThen: number;
    /** Who answered a question; absent: the gate itself. */
    actor?: string;
  }[] = [];
  readonly facts: { kind: keyof Facts; fact: unknown }[] = [];
  readonly audits: string[] = [];
  /** The same in full. */
  readonly audited: Parameters<RecordAudit>[0][] = [];
  readonly settings: { -readonly [Key in keyof GateSettings]: GateSettings[Key] } = {
    passMs: 30_000,
    keepCorrected: "never",
    minConfidence: 0,
    imageRetentionDays: 30,
    readRetentionDays: 365,
  };
  capacity: number | null = null;
  encodeImage: (frame: Uint8Array) => Promise<Uint8Array | null> = async (frame) => frame;
  gateAnswer: () => Promise<unknown> = async () => "sent";
  seen: Seen = {};
  /** What the recogniser's thread answers about pixels. */
  look: PresentedPlatesOptions["look"] = () => Promise.resolve([]);
  readonly folder: string;
  readonly database: Database;
  readonly tables: GateTables;
  readonly siteId: number;
  readonly testSiteId: number;
  readonly gate: Gate;
  readonly reads: PlateReads;
  readonly vehicles: Vehicles;
  readonly rules: PlateRules;
  readonly cameras: CameraSettings;
  readonly occupancy: SiteOccupancy;
  readonly retention: PlateRetention;
  readonly images: PlateImageFiles;
  readonly openings: Openings;
  readonly contacts: GateContacts;
  readonly passes: GuestPasses;
  readonly seenReads: SeenReads;
  readonly choices: GateChoices;
  /** What other hubs have seen. */
  estate: SeenByOthers | null = null;
  readonly questions: Questions;
  readonly presented: PresentedPlates;
  readonly following: Following;
  /** States of devices. */
  readonly states = new Map<string, Record<string, unknown>>();
  readonly bus: Bus<Facts>;
  readonly recognise: { use: ((burst: Burst) => Promise<BurstReading>) | null } = { use: null };
  readonly #types = new Map<string, string>();
  #captures = 0;

  private constructor(folder: string, database: Database, standing: number | null) {
    this.folder = folder;
    this.database = database;
    const { siteId, testSiteId } =
      standing === null ? seedAccount(database) : { siteId: standing, testSiteId: standing + 1 };
    this.siteId = siteId;
    this.testSiteId = testSiteId;
    const bus = new Bus<Facts>(silentLogger);
    this.bus = bus;
    for (const kind of ["read.decided", "visit.changed", "occupancy.changed", "gate.opening", "gate.question"] as const)
      bus.on(kind, "test", (fact) => this.facts.push({ kind, fact }));
    const tables = gateTables(database);
    this.tables = tables;
    const device = (id: string) =>
      DEVICES.map((one) => ({
        ...one,
        type: this.#types.get(one.id) ?? one.type,
        siteId: one.id === "camera-test" ? testSiteId : siteId,
      })).find((one) => one.id === id) ?? null;
    for (const { id, name, type } of DEVICES)
      database.raw
        .prepare("INSERT OR IGNORE INTO device (id, site_id, name, type, created_at) VALUES (?, ?, ?, ?, 0)")
        .run(id, id === "camera-test" ? testSiteId : siteId, name, type);
    this.images = new PlateImageFiles(join(folder, "images"));
    const recordFeed = (item: NewFeedItem) => void this.feed.push(shownItem(item));
    const recordAudit: RecordAudit = (entry) => {
      this.audits.push(entry.action);
      this.audited.push(entry);
    };
    const capacity = () => this.capacity;
    const { clock, images } = this;
    const visitMatcher = new VisitMatcher({ database, tables, bus, recordFeed, capacity });
    const settings = () => this.settings;
    const stateOf = (id: string) => this.states.get(id) ?? null;
    this.contacts = new GateContacts({ database, table: tables.contacts, device, recordAudit, now: () => clock.now() });
    this.openings = new Openings({
      database,
      tables,
      device,
      contacts: this.contacts,
      stateOf,
      bus,
      recordFeed,
      recordAudit,
      clock,
      logger: silentLogger,
    });
    this.cameras = new CameraSettings({
      database,
      tables,
      device,
      checkSource: () => {},
      secrets: sourceSecrets(new HubKey(Buffer.alloc(32, 1))),
      recordAudit,
      changed: (camera) => this.presented.refresh(camera),
      clock,
    });
    this.rules = new PlateRules({
      database,
      tables,
      isCamera: (site, id) => this.cameras.isCamera(site, id),
      recordAudit,
      countries: Countries.all,
      clock,
    });
    this.reads = new PlateReads({
      database,
      reserve: new Reserve(join(folder, "gatehouse.reserve"), database),
      tables,
      images,
      cropImage: async (jpeg, _deviceId, part) => (await Picture.open(jpeg)).encoded(1280, 80, part),
      settings: () => this.settings,
      visitMatcher,
      recordAudit,
      forgetFeed: () => {},
      countries: Countries.all,
      clock,
      logger: silentLogger,
    });
    this.vehicles = new Vehicles({
      database,
      tables,
      visitMatcher,
      recordAudit,
      countries: Countries.all,
      timeZone: () => "Asia/Kolkata",
      clock,
    });
    this.passes = new GuestPasses({
      database,
      tables,
      rules: this.rules,
      recordAudit,
      recordFeed,
      countries: Countries.all,
      site: () => ({ name: "Home", timeZone: "Asia/Kolkata" }),
      gateNames: (_, deviceId) => [deviceId ?? "Every gate"],
      issuerStands: () => true,
      clock,
    });
    this.seenReads = new SeenReads({ database, tables });
    this.occupancy = new SiteOccupancy({ tables, capacity });
    this.retention = new PlateRetention({ database, tables, images, settings, clock });
    const hubKey = new HubKey(Buffer.alloc(32, 1));
    this.choices = new GateChoices({
      database,
      table: tables.choices,
      device,
      isCamera: (site, id) => this.cameras.isCamera(site, id),
      stateOf,
      seal: (pin, context) => hubKey.seal(Buffer.from(pin), context).toString("base64"),
      open: (sealed, context) => hubKey.open(Buffer.from(sealed, "base64"), context).toString(),
      recordAudit,
      now: () => clock.now(),
    });
    const gateFeed = new GateFeed({ database, tables, device, recordFeed, clock });
    this.questions = new Questions({
      database,
      tables,
      feed: gateFeed,
      choices: this.choices,
      device,
      visitMatcher,
      bus,
      encodeImage: (frame) => this.encodeImage(frame),
      clock,
      logger: silentLogger,
    });
    this.following = new Following({
      database,
      tables,
      cameras: this.cameras,
      choices: this.choices,
      contacts: this.contacts,
      device,
      bus,
      recordFeed,
      report: (report) => this.reports.push(report),
      clock,
      logger: silentLogger,
    });
    this.presented = new PresentedPlates({
      database,
      lanes: tables.lanes,
      glances: tables.glances,
      isWanted: (site) => tables.cameras.areLookedAt(site),
      isAllowed: (site, plate) => tables.rules.of(site, plate).some(({ kind }) => kind === "allow"),
      look: (tasks, deviceId) => this.look(tasks, deviceId),
      clock,
      logger: silentLogger,
    });
    this.gate = new Gate({
      presented: this.presented,
      database,
      tables,
      images,
      cameras: this.cameras,
      visitMatcher,
      feed: gateFeed,
      bus,
      report: (report) => this.reports.push(report),
      recognise: (burst) =>
        this.recognise.use === null ? Promise.resolve(reading(this.seen)) : this.recognise.use(burst),
      encodeImage: (frame) => this.encodeImage(frame),
      choices: this.choices,
      estate: () => this.estate,
      questions: this.questions,
      sendGateCommand: (site, deviceId, command, { readId, actor }) => {
        const { n } = database.raw.prepare<[], { n: number }>("SELECT count(*) AS n FROM plate_read").get() ?? {
          n: -1,
        };
        this.commands.push({
          siteId: site,
          deviceId,
          command,
          readId,
          rowsThen: n,
          ...(actor === `gate:${readId}` ? {} : { actor }),
        });
        return this.gateAnswer();
      },
      openings: this.openings,
      timeZone: () => "Asia/Kolkata",
      isReal: (site) => site !== this.testSiteId,
      settings,
      clock,
      logger: silentLogger,
    });
  }

  static async open(folder: string): Promise<Premises> {
    return new Premises(folder, await openDatabase(folder), null);
  }

  /** The same household after its hub was started again; `siteId` is its own. */
  static async reopen(folder: string, siteId: number): Promise<Premises> {
    return new Premises(folder, await openDatabase(folder), siteId);
  }

  /** Waits until something is so that needs no time to pass, only turns of the event loop. */
  async until(isSo: () => boolean): Promise<void> {
    for (let turn = 0; turn < 10_000 && !isSo(); turn++) await new Promise((resolve) => setImmediate(resolve));
    if (!isSo()) throw new Error("it did not happen");
  }

  /** An owner gives a device another type. */
  setType(deviceId: string, type: string): void {
    this.#types.set(deviceId, type);
  }

  async close(): Promise<void> {
    await this.database.stop();
  }

  /** One burst at a camera; answers the ids of its reads. */
  capture(
    seen: Seen,
    options: {
      deviceId?: string;
      direction?: Direction | null;
      at?: number;
      isFresh?: boolean;
      isRepeated?: boolean;
      key?: string;
    } = {},
  ): Promise<number[]> {
    this.seen = seen;
    this.#captures += 1;
    const burst: Burst = {
      deviceId: options.deviceId ?? "camera-in",
      captureId: this.#captures,
      trigger: "motion",
      at: options.at ?? this.clock.now(),
      direction: options.direction ?? null,
      frames: [Buffer.from("jpeg 0"), Buffer.from("jpeg 1")],
      completeMono: this.clock.mono(),
    };
    const { isRepeated = false, isFresh = !isRepeated, key = null } = options;
    const opensUntilMono = isFresh ? burst.completeMono + 120_000 : OPENS_NEVER;
    return this.gate.take({ burst, captureKey: key, opensUntilMono, isRepeated, reading: null });
  }
}

/** Every row of some tables. */
export const rows = (p: Premises, ...tables: string[]) =>
  Object.fromEntries(tables.map((table) => [table, p.database.raw.prepare(`SELECT * FROM ${table}`).all()]));

const DEVICES = [
  { id: "camera-in", name: "Entry camera", type: "camera" },
  { id: "camera-out", name: "Exit camera", type: "camera" },
  { id: "gate", name: "Gate", type: "gate" },
  { id: "camera-test", name: "Simulated camera", type: "camera" },
  { id: "keypad", name: "Keypad", type: "sensor" },
];

/** What the played recogniser answers. */
export function reading(seen: Seen): BurstReading {
  const vehicles = seen.vehicles ?? (seen.plates ?? []).map((plate) => vehicle(plate, seen.confidence ?? 95));
  return {
    samples: 2,
    vehicles,
    reason: vehicles.length > 0 ? null : (seen.reason ?? "no_plate"),
    unread: [],
    tookMs: 1,
  };
}

function vehicle(plate: string, confidence: number): VehicleReading {
  const sighting: Sighting = {
    frame: 1,
    score: 0.9,
    corners: [
      [10, 10],
      [90, 10],
      [90, 30],
      [10, 30],
    ],
    box: [10, 10, 90, 30],
    frameSize: [640, 480],
    twoLine: false,
    views: [],
    second: null,
    analysis: { ...analyse(plate, Countries.all), confidence },
  };
  return { analysis: sighting.analysis, votes: 2, sightings: [sighting], best: sighting };
}
