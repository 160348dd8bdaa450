/**
 * What is wrong with a camera's set-up, judged by the plates in its stored pictures of the last week. In: reads and
 * pictures. Out: figures by hour of the day, and what to change. Pictures are measured in a thread when somebody looks;
 * nothing is written, and no camera is asked.
 */
import type { Base } from "../../core/base.ts";
import { DAY_MS } from "../../core/kernel/clock.ts";
import { minuteOfDayAt } from "../../core/kernel/local-time.ts";
import { askThread } from "../../core/kernel/thread.ts";
import { type Advice, adviceFor, faultOf, median, type SeenQuality } from "../../core/plates/camera-advice.ts";
import type { PlateQuality } from "../../core/plates/plate-quality.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { CameraSettings } from "./camera-settings.ts";
import type { PlateImageFiles } from "./images.ts";
import { boxOf } from "./plate-crops.ts";
import type { PictureToMeasure } from "./plate-quality-worker.ts";
import type { GateTables } from "./tables.ts";

/** Plates of one hour of the day. */
interface HourQuality {
  readonly hour: number;
  readonly plates: number;
  readonly read: number;
  /** Medians. */
  readonly letterPx: number;
  readonly smear: number;
  readonly light: number;
  readonly tilt: number;
  /** Share of the plates with washed out parts, 0–100. */
  readonly glare: number;
}

/** The findings about one camera. */
export interface Diagnosis {
  /** Plates that were measured. */
  readonly plates: number;
  /** Bursts of the week without any plate in them, and all bursts. */
  readonly empty: number;
  readonly bursts: number;
  readonly hours: readonly HourQuality[];
  readonly advice: readonly Advice[];
}

const LOOK_BACK_MS = 7 * DAY_MS;
/** Reads that are looked at, the newest. */
const MOST_READS = 400;
/** Pictures that are measured: this many of each hour of the day, and this many in all. */
const OF_AN_HOUR = 4;
const MOST_PICTURES = 48;
/** How long a diagnosis is kept, unless the camera has seen something new and it is older than a minute. */
const KEPT_MS = 10 * 60_000;
const FRESH_MS = 60_000;
/** Longest time that measuring may take. */
const PATIENCE_MS = 60_000;
const MOST_CAMERAS = 50;

interface Known {
  readonly at: number;
  readonly newestId: number;
  readonly diagnosis: Promise<Diagnosis>;
}

interface Siblings {
  readonly tables: GateTables;
  readonly cameras: CameraSettings;
  readonly images: PlateImageFiles;
  readonly access: AccessFeature;
}

/** Diagnoses of cameras. */
export class CameraDoctor {
  readonly #base: Base;
  readonly #siblings: Siblings;
  readonly #known = new Map<string, Known>();
  #line: Promise<unknown> = Promise.resolve();

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** What is wrong with a camera of a household. @throws Problem device_not_found */
  diagnose(siteId: number, deviceId: string): Promise<Diagnosis> {
    const { clock } = this.#base;
    const { cameras, tables } = this.#siblings;
    cameras.get(siteId, deviceId);
    const since = clock.now() - LOOK_BACK_MS;
    const reads = tables.reads.list(siteId, { deviceId, since }, MOST_READS);
    const newestId = reads[0]?.id ?? 0;
    const known = this.#known.get(deviceId);
    const age = known === undefined ? Number.POSITIVE_INFINITY : clock.mono() - known.at;
    if (known !== undefined && age < (known.newestId === newestId ? KEPT_MS : FRESH_MS)) return known.diagnosis;
    // one camera after another: measuring takes memory and a core
    const diagnosis = this.#line.then(() => this.#measure(siteId, reads));
    this.#line = diagnosis.catch(() => {});
    diagnosis.catch(() => this.#known.delete(deviceId));
    if (this.#known.size >= MOST_CAMERAS) this.#known.clear();
    this.#known.set(deviceId, { at: clock.mono(), newestId, diagnosis });
    return diagnosis;
  }

  async #measure(siteId: number, reads: ReturnType<GateTables["reads"]["list"]>): Promise<Diagnosis> {
    const { tables, images } = this.#siblings;
    const zone = this.#siblings.access.accounts.site(siteId).timeZone;
    const ofHour = new Map<number, number>();
    const chosen: { readonly hour: number; readonly isRead: boolean; readonly picture: PictureToMeasure }[] = [];
    for (const read of reads) {
      const part = read.hasImage === 1 ? boxOf(tables.images.box(read.id)) : null;
      if (part === null || chosen.length >= MOST_PICTURES) continue;
      const hour = Math.floor(minuteOfDayAt(zone, read.at) / 60);
      const count = ofHour.get(hour) ?? 0;
      if (count >= OF_AN_HOUR) continue;
      const jpeg = await images.read(read.id).catch(() => null);
      if (jpeg === null) continue;
      ofHour.set(hour, count + 1);
      chosen.push({ hour, isRead: read.status === "recognised" && read.correctedAt === null, picture: { jpeg, part } });
    }
    const measured =
      chosen.length === 0
        ? []
        : await askThread<(PlateQuality | null)[]>(
            new URL("./plate-quality-worker.ts", import.meta.url),
            chosen.map(({ picture }) => picture),
            AbortSignal.timeout(PATIENCE_MS),
          );
    const seen = measured.flatMap((quality, index): SeenQuality[] => {
      const { hour = 0, isRead = false } = chosen[index] ?? {};
      return quality === null ? [] : [{ ...quality, hour, isRead }];
    });
    return {
      plates: seen.length,
      empty: reads.filter(({ reason }) => reason === "no_plate").length,
      bursts: reads.length,
      hours: byHour(seen),
      advice: adviceFor(seen),
    };
  }
}

function byHour(seen: readonly SeenQuality[]): HourQuality[] {
  const hours = [...new Set(seen.map(({ hour }) => hour))].sort((one, other) => one - other);
  return hours.map((hour) => {
    const plates = seen.filter((plate) => plate.hour === hour);
    const middle = (value: (plate: SeenQuality) => number): number => median(plates.map(value));
    return {
      hour,
      plates: plates.length,
      read: plates.filter(({ isRead }) => isRead).length,
      letterPx: Math.round(middle(({ letterPx }) => letterPx)),
      smear: Math.round(middle(({ smearX, smearY }) => Math.max(smearX, smearY)) * 100) / 100,
      light: Math.round(middle(({ light }) => light)),
      tilt: Math.round(middle(({ tilt }) => tilt)),
      glare: Math.round((plates.filter((plate) => faultOf(plate) === "glare").length / plates.length) * 100),
    };
  });
}
