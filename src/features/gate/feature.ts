import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { DAY_MS, HOUR_MS } from "../../core/kernel/clock.ts";
import { ownCopy } from "../../core/kernel/free-bytes.ts";
import { typedPlate } from "../../core/plates/analyse.ts";
import type { Countries } from "../../core/plates/countries.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { CamerasFeature } from "../cameras/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { HouseFeature } from "../house/feature.ts";
import type { RecognitionFeature } from "../recognition/feature.ts";
import type { StatesFeature } from "../states/feature.ts";
import type { WebhooksFeature } from "../webhooks/feature.ts";
import { CameraDoctor } from "./camera-doctor.ts";
import { CameraSettings } from "./camera-settings.ts";
import { cameraView } from "./camera-view.ts";
import { carEvidence } from "./car-evidence.ts";
import { Following } from "./following.ts";
import { Gate } from "./gate.ts";
import { GateChoices } from "./gate-choices.ts";
import { GateContacts } from "./gate-contacts.ts";
import { GateDay } from "./gate-day.ts";
import { GateFeed } from "./gate-feed.ts";
import { GuestPasses } from "./guest-passes.ts";
import { PlateImageFiles } from "./images.ts";
import { keepsOpeningConfidence } from "./opening-confidence.ts";
import { Openings } from "./openings.ts";
import { PastPasses } from "./past-passes.ts";
import { PlateCrops } from "./plate-crops.ts";
import { plateManagement } from "./plate-management.ts";
import { PlateReads } from "./plate-reads.ts";
import { PlateRules } from "./plate-rules.ts";
import { PresentedPlates } from "./presented-plates.ts";
import { Questions } from "./questions.ts";
import { PlateRetention } from "./retention.ts";
import { cameraViewRoutes } from "./routes/console-camera-view.ts";
import { gateRoutes } from "./routes/console-gate.ts";
import { plateManagementRoutes } from "./routes/console-plates.ts";
import { gateDayRoutes } from "./routes/console-reads.ts";
import { gateQuestionRoutes } from "./routes/gate-questions.ts";
import { guestPassRoutes } from "./routes/guest-passes.ts";
import { type KeepsGate, plateRuleRoutes } from "./routes/plate-rules.ts";
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
  readonly house: HouseFeature;
  readonly recognition: RecognitionFeature;
  readonly cameras: CamerasFeature;
  readonly states: StatesFeature;
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
  readonly past: PastPasses;
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
  readonly #keepsGate: KeepsGate = (caller) => () => this.#siblings.access.authenticator.askAgain(caller, "gatekeeper");

  constructor(base: Base, siblings: Siblings) {
    const {
      feed: { feed },
      access,
      webhooks: { outbox },
      devices,
      house: { presence },
      recognition,
      cameras: watched,
    } = siblings;
    const { countries } = recognition;
    const { registry, commands } = devices;
    const tables = gateTables(base);
    const images = new PlateImageFiles(join(base.dataFolder, "plates"));
    const encodeImage = watched.encodeImage.bind(watched);
    const visitMatcher = new VisitMatcher(base, { tables, feed, access, presence });
    const presented = new PresentedPlates(base, tables, watched);
    const cameras = new CameraSettings(base, { tables, registry, access });
    cameras.onChanged((camera) => {
      presented.refresh(camera);
      watched.configure(camera);
    });
    const contacts = new GateContacts(base, { tables, registry, access });
    const openings = new Openings(base, { tables, registry, contacts, feed, access });
    const gateFeed = new GateFeed(base, { tables, registry, feed });
    const choices = new GateChoices(base, { tables, registry, cameras, access });
    const questions = new Questions(base, {
      ...{ tables, choices, registry, visitMatcher, encodeImage },
      feed: gateFeed,
      hands: commands.hands,
      limits: access.limits,
    });
    const gate = new Gate(base, {
      tables,
      images,
      cameras,
      visitMatcher,
      feed: gateFeed,
      outbox,
      recognise: async (burst, reading) => {
        const last = burst.frames.at(-1);
        // a copy: the memory of a burst is reused, and one picture must not hold a whole form's
        if (last !== undefined) watched.cameras.latest.note(burst.deviceId, ownCopy(last));
        return reading === null || reading instanceof Promise ? watched.recognise(burst, reading) : reading;
      },
      encodeImage,
      commands,
      choices,
      questions,
      presented,
      openings,
      access,
    });
    const rules = new PlateRules(base, { tables, cameras, access, countries });
    this.#siblings = siblings;
    this.countries = countries;
    this.cameras = cameras;
    this.gate = gate;
    this.shownFrames = new ShownFrames(base);
    this.reads = new PlateReads(base, { tables, images, visitMatcher, access, countries, encodeImage });
    this.reads.forgottenBy((siteId, plate) => feed.forgetPlate(siteId, plate));
    this.reads.forgottenBy((siteId, plate) => outbox.forgetPlate(siteId, plate));
    this.day = new GateDay(base, { tables, cameras, images, registry, openings });
    this.doctor = new CameraDoctor(base, { tables, cameras, images, access });
    this.crops = new PlateCrops({ tables, images, encodeImage });
    this.vehicles = new Vehicles(base, { tables, visitMatcher, access, countries });
    this.rules = rules;
    this.occupancy = new SiteOccupancy(tables, access);
    this.retention = new PlateRetention(base, tables, images);
    this.visitMatcher = visitMatcher;
    this.openings = openings;
    this.past = new PastPasses(base, { tables, images, cameras, gate, feed: gateFeed, visitMatcher, access });
    this.contacts = contacts;
    this.choices = choices;
    this.questions = questions;
    this.presented = presented;
    this.following = new Following(base, { tables, cameras, choices, contacts, registry, feed, outbox });
    this.seen = new SeenReads(base, tables);
    this.passes = new GuestPasses(base, { tables, rules, cameras, feed, access, countries });
    this.services = [
      // after an upgrade, before anything can open a gate
      { service: keepsOpeningConfidence({ ...base, settings: base.store }), start: "first", stop: null },
      { service: openings, start: "load", stop: "outbox" },
      { service: questions, start: "load", stop: "outbox" },
      { service: this.following, start: "load", stop: "outbox" },
      { service: cameras, start: "load", stop: "outbox" }, // seals passwords before the cameras are asked for their sources
    ];
    devices.commands.watchedBy(openings);
    siblings.states.platesNamedBy((siteId, readId) => {
      const read = tables.reads.find(siteId, readId);
      return read === null ? null : read.label || read.formatted;
    });
    watched.takenBy({ gate, settings: cameras, shownFrames: this.shownFrames });
    presence.carsKnownBy(
      (siteId, plate) => carEvidence(tables, siteId, plate),
      (text) => typedPlate(text, countries).plate,
    );
    this.#endGrants(access);
  }

  get api() {
    return [
      ...plateRoutes(this.reads),
      ...vehicleRoutes(this.vehicles, this.occupancy),
      ...plateRuleRoutes(this.rules, this.#keepsGate),
      ...gateQuestionRoutes(this.questions),
    ];
  }

  get console() {
    const { devices, cameras, recognition } = this.#siblings;
    const { recogniser } = recognition;
    return [
      ...plateManagementRoutes(
        plateManagement({ gate: this, cameras, devices, recogniser, keepsGate: this.#keepsGate }),
      ),
      ...guestPassRoutes(this, this.#keepsGate),
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

  #endGrants({ grants }: AccessFeature): void {
    const { passes, rules, cameras } = this;
    grants.endsBy("guest_pass", ({ row, siteId }, { actor }) => {
      if (siteId !== null) passes.end(siteId, row, actor);
    });
    grants.endsBy("plate_rule", ({ row, siteId }, { actor }) =>
      siteId !== null && rules.end(siteId, row, actor).isPending ? "pending" : "ended",
    );
    grants.endsBy("camera_source", ({ id, siteId }, { actor }) => {
      if (siteId !== null) cameras.update(siteId, id, { enabled: false }, actor);
    });
  }
}
