import { join } from "node:path";
import type { Facts } from "../../src/core/api/facts.ts";
import type { NewFeedItem } from "../../src/core/api/feed-kinds.ts";
import type { Base } from "../../src/core/base.ts";
import type { Bus } from "../../src/core/kernel/bus.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
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
import type { Settings } from "../../src/core/settings/schema.ts";
import type { Database } from "../../src/core/storage/database.ts";
import type { RecordAudit } from "../../src/features/access/household-audit.ts";
import { type CommandInput, Commands } from "../../src/features/devices/commands.ts";
import { DeviceRecord, NEVER_SEEN } from "../../src/features/devices/device.ts";
import { Hands } from "../../src/features/devices/hands.ts";
import type { DeviceFilter } from "../../src/features/devices/households.ts";
import { DeviceRegistry } from "../../src/features/devices/registry.ts";
import { Feed } from "../../src/features/feed/feed.ts";
import { CameraSettings } from "../../src/features/gate/camera-settings.ts";
import { Following } from "../../src/features/gate/following.ts";
import { Gate, type SeenByOthers } from "../../src/features/gate/gate.ts";
import { GateChoices } from "../../src/features/gate/gate-choices.ts";
import { GateContacts } from "../../src/features/gate/gate-contacts.ts";
import { GateFeed } from "../../src/features/gate/gate-feed.ts";
import { GuestPasses } from "../../src/features/gate/guest-passes.ts";
import { PlateImageFiles } from "../../src/features/gate/images.ts";
import { Openings } from "../../src/features/gate/openings.ts";
import { PastPasses } from "../../src/features/gate/past-passes.ts";
import { PlateReads } from "../../src/features/gate/plate-reads.ts";
import { PlateRules } from "../../src/features/gate/plate-rules.ts";
import { PresentedPlates } from "../../src/features/gate/presented-plates.ts";
import { Questions } from "../../src/features/gate/questions.ts";
import { PlateRetention } from "../../src/features/gate/retention.ts";
import { SeenReads } from "../../src/features/gate/seen-reads.ts";
import { SiteOccupancy } from "../../src/features/gate/site-occupancy.ts";
import { type GateTables, gateTables } from "../../src/features/gate/tables.ts";
import { Vehicles } from "../../src/features/gate/vehicles.ts";
import { VisitMatcher } from "../../src/features/gate/visit-matcher.ts";
import { Picture } from "../../src/features/recognition/picture.ts";
import { testAccess, testBase } from "../support/base.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type ShownItem, shownItem } from "../support/feed.ts";
import { ListingOutbox } from "../support/stand-ins.ts";

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
  readonly feed: ShownItem[];
  /** What receivers outside are sent. */
  readonly reports: ListingOutbox["reports"];
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
  readonly settings: { passMs: number; minConfidence: number } & Pick<
    Settings["plates"],
    "imageRetentionDays" | "readRetentionDays" | "keepCorrected"
  > = {
    passMs: 30_000,
    keepCorrected: "never",
    minConfidence: 0,
    imageRetentionDays: 30,
    readRetentionDays: 365,
  };
  encodeImage: (frame: Uint8Array) => Promise<Uint8Array | null> = async (frame) => frame;
  gateAnswer: () => Promise<unknown> = async () => "sent";
  seen: Seen = {};
  /** What the recogniser's thread answers about pixels. */
  look: ConstructorParameters<typeof PresentedPlates>[2]["lookAt"] = () => Promise.resolve([]);
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
  readonly past: PastPasses;
  readonly registry: DeviceRegistry;
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
  readonly base: Base;
  readonly bus: Bus<Facts>;
  readonly recognise: { use: ((burst: Burst) => Promise<BurstReading>) | null } = { use: null };
  /** What DEVICES says, unless a test gives a device another type. */
  readonly types = new Map<string, string>();
  #captures = 0;

  private constructor(folder: string, database: Database, standing: number | null) {
    this.folder = folder;
    this.database = database;
    const { siteId, testSiteId } =
      standing === null ? seedAccount(database) : { siteId: standing, testSiteId: standing + 1 };
    this.siteId = siteId;
    this.testSiteId = testSiteId;
    const { settings } = this;
    this.base = testBase(database, this.clock, {
      gate: {
        get passSeconds() {
          return settings.passMs / 1_000;
        },
        get minConfidence() {
          return settings.minConfidence;
        },
      },
      plates: settings,
    });
    const { base } = this;
    const { bus } = base;
    this.bus = bus;
    for (const kind of ["read.decided", "visit.changed", "occupancy.changed", "gate.opening", "gate.question"] as const)
      bus.on(kind, "test", (fact) => this.facts.push({ kind, fact }));
    const tables = gateTables(base);
    this.tables = tables;
    for (const { id, name, type } of DEVICES)
      database.raw
        .prepare("INSERT OR IGNORE INTO device (id, site_id, name, type, created_at) VALUES (?, ?, ?, ?, 0)")
        .run(id, id === "camera-test" ? testSiteId : siteId, name, type);
    this.images = new PlateImageFiles(join(folder, "images"));
    const { access } = testAccess(base);
    const recordAudit: RecordAudit = (entry) => {
      this.audits.push(entry.action);
      this.audited.push(entry);
    };
    Object.assign(access, { recordAudit });
    const { images } = this;
    const feed = new ListingFeed(base);
    const outbox = new ListingOutbox(base);
    const registry = new PlayedDevices(this, outbox);
    this.registry = registry;
    const countries = Countries.all;
    const encodeImage = (frame: Uint8Array) => this.encodeImage(frame);
    this.feed = feed.items;
    this.reports = outbox.reports;
    const visitMatcher = new VisitMatcher(base, { tables, feed, access, presence: { carMoved: () => {} } });
    this.presented = new PresentedPlates(base, tables, { lookAt: (tasks, deviceId) => this.look(tasks, deviceId) });
    this.contacts = new GateContacts(base, { tables, registry, access });
    const { contacts } = this;
    this.openings = new Openings(base, { tables, registry, contacts, feed, access });
    this.cameras = new PlayedCameras(base, { tables, registry, access });
    const { cameras } = this;
    cameras.onChanged((camera) => this.presented.refresh(camera));
    this.rules = new PlateRules(base, { tables, cameras, access, countries });
    this.reads = new PlateReads(base, {
      ...{ tables, images, visitMatcher, access, countries },
      encodeImage: async (jpeg, _deviceId, part) => (await Picture.open(Buffer.from(jpeg))).encoded(1280, 80, part),
    });
    this.reads.forgottenBy((siteId, plate) => feed.forgetPlate(siteId, plate));
    this.vehicles = new Vehicles(base, { tables, visitMatcher, access, countries });
    this.passes = new GuestPasses(base, { tables, rules: this.rules, cameras, feed, access, countries });
    this.seenReads = new SeenReads(base, tables);
    this.occupancy = new SiteOccupancy(tables, access);
    this.retention = new PlateRetention(base, tables, images);
    this.choices = new GateChoices(base, { tables, registry, cameras, access });
    const { choices } = this;
    const gateFeed = new GateFeed(base, { tables, registry, feed });
    const hands = new Hands(base.clock);
    const asking = {
      tables,
      feed: gateFeed,
      choices,
      registry,
      hands,
      limits: access.limits,
      visitMatcher,
      encodeImage,
    };
    this.questions = new Questions(base, asking);
    this.following = new Following(base, { tables, cameras, choices, contacts, registry, feed, outbox });
    this.gate = new Gate(base, {
      ...{ tables, images, cameras, visitMatcher, feed: gateFeed, outbox, encodeImage, choices, access },
      presented: this.presented,
      questions: this.questions,
      openings: this.openings,
      commands: new PlayedCommands(this, { registry, limits: access.limits, feed, outbox }),
      recognise: (burst) =>
        this.recognise.use === null ? Promise.resolve(reading(this.seen)) : this.recognise.use(burst),
    });
    const { gate } = this;
    this.past = new PastPasses(base, { tables, images, cameras, gate, feed: gateFeed, visitMatcher, access });
    this.gate.sharedWith(() => this.estate);
  }

  /** Vehicles that fit on the premises. */
  set capacity(capacity: number | null) {
    this.database.raw.prepare("UPDATE site SET capacity = ?").run(capacity);
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
    this.types.set(deviceId, type);
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

/** A feed that lists what it is given. */
class ListingFeed extends Feed {
  readonly items: ShownItem[] = [];

  override record(item: NewFeedItem): null {
    this.items.push(shownItem(item));
    return null;
  }
}

/** The devices of the premises, with the types and states that a test gives them. */
class PlayedDevices extends DeviceRegistry {
  readonly #premises: Premises;

  constructor(premises: Premises, outbox: ListingOutbox) {
    super(premises.base, { feed: new ListingFeed(premises.base), outbox });
    this.#premises = premises;
  }

  override list(siteId: number, { type }: DeviceFilter = {}): DeviceRecord[] {
    const all = DEVICES.flatMap(({ id }) => this.record(id) ?? []);
    return all.filter((device) => device.siteId === siteId && (type === undefined || device.type === type));
  }

  override record(id: string): DeviceRecord | null {
    const { siteId, testSiteId, types, states } = this.#premises;
    const known = DEVICES.find((one) => one.id === id);
    if (known === undefined) return null;
    const of = { siteId: id === "camera-test" ? testSiteId : siteId, type: types.get(id) ?? known.type };
    const rest = { roomId: null, icon: null, favorite: 0, simulated: 0, passwordHash: null, createdAt: 0 };
    const record = new DeviceRecord({ ...NEVER_SEEN, ...known, ...of, ...rest });
    record.state = (states.get(id) ?? {}) as JsonObject; // a test's literals
    return record;
  }
}

/** Cameras whose gates are named by the camera. */
class PlayedCameras extends CameraSettings {
  override gateNames(_siteId: number, deviceId: string | null): string[] {
    return [deviceId ?? "Every gate"];
  }
}

/** Lists the commands to the gate, and answers them as the test says. */
class PlayedCommands extends Commands {
  readonly #premises: Premises;

  constructor(premises: Premises, siblings: ConstructorParameters<typeof Commands>[1]) {
    super(premises.base, siblings);
    this.#premises = premises;
  }

  override async send({ siteId, deviceId, command, readId = -1, actor }: CommandInput) {
    const { database, commands, gateAnswer } = this.#premises;
    const { n } = database.raw.prepare<[], { n: number }>("SELECT count(*) AS n FROM plate_read").get() ?? { n: -1 };
    const byPerson = actor === `gate:${readId}` ? {} : { actor };
    commands.push({ siteId, deviceId, command, readId, rowsThen: n, ...byPerson });
    await gateAnswer();
    return { commandId: 0, command };
  }
}

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
