import type { Facts } from "../../core/api/facts.ts";
import type { Base } from "../../core/base.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { directionOf } from "../../core/plates/direction.ts";
import { kept } from "../../core/plates/kept.ts";
import type { Burst, BurstReading, VehicleReading } from "../../core/plates/reading.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { ActingCamera } from "./camera-settings.ts";
import type { GateFeed } from "./gate-feed.ts";
import type { PlateImageFiles } from "./images.ts";
import type { Openings } from "./openings.ts";
import type { EncodeImage } from "./ports.ts";
import type { PresentedPlates } from "./presented-plates.ts";
import {
  type Arrival,
  blankRow,
  captureOf,
  type Decided,
  firstCaptureOf,
  type GateStood,
  gateColumns,
  type RowSource,
  rowOf,
} from "./read-rows.ts";
import type { PlateReadRow } from "./tables/plate-read.ts";
import type { GateTables } from "./tables.ts";
import type { VisitMatcher } from "./visit-matcher.ts";

/** One burst that is decided, on its way to the disk. */
export interface DecidedBurst {
  readonly arrival: Arrival;
  readonly camera: ActingCamera;
  readonly reading: BurstReading;
  readonly vehicles: readonly Decided[];
  /** How the gate stood; undefined: nobody knows. */
  readonly stood: GateStood | undefined;
}

/** What a {@link ReadWriter} works with. */
export interface Siblings {
  readonly tables: GateTables;
  readonly images: PlateImageFiles;
  readonly visitMatcher: VisitMatcher;
  readonly feed: GateFeed;
  readonly outbox: Outbox;
  readonly openings: Openings;
  readonly presented: PresentedPlates;
  readonly encodeImage: EncodeImage;
}

/** Stores what was decided: pictures first, then read, visit, register and feed item of a burst in one transaction. */
export class ReadWriter {
  readonly #base: Base;
  readonly #siblings: Siblings;

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** Stores the vehicles of a burst. @throws Problem storage_full or unavailable; nothing of it is stored then. */
  async vehicles({ arrival, camera, reading, vehicles }: DecidedBurst): Promise<void> {
    const { database, clock } = this.#base;
    const { tables, visitMatcher } = this.#siblings;
    const pictures = await this.#writePictures(arrival.burst, vehicles);
    const source = { arrival, camera, samples: reading.samples, now: clock.now() };
    await this.#orRemove([...pictures.keys()], vehicles, () =>
      database.write(() => {
        for (const one of vehicles) {
          const standing = one.standing === null ? null : tables.reads.find(camera.siteId, one.readId);
          if (one.standing !== null && standing === null)
            throw new Problem("unavailable", { code: "unavailable.passNotStored" });
          const row = rowOf(one, standing, source);
          if (standing === null) tables.reads.insert(row);
          else this.#join(one, standing, row, source);
          this.#storeBeside(one, row, { arrival, camera }, pictures.get(one.readId));
          this.#siblings.presented.store(row.id, camera, one.vehicle);
          this.#siblings.openings.readStored(row.id);
        }
        visitMatcher.repair(
          camera.siteId,
          vehicles.map(({ plate }) => plate),
          source.now,
          // the count opens no more than the reads themselves
          () => isInTime(arrival, clock) && vehicles.every((one) => !one.isBesideDenied && !isPresented(one)),
        );
      }),
    );
  }

  /** One more burst of a pass: both are listed beside the row, which holds the better one. */
  #join(one: Decided, standing: PlateReadRow, row: PlateReadRow, source: RowSource): void {
    const { reads, captures } = this.#siblings.tables;
    if (captures.of(row.id).length === 0) captures.add(firstCaptureOf(standing));
    captures.add(captureOf(one, source));
    reads.update(row);
  }

  /** What goes with a row, in the same transaction. */
  #storeBeside(
    one: Decided,
    row: PlateReadRow,
    { arrival, camera }: Pick<RowSource, "arrival" | "camera">,
    bytes: number | undefined,
  ): void {
    const { tables, feed } = this.#siblings;
    const { rule, watching } = one.verdict;
    if (bytes !== undefined) tables.images.put({ readId: one.readId, bytes, at: row.at, box: boxOf(one.vehicle) });
    if (rule !== null && one.standing?.ruleId !== rule.id) tables.rules.hit(rule.id);
    // a pass that is decided otherwise by a later burst (a better read, a rule made meanwhile) is told again
    if (one.standing === null || one.standing.decision !== row.decision)
      feed.decided(camera, row, { ruleId: rule?.id ?? null, isWatched: watching.length > 0, meant: one.meant ?? null });
    if (one.standing === null) this.#report(camera, row);
    const fact = {
      siteId: camera.siteId,
      readId: row.id,
      deviceId: row.deviceId,
      plate: row.plate,
      decision: row.decision,
      direction: row.direction,
      besideDenied: one.isBesideDenied,
    };
    this.#announce(
      arrival,
      { ...fact, status: "recognised", at: row.at, firstOfPass: one.standing === null },
      isPresented(one),
    );
  }

  /**
   * Announces a read once it is committed. A rule that opens something for it is bound to the same age as the gate, and
   * opens nothing for a plate that seems to be presented.
   */
  #announce(arrival: Arrival, fact: Omit<Facts["read.decided"], "late">, isShown = false): void {
    const { database, bus, clock } = this.#base;
    database.committed(() => bus.announce("read.decided", { ...fact, late: isShown || !isInTime(arrival, clock) }));
  }

  /** Stores a burst that showed no plate. @throws as {@link vehicles}. */
  async unrecognised(id: number, { arrival, camera, reading, stood }: DecidedBurst): Promise<void> {
    const { database, clock } = this.#base;
    const { tables, feed } = this.#siblings;
    const { burst } = arrival;
    const [seen] = kept({ vehicles: [], unread: reading.unread });
    const frame = burst.frames[seen?.best.frame ?? burst.frames.length - 1];
    const bytes =
      reading.reason === "provider_error" || frame === undefined
        ? null
        : await this.#writePicture(id, frame, burst.deviceId);
    const row: PlateReadRow = {
      ...blankRow(id, { arrival, camera, samples: reading.samples, now: clock.now() }),
      seenText: seen?.analysis.text ?? "",
      reason: reading.reason ?? "no_plate",
      direction: directionOf({ direction: camera.direction, approach: null }, burst.direction, []),
      ...gateColumns(stood),
    };
    await this.#orRemove(bytes === null ? [] : [id], [], () =>
      database.write(() => {
        tables.reads.insert(row);
        if (bytes !== null)
          tables.images.put({ readId: id, bytes, at: row.at, box: seen === undefined ? null : boxOf(seen) });
        feed.unrecognised(camera, row);
        this.#report(camera, row);
        const fact = {
          siteId: camera.siteId,
          readId: id,
          deviceId: row.deviceId,
          plate: null,
          decision: row.decision,
          direction: row.direction,
        };
        this.#announce(arrival, {
          ...fact,
          status: "unrecognised",
          at: row.at,
          firstOfPass: true,
          besideDenied: false,
        });
      }),
    );
  }

  #report({ siteId }: ActingCamera, row: PlateReadRow): void {
    const { id: readId, deviceId, plate, formatted, confidence, decision, direction, status, at } = row;
    this.#siblings.outbox.enqueue({
      siteId,
      event: "plate.read",
      deviceId,
      data: { readId, plate, formatted, confidence, decision, direction, status },
      plates: plate === null ? [] : [plate],
      at,
    });
  }

  /** Pictures of new passes, and of passes that are now read better; bytes by read id. */
  async #writePictures(burst: Burst, decided: readonly Decided[]): Promise<Map<number, number>> {
    const written = new Map<number, number>();
    for (const { standing, vehicle, readId } of decided) {
      if (standing !== null && standing.hasImage === 1 && standing.confidence >= vehicle.analysis.confidence) continue;
      const frame = burst.frames[vehicle.best.frame];
      const bytes = frame === undefined ? null : await this.#writePicture(readId, frame, burst.deviceId);
      if (bytes !== null) written.set(readId, bytes);
    }
    return written;
  }

  /** A picture that cannot be kept is no reason to lose the read. */
  async #writePicture(readId: number, frame: Uint8Array, deviceId: string): Promise<number | null> {
    if (this.#base.settings().plates.imageRetentionDays === 0) return null;
    try {
      const jpeg = await this.#siblings.encodeImage(frame, deviceId);
      if (jpeg === null) return null;
      await this.#siblings.images.write(readId, jpeg);
      return jpeg.length;
    } catch (error) {
      this.#base.logger.warn({ readId, err: error }, "the picture of a plate read could not be stored");
      return null;
    }
  }

  /** When the rows cannot be stored, files of new reads go again; those of standing passes keep their rows. */
  async #orRemove(written: readonly number[], decided: readonly Decided[], store: () => Promise<void>): Promise<void> {
    try {
      await store();
    } catch (error) {
      const kept = new Set(decided.filter(({ standing }) => standing?.hasImage === 1).map(({ readId }) => readId));
      await this.#siblings.images.remove(written.filter((id) => !kept.has(id)));
      throw error;
    }
  }
}

/** Where the plate is in its frame, as shares of width and height. */
export function boxOf({ best: { box, frameSize } }: VehicleReading): string {
  const shares = box.map((value, index) => Math.min(1, Math.max(0, value / (frameSize[index % 2] ?? 1))));
  return JSON.stringify(shares.map((share) => Math.round(share * 10_000) / 10_000));
}

/** Whether what a burst shows may still open something. */
function isInTime({ opensUntilMono }: Arrival, clock: Pick<Clock, "mono">): boolean {
  return clock.mono() <= opensUntilMono;
}

/** Whether a plate seems to be shown to the camera, and not to come on a vehicle. */
function isPresented({ odd = [] }: Decided): boolean {
  return odd.length > 0;
}
