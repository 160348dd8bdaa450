/**
 * Records the passes of a simulated household's made-up past as they would stand if its cameras had seen them: reads,
 * pictures, visits, openings and feed items. Nothing acts on them: no gate, no webhook, no rule. In: bursts with their
 * readings, oldest first. Out: picture files, then rows inside a job of the caller's.
 */
import type { Base } from "../../core/base.ts";
import { decide, isListed } from "../../core/plates/decide.ts";
import { directionOf } from "../../core/plates/direction.ts";
import { OPENS_NEVER } from "../../core/plates/freshness.ts";
import { whyNotTold } from "../../core/plates/opening.ts";
import type { Burst, BurstReading, VehicleReading } from "../../core/plates/reading.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { ActingCamera, CameraSettings } from "./camera-settings.ts";
import type { Gate } from "./gate.ts";
import type { GateFeed } from "./gate-feed.ts";
import type { PlateImageFiles } from "./images.ts";
import { blankRow, type RowSource, rowOf } from "./read-rows.ts";
import { boxOf } from "./read-writer.ts";
import type { PlateReadRow } from "./tables/plate-read.ts";
import type { GateTables } from "./tables.ts";
import { toDeciding } from "./vehicles.ts";
import type { VisitMatcher } from "./visit-matcher.ts";

/** A pass of the past. */
export interface PastSighting {
  /** Its frame, if it has one, is a JPEG as it is kept. */
  readonly burst: Omit<Burst, "captureId">;
  readonly reading: BurstReading;
  /** The gate that opened for it if a rule lets it in, and when (epoch ms). */
  readonly opening: { readonly deviceId: string; readonly at: number; readonly settledAt: number };
}

/** A pass whose picture is on disk. */
interface PreparedPass extends PastSighting {
  readonly readId: number;
  /** Of its picture; null: it has none. */
  readonly bytes: number | null;
}

interface Siblings {
  readonly tables: GateTables;
  readonly images: PlateImageFiles;
  readonly cameras: Pick<CameraSettings, "acting">;
  readonly gate: Pick<Gate, "nextReadId" | "nextCaptureId">;
  readonly feed: GateFeed;
  readonly visitMatcher: VisitMatcher;
  readonly access: AccessFeature;
}

/** The made-up past of gates. */
export class PastPasses {
  readonly #base: Base;
  readonly #siblings: Siblings;

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** Writes the pictures of passes, newest first; {@link record} or {@link discard} has to follow. */
  async prepare(passes: readonly PastSighting[]): Promise<readonly PreparedPass[]> {
    const { images, gate } = this.#siblings;
    const keepsPictures = this.#base.settings().plates.imageRetentionDays > 0;
    const prepared = passes.map((pass): PreparedPass => {
      const [frame] = keepsPictures ? pass.burst.frames : [];
      return { ...pass, readId: gate.nextReadId(), bytes: frame?.length ?? null };
    });
    const pictured = prepared.filter(({ bytes }) => bytes !== null).reverse();
    const written = await Promise.allSettled(
      pictured.map(({ readId, burst: { frames } }) => images.write(readId, frames[0] ?? NOTHING)),
    );
    const failed = written.find((result) => result.status === "rejected");
    if (failed === undefined) return prepared;
    await this.discard(prepared);
    throw failed.reason;
  }

  /** Removes the pictures of passes that were not recorded. */
  async discard(passes: readonly PreparedPass[]): Promise<void> {
    await this.#siblings.images.remove(passes.filter(({ bytes }) => bytes !== null).map(({ readId }) => readId));
  }

  /** Inside a job: stores prepared passes of one camera. */
  record(deviceId: string, passes: readonly PreparedPass[]): void {
    const { database, bus, clock } = this.#base;
    const camera = this.#siblings.cameras.acting(deviceId);
    if (camera === null) return;
    const rows = passes.map((pass) => this.#record(camera, pass));
    const plates = rows.flatMap(({ plate }) => plate ?? []);
    this.#siblings.visitMatcher.repair(camera.siteId, plates, clock.now(), () => false, "last");
    const last = rows.at(-1);
    if (last === undefined) return;
    const { siteId, id: readId, plate, decision, direction, status, at } = last;
    const fact = { siteId, readId, deviceId, plate, decision, direction, status, at };
    // nothing acts on what only belongs to a pass that is known
    database.committed(() =>
      bus.announce("read.decided", { ...fact, firstOfPass: false, besideDenied: false, late: true }),
    );
  }

  #record(camera: ActingCamera, pass: PreparedPass): PlateReadRow {
    const { tables, feed, gate } = this.#siblings;
    const { burst, reading, readId, bytes } = pass;
    const arrival = {
      burst: { ...burst, captureId: gate.nextCaptureId() },
      captureKey: null,
      opensUntilMono: OPENS_NEVER,
      reading,
    };
    const source = { arrival, camera, samples: reading.samples, now: this.#base.clock.now() };
    const [vehicle] = reading.vehicles;
    const row = vehicle === undefined ? unread(pass, source) : this.#recordCar(vehicle, pass, source);
    if (vehicle === undefined) {
      tables.reads.insert(row);
      feed.unrecognised(camera, row);
    }
    if (bytes !== null)
      tables.images.put({ readId, bytes, at: row.at, box: vehicle === undefined ? null : boxOf(vehicle) });
    return row;
  }

  #recordCar(vehicle: VehicleReading, { readId, burst, opening }: PreparedPass, source: RowSource): PlateReadRow {
    const { tables, feed, access } = this.#siblings;
    const { clock, settings } = this.#base;
    const { camera } = source;
    const { siteId, deviceId } = camera;
    const { plate, formatted, confidence } = vehicle.analysis;
    if (plate === null || formatted === null) throw new Error("a car of the past has a plate");
    const rules = tables.rules.deciding({ siteId, plate, at: clock.certain() }).map(toDeciding);
    const { timeZone } = access.accounts.site(siteId);
    const verdict = decide(rules, deviceId, { at: clock.now(), timeZone });
    const { decision, rule, watching } = verdict;
    const notTold = whyNotTold({
      decision,
      isListed: isListed(rules, deviceId),
      isBesideDenied: false,
      isRepeated: false,
      isFresh: true, // it was then
      isSure: confidence >= settings().gate.minConfidence,
      hasGate: camera.gate !== null,
      earns: "open",
    });
    const direction = directionOf(camera, burst.direction, vehicle.sightings);
    const decided = { vehicle, plate, formatted, direction, verdict, standing: null, readId, isBesideDenied: false };
    const row = rowOf({ ...decided, notTold }, null, source);
    tables.reads.insert(row);
    if (rule !== null) tables.rules.hit(rule.id);
    feed.decided(camera, row, { ruleId: rule?.id ?? null, isWatched: watching.length > 0, meant: null });
    if (notTold === null) {
      const label = rule === null ? "" : (tables.rules.find(siteId, rule.id)?.label ?? "");
      const by = { byKind: "plate", byName: label || formatted } as const;
      tables.openings.put({ ...opening, ...by, siteId, readId, result: "opened", reason: null });
    }
    return row;
  }
}

/** Nothing readable: mud, glare, a cat. */
function unread({ readId, burst, reading }: PreparedPass, source: RowSource): PlateReadRow {
  const { direction } = source.camera;
  return {
    ...blankRow(readId, source),
    reason: reading.reason ?? "no_plate",
    direction: directionOf({ direction, approach: null }, burst.direction, []),
  };
}

const NOTHING = new Uint8Array(0);
