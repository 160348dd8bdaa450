import { freeBytes } from "../../core/kernel/free-bytes.ts";
import { type WeighedView, weighed } from "../../core/plates/agree.ts";
import type { Countries } from "../../core/plates/countries.ts";
import { withoutPartialReads } from "../../core/plates/partial-reads.ts";
import { isCertainAtOnce, isWorthAnotherLook, type Judgement, judgeWeighed } from "../../core/plates/read.ts";
import type { Sighting } from "../../core/plates/reading.ts";
import { isRepeat } from "../../core/plates/repeats.ts";
import { type Candidate, overlap, suppressed } from "./candidates.ts";
import { CloseLook, MOST_LOOKS } from "./close-look.ts";
import type { ModelFiles } from "./models.ts";
import { Networks, type Work } from "./networks.ts";
import { Picture } from "./picture.ts";
import type { PresentedAnswer, PresentedTask } from "./presented-task.ts";
import { plateWidth } from "./rectify.ts";
import {
  hidesPlates,
  isPlate,
  LARGER,
  MAX_PLATES,
  searchCoarse,
  searchLarger,
  searchTiles,
  searchWhole,
} from "./search.ts";
import { glanceOf } from "./surroundings.ts";
import type { OrtLibrary, View } from "./view.ts";

/** One plate of a frame before frames are numbered. */
export type FrameSighting = Omit<Sighting, "frame">;

/** The result of one frame, and where the time went. */
export interface FrameReading {
  readonly sightings: readonly FrameSighting[];
  readonly timings: FrameTimings;
  /** What the networks had to do for it: a fair measure even on a busy machine. */
  readonly work: Work;
}

/** Milliseconds per step. */
export interface FrameTimings {
  readonly decodeMs: number;
  readonly detectMs: number;
  readonly readMs: number;
  readonly totalMs: number;
}

/** How hard to look. */
export interface LookOptions {
  /**
   * Search the frame in tiles when no plate is recognised in the whole of it, or when it is so large that legible
   * plates are too small to be detected in it.
   */
  readonly tiles: boolean;
  /** Look again at doubtful plates more than once. */
  readonly again: boolean;
  /**
   * Look at every plate in as many ways as there are, whatever is known about it: for measuring what a further look
   * gives.
   */
  readonly always?: boolean;
  /** Keep the pixels by which a presented plate is known. */
  readonly keepPixels?: boolean;
}

/**
 * A plate narrower than this in the detector's input is detected again in a close-up before it is read: its corners are
 * too coarse to rectify.
 */
const CLOSE_UP_BELOW = 44;
/** Close-ups of that kind per frame. */
const MAX_CLOSE_UPS = 2;
/** Shorter texts are not plates and not worth another look. */
const LEAST_TEXT = 4;
/** Fewer characters are at most a part of a plate; another look may show the whole. */
const SHORTEST_PLATE = 6;
/** From this score on there is a plate, whatever the reader says; below it, a sign or a grille may look like one. */
const SURE = 0.85;
/** From this score on a plate is worth another look, even if the reader makes nothing of it. */
const LIKELY = 0.6;
/** A chance from which on the reader sees something in a box. */
const FAINTLY = 0.1;
/** Plates of a frame that are looked at again. */
const MAX_AGAIN = 2;

/**
 * Reads the plates of single frames: decode → detect → rectify → read → (look again if doubtful: with the second
 * reader, from closer by); what is not found is searched for at other scales. Buffers are reused
 * from frame to frame, so one reader must not run two frames at a time.
 */
export class FrameReader {
  readonly #networks: Networks;
  readonly #countries: Countries;

  private constructor(networks: Networks, countries: Countries) {
    this.#networks = networks;
    this.#countries = countries;
  }

  /** Loads both networks. @throws when a file is not a usable network */
  static async load(ort: OrtLibrary, models: ModelFiles, threads: number, countries: Countries): Promise<FrameReader> {
    return new FrameReader(await Networks.load(ort, models, threads), countries);
  }

  /** Digest of the loaded networks. */
  get version(): string {
    return this.#networks.facts.version;
  }

  /** Frees the networks. */
  async release(): Promise<void> {
    await this.#networks.release();
  }

  /** Reads one frame. @throws BadPicture when it cannot be decoded. */
  async read(jpeg: Uint8Array, look: LookOptions): Promise<FrameReading> {
    const started = performance.now();
    this.#networks.takeWork();
    const picture = await Picture.open(jpeg);
    try {
      return await this.#readFrom(picture, look, started);
    } finally {
      picture.close();
    }
  }

  async #readFrom(picture: Picture, look: LookOptions, started: number): Promise<FrameReading> {
    const whole = await searchWhole(this.#networks, picture);
    let plates = await this.#readAll(picture, whole.candidates, whole.scale, look);
    const readFurther = async (found: readonly Candidate[], scale: number): Promise<void> => {
      const more = found.filter(({ box }) =>
        plates.every(({ candidate }) => overlap(candidate.box, box) <= SAME_PLACE),
      );
      plates = [...plates, ...(await this.#readAll(picture, more, scale, look))];
    };
    if (look.tiles && plates.every(isUnread)) await readFurther(await searchCoarse(this.#networks, whole), 1);
    plates = await this.#readLarger(plates, whole.scale * LARGER, look);
    if (look.tiles && (look.always || !plates.some(isPlainlyThere))) {
      const { candidates, scale } = await searchLarger(this.#networks, picture);
      await readFurther(candidates, scale);
    }
    if (look.tiles && (hidesPlates(whole) || !plates.some(isPlainlyThere)))
      await readFurther(await searchTiles(this.#networks, picture, whole.scale), 1);
    const glance = look.keepPixels === true && plates.length > 0 ? glanceOf(whole.pixels) : null;
    const sightings = plates.map((plate) => sightingOf(picture, plate, glance));
    freeBytes(whole.pixels.data);
    for (const close of new Set(plates.map((plate) => plate.close))) close.close();
    const totalMs = performance.now() - started;
    const work = this.#networks.takeWork();
    const timings = {
      decodeMs: picture.decodeMs,
      detectMs: work.detectMs,
      readMs: totalMs - picture.decodeMs - work.detectMs,
      totalMs,
    };
    return { sightings: withoutPartialReads(sightings), timings, work };
  }

  /** What the pixels of a listed plate say of how it comes to the camera. */
  async presented({ around, glances }: PresentedTask): Promise<PresentedAnswer> {
    const repeats = glances.map(({ now, before }) => before.flatMap((one, at) => (isRepeat(now, one) ? [at] : [])));
    return { ...(await this.#networks.lookAround(around)), repeats };
  }

  /**
   * Reads plates at known places, without searching the frame; for measuring the reader by itself.
   * @throws BadPicture
   */
  async readAt(jpeg: Uint8Array, places: readonly Candidate[]): Promise<readonly FrameSighting[]> {
    const picture = await Picture.open(jpeg);
    const plates = await this.#readAll(picture, places.slice(0, MAX_PLATES), 1, { again: true });
    return plates.map((plate) => sightingOf(picture, plate, null));
  }

  /** @param scale pixels of the detector's input per pixel of the picture, with which the candidates were found */
  async #readAll(
    picture: Picture,
    candidates: readonly Candidate[],
    scale: number,
    { again, always = false }: Omit<LookOptions, "tiles">,
  ): Promise<SeenPlate[]> {
    if (candidates.length === 0) return [];
    const close = await CloseLook.at(this.#networks, picture, candidates);
    const found = await this.#closer(close, candidates, scale);
    if (found.length === 0) {
      close.close();
      return [];
    }
    const start = found.map((candidate) => ({
      candidate,
      close,
      views: [],
      weighed: [],
      isTwoLine: candidate.twoLine,
      second: null,
      witnesses: [],
    }));
    const first = found.map(({ corners }) => close.viewOf(corners));
    let plates = await this.#read(
      start,
      first.map((view) => [view]),
    );
    plates = await this.#readSecond(plates, first, always);
    for (const { part } of first) freeBytes(part.data);
    for (let looks = 0; looks < (again ? MOST_LOOKS : 1); looks++) {
      const isAsked = ({ plate, isSomethingRead }: Asked): boolean =>
        always || isDoubtful(plate, looks, isSomethingRead);
      const doubtful = likeliestFirst(plates, isAsked, MAX_AGAIN);
      if (doubtful.length === 0) break;
      for (const index of doubtful) {
        const plate = plates[index];
        if (plate === undefined || !isAsked({ plate, isSomethingRead: isReadAmong(plates) })) continue;
        const view = await close.again(plate.candidate, looks);
        if (view === null) continue;
        const read = await this.#read([plate], [[view]]);
        const [looked] = plate.second === null ? await this.#readSecond(read, [view], false) : read;
        freeBytes(view.part.data);
        if (looked !== undefined) plates = plates.with(index, looked);
      }
    }
    return plates;
  }

  /** Doubtful plates with what the second reader sees of them, unless the first one makes nothing of what may be none. */
  async #readSecond(plates: readonly SeenPlate[], views: readonly View[], always: boolean): Promise<SeenPlate[]> {
    const isAsked = ({ plate, isSomethingRead }: Asked): boolean =>
      always ||
      (plate.judgement.analysis.text.length >= SHORTEST_PLATE &&
        isDoubtful(plate, 0, isSomethingRead) &&
        mayBeOne(plate));
    let read = [...plates];
    for (const index of likeliestFirst(plates, isAsked, always ? plates.length : MAX_AGAIN)) {
      const [plate, view] = [read[index], views[index]];
      if (plate === undefined || view === undefined || !isAsked({ plate, isSomethingRead: isReadAmong(read) }))
        continue;
      const second = await this.#networks.readSecond(view, plate.isTwoLine);
      if (second === null) continue;
      const witnesses = weighed([second]);
      const judgement = judgeWeighed(plate.weighed, this.#countries, witnesses);
      read = read.with(index, { ...plate, second, witnesses, judgement });
    }
    return read;
  }

  /** Plates that stay in doubt with one view more, from the corners that what is around them gives at this scale. */
  async #readLarger(
    plates: readonly SeenPlate[],
    scale: number,
    { again, always = false }: LookOptions,
  ): Promise<SeenPlate[]> {
    const doubtful = plates.filter((plate) => always || (again && isStillDoubtful(plate))).slice(0, MAX_AGAIN);
    const further = new Map<SeenPlate, readonly View[]>();
    for (const plate of doubtful) {
      const view = await plate.close.atScale(plate.candidate, scale);
      if (view !== null) further.set(plate, [view]);
    }
    const read = await this.#read(
      plates,
      plates.map((plate) => further.get(plate) ?? []),
    );
    for (const { part } of [...further.values()].flat()) freeBytes(part.data);
    return read;
  }

  /**
   * Detects proposals, and plates that are small in the detector's input, again from closer up; drops what is not a
   * plate then.
   */
  async #closer(close: CloseLook, candidates: readonly Candidate[], scale: number): Promise<Candidate[]> {
    let left = MAX_CLOSE_UPS;
    const seen: Candidate[] = [];
    for (const candidate of candidates) {
      const isSmall = scale < 1 && plateWidth(candidate.corners) * scale < CLOSE_UP_BELOW && left > 0;
      if (isSmall) left -= 1;
      seen.push(isSmall ? await close.plain(candidate) : candidate);
    }
    return suppressed(seen, MAX_PLATES).filter(isPlate(this.#networks));
  }

  /** The plates with the reader's result for further views of each; all in one run. */
  async #read(
    plates: readonly (Omit<SeenPlate, "judgement"> | SeenPlate)[],
    further: readonly (readonly View[])[],
  ): Promise<SeenPlate[]> {
    const answers = await this.#networks.read(further.flat());
    return plates.map((plate, index) => {
      const more = answers.splice(0, further[index]?.length ?? 0);
      if (more.length === 0 && "judgement" in plate) return plate;
      const slots = more.map((one) => one.slots);
      const seen = [...plate.weighed, ...weighed(slots)];
      const isTwoLine = plate.views.length === 0 ? (more[0]?.isTwoLine ?? plate.isTwoLine) : plate.isTwoLine;
      return {
        ...plate,
        views: [...plate.views, ...slots],
        weighed: seen,
        isTwoLine,
        judgement: judgeWeighed(seen, this.#countries, plate.witnesses),
      };
    });
  }
}

/** A plate with all that was seen of it so far. */
interface SeenPlate {
  readonly candidate: Candidate;
  /** The pixels around it. */
  readonly close: CloseLook;
  readonly views: readonly Float32Array[];
  /** The views that say anything, for the vote. */
  readonly weighed: readonly WeighedView[];
  /** Whether the first view reads it on two lines; the detector's guess before that. */
  readonly isTwoLine: boolean;
  /** What the second reader sees; null where it was not asked. */
  readonly second: Float32Array | null;
  /** The same for the vote. */
  readonly witnesses: readonly WeighedView[];
  readonly judgement: Judgement;
}

/** A plate that may be looked at again, and whether one beside it was read with certainty. */
interface Asked {
  readonly plate: SeenPlate;
  readonly isSomethingRead: boolean;
}

function isReadAmong(plates: readonly SeenPlate[]): boolean {
  return plates.some(({ judgement }) => isCertainAtOnce(judgement));
}

/**
 * The places of the first few that are asked, the likeliest plate first: once that is certain, what is beside it need
 * not be looked at.
 */
function likeliestFirst(plates: readonly SeenPlate[], isAsked: (asked: Asked) => boolean, most: number): number[] {
  const isSomethingRead = isReadAmong(plates);
  const places = plates.flatMap((plate, index) => (isAsked({ plate, isSomethingRead }) ? [index] : []));
  const chanceAt = (index: number): number => plates[index]?.judgement.chance ?? 0;
  return places.slice(0, most).sort((a, b) => chanceAt(b) - chanceAt(a));
}

function isUnread({ judgement }: SeenPlate): boolean {
  return judgement.analysis.plate === null;
}

/** Plainly a plate, and after all looks still not certain. */
function isStillDoubtful({ candidate: { score }, judgement }: SeenPlate): boolean {
  return (
    score >= LIKELY && judgement.analysis.text.length >= SHORTEST_PLATE && isWorthAnotherLook(judgement, score >= SURE)
  );
}

/** A plate that was certainly found need not be searched for elsewhere, even if it is illegible. */
function isPlainlyThere({ candidate: { score }, judgement: { analysis } }: SeenPlate): boolean {
  return analysis.plate !== null || (score >= SURE && analysis.text.length >= SHORTEST_PLATE);
}

/**
 * Whether it is worth another look: like a plate to the reader or to the detector, but not certain. A single view has
 * to be better than several; and beside a plate that was read with certainty, a box of which the first view makes
 * nothing is a sticker or a lamp.
 */
function isDoubtful({ candidate: { score }, judgement }: SeenPlate, looks: number, isSomethingRead: boolean): boolean {
  const { text, plate } = judgement.analysis;
  if (text.length < (looks === 0 ? LEAST_TEXT : SHORTEST_PLATE) || (plate === null && score < LIKELY)) return false;
  if (looks > 0) return isWorthAnotherLook(judgement, score >= SURE);
  return (
    !isCertainAtOnce(judgement) && (plate !== null || !isSomethingRead || isWorthAnotherLook(judgement, score >= SURE))
  );
}

/** Whether the detector or the reader takes it for a plate; one of which neither does is looked at from closer by first. */
function mayBeOne({ candidate: { score }, judgement }: SeenPlate): boolean {
  return score >= SURE || judgement.analysis.plate !== null || judgement.chance >= FAINTLY;
}

/** Boxes that overlap more are one plate. */
const SAME_PLACE = 0.45;

function sightingOf(
  picture: Picture,
  { candidate: { score, box, corners, twoLine }, close, views, second, judgement: { analysis } }: SeenPlate,
  glance: Uint8Array | null,
): FrameSighting {
  const frameSize = [picture.size.width, picture.size.height] as const;
  const seen = { score, box, corners, twoLine, frameSize, views, second, analysis };
  return glance === null ? seen : { ...seen, pixels: { around: close.around(corners), glance } };
}
