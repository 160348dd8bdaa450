/**
 * Whether a listed plate is presented to a camera, or comes on a vehicle. In: readings before they are decided, and
 * what was accepted. Out: what is odd about a plate. Keeps what each camera has learned of its lane, and small pictures
 * of the frames in which listed plates were seen. It must not know what follows: the gate decides.
 */
import type { Base } from "../../core/base.ts";
import { type LanePass, LEARNED_AFTER, MOST_LANE_PASSES, offLane, spotsOf } from "../../core/plates/lane.ts";
import { evidenceOf, type Oddity, odditiesOf, shownOf } from "../../core/plates/presented.ts";
import type { BurstReading, Sighting, VehicleReading } from "../../core/plates/reading.ts";
import { type Glance, type GlancePlate, isRepeatedBy, nearness, placeOf } from "../../core/plates/repeats.ts";
import { measuresOf, standsStill, trackOf } from "../../core/plates/track.ts";
import { isOtherVehicle, type Look } from "../../core/plates/vehicle-look.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import type { PresentedAnswer, PresentedTask } from "../recognition/presented-task.ts";
import type { ActingCamera } from "./camera-settings.ts";
import type { ShownPlace } from "./tables/shown-glance.ts";
import type { GateTables } from "./tables.ts";

/** A frame that was shown, as far as it matters whether another repeats it. */
interface Shown extends Glance {
  readonly readId: number;
  readonly deviceId: string;
  /** When it was shown, monotonic; null: before the hub started, or many frames ago. */
  readonly mono: number | null;
}

/** What the pixels of a plate in one burst say. */
export interface LookedAt {
  /** See {@link PresentedAnswer}. */
  readonly network: number | null;
  readonly look: Look | null;
  /** For every frame that was compared, the frames that it repeats. */
  readonly repeats: readonly (readonly Shown[])[];
  /** False: it should have been looked at, and could not be. */
  readonly isComplete: boolean;
}

interface Pictures {
  /** Looks at all plates of a burst within one limit of time; answers in their order, none if it could not. */
  lookAt(tasks: readonly PresentedTask[], deviceId: string): Promise<readonly PresentedAnswer[]>;
}

/** A pass that was let in. */
export interface AcceptedPass {
  readonly readId: number;
  readonly plate: string;
  readonly vehicle: VehicleReading;
  /** See {@link LookedAt}; absent where it was not looked at. */
  readonly look?: Look | null | undefined;
}

/** Frames of a burst that are compared with earlier ones, and the earlier ones that each is compared with. */
const MOST_COMPARED = { frames: 4, before: 6, ofRead: 2 } as const;
/** Frames that are kept: of one read, and of a camera. */
const KEPT = { each: 24, most: 2_000 } as const;
/** Reads whose frames are in memory: what is not written yet is among them. */
const MOST_RECENT = 60;

/** What is known of listed plates and how they come. */
export class PresentedPlates {
  readonly #base: Base;
  readonly #tables: GateTables;
  readonly #pictures: Pictures;
  /** Every pass that is let in asks, so it is kept in memory. */
  readonly #lanes = new Map<string, readonly LanePass[]>();
  readonly #recent = new Map<number, { readonly siteId: number; readonly plate: string; readonly shown: Shown[] }>();

  constructor(base: Base, tables: GateTables, pictures: Pictures) {
    this.#base = base;
    this.#tables = tables;
    this.#pictures = pictures;
  }

  /** Whether any camera of the household asks or refuses, so that frames have to be remembered. */
  #isWanted(siteId: number): boolean {
    return this.#tables.cameras.areLookedAt(siteId);
  }

  /** Whether a rule lets this plate in at a camera, at some time. */
  #isAllowed(siteId: number, plate: string): boolean {
    return this.#tables.rules.of(siteId, plate).some(({ kind }) => kind === "allow");
  }

  /** How many accepted passes a camera has learned from, of how many it needs. */
  learned(deviceId: string): { readonly passes: number; readonly of: number } {
    return { passes: this.#lane(deviceId).length, of: LEARNED_AFTER };
  }

  /**
   * Looks at the listed plates of a burst, off the event loop: whether its frames repeat earlier ones, wherever frames
   * are remembered (a rule of the household's may open a gate that this camera does not), and what is around the plate,
   * where the camera asks or refuses. By plate; those that need not be looked at are absent.
   */
  async lookAt(camera: ActingCamera, { vehicles }: BurstReading): Promise<ReadonlyMap<string, LookedAt>> {
    const { siteId, deviceId } = camera;
    if (!this.#isWanted(siteId)) return new Map();
    const looks = new Map<string, Task>();
    for (const { analysis, sightings } of vehicles) {
      const { plate } = analysis;
      const kept = sightings.filter(({ pixels }) => pixels !== undefined);
      if (plate === null || kept.length === 0 || looks.has(plate) || !this.#isAllowed(siteId, plate)) continue;
      looks.set(plate, this.#lookFor(camera, plate, kept));
    }
    if (looks.size === 0) return new Map();
    const answers = await this.#pictures.lookAt(
      [...looks.values()].map(({ task }) => task),
      deviceId,
    );
    return new Map([...looks].map(([plate, look], at) => [plate, lookedAt(look, answers[at])]));
  }

  #lookFor({ siteId, gate, presented }: ActingCamera, plate: string, kept: readonly Sighting[]): Task {
    const showsAround = presented !== "open" && gate !== null;
    const largest = showsAround ? shownOf(kept) : [];
    const remembered = this.#remembered(siteId, plate);
    const compared = spread(kept, MOST_COMPARED.frames).map((sighting) => {
      const now = glanceOf(sighting);
      return { now, before: this.#nearest(remembered, now) };
    });
    const task = {
      around: largest.flatMap(({ pixels }) => pixels?.around ?? []),
      glances: compared.map(({ now, before }) => ({ now, before: before.map(plainly) })),
    };
    return { task, before: compared.map(({ before }) => before) };
  }

  /**
   * Whether the frames of a plate repeat earlier ones.
   * @param since when its pass began, monotonic: what was shown in the pass itself is no repetition
   */
  isRepeated({ deviceId }: ActingCamera, looked: LookedAt | undefined, since: number): boolean {
    const isOwn = (shown: Shown): boolean => shown.deviceId === deviceId && shown.mono !== null && shown.mono >= since;
    const repeats = looked?.repeats ?? [];
    return isRepeatedBy(repeats.filter((found) => found.some((shown) => !isOwn(shown))).length, repeats.length);
  }

  /**
   * What is odd about a vehicle that may come in, at a camera that asks or refuses.
   * @param since when its pass began, monotonic
   * @param hasCome an earlier burst of its pass showed it coming as a vehicle does
   */
  oddities(
    camera: ActingCamera,
    { analysis, sightings }: VehicleReading,
    looked: LookedAt | undefined,
    { since, hasCome }: { readonly since: number; readonly hasCome: boolean },
  ): readonly Oddity[] {
    const { deviceId } = camera;
    if (looked?.isComplete === false) return ["unchecked"];
    const isRepeated = this.isRepeated(camera, looked, since);
    const accepted = this.#lane(deviceId);
    if (!isRepeated && accepted.length < LEARNED_AFTER) return [];
    const evidence = evidenceOf(sightings, accepted, { isRepeated, network: looked?.network ?? null });
    const odd = odditiesOf(evidence, accepted, hasCome);
    return this.#isOtherVehicle(deviceId, analysis.plate, looked?.look ?? null) ? [...odd, "other_vehicle"] : odd;
  }

  /** Whether a plate comes on another vehicle than at its earlier passes at this camera. */
  #isOtherVehicle(deviceId: string, plate: string | null, look: Look | null): boolean {
    if (plate === null || look === null) return false;
    const earlier = this.#lane(deviceId).filter((pass) => pass.plate === plate);
    return isOtherVehicle(
      look,
      earlier.flatMap((pass) => pass.look ?? []),
    );
  }

  /** Whether a burst shows a vehicle moving. */
  moves({ sightings }: VehicleReading): boolean {
    return !standsStill(trackOf(sightings));
  }

  /**
   * Learns from a pass that was let in: where plates stand here, how large, whether they move, and how the vehicle of
   * this plate looks.
   */
  accepted({ deviceId }: ActingCamera, { readId, plate, vehicle: { sightings }, look = null }: AcceptedPass): void {
    const { database, logger } = this.#base;
    const { lanes } = this.#tables;
    const spots = spotsOf(sightings);
    const known = this.#lane(deviceId);
    const pass: LanePass = { spots, stood: standsStill(trackOf(sightings)), off: offLane(spots, known) };
    this.#lanes.set(deviceId, [...known, { ...pass, plate, look }].slice(-MOST_LANE_PASSES));
    const looked = look === null ? {} : { readId, look: Buffer.from(look).toString("base64") };
    database
      .writeIfPossible(() => lanes.note(deviceId, JSON.stringify({ ...pass, ...looked }), MOST_LANE_PASSES))
      .catch((error: unknown) => logger.warn({ deviceId, err: error }, "a pass could not be learned from"));
  }

  /** Reads a camera's lane anew: what was learned is gone if its pictures come from elsewhere. */
  refresh({ deviceId }: { readonly deviceId: string }): void {
    this.#lanes.delete(deviceId);
  }

  /** Remembers the frames of a listed plate; {@link store} keeps them. */
  remember(readId: number, { siteId, deviceId }: ActingCamera, { analysis, sightings }: VehicleReading): void {
    const { clock } = this.#base;
    const { plate } = analysis;
    if (plate === null || !sightings.some(({ pixels }) => pixels !== undefined)) return;
    if (!this.#isWanted(siteId) || !this.#isAllowed(siteId, plate)) return;
    const mono = clock.mono();
    const shown = sightings
      .filter(({ pixels }) => pixels !== undefined)
      .map((sighting) => ({ ...glanceOf(sighting), readId, deviceId, mono }));
    const standing = this.#recent.get(readId)?.shown ?? [];
    this.#recent.delete(readId);
    this.#recent.set(readId, { siteId, plate, shown: [...standing, ...shown].slice(0, KEPT.each) });
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MOST_RECENT && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** Keeps what was remembered of a burst, once its read has its row. Inside a write job. */
  store(readId: number, { deviceId }: ActingCamera, { sightings }: VehicleReading): void {
    if (!this.#recent.has(readId)) return;
    const rows = sightings.flatMap((sighting) => {
      if (sighting.pixels === undefined) return [];
      const { x, y, width, pixels } = glanceOf(sighting);
      return [{ readId, deviceId, x, y, width, pixels: Buffer.from(pixels) }];
    });
    this.#tables.glances.note(readId, rows, KEPT);
  }

  /** Frames that are remembered of a plate; those on disk by their places, their pixels are read once they are needed. */
  #remembered(siteId: number, plate: string): readonly (Shown | ShownPlace)[] {
    const recent = [...this.#recent].filter(([, one]) => one.siteId === siteId && one.plate === plate);
    const inMemory = new Set(recent.map(([readId]) => readId));
    const stored = this.#tables.glances.places(siteId, plate).filter(({ readId }) => !inMemory.has(readId));
    return [...recent.flatMap(([, { shown }]) => shown), ...stored];
  }

  /** Those that a new frame may repeat: where the plate stood nearest, however long ago. */
  #nearest(remembered: readonly (Shown | ShownPlace)[], now: GlancePlate): Shown[] {
    const near = remembered
      .map((shown) => ({ shown, far: nearness(now, shown) }))
      .filter(({ far }) => far <= 1)
      .sort((a, b) => a.far - b.far)
      .map(({ shown }) => shown);
    const ofRead = new Map<number, number>(); // one vehicle that stood long must not crowd out the others
    return near
      .filter(({ readId }) => {
        const taken = (ofRead.get(readId) ?? 0) + 1;
        ofRead.set(readId, taken);
        return taken <= MOST_COMPARED.ofRead;
      })
      .slice(0, MOST_COMPARED.before)
      .map((shown) =>
        "pixels" in shown ? shown : { ...shown, mono: null, pixels: this.#tables.glances.pixelsOf(shown.id) },
      )
      .filter(({ pixels }) => pixels.length > 0);
  }

  #lane(deviceId: string): readonly LanePass[] {
    const known = this.#lanes.get(deviceId);
    if (known !== undefined) return known;
    const lane = this.#tables.lanes.of(deviceId).flatMap(({ pass: stored, plate }): LanePass[] => {
      const pass = storedJson<(Omit<LanePass, "look"> & { readonly look?: string }) | null>(stored, null); // written by accepted()
      if (!Array.isArray(pass?.spots)) return [];
      const look = pass.look === undefined ? null : new Int8Array(Buffer.from(pass.look, "base64"));
      return [{ ...pass, plate, look }];
    });
    this.#lanes.set(deviceId, lane);
    return lane;
  }
}

/** What is to be looked at of a plate, and the frames that each of its frames is compared with. */
interface Task {
  readonly task: PresentedTask;
  readonly before: readonly (readonly Shown[])[];
}

function lookedAt({ before }: Task, answer: PresentedAnswer | undefined): LookedAt {
  if (answer === undefined) return { network: null, look: null, repeats: [], isComplete: false };
  const repeats = answer.repeats.map((found, frame) => found.flatMap((at) => before[frame]?.[at] ?? []));
  const { network, look } = answer;
  return { network, look, repeats, isComplete: repeats.length === before.length };
}

function glanceOf({ corners, frameSize, pixels }: Sighting): Glance {
  return { ...placeOf(measuresOf(corners), frameSize), pixels: pixels?.glance ?? NOTHING };
}

const NOTHING = new Uint8Array(0);

/** Without what the recogniser need not know. */
function plainly({ x, y, width, pixels }: Shown): Glance {
  return { x, y, width, pixels };
}

/** At most `most` of some, the first and the last among them. */
function spread<One>(some: readonly One[], most: number): One[] {
  if (some.length <= most) return [...some];
  return Array.from({ length: most }, (_, i) => some[Math.round((i * (some.length - 1)) / (most - 1))]).filter(
    (one) => one !== undefined,
  );
}
