import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { DAY_MS, HOUR_MS } from "../../core/kernel/clock.ts";
import { ownCopy } from "../../core/kernel/free-bytes.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Countries } from "../../core/plates/countries.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import type { AccessFeature } from "../access/feature.ts";
import { parseCameraSource } from "../cameras/camera-source.ts";
import type { CamerasFeature } from "../cameras/feature.ts";
import { completedSource, openedSource, sealedSource, shownSource } from "../cameras/source-secrets.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { RecognitionFeature } from "../recognition/feature.ts";
import type { WebhooksFeature } from "../webhooks/feature.ts";
import { CameraDoctor } from "./camera-doctor.ts";
import { CameraSettings, type SourceSecrets } from "./camera-settings.ts";
import { cameraView } from "./camera-view.ts";
import { Following } from "./following.ts";
import { Gate, type SeenByOthers } from "./gate.ts";
import { GateChoices } from "./gate-choices.ts";
import { GateContacts } from "./gate-contacts.ts";
import { GateDay } from "./gate-day.ts";
import { GateFeed } from "./gate-feed.ts";
import { GuestPasses } from "./guest-passes.ts";
import { PlateImageFiles } from "./images.ts";
import { keepsOpeningConfidence } from "./opening-confidence.ts";
import { Openings } from "./openings.ts";
import { PlateCrops } from "./plate-crops.ts";
import { plateManagement } from "./plate-management.ts";
import { PlateReads } from "./plate-reads.ts";
import { PlateRules } from "./plate-rules.ts";
import type { GateSettings, ReportRead } from "./ports.ts";
import { PresentedPlates } from "./presented-plates.ts";
import { Questions } from "./questions.ts";
import { PlateRetention } from "./retention.ts";
import { cameraViewRoutes } from "./routes/console-camera-view.ts";
import { gateRoutes } from "./routes/console-gate.ts";
import { plateManagementRoutes } from "./routes/console-plates.ts";
import { gateDayRoutes } from "./routes/console-reads.ts";
import { gateQuestionRoutes } from "./routes/gate-questions.ts";
import { plateRuleRoutes } from "./routes/plate-rules.ts";
import { plateRoutes } from "./routes/plates.ts";
import { vehicleRoutes } from "./routes/vehicles.ts";
import { SeenReads } from "./seen-reads.ts";
import { ShownFrames } from "./shown-frames.ts";
import { SiteOccupancy } from "./site-occupancy.ts";
import { gateTables } from "./tables.ts";
import { Vehicles } from "./vehicles.ts";
import { VisitMatcher } from "./visit-matcher.ts";

/** The features that the gate is built on. */
interface Siblings {
  readonly feed: FeedFeature;
  readonly access: AccessFeature;
  readonly webhooks: WebhooksFeature;
  readonly devices: DevicesFeature;
  readonly recognition: RecognitionFeature;
  readonly cameras: CamerasFeature;
}

/** From a burst of pictures to decisions, visits and the register. */
export class GateFeature implements Feature {
  readonly cameras: CameraSettings;
  readonly gate: Gate;
  readonly shownFrames: ShownFrames;
  readonly reads: PlateReads;
  readonly day: GateDay;
  readonly crops: PlateCrops;
  readonly doctor: CameraDoctor;
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
  readonly presented: PresentedPlates;
  readonly countries: Countries;
  readonly services: readonly PlacedService[];
  readonly #siblings: Siblings;
  #others: () => SeenByOthers | null = () => null;

  constructor(base: Base, siblings: Siblings) {
    const { feed, access, webhooks, devices, recognition, cameras: watched } = siblings;
    const { database, bus, clock, logger } = base;
    const { countries } = recognition;
    const { registry, commands } = devices;
    const { recordAudit } = access;
    const recordFeed = feed.record;
    const device = registry.find.bind(registry);
    const site = access.accounts.site.bind(access.accounts);
    const stateOf = (deviceId: string): JsonObject | null => registry.find(deviceId)?.state ?? null;
    const timeZone = (siteId: number): string => site(siteId).timeZone;
    const capacity = (siteId: number): number | null => site(siteId).capacity;
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
    const presented = new PresentedPlates({
      database,
      lanes: tables.lanes,
      glances: tables.glances,
      isWanted: (siteId) => tables.cameras.areLookedAt(siteId),
      isAllowed: (siteId, plate) => tables.rules.of(siteId, plate).some(({ kind }) => kind === "allow"),
      look: (tasks, deviceId) => watched.lookAt(tasks, deviceId),
      clock,
      logger,
    });
    const cameras = new CameraSettings({
      database,
      tables,
      device,
      checkSource: (source) => void parseCameraSource(source),
      secrets: sourceSecrets(base.hubKey),
      recordAudit,
      changed: (camera) => {
        presented.refresh(camera);
        watched.configure(camera);
      },
      clock,
    });
    const contacts = new GateContacts({
      database,
      table: tables.contacts,
      device,
      recordAudit,
      now: () => clock.now(),
    });
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
    const gateFeed = new GateFeed({ database, tables, device, recordFeed, clock });
    const { hubKey } = base;
    const encodeImage = watched.encodeImage.bind(watched);
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
      feed: gateFeed,
      choices,
      device,
      visitMatcher,
      bus,
      encodeImage,
      clock,
      logger,
    });
    const report: ReportRead = (event) => webhooks.outbox.enqueue(event);
    const gate = new Gate({
      database,
      tables,
      images,
      cameras,
      visitMatcher,
      feed: gateFeed,
      bus,
      report,
      recognise: async (burst, reading) => {
        const last = burst.frames.at(-1);
        // a copy: the memory of a burst is reused, and one picture must not hold a whole form's
        if (last !== undefined) watched.cameras.latest.note(burst.deviceId, ownCopy(last));
        return reading === null || reading instanceof Promise ? watched.recognise(burst, reading) : reading;
      },
      encodeImage,
      sendGateCommand: (siteId, deviceId, command, by) =>
        commands.send({ siteId, deviceId, command, ...by, source: "automation", chargedTo: null }),
      choices,
      estate: () => this.#others(),
      questions,
      presented,
      openings,
      timeZone,
      isReal: (siteId) => site(siteId).env === "live",
      settings,
      clock,
      logger,
    });
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
    this.#siblings = siblings;
    this.countries = countries;
    this.cameras = cameras;
    this.gate = gate;
    this.shownFrames = new ShownFrames({ database, logger });
    this.reads = new PlateReads({
      database,
      reserve: base.reserve,
      tables,
      images,
      visitMatcher,
      cropImage: encodeImage,
      settings,
      recordAudit,
      forgetFeed: (siteId, plate) => feed.feed.forgetPlate(siteId, plate),
      countries,
      clock,
      logger,
    });
    this.day = new GateDay({
      tables,
      cameras,
      images,
      deviceName: (deviceId) => device(deviceId)?.name ?? deviceId,
      clock,
    });
    this.doctor = new CameraDoctor({ tables, cameras, images, timeZone, clock });
    this.crops = new PlateCrops({ tables, images, cropImage: encodeImage });
    this.vehicles = new Vehicles({ database, tables, visitMatcher, recordAudit, countries, timeZone, clock });
    this.rules = rules;
    this.occupancy = new SiteOccupancy({ tables, capacity });
    this.retention = new PlateRetention({ database, tables, images, settings, clock });
    this.visitMatcher = visitMatcher;
    this.openings = openings;
    this.contacts = contacts;
    this.choices = choices;
    this.questions = questions;
    this.presented = presented;
    this.following = new Following({
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
    });
    this.seen = new SeenReads({ database, tables });
    this.passes = new GuestPasses({
      database,
      tables,
      rules,
      recordAudit,
      recordFeed,
      countries,
      site,
      gateNames,
      issuerStands: (passId) => access.grants.stands("guest_pass", String(passId)),
      clock,
    });
    this.services = [
      // after an upgrade, before anything can open a gate
      { service: keepsOpeningConfidence({ database, settings: base.store, logger }), start: "first", stop: null },
      { service: openings, start: "load", stop: "outbox" },
      { service: questions, start: "load", stop: "outbox" },
      { service: this.following, start: "load", stop: "outbox" },
      { service: cameras, start: "load", stop: null }, // seals passwords before the cameras are asked for their sources
    ];
    devices.commands.watchedBy(openings);
    watched.takenBy({
      take: (arrival) => gate.take(arrival),
      takes: (deviceId) => gate.takes(deviceId),
      knows: (deviceId, captureKey, sinceMs) => gate.knows(deviceId, captureKey, sinceMs),
      claimFrames: (deviceId, frames) => this.shownFrames.claim(deviceId, frames),
      nextCaptureId: () => gate.nextCaptureId(),
      cameras: () => cameras.all(),
      camera: (deviceId) => cameras.find(deviceId),
      comparesFrames: (deviceId) => {
        const camera = cameras.find(deviceId);
        return camera !== null && tables.cameras.areLookedAt(camera.siteId);
      },
    });
    this.#endGrants(base, access);
  }

  /** What other hubs of an estate have seen of a plate. */
  sharedWith(others: () => SeenByOthers | null): void {
    this.#others = others;
  }

  get api() {
    return [
      ...plateRoutes(this.reads),
      ...vehicleRoutes(this.vehicles, this.occupancy),
      ...plateRuleRoutes(this.rules),
      ...gateQuestionRoutes(this.questions),
    ];
  }

  get console() {
    const { devices, cameras, recognition } = this.#siblings;
    const { recogniser } = recognition;
    return [
      ...plateManagementRoutes(plateManagement({ gate: this, cameras, devices, recogniser })),
      ...gateRoutes(this),
      ...gateDayRoutes(this),
      ...cameraViewRoutes(cameraView({ gate: this, cameras, devices, recogniser })),
    ];
  }

  get jobs() {
    return [
      job("remove-stray-images", DAY_MS, () => this.retention.removeStrays()),
      job("sweep-guest-passes", HOUR_MS, () => this.passes.sweep()),
    ];
  }

  get aged() {
    const { visits, reads, openings, pictures } = this.retention;
    return [pictures, visits, reads, openings];
  }

  get metrics() {
    const figures = () => this.gate.figures;
    const counter = "counter" as const;
    return [
      { name: "plates_bursts", help: "Bursts taken since start.", kind: counter, read: () => figures().bursts },
      { name: "plates_reads", help: "Plate reads stored since start.", kind: counter, read: () => figures().reads },
      { name: "gate_commands", help: "Gate commands since start.", kind: counter, read: () => figures().gateCommands },
      {
        name: "gate_commands_failed_total",
        help: "Gate commands that were not accepted for delivery.",
        kind: counter,
        read: () => figures().gateCommandsFailed,
      },
      {
        name: "gate_decision_ms",
        help: "Latest time from last frame to decision.",
        read: () => figures().lastDecisionMs,
      },
    ];
  }

  #endGrants({ database, logger }: Base, { grants }: AccessFeature): void {
    const { passes, rules, cameras } = this;
    grants.endsBy("guest_pass", ({ row, siteId }, { actor }) => {
      if (siteId !== null) passes.end(siteId, row, actor);
    });
    grants.endsBy("plate_rule", ({ row, siteId }, { actor }) => {
      if (siteId === null) return;
      if (!rules.isShared(siteId, rules.get(siteId, row).deviceId)) {
        rules.update(siteId, row, { enabled: false }, actor);
        return;
      }
      database.committed(() => {
        rules
          .edit(siteId, row, { enabled: false }, actor)
          .catch((error: unknown) => logger.error({ row, err: error }, "a plate rule of the estate goes on"));
      });
    });
    grants.endsBy("camera_source", ({ id, siteId }, { actor }) => {
      if (siteId !== null) cameras.update(siteId, id, { enabled: false }, actor);
    });
  }
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
