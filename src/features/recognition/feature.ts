import { isAbsolute, join } from "node:path";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import { COUNTRIES, Countries } from "../../core/plates/countries.ts";
import { recogniserCheck } from "./health.ts";
import { Recogniser } from "./recogniser.ts";

/** Reading plates in pictures. */
export class RecognitionFeature implements Feature {
  readonly recogniser: Recogniser;
  /** The countries whose plates the household sees besides India's, as chosen when the hub started. */
  readonly countries: Countries;
  readonly services: readonly PlacedService[];

  constructor({ settings, projectFolder, clock, logger }: Base) {
    const { modelsFolder, countries, ...rest } = settings().recognition;
    const unknown = countries.filter((code) => !(code in COUNTRIES));
    if (unknown.length > 0)
      logger.warn(
        { unknown, known: Object.keys(COUNTRIES) },
        "recognition.countries names countries whose plates are not known",
      );
    this.countries = new Countries(countries);
    this.recogniser = new Recogniser({
      ...rest,
      countries,
      modelsFolder: isAbsolute(modelsFolder) ? modelsFolder : join(projectFolder, modelsFolder),
      clock,
      logger: logger.child({ part: "recogniser" }),
    });
    this.services = [{ service: this.recogniser, start: "load", stop: "drain" }];
  }

  get checks() {
    return [recogniserCheck(this.recogniser)];
  }

  get metrics() {
    const figures = () => this.recogniser.figures();
    const counter = "counter" as const;
    return [
      {
        name: "recogniser_waiting_bursts",
        help: "Bursts with frames that wait for the recogniser.",
        read: () => figures().waitingBursts,
      },
      {
        name: "recogniser_waiting_frames",
        help: "Frames that wait for the recogniser.",
        read: () => figures().waitingFrames,
      },
      {
        name: "recogniser_frames",
        help: "Frames read since start.",
        kind: counter,
        read: () => figures().frames,
      },
      {
        name: "recogniser_frames_dropped",
        help: "Frames dropped because too many waited.",
        kind: counter,
        read: () => figures().framesDropped,
      },
      {
        name: "recogniser_bad_frames",
        help: "Frames that were no pictures, since start.",
        kind: counter,
        read: () => figures().badFrames,
      },
      {
        name: "recogniser_timeouts",
        help: "Bursts over their time budget since start.",
        kind: counter,
        read: () => figures().timeouts,
      },
      {
        name: "recogniser_thread_starts",
        help: "Worker threads started; more than one means that some died.",
        kind: counter,
        read: () => figures().threadStarts,
      },
      { name: "recogniser_frame_ms", help: "Time of the latest frame.", read: () => figures().frameMs },
      { name: "recogniser_burst_ms", help: "Time of the latest burst.", read: () => figures().burstMs },
    ];
  }
}
