/**
 * From a burst to a decision: reads it, finds its pass, decides by the plate rules, opens the gate, and stores read, picture,
 * visit, register and feed item in one transaction. In: bursts of frames. Out: a gate command (before anything is written),
 * rows, facts on the bus. It must not know how pictures are taken, how a recogniser works, or how a command travels.
 */
import type { Facts } from "../contract/facts.js";
import { decide, type Verdict } from "../domain/plates/decide.js";
import { directionOf } from "../domain/plates/direction.js";
import { passOf } from "../domain/plates/passes.js";
import type { Burst, BurstReading, Direction, VehicleReading } from "../domain/plates/reading.js";
import type { Bus } from "../kernel/bus.js";
import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import type { Database } from "../storage/database.js";
import type { ListedRead, PlateReadRow } from "../storage/tables/plate-read.js";
import type { Camera, CameraSettings } from "./camera-settings.js";
import type { GateFeed } from "./gate-feed.js";
import type { PlateImageFiles } from "./images.js";
import type { Pairing } from "./pairing.js";
import type { FindDevice, GateSettings } from "./ports.js";
import type { GateTables } from "./tables.js";
import { toDeciding } from "./vehicles.js";

/** A burst with what the gate must know of how it came. */
export interface Arrival {
  readonly burst: Burst;
  /** The sender's name of the capture, to know it again when it is sent twice; null where there is none. */
  readonly captureKey: string | null;
  /** False for a capture from the past (found after a restart, sent late): it is recorded, and no gate opens. */
  readonly isFresh: boolean;
}

/** What {@link Gate} needs. */
export interface GateOptions {
  readonly database: Database;
  readonly tables: GateTables;
  readonly images: PlateImageFiles;
  readonly cameras: CameraSettings;
  readonly pairing: Pairing;
  readonly feed: GateFeed;
  readonly bus: Bus<Facts>;
  readonly device: FindDevice;
  /** Reads a burst; never rejects for what is in the pictures. */
  readonly recognise: (burst: Burst) => Promise<BurstReading>;
  /** A frame as the JPEG that is kept; null when it cannot be decoded. */
  readonly encodeImage: (frame: Uint8Array) => Promise<Uint8Array | null>;
  /** Publishes a command at once and records it afterwards; a rejection is logged and told in the feed. */
  readonly sendGateCommand: (siteId: number, deviceId: string, command: string, readId: number) => Promise<unknown>;
  readonly settings: () => GateSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What was decided of one vehicle, before it is stored. */
interface Decided {
  readonly vehicle: VehicleReading;
  readonly plate: string;
  readonly formatted: string;
  readonly direction: Direction | null;
  readonly verdict: Verdict<ReturnType<typeof toDeciding>>;
  /** The pass that this read joins; null when it is a new one. */
  readonly standing: ListedRead | null;
  readonly readId: number;
}

/** The gate of every household on the hub. */
export class Gate {
  readonly #options: GateOptions;
  /** Per camera, so that passes are found in the order of their bursts. */
  readonly #lines = new Map<string, Promise<unknown>>();
  #lastReadId: number | null = null;
  #lastCaptureId: number | null = null;
  #figures = { bursts: 0, reads: 0, gateCommands: 0, lastDecisionMs: null as number | null };

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Bursts, reads and gate commands since start, and the milliseconds from the last frame's arrival to the latest decision. */
  get figures(): { readonly bursts: number; readonly reads: number; readonly gateCommands: number; readonly lastDecisionMs: number | null } {
    return this.#figures;
  }

  /** A capture id for a burst whose sender gave none. */
  nextCaptureId(): number {
    this.#lastCaptureId = (this.#lastCaptureId ?? this.#options.tables.reads.highest().captureId) + 1;
    return this.#lastCaptureId;
  }

  /** Whether this capture is stored already; a sender repeats what was not acknowledged. */
  knows(deviceId: string, captureKey: string, sinceMs: number): boolean {
    return this.#options.tables.reads.knowsCapture(deviceId, captureKey, this.#options.clock.now() - sinceMs);
  }

  /**
   * Takes one burst. Resolves with the ids of its reads once they are on disk; bursts of one camera are decided in order.
   * A burst of a device that no household has, or of a camera that is switched off, is dropped (empty list).
   * @throws Problem storage_full or unavailable when nothing can be stored; the sender keeps the burst.
   */
  take(arrival: Arrival): Promise<number[]> {
    const { deviceId } = arrival.burst;
    const camera = this.#options.cameras.find(deviceId) ?? this.#plainCamera(deviceId);
    if (camera === null || !camera.enabled) return Promise.resolve([]);
    const reading = this.#options.recognise(arrival.burst);
    const before = this.#lines.get(deviceId) ?? Promise.resolve();
    const turn = before.then(() => reading).then((read) => this.#settle(arrival, camera, read));
    const line = turn.catch(() => undefined).finally(() => this.#lines.get(deviceId) === line && this.#lines.delete(deviceId));
    this.#lines.set(deviceId, line);
    return turn;
  }

  /** A device that sends pictures without being set up as a camera counts as one without settings. */
  #plainCamera(deviceId: string): Camera | null {
    const device = this.#options.device(deviceId);
    if (device === null) return null;
    return { deviceId, siteId: device.siteId, enabled: true, direction: null, approach: null, insideGate: false, gate: null, source: { kind: "native" } };
  }

  async #settle(arrival: Arrival, camera: Camera, reading: BurstReading): Promise<number[]> {
    this.#figures.bursts += 1;
    const decided = reading.vehicles.flatMap((vehicle) => this.#decide(arrival.burst, camera, vehicle) ?? []);
    for (const one of decided) this.#openGate(arrival, camera, one);
    this.#figures.lastDecisionMs = Math.round(this.#options.clock.mono() - arrival.burst.completeMono);
    return decided.length > 0 ? this.#storeRecognised(arrival, camera, reading, decided) : this.#storeUnrecognised(arrival, camera, reading);
  }

  #decide(burst: Burst, camera: Camera, vehicle: VehicleReading): Decided | null {
    const { tables, settings } = this.#options;
    const { plate, formatted } = vehicle.analysis;
    if (plate === null || formatted === null) return null;
    const direction = directionOf(camera, burst.direction, vehicle.sightings);
    const verdict = decide(tables.rules.of(camera.siteId, plate).map(toDeciding), camera.deviceId, burst.at);
    const { passMs } = settings();
    const nearby = tables.reads.nearby(camera.siteId, camera.deviceId, burst.at - passMs, burst.at + passMs);
    const pass = passOf(
      { plate, direction, at: burst.at },
      nearby.map((row) => ({ id: row.id, plate: row.plate, direction: row.direction, at: row.at, lastAt: row.last_at })),
      passMs,
    );
    const standing = pass === null ? null : tables.reads.find(camera.siteId, pass.id);
    return { vehicle, plate, formatted, direction, verdict, standing, readId: standing?.id ?? this.#nextReadId() };
  }

  /** The command leaves before anything is written: a slow disk must not keep a car waiting. Once per pass. */
  #openGate({ isFresh }: Arrival, camera: Camera, { verdict, standing, readId, vehicle, formatted }: Decided): void {
    if (verdict.decision !== "allow" || camera.gate === null || !isFresh) return;
    if (standing?.decision === "allow" || vehicle.analysis.confidence < this.#options.settings().minConfidence) return;
    this.#figures.gateCommands += 1;
    const { deviceId, command } = camera.gate;
    this.#options.sendGateCommand(camera.siteId, deviceId, JSON.stringify(command), readId).catch((error: unknown) => {
      this.#options.logger.error({ gate: deviceId, readId, err: error }, "the gate command was not accepted");
      void this.#options.feed.gateFailed(camera, formatted, error);
    });
  }

  async #storeRecognised(arrival: Arrival, camera: Camera, reading: BurstReading, decided: readonly Decided[]): Promise<number[]> {
    const { database, tables, pairing, bus } = this.#options;
    const pictures = await this.#writePictures(arrival.burst, decided);
    const now = this.#options.clock.now();
    await this.#orRemove([...pictures.keys()], decided, () =>
      database.write(() => {
        for (const one of decided) {
          const row =
            one.standing === null ? this.#newRow(arrival, camera, one, reading.samples) : grown(one.standing, arrival.burst, one, camera, reading.samples);
          if (one.standing === null) tables.reads.insert(row);
          else tables.reads.update(row);
          const bytes = pictures.get(one.readId);
          if (bytes !== undefined) tables.images.put({ read_id: one.readId, bytes, at: row.at });
          const counts = one.verdict.rule !== null && one.standing?.rule_id !== one.verdict.rule.id;
          if (counts && one.verdict.rule !== null) tables.rules.hit(one.verdict.rule.id);
          if (one.standing === null) this.#options.feed.decided(camera, row, one.verdict.rule?.id ?? null, one.verdict.watching.length > 0);
          const fact = { siteId: camera.siteId, readId: row.id, deviceId: row.device_id, plate: row.plate, decision: row.decision, direction: row.direction };
          database.committed(() => bus.announce("read.decided", { ...fact, status: "recognised", at: row.at, firstOfPass: one.standing === null }));
        }
        pairing.repair(
          camera.siteId,
          decided.map(({ plate }) => plate),
          now,
        );
      }),
    );
    this.#figures.reads += decided.length;
    return decided.map(({ readId }) => readId);
  }

  async #storeUnrecognised(arrival: Arrival, camera: Camera, reading: BurstReading): Promise<number[]> {
    const { database, tables, bus, feed } = this.#options;
    const { burst } = arrival;
    const id = this.#nextReadId();
    const frame = burst.frames[reading.unread[0]?.best.frame ?? burst.frames.length - 1];
    const bytes = reading.reason === "provider_error" || frame === undefined ? null : await this.#writePicture(id, frame);
    const row: PlateReadRow = {
      ...this.#blankRow(arrival, camera, id),
      seen_text: reading.unread[0]?.analysis.text ?? "",
      samples: reading.samples,
      status: "unrecognised",
      reason: reading.reason ?? "no_plate",
      decision: "unknown",
      direction: directionOf({ direction: camera.direction, approach: null }, burst.direction, []),
    };
    await this.#orRemove(bytes === null ? [] : [id], [], () =>
      database.write(() => {
        tables.reads.insert(row);
        if (bytes !== null) tables.images.put({ read_id: id, bytes, at: row.at });
        feed.unrecognised(camera, row);
        const fact = { siteId: camera.siteId, readId: id, deviceId: row.device_id, plate: null, decision: row.decision, direction: row.direction };
        database.committed(() => bus.announce("read.decided", { ...fact, status: "unrecognised", at: row.at, firstOfPass: true }));
      }),
    );
    this.#figures.reads += 1;
    return [id];
  }

  /** Pictures of new passes, and of passes that are now read better; bytes by read id. */
  async #writePictures(burst: Burst, decided: readonly Decided[]): Promise<Map<number, number>> {
    const written = new Map<number, number>();
    for (const { standing, vehicle, readId } of decided) {
      if (standing !== null && standing.has_image === 1 && standing.confidence >= vehicle.analysis.confidence) continue;
      const frame = burst.frames[vehicle.best.frame];
      const bytes = frame === undefined ? null : await this.#writePicture(readId, frame);
      if (bytes !== null) written.set(readId, bytes);
    }
    return written;
  }

  /** A picture that cannot be kept is no reason to lose the read. */
  async #writePicture(readId: number, frame: Uint8Array): Promise<number | null> {
    if (this.#options.settings().imageRetentionDays === 0) return null;
    try {
      const jpeg = await this.#options.encodeImage(frame);
      if (jpeg === null) return null;
      await this.#options.images.write(readId, jpeg);
      return jpeg.length;
    } catch (error) {
      this.#options.logger.warn({ readId, err: error }, "the picture of a plate read could not be stored");
      return null;
    }
  }

  /** When the rows cannot be stored, files of new reads go again; those of standing passes keep their rows. */
  async #orRemove(written: readonly number[], decided: readonly Decided[], store: () => Promise<void>): Promise<void> {
    try {
      await store();
    } catch (error) {
      const kept = new Set(decided.filter(({ standing }) => standing?.has_image === 1).map(({ readId }) => readId));
      await this.#options.images.remove(written.filter((id) => !kept.has(id)));
      throw error;
    }
  }

  #newRow(arrival: Arrival, camera: Camera, one: Decided, samples: number): PlateReadRow {
    const { analysis, votes } = one.vehicle;
    return {
      ...this.#blankRow(arrival, camera, one.readId),
      plate: one.plate,
      formatted: one.formatted,
      seen_text: analysis.text,
      plate_kind: analysis.kind,
      confidence: analysis.confidence,
      votes,
      samples,
      status: "recognised",
      decision: one.verdict.decision,
      rule_id: one.verdict.rule?.id ?? null,
      direction: one.direction,
      opens_visit: opensVisit(one, camera),
    };
  }

  #blankRow({ burst, captureKey }: Arrival, camera: Camera, id: number): PlateReadRow {
    return {
      id,
      site_id: camera.siteId,
      device_id: camera.deviceId,
      capture_id: burst.captureId,
      capture_key: captureKey,
      plate: null,
      formatted: null,
      seen_plate: null,
      seen_text: "",
      plate_kind: "unknown",
      confidence: 0,
      votes: 0,
      samples: 0,
      status: "unrecognised",
      reason: null,
      decision: "unknown",
      rule_id: null,
      direction: null,
      opens_visit: 1,
      trigger: burst.trigger,
      at: burst.at,
      last_at: burst.at,
      stored_at: this.#options.clock.now(),
      corrected_at: null,
      corrected_by: null,
    };
  }

  /** Ids are given out before rows are written, because the gate command names its read. */
  #nextReadId(): number {
    this.#lastReadId = (this.#lastReadId ?? this.#options.tables.reads.highest().id) + 1;
    return this.#lastReadId;
  }
}

/** A denied vehicle at an entry stays outside, unless the camera stands behind the gate. */
function opensVisit(one: Pick<Decided, "verdict" | "direction">, camera: Camera): 0 | 1 {
  return one.verdict.decision === "deny" && !camera.insideGate ? 0 : 1;
}

/** A pass with one more burst: the best read stays, votes and samples add up, a direction that was not known may be known now. */
function grown({ has_image, ...row }: ListedRead, burst: Burst, one: Decided, camera: Camera, samples: number): PlateReadRow {
  const { analysis, votes } = one.vehicle;
  const isBetter = analysis.confidence > row.confidence && row.corrected_at === null;
  return {
    ...row,
    confidence: Math.max(row.confidence, analysis.confidence),
    seen_text: isBetter ? analysis.text : row.seen_text,
    votes: row.votes + votes,
    samples: row.samples + samples,
    decision: one.verdict.decision,
    rule_id: one.verdict.rule?.id ?? null,
    direction: row.direction ?? one.direction,
    opens_visit: opensVisit(one, camera),
    at: Math.min(row.at, burst.at),
    last_at: Math.max(row.last_at, burst.at),
  };
}
