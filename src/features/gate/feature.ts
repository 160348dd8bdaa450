import { join } from "node:path";
import type { Env } from "../../core/api/caller.ts";
import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import { type Base, chosenCountries } from "../../core/base.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { PicturePart } from "../../core/plates/reading.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import { completedSource, openedSource, sealedSource, shownSource } from "../cameras/source-secrets.ts";
import { CameraSettings, type SourceSecrets } from "./camera-settings.ts";
import { Following } from "./following.ts";
import { Gate, type GateOptions, type SendGateCommand } from "./gate.ts";
import { GateChoices } from "./gate-choices.ts";
import { GateContacts } from "./gate-contacts.ts";
import { GateFeed } from "./gate-feed.ts";
import { GuestPasses } from "./guest-passes.ts";
import { PlateImageFiles } from "./images.ts";
import { Openings } from "./openings.ts";
import { PlateReads } from "./plate-reads.ts";
import { PlateRules } from "./plate-rules.ts";
import type { FindDevice, GateSettings, RecordAudit, ReportRead } from "./ports.ts";
import { Questions } from "./questions.ts";
import { PlateRetention } from "./retention.ts";
import { SeenReads } from "./seen-reads.ts";
import { ShownFrames } from "./shown-frames.ts";
import { SiteOccupancy } from "./site-occupancy.ts";
import { gateTables } from "./tables.ts";
import { Vehicles } from "./vehicles.ts";
import { VisitMatcher } from "./visit-matcher.ts";

/** From a burst of pictures to decisions, visits and the register. */
export interface PlateParts {
  readonly cameras: CameraSettings;
  readonly gate: Gate;
  readonly shownFrames: ShownFrames;
  readonly reads: PlateReads;
  readonly vehicles: Vehicles;
  readonly rules: PlateRules;
  readonly occupancy: SiteOccupancy;
  readonly retention: PlateRetention;
  readonly visitMatcher: VisitMatcher;
  readonly openings: Openings;
  readonly passes: GuestPasses;
  readonly seen: SeenReads;
  readonly contacts: GateContacts;
  readonly choices: GateChoices;
  readonly questions: Questions;
  readonly following: Following;
}

/** What the gate uses beyond itself. */
export interface PlatePorts {
  /** Seals the passwords of cameras. */
  readonly hubKey: HubKey;
  readonly device: FindDevice;
  readonly recordFeed: RecordFeedItem;
  readonly forgetFeed: (siteId: number, plate: string) => void;
  readonly recordAudit: RecordAudit;
  /** Whether the person who gave a guest's pass is still an owner. */
  readonly passStands: (passId: number) => boolean;
  readonly report: ReportRead;
  readonly recognise: GateOptions["recognise"];
  readonly encodeImage: (frame: Uint8Array, deviceId: string, part?: PicturePart) => Promise<Uint8Array | null>;
  readonly sendGateCommand: SendGateCommand;
  readonly estate: GateOptions["estate"];
  readonly stateOf: (deviceId: string) => JsonObject | null;
  readonly site: (siteId: number) => { readonly env: Env; readonly name: string; readonly timeZone: string };
  readonly capacity: (siteId: number) => number | null;
  readonly checkSource: (source: object) => void;
  readonly cameraChanged: ConstructorParameters<typeof CameraSettings>[0]["changed"];
}

/** Builds the gate. */
export function buildPlates(base: Base, ports: PlatePorts): PlateParts {
  const { database, bus, clock, logger } = base;
  const countries = chosenCountries(base);
  const { device, recordFeed, recordAudit, capacity } = ports;
  const tables = gateTables(database);
  const images = new PlateImageFiles(join(base.dataFolder, "plates"));
  const settings = (): GateSettings => {
    const { gate, plates } = base.settings();
    return {
      passMs: gate.passSeconds * 1000,
      minConfidence: gate.minConfidence,
      imageRetentionDays: plates.imageRetentionDays,
      readRetentionDays: plates.readRetentionDays,
      keepCorrected: plates.keepCorrected,
    };
  };
  const visitMatcher = new VisitMatcher({ database, tables, bus, recordFeed, capacity });
  const cameras = new CameraSettings({
    database,
    tables,
    device,
    checkSource: ports.checkSource,
    secrets: sourceSecrets(ports.hubKey),
    recordAudit,
    changed: ports.cameraChanged,
    clock,
  });
  const { stateOf, site } = ports;
  const timeZone = (siteId: number): string => site(siteId).timeZone;
  const contacts = new GateContacts({ database, table: tables.contacts, device, recordAudit, now: () => clock.now() });
  const openings = new Openings({
    database,
    tables,
    device,
    contacts,
    stateOf,
    bus,
    recordFeed,
    recordAudit,
    clock,
    logger,
  });
  const feed = new GateFeed({ database, tables, device, recordFeed, clock });
  const { recognise, encodeImage, sendGateCommand, report, hubKey } = ports;
  const choices = new GateChoices({
    database,
    table: tables.choices,
    device,
    isCamera: (siteId, deviceId) => cameras.isCamera(siteId, deviceId),
    stateOf,
    seal: (pin, context) => hubKey.seal(Buffer.from(pin), context).toString("base64"),
    open: (sealed, context) => hubKey.open(Buffer.from(sealed, "base64"), context).toString(),
    recordAudit,
    now: () => clock.now(),
  });
  const questions = new Questions({
    database,
    tables,
    feed,
    choices,
    device,
    visitMatcher,
    bus,
    encodeImage,
    clock,
    logger,
  });
  const gate = new Gate({
    database,
    tables,
    images,
    cameras,
    visitMatcher,
    feed,
    bus,
    report,
    recognise,
    encodeImage,
    sendGateCommand,
    choices,
    estate: ports.estate,
    questions,
    openings,
    timeZone,
    isReal: (siteId) => site(siteId).env === "live",
    settings,
    clock,
    logger,
  });
  const shownFrames = new ShownFrames({ database, logger });
  const rules = new PlateRules({
    database,
    tables,
    isCamera: (siteId, deviceId) => cameras.isCamera(siteId, deviceId),
    recordAudit,
    countries,
    clock,
  });
  const gateNames = (siteId: number, deviceId: string | null): string[] => {
    const gates = [...cameras.withSettings()]
      .filter((id) => deviceId === null || id === deviceId)
      .map((id) => cameras.find(id));
    const own = gates.flatMap((camera) =>
      camera?.siteId === siteId && camera.enabled && camera.gate !== null ? [camera.gate.deviceId] : [],
    );
    return [...new Set(own)].flatMap((id) => device(id)?.name ?? []);
  };
  return {
    cameras,
    gate,
    shownFrames,
    reads: new PlateReads({
      database,
      reserve: base.reserve,
      tables,
      images,
      visitMatcher,
      cropImage: (jpeg, deviceId, part) => encodeImage(jpeg, deviceId, part),
      settings,
      recordAudit,
      forgetFeed: ports.forgetFeed,
      countries,
      clock,
      logger,
    }),
    vehicles: new Vehicles({ database, tables, visitMatcher, recordAudit, countries, timeZone, clock }),
    rules,
    occupancy: new SiteOccupancy({ tables, capacity }),
    retention: new PlateRetention({ database, tables, images, settings, clock }),
    visitMatcher,
    openings,
    contacts,
    choices,
    questions,
    following: new Following({
      database,
      tables,
      cameras,
      choices,
      contacts,
      device,
      bus,
      recordFeed,
      report,
      clock,
      logger,
    }),
    seen: new SeenReads({ database, tables }),
    passes: new GuestPasses({
      database,
      tables,
      rules,
      recordAudit,
      recordFeed,
      countries,
      site,
      gateNames,
      issuerStands: ports.passStands,
      clock,
    }),
  };
}

/** The passwords of cameras, sealed with the hub's key. */
export function sourceSecrets(hubKey: HubKey): SourceSecrets {
  const context = (deviceId: string): string => `camera ${deviceId}`;
  return {
    complete: completedSource,
    seal: (source, deviceId) =>
      sealedSource(source, (text) => hubKey.seal(Buffer.from(text), context(deviceId)).toString("base64")),
    open: (stored, deviceId) =>
      openedSource(stored, (sealed) => hubKey.open(Buffer.from(sealed, "base64"), context(deviceId)).toString()),
    isOpen: (stored) => !("sealedUrl" in stored) && shownSource(stored).hasPassword,
  };
}
