import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { analyse } from "../../core/plates/analyse.ts";
import type { Countries } from "../../core/plates/countries.ts";
import type { Decision } from "../../core/plates/decide.ts";
import type { PlateKind } from "../../core/plates/forms.ts";
import { authorOf } from "../../core/plates/masters.ts";
import type { NotToldReason, OpeningReason, OpeningResult } from "../../core/plates/opening.ts";
import type { Oddity } from "../../core/plates/presented.ts";
import type { Direction, PicturePart, Trigger, UnrecognisedReason } from "../../core/plates/reading.ts";
import { storedList } from "../../core/storage/stored-json.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { PlateImageFiles } from "./images.ts";
import { boxOf } from "./plate-crops.ts";
import { ASKED, plateOf } from "./plate-rules.ts";
import type { EncodeImage } from "./ports.ts";
import { firstCaptureOf } from "./read-rows.ts";
import type { PlateCaptureRow } from "./tables/plate-capture.ts";
import type { ReadCounts, ShownRead } from "./tables/plate-read.ts";
import type { PlateSampleRow } from "./tables/plate-sample.ts";
import type { GateTables } from "./tables.ts";
import type { VisitMatcher } from "./visit-matcher.ts";

/** A plate read (docs/spec/device-control-api.md §2) without its address; times are epoch milliseconds. */
export interface PlateReadView {
  readonly id: number;
  readonly deviceId: string;
  readonly captureId: number;
  readonly plate: string | null;
  readonly formatted: string | null;
  readonly confidence: number;
  readonly votes: number;
  readonly samples: number;
  readonly plateKind: PlateKind;
  readonly status: "recognised" | "unrecognised";
  readonly reason: UnrecognisedReason | null;
  readonly decision: Decision;
  readonly direction: Direction | null;
  readonly trigger: Trigger;
  readonly hasImage: boolean;
  readonly at: number;
  /** For the console: what the reader saw, and what stood before a person corrected it. */
  readonly seenText: string;
  readonly seenPlate: string | null;
  /** What was done at the gate; null for reads from before that was recorded. */
  readonly gate: ReadOutcome | null;
  /** Of the rule that decided, such as whose vehicle it is; empty where it has none. */
  readonly label: string;
}

/** One burst of a pass; times are epoch milliseconds. */
export type PlateCaptureView = Omit<PlateCaptureRow, "readId" | "captureKey" | "storedAt">;

/** Whether the gate was told to open for a read, and what became of it. */
interface ReadOutcome {
  /** Null where no gate was told. */
  readonly deviceId: string | null;
  readonly result: OpeningResult | "not_told";
  readonly reason: OpeningReason | NotToldReason | null;
  /** When the result became known; null while it waits, and where nothing was told. Epoch milliseconds. */
  readonly settledAt: number | null;
  /** What was odd about how the plate came. */
  readonly odd: readonly Oddity[];
}

/** How plates were read in a month, as far as persons corrected it. */
export interface AccuracyMonth extends ReadCounts {
  /** Such as 2026-11. */
  readonly month: string;
}

/** Filters of a list of reads. */
export interface ReadQuery {
  readonly deviceId?: string | undefined;
  /** As a person types it; normalised here. */
  readonly plate?: string | undefined;
  readonly decision?: Decision | undefined;
  readonly status?: "recognised" | "unrecognised" | undefined;
  readonly direction?: "in" | "out" | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
  readonly before?: ReadCursor | undefined;
}

/** Where an earlier page ended. */
export interface ReadCursor {
  readonly at: number;
  readonly id: number;
}

interface Siblings {
  readonly tables: GateTables;
  readonly images: PlateImageFiles;
  readonly visitMatcher: VisitMatcher;
  readonly access: AccessFeature;
  readonly countries: Countries;
  readonly encodeImage: EncodeImage;
}

/** Plate sightings: lists, pictures, corrections, and forgetting. */
export class PlateReads {
  readonly #base: Base;
  readonly #siblings: Siblings;
  #told: (siteId: number, plate: string) => void = () => {};
  readonly #forgetting: ((siteId: number, plate: string) => void)[] = [];

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** From now on `told` is called inside each job that forgets a plate, for other hubs that hold something of it. */
  tellForgotten(told: (siteId: number, plate: string) => void): void {
    this.#told = told;
  }

  /**
   * From now on `forget` is called inside each job that forgets a plate: with it, a feature deletes what it keeps of the
   * plate outside the gate's own tables.
   */
  forgottenBy(forget: (siteId: number, plate: string) => void): void {
    this.#forgetting.push(forget);
  }

  /** Newest first by (at, id); `next` is set when there are more. @throws Problem invalid_plate. */
  list(siteId: number, query: ReadQuery): { reads: PlateReadView[]; next: ReadCursor | null } {
    const { limit, plate, ...filter } = query;
    const wanted = plate === undefined ? undefined : plateOf(plate, this.#siblings.countries, "plate").plate;
    const rows = this.#siblings.tables.reads.list(siteId, { ...filter, plate: wanted }, limit + 1);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      reads: shown.map(viewOf),
      next: rows.length > limit && last !== undefined ? { at: last.at, id: last.id } : null,
    };
  }

  /** One read. @throws Problem plate_read_not_found. */
  get(siteId: number, id: number): PlateReadView {
    return viewOf(this.#find(siteId, id));
  }

  /** The bursts of a read's pass, the first one first. @throws Problem plate_read_not_found. */
  captures(siteId: number, id: number): PlateCaptureView[] {
    const row = this.#find(siteId, id);
    const listed = this.#siblings.tables.captures.of(id);
    return (listed.length > 0 ? listed : [firstCaptureOf(row)]).map(
      ({ readId: _read, captureKey: _key, storedAt: _stored, ...view }) => view,
    );
  }

  /** The picture of a read. @throws Problem plate_read_not_found, image_not_found (never stored, or expired). */
  async image(siteId: number, id: number): Promise<Buffer> {
    const row = this.#find(siteId, id);
    const picture = row.hasImage === 1 ? await this.#siblings.images.read(id) : null;
    if (picture === null) throw new Problem("image_not_found", "The plate read has no image, or it has expired.");
    return picture;
  }

  /** The newest picture of a camera that is kept, and when it was taken; null where none is. */
  async newestImage(siteId: number, deviceId: string): Promise<{ readonly jpeg: Buffer; readonly at: number } | null> {
    const newest = this.#siblings.tables.images.newest(siteId, deviceId);
    const jpeg = newest === null ? null : await this.#siblings.images.read(newest.readId);
    return newest === null || jpeg === null ? null : { jpeg, at: newest.at };
  }

  /**
   * Puts a misread plate right. The read keeps what was seen and what was decided; visits are paired again. Where the
   * owner wants it (`plates.keepCorrected`), the picture of the plate is kept with the right text.
   * @throws Problem plate_read_not_found, invalid_plate.
   */
  async correct(
    siteId: number,
    id: number,
    plateText: string,
    actor: string,
    askAgain = ASKED,
  ): Promise<PlateReadView> {
    const { database, clock } = this.#base;
    const { tables, visitMatcher } = this.#siblings;
    const { plate, formatted } = plateOf(plateText, this.#siblings.countries, "/plate");
    const crop = await this.#cropOf(this.#find(siteId, id));
    return database.write(() => {
      askAgain();
      const row = this.#find(siteId, id);
      const now = clock.now();
      const corrected = {
        ...row,
        plate,
        formatted,
        plateKind: analyse(plate, this.#siblings.countries).kind,
        status: "recognised" as const,
        reason: null,
        seenPlate: row.correctedAt === null ? row.plate : row.seenPlate,
        correctedAt: now,
        correctedBy: actor,
      };
      tables.reads.update(corrected);
      if (crop !== null) {
        const seen = corrected.seenPlate ?? corrected.seenText;
        tables.samples.put({ readId: id, siteId, deviceId: row.deviceId, plate, seen, at: row.at, crop }, MOST_SAMPLES);
      }
      visitMatcher.repair(siteId, row.plate === null ? [plate] : [row.plate, plate], now);
      this.#siblings.access.recordAudit({
        siteId,
        actor,
        action: "plate_read.corrected",
        target: String(id),
        detail: {},
        at: now,
      });
      return viewOf(corrected);
    });
  }

  /**
   * Deletes everything about one plate: reads, pictures, visits, rules, and what features keep of it elsewhere
   * ({@link forgottenBy}). Returns how many reads were deleted.
   * @param isToldElsewhere another hub was asked: it told the others, and the rules for all cameras are shared
   * @throws Problem invalid_plate.
   */
  async forget(siteId: number, plateText: string, actor: string, isToldElsewhere = false): Promise<number> {
    const { reserve, clock } = this.#base;
    const { tables, images, visitMatcher } = this.#siblings;
    const { plate } = plateOf(plateText, this.#siblings.countries, "/plate");
    const ids = await reserve.write(() => {
      const reads = tables.reads.idsOf(siteId, plate);
      tables.reads.remove(reads);
      tables.visits.forget(siteId, plate);
      tables.samples.forget(siteId, plate);
      for (const rule of tables.rules.of(siteId, plate))
        if (!isToldElsewhere || rule.deviceId !== null) tables.rules.remove(rule, authorOf(actor));
      if (!isToldElsewhere) this.#told(siteId, plate);
      visitMatcher.repair(siteId, [plate], clock.now());
      for (const forget of this.#forgetting) forget(siteId, plate);
      this.#siblings.access.recordAudit({
        siteId,
        actor,
        action: "plate.forgotten",
        target: "plate",
        detail: { reads: reads.length },
        at: clock.now(),
      });
      return reads;
    });
    await images.remove(ids);
    return ids.length;
  }

  /** How plates were read in the last twelve months (UTC), oldest first; months without a burst are left out. */
  accuracy(siteId: number): AccuracyMonth[] {
    const { clock } = this.#base;
    const { tables } = this.#siblings;
    const now = new Date(clock.now());
    const start = (back: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1);
    return Array.from({ length: 12 }, (_, index) => 11 - index).flatMap((back) => {
      const counts = tables.reads.accuracy(siteId, start(back), start(back - 1));
      const isEmpty = counts.read === 0 && counts.illegible === 0;
      return isEmpty ? [] : [{ month: new Date(start(back)).toISOString().slice(0, 7), ...counts }];
    });
  }

  /** Samples after a read's, in order of the reads. */
  samples(siteId: number, afterReadId: number, limit: number): PlateSampleRow[] {
    return this.#siblings.tables.samples.list(siteId, afterReadId, limit);
  }

  /** The plate of a read with a margin; null where it is not to be kept, or there is nothing to cut it from. */
  async #cropOf({ id, deviceId }: ShownRead): Promise<Buffer | null> {
    const { logger } = this.#base;
    const { tables, images } = this.#siblings;
    const box = this.#base.settings().plates.keepCorrected === "never" ? null : tables.images.box(id);
    const part = boxOf(box);
    if (part === null) return null;
    try {
      const picture = await images.read(id);
      const crop = picture === null ? null : await this.#siblings.encodeImage(picture, deviceId, withMargin(part));
      return crop === null ? null : Buffer.from(crop);
    } catch (error) {
      // the correction itself must not fail for it
      logger.warn({ readId: id, err: error }, "the picture of a corrected plate could not be kept");
      return null;
    }
  }

  #find(siteId: number, id: number): ShownRead {
    const row = this.#siblings.tables.reads.find(siteId, id);
    if (row === null) throw new Problem("plate_read_not_found", "There is no such plate read.");
    return row;
  }
}

/** Samples of a household that are kept; the oldest go. */
const MOST_SAMPLES = 2_000;
/** What is shown around a plate, as a share of its width. */
const MARGIN = 0.3;

function withMargin([x1, y1, x2, y2]: PicturePart): PicturePart {
  const margin = MARGIN * (x2 - x1);
  return [Math.max(0, x1 - margin), Math.max(0, y1 - margin), Math.min(1, x2 + margin), Math.min(1, y2 + margin)];
}

/** A read as it is shown. */
export function viewOf(row: ShownRead): PlateReadView {
  return {
    id: row.id,
    deviceId: row.deviceId,
    captureId: row.captureId,
    plate: row.plate,
    formatted: row.formatted,
    confidence: row.confidence,
    votes: row.votes,
    samples: row.samples,
    plateKind: row.plateKind,
    status: row.status,
    reason: row.reason,
    decision: row.decision,
    direction: row.direction,
    trigger: row.trigger,
    hasImage: row.hasImage === 1,
    at: row.at,
    seenText: row.seenText,
    seenPlate: row.seenPlate,
    gate: outcomeOf(row),
    label: row.label ?? "",
  };
}

function outcomeOf({ gateId, result, resultReason, settledAt, notTold, odd: stored }: ShownRead): ReadOutcome | null {
  const odd = storedList<Oddity>(stored) ?? [];
  if (result !== null) return { deviceId: gateId, result, reason: resultReason, settledAt, odd };
  return notTold === null ? null : { deviceId: null, result: "not_told", reason: notTold, settledAt: null, odd };
}
