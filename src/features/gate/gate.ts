/**
 * From a burst to a decision: reads it, finds its pass, decides by the plate rules, opens the gate, and stores read,
 * picture, visit, register and feed item in one transaction. In: bursts of frames. Out: a gate command (before anything
 * is written), rows, facts on the bus. It must not know how pictures are taken, how a recogniser works, or how a
 * command travels.
 */
import type { Base } from "../../core/base.ts";
import { decide, type Earns, isListed } from "../../core/plates/decide.ts";
import { directionOf, seenDirectionOf } from "../../core/plates/direction.ts";
import { type AskedFor, afterDoubts, type Doubt, type OnDoubt } from "../../core/plates/doubts.ts";
import { nearMissOf } from "../../core/plates/near-miss.ts";
import { type NotToldReason, whyNotTold } from "../../core/plates/opening.ts";
import { passOf } from "../../core/plates/passes.ts";
import type { Oddity } from "../../core/plates/presented.ts";
import type { Burst, BurstReading, VehicleReading } from "../../core/plates/reading.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { Commands } from "../devices/commands.ts";
import type { ActingCamera, CameraSettings } from "./camera-settings.ts";
import type { GateChoices } from "./gate-choices.ts";
import { type GatePass, OpenedPasses } from "./opened-passes.ts";
import { PendingPasses } from "./pending-passes.ts";
import type { LookedAt } from "./presented-plates.ts";
import { ANSWER_WITHIN_MS, type Questions } from "./questions.ts";
import { type Arrival, type Decided, type GateStood, type RowSource, rowOf } from "./read-rows.ts";
import type { Siblings } from "./read-writer.ts";
import { type DecidedBurst, ReadWriter } from "./read-writer.ts";
import { SiteExperience } from "./site-experience.ts";
import type { ListedRead } from "./tables/plate-read.ts";
import type { PlateRuleRow } from "./tables/plate-rule.ts";
import { toDeciding } from "./vehicles.ts";

/** What other hubs of the estate have seen of a plate. */
export interface SeenByOthers {
  /** Whether it came in at another hub's gate and was not seen to leave at any. */
  isInside(plate: string): boolean;
  /** Whether it was at another hub's gate at or after a moment, epoch milliseconds. */
  wasSeen(plate: string, since: number): boolean;
}

/** Reads of a plate within the time of a drive that are looked at. */
const MOST_ELSEWHERE = 20;

/** How long a burst took on its way, monotonic milliseconds. */
export interface GateTiming {
  /** From the last frame's arrival to the end of the inference that decided. */
  readonly readMs: number;
  /** From there to the decision. */
  readonly decideMs: number;
  /** From the end of the inference until the broker held the gate's command; null where the gate stays shut. */
  readonly publishMs: number | null;
  /** From the last frame's arrival until then. */
  readonly totalMs: number | null;
}

interface GateSiblings extends Siblings {
  readonly cameras: CameraSettings;
  /** Reads a burst; never rejects for what is in the pictures, only when the hub stops. */
  readonly recognise: (burst: Burst, reading: Arrival["reading"]) => Promise<BurstReading>;
  readonly commands: Commands;
  readonly choices: GateChoices;
  readonly questions: Questions;
  readonly access: AccessFeature;
}

/** The gate of every household on the hub. */
export class Gate {
  readonly #base: Base;
  readonly #siblings: GateSiblings;
  readonly #writer: ReadWriter;
  /** Per camera, so that passes are found in the order of their bursts. */
  readonly #lines = new Map<string, Promise<unknown>>();
  /** Per camera, so that they are stored in that order too; deciding does not wait for it. */
  readonly #storing = new Map<string, Promise<unknown>>();
  readonly #pending = new PendingPasses();
  readonly #opened = new OpenedPasses();
  readonly #experience: SiteExperience;
  readonly #listeners: ((timing: GateTiming) => void)[] = [];
  #others: () => SeenByOthers | null = () => null;
  #lastReadId: number | null = null;
  #lastCaptureId: number | null = null;
  readonly #figures = noFigures();

  constructor(base: Base, siblings: GateSiblings) {
    this.#base = base;
    this.#siblings = siblings;
    this.#writer = new ReadWriter(base, siblings);
    this.#experience = new SiteExperience(siblings.tables);
  }

  /** What other hubs of an estate have seen of a plate; null where there are none. */
  sharedWith(others: () => SeenByOthers | null): void {
    this.#others = others;
  }

  /**
   * Bursts, reads and gate commands of real households since start, and the milliseconds from the last frame's arrival
   * to the latest decision.
   */
  get figures(): {
    readonly bursts: number;
    readonly reads: number;
    readonly gateCommands: number;
    /** Not accepted for delivery. */
    readonly gateCommandsFailed: number;
    readonly lastDecisionMs: number | null;
  } {
    return this.#figures;
  }

  /** Whether pictures of this device are looked at. */
  takes(deviceId: string): boolean {
    return this.#siblings.cameras.acting(deviceId) !== null;
  }

  /** Calls `listener` with the times of every burst of a real household that showed a plate. */
  onTimed(listener: (timing: GateTiming) => void): void {
    this.#listeners.push(listener);
  }

  /** A capture id for a burst whose sender gave none. */
  nextCaptureId(): number {
    this.#lastCaptureId = (this.#lastCaptureId ?? this.#siblings.tables.reads.highest().captureId) + 1;
    return this.#lastCaptureId;
  }

  /** Whether this capture is stored already; a sender repeats what was not acknowledged. */
  knows(deviceId: string, captureKey: string, sinceMs: number): boolean {
    return this.#siblings.tables.reads.knowsCapture(deviceId, captureKey, this.#base.clock.now() - sinceMs);
  }

  /**
   * Takes one burst. Resolves with the ids of its reads once they are on disk; bursts of one camera are decided in
   * order. A burst of a device that is no camera, or of a camera that is switched off, is dropped (empty list), also
   * when that became so while the burst was read.
   * @throws Problem storage_full or unavailable when nothing can be stored; the sender keeps the burst.
   */
  take(arrival: Arrival): Promise<number[]> {
    const { deviceId } = arrival.burst;
    if (!this.takes(deviceId)) return Promise.resolve([]);
    const reading = this.#siblings.recognise(arrival.burst, arrival.reading);
    reading.catch(() => undefined); // it may fail while its turn has not come; those that wait for the turn see the failure
    const decided = inLine(this.#lines, deviceId, async () => {
      const read = await reading;
      const seen = this.#siblings.cameras.acting(deviceId);
      const looked = seen === null ? NOT_LOOKED : await this.#siblings.presented.lookAt(seen, read);
      // from here to the command nothing waits: whatever was edited in the meantime counts
      const camera = this.#siblings.cameras.acting(deviceId);
      if (camera === null) return null;
      const stood = this.#stood(arrival, camera);
      const vehicles = this.#decideAll(arrival, camera, { reading: read, looked, stood });
      const source = { arrival, camera, samples: read.samples, now: this.#base.clock.now() };
      return { camera, read, vehicles, stood, pending: this.#notePending(vehicles, source) };
    });
    return inLine(this.#storing, deviceId, async () => {
      const decision = await decided;
      if (decision === null) return [];
      const { camera, read, vehicles, stood, pending } = decision;
      try {
        return await this.#store({ arrival, camera, reading: read, vehicles, stood });
      } finally {
        this.#pending.forget(pending);
      }
    });
  }

  async #store(burst: DecidedBurst): Promise<number[]> {
    const ids = burst.vehicles.length > 0 ? burst.vehicles.map(({ readId }) => readId) : [this.nextReadId()];
    if (burst.vehicles.length > 0) await this.#writer.vehicles(burst);
    else await this.#writer.unrecognised(ids[0] ?? 0, burst);
    this.#figuresOf(burst.camera).reads += ids.length;
    return ids;
  }

  /** How the gate stands for a burst of now; undefined for one of the past, and where no gate is meant. */
  #stood(arrival: Arrival, { siteId, gate }: ActingCamera): GateStood | undefined {
    const { openings } = this.#siblings;
    const gateId = openings.gateNear(siteId, gate?.deviceId ?? null);
    return gateId === null || this.#base.clock.mono() > arrival.opensUntilMono ? undefined : openings.stood(gateId);
  }

  /** Decides and sends the command in one turn of the event loop. */
  #decideAll(
    arrival: Arrival,
    camera: ActingCamera,
    {
      reading,
      looked,
      stood,
    }: {
      readonly reading: BurstReading;
      readonly looked: ReadonlyMap<string, LookedAt>;
      readonly stood: GateStood | undefined;
    },
  ): Decided[] {
    const { clock } = this.#base;
    const { burst } = arrival;
    const figures = this.#figuresOf(camera);
    figures.bursts += 1;
    const found = this.#experience.vehiclesOf(camera, reading);
    const seen = found.flatMap((vehicle) => this.#decide(arrival, camera, vehicle) ?? []);
    const showsDenied = seen.some(({ verdict, isSure }) => verdict.decision === "deny" && isSure);
    const readyMono = Math.max(burst.completeMono, reading.readyMono ?? burst.completeMono);
    const decidedMono = clock.mono();
    const commands: Promise<unknown>[] = [];
    const passMs = this.#base.settings().gate.passSeconds * 1_000;
    const vehicles = seen.map(({ isListed, isSure, ...decided }): Decided => {
      const isBesideDenied = showsDenied && decided.verdict.decision !== "deny";
      const { plate, verdict } = decided;
      const one = {
        ...decided,
        isBesideDenied,
        ...(stood === undefined ? {} : { stood }),
        look: looked.get(plate)?.look,
      };
      const direction = seenDirectionOf(camera, one.vehicle.sightings);
      const { confidence } = one.vehicle.analysis;
      const pass = this.#opened.join(camera.deviceId, { plate, confidence, direction, at: decidedMono }, passMs);
      const isItself = (other: string): boolean => other === plate || nearMissOf(one.vehicle, plate, [other]) !== null;
      if (isSure) this.#siblings.questions.nextVehicle(camera.deviceId, isItself, pass.at);
      if (pass.readId === one.readId) return { ...one, notTold: null };
      const { decision } = verdict;
      const isFresh = decidedMono <= arrival.opensUntilMono;
      const hasGate = camera.gate !== null;
      const earns = this.#earned(camera, verdict.rule);
      const isRepeated = arrival.isRepeated === true;
      const plain = whyNotTold({ decision, isListed, isBesideDenied, isRepeated, isFresh, isSure, hasGate, earns });
      const meant = plain === "no_rule" && hasGate && isFresh && !isBesideDenied ? this.#meant(camera, one) : null;
      if (meant !== null && pass.readId === null)
        return { ...one, meant, notTold: this.#ask(arrival, camera, { ...one, ...NEAR_MISS, meant }, pass) };
      const isWanted = plain === null || plain === "asked";
      if (isWanted && pass.readId !== null) return { ...one, notTold: "same_pass" };
      const odd = this.#oddities(camera, one, { looked, pass, isWanted });
      const doubts = isWanted ? this.#doubts(camera, { ...one, direction: direction ?? one.direction, odd }) : [];
      const { notTold, askedFor } = afterDoubts(plain, doubts);
      if (notTold === "asked")
        return { ...one, odd, notTold: this.#ask(arrival, camera, { ...one, odd, earns, askedFor, meant }, pass) };
      if (notTold === null && camera.gate !== null) commands.push(this.#openGate(camera, camera.gate, one, pass));
      return { ...one, odd, notTold };
    });
    for (const { readId, vehicle } of vehicles) this.#siblings.presented.remember(readId, camera, vehicle);
    figures.lastDecisionMs = Math.round(decidedMono - burst.completeMono);
    const timing = {
      readMs: readyMono - burst.completeMono,
      decideMs: decidedMono - readyMono,
      publishMs: null,
      totalMs: null,
    };
    if (vehicles.length === 0 || figures !== this.#figures) return vehicles;
    if (commands.length === 0) this.#tellTiming(timing);
    for (const command of commands)
      void command.then((failure) => {
        const now = clock.mono();
        this.#tellTiming(
          failure === null ? { ...timing, publishMs: now - readyMono, totalMs: now - burst.completeMono } : timing,
        );
      });
    return vehicles;
  }

  #tellTiming(timing: GateTiming): void {
    for (const listener of this.#listeners) listener(timing);
  }

  #decide({ burst }: Arrival, camera: ActingCamera, vehicle: VehicleReading): Seen | null {
    const { clock } = this.#base;
    const { plate, formatted, confidence } = vehicle.analysis;
    if (plate === null || formatted === null) return null;
    const direction = directionOf(camera, burst.direction, vehicle.sightings);
    const rules = this.#rulesOf(camera.siteId, plate);
    const verdict = decide(rules, camera.deviceId, { at: clock.now(), timeZone: this.#zoneOf(camera.siteId) });
    const passMs = this.#base.settings().gate.passSeconds * 1_000;
    const pending = this.#pending.of(camera.deviceId);
    const nearby = [
      ...this.#siblings.tables.reads
        .nearby(camera.siteId, camera.deviceId, burst.at - passMs, burst.at + passMs)
        .filter((row) => !pending.has(row.id)),
      ...[...pending.values()].flatMap((row) => (row.plate === null ? [] : [{ ...row, plate: row.plate }])),
    ];
    const pass = passOf({ plate, confidence, direction, at: burst.at }, nearby, passMs);
    const standing =
      pass === null ? null : (pending.get(pass.id) ?? this.#siblings.tables.reads.find(camera.siteId, pass.id));
    const readId = standing?.id ?? this.nextReadId();
    const isSure = confidence >= this.#base.settings().gate.minConfidence && vehicle.isAssumed !== true;
    const isOnList = isListed(rules, camera.deviceId);
    return { vehicle, plate, formatted, direction, verdict, standing, readId, isListed: isOnList, isSure };
  }

  #earned({ siteId, deviceId }: ActingCamera, rule: Seen["verdict"]["rule"]): Earns {
    const { clock } = this.#base;
    const { choices } = this.#siblings;
    return choices.earned(rule?.earns ?? null, { siteId, deviceId, at: clock.now(), timeZone: this.#zoneOf(siteId) });
  }

  /** The allowed plate that was probably misread as one that is on no list; null: none, or it is not wanted. */
  #meant(camera: ActingCamera, { vehicle, plate }: Pick<Decided, "vehicle" | "plate">): PlateRuleRow | null {
    const { choices } = this.#siblings;
    const { siteId } = camera;
    if (vehicle.isAssumed === true || !choices.onDoubts(siteId).asksNearMisses) return null;
    const near = nearMissOf(vehicle, plate, this.#siblings.tables.rules.plates(siteId));
    const rule = near === null ? null : this.#allowing(camera, near);
    return rule === null ? null : this.#siblings.tables.rules.find(siteId, rule.id);
  }

  #rulesOf(siteId: number, plate: string): ReturnType<typeof toDeciding>[] {
    const at = this.#base.clock.certain();
    return this.#siblings.tables.rules.deciding({ siteId, plate, at }).map(toDeciding);
  }

  /** The rule by which a plate is allowed at a camera now, and earns more than being noted; null: none. */
  #allowing(camera: ActingCamera, plate: string): Seen["verdict"]["rule"] {
    const { clock } = this.#base;
    const { siteId, deviceId } = camera;
    const rules = this.#rulesOf(siteId, plate);
    const { decision, rule } = decide(rules, deviceId, { at: clock.now(), timeZone: this.#zoneOf(siteId) });
    return decision === "allow" && this.#earned(camera, rule) !== "note" ? rule : null;
  }

  /**
   * What is odd about how an allowed plate comes to the camera. Frames that were shown before are odd whatever the camera
   * is set to, and also where this gate stays shut anyway: a rule of the household's may open another.
   */
  #oddities(
    camera: ActingCamera,
    { plate, vehicle }: Pick<Decided, "plate" | "vehicle">,
    {
      looked,
      pass,
      isWanted,
    }: { readonly looked: ReadonlyMap<string, LookedAt>; readonly pass: GatePass; readonly isWanted: boolean },
  ): readonly Oddity[] {
    const { at: since, hasCome } = pass;
    if (camera.presented === "open" || !isWanted)
      return this.#siblings.presented.isRepeated(camera, looked.get(plate), since) ? ["seen_before"] : [];
    const odd = this.#siblings.presented.oddities(camera, vehicle, looked.get(plate), { since, hasCome });
    if (odd.length === 0 && this.#siblings.presented.moves(vehicle)) pass.hasCome = true;
    return odd;
  }

  /** What speaks against opening for an allowed vehicle. */
  #doubts(
    { siteId, deviceId, gate, presented }: ActingCamera,
    { plate, direction, readId, odd = [] }: Pick<Decided, "plate" | "direction" | "readId" | "odd">,
  ): { doubt: Doubt; follows: OnDoubt }[] {
    const { clock } = this.#base;
    const { choices } = this.#siblings;
    const { whenInside, elsewhere } = choices.onDoubts(siteId);
    const others = this.#others();
    const doubts: { doubt: Doubt; follows: OnDoubt }[] = [];
    // An `open` camera has anything odd here only where its frames were shown before, and those open nothing by
    // themselves. A vehicle that looks unlike itself may be asked about, never refused.
    const onlyAsks = presented === "open" || odd.every((one) => one === "other_vehicle");
    if (odd.length > 0) doubts.push({ doubt: "presented", follows: onlyAsks ? "ask" : presented });
    if (whenInside !== "open" && direction === "in") {
      const visit = this.#siblings.tables.visits.openOf(siteId, plate);
      const isComing = this.#pending
        .ofPlate(plate)
        .some(
          (read) => read.siteId === siteId && read.id !== readId && read.direction === "in" && read.opensVisit === 1,
        );
      const isHere = isComing || (visit !== null && visit.entryReadId !== readId);
      if (isHere || others?.isInside(plate) === true) doubts.push({ doubt: "already_inside", follows: whenInside });
    }
    if (elsewhere !== null) {
      const since = clock.now() - elsewhere.withinSeconds * 1_000;
      const isAtOther = (read: { readonly deviceId: string }): boolean => {
        const other = read.deviceId === deviceId ? null : this.#siblings.cameras.find(read.deviceId);
        return other !== null && other.gate !== null && other.gate.deviceId !== gate?.deviceId;
      };
      const own = this.#siblings.tables.reads.list(siteId, { plate, since }, MOST_ELSEWHERE);
      const pending = this.#pending.ofPlate(plate).filter((read) => read.siteId === siteId && read.lastAt >= since);
      if ([...own, ...pending].some(isAtOther) || others?.wasSeen(plate, since) === true)
        doubts.push({ doubt: "elsewhere", follows: elsewhere.follows });
    }
    return doubts;
  }

  /** Asks once per pass. Answers how its question stands, as the read says it. */
  #ask(
    { burst, opensUntilMono }: Arrival,
    { siteId, deviceId, gate }: ActingCamera,
    one: Omit<Decided, "notTold" | "meant"> & {
      readonly earns: Earns;
      readonly askedFor: AskedFor;
      readonly meant: PlateRuleRow | null;
    },
    pass: GatePass,
  ): NotToldReason {
    const { clock, database } = this.#base;
    const { questions } = this.#siblings;
    const { plate, formatted, readId, verdict, meant } = one;
    const gateId = gate?.deviceId ?? "";
    const rule = verdict.rule === null ? null : this.#siblings.tables.rules.find(siteId, verdict.rule.id);
    pass.asked ??= questions.ask({
      siteId,
      deviceId,
      gateId,
      readId,
      plate,
      formatted,
      label: (meant ?? rule)?.label ?? "",
      meant: meant?.formatted ?? null,
      kind: one.earns === "confirm" && one.askedFor === "earns" ? "confirm" : "ask",
      askedFor: one.askedFor,
      odd: one.odd ?? [],
      untilMono: Math.min(clock.mono() + ANSWER_WITHIN_MS, opensUntilMono),
      frame: burst.frames[one.vehicle.best.frame] ?? null,
      open: (actor) => this.#openAnswered({ ...one, deviceId, gateId, meant: meant?.plate ?? null }, pass, actor),
      afterStored: (job) => inLine(this.#storing, deviceId, () => database.write(job)),
    });
    return pass.asked.state === "opened" ? "same_pass" : pass.asked.state;
  }

  /** Whatever was edited since the question counts: the camera, its gate, and the rules of the plate. */
  #openAnswered(
    about: Pick<Decided, "readId" | "plate" | "formatted" | "vehicle" | "look"> & {
      readonly deviceId: string;
      readonly gateId: string;
      /** The listed plate that may be meant, of a near miss. */
      readonly meant: string | null;
    },
    pass: GatePass,
    actor: string,
  ): "rule_changed" | Promise<void> {
    const { deviceId, gateId, plate, meant } = about;
    const camera = this.#siblings.cameras.acting(deviceId);
    if (camera?.gate?.deviceId !== gateId || this.#allowing(camera, meant ?? plate) === null) return "rule_changed";
    const isDenied = this.#siblings.tables.rules.of(camera.siteId, plate).some(({ kind }) => kind === "deny");
    if (meant !== null && isDenied) return "rule_changed";
    // who may not open has not failed to
    this.#siblings.commands.refuseBeyond(camera.siteId, [camera.gate], actor);
    return this.#openGate(camera, camera.gate, about, pass, actor).then((failure) => {
      if (failure !== null) throw failure;
    });
  }

  /**
   * The command leaves before anything is written: a slow disk must not keep a car waiting. Once per pass; again, where
   * the first one failed. Resolves with null once the broker has taken it, else with why it did not.
   * @param actor who answered; absent: the plate opens by itself
   */
  #openGate(
    camera: ActingCamera,
    { deviceId, command }: NonNullable<ActingCamera["gate"]>,
    one: Pick<Seen, "readId" | "plate" | "formatted" | "vehicle" | "look">,
    pass: GatePass,
    actor = `gate:${one.readId}`,
  ): Promise<unknown> {
    const { readId, plate, formatted } = one;
    this.#figuresOf(camera).gateCommands += 1;
    pass.readId = readId;
    const sent = this.#siblings.commands.send({
      siteId: camera.siteId,
      deviceId,
      command: JSON.stringify(command),
      readId,
      actor,
      source: "automation",
      chargedTo: null,
    });
    this.#siblings.presented.accepted(camera, one);
    return sent.then(
      () => null,
      (error: unknown) => {
        pass.readId = null;
        this.#figuresOf(camera).gateCommandsFailed += 1;
        this.#base.logger.error({ gate: deviceId, readId, err: error }, "the gate command was not accepted");
        void this.#siblings.feed.gateFailed(camera, { plate, formatted }, error);
        return error;
      },
    );
  }

  /** The household's time zone, for rules that hold at some times of the week. */
  #zoneOf(siteId: number): string {
    return this.#siblings.access.accounts.site(siteId).timeZone;
  }

  /** Notes the passes of a burst as they will stand on disk. */
  #notePending(vehicles: readonly Decided[], source: RowSource): ListedRead[] {
    const hasImage: 0 | 1 = this.#base.settings().plates.imageRetentionDays > 0 ? 1 : 0;
    const rows = vehicles.map((one): ListedRead => ({ ...rowOf(one, one.standing, source), hasImage }));
    for (const row of rows) this.#pending.note(row);
    return rows;
  }

  /** Where what a camera does is counted; for a simulated one nowhere. */
  #figuresOf({ siteId }: ActingCamera): ReturnType<typeof noFigures> {
    return this.#siblings.access.accounts.site(siteId).env === "live" ? this.#figures : noFigures();
  }

  /** Ids are given out before rows are written, because the gate command names its read. */
  nextReadId(): number {
    this.#lastReadId = (this.#lastReadId ?? this.#siblings.tables.reads.highest().id) + 1;
    return this.#lastReadId;
  }
}

const NOT_LOOKED: ReadonlyMap<string, LookedAt> = new Map();
const NEAR_MISS = { earns: "ask", askedFor: "near_miss" } as const;

/** A vehicle with what the lists say of it, before it is known whether the gate opens. */
interface Seen extends Omit<Decided, "notTold" | "meant" | "isBesideDenied"> {
  /** A rule names the plate, even outside its times. */
  readonly isListed: boolean;
  /** Read well enough to open a gate. */
  readonly isSure: boolean;
}

function noFigures() {
  return { bursts: 0, reads: 0, gateCommands: 0, gateCommandsFailed: 0, lastDecisionMs: null as number | null };
}

/** Runs `work` after everything queued under this key; if it fails, the queue continues. */
function inLine<Result>(
  lines: Map<string, Promise<unknown>>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const turn = (lines.get(key) ?? Promise.resolve()).then(work);
  const line = turn.catch(() => undefined).finally(() => lines.get(key) === line && lines.delete(key));
  lines.set(key, line);
  return turn;
}
