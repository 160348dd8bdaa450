import type { Verdict } from "../../core/plates/decide.ts";
import type { NotToldReason, Standing } from "../../core/plates/opening.ts";
import type { Oddity } from "../../core/plates/presented.ts";
import type { Burst, BurstReading, Direction, VehicleReading } from "../../core/plates/reading.ts";
import type { Look } from "../../core/plates/vehicle-look.ts";
import type { ActingCamera } from "./camera-settings.ts";
import type { PlateCaptureRow } from "./tables/plate-capture.ts";
import type { ListedRead, PlateReadRow } from "./tables/plate-read.ts";
import type { PlateRuleRow } from "./tables/plate-rule.ts";
import type { toDeciding } from "./vehicles.ts";

/** How a gate stood at a moment: `since` (epoch ms) is when it was opened, if it is open and that is known. */
export interface GateStood {
  readonly standing: Standing;
  readonly since: number | null;
}

/** A burst with what the gate must know of how it came. */
export interface Arrival {
  readonly burst: Burst;
  /** The sender's name for the capture, by which a repetition is recognised; null if there is none. */
  readonly captureKey: string | null;
  /**
   * Monotonic time until which it may open a gate (`core/plates/freshness.ts`); later it is only recorded, as one
   * from the past (found after a restart, sent late) is at any time.
   */
  readonly opensUntilMono: number;
  /** All its frames were shown before, which is why it opens nothing; absent: no. */
  readonly isRepeated?: boolean;
  /** What it shows, if that is known or being determined; null: not looked at yet. */
  readonly reading: BurstReading | Promise<BurstReading> | null;
}

/** What was decided of one vehicle, before it is stored. */
export interface Decided {
  readonly vehicle: VehicleReading;
  readonly plate: string;
  readonly formatted: string;
  readonly direction: Direction | null;
  readonly verdict: Verdict<ReturnType<typeof toDeciding>>;
  /** The pass that this read joins, as it stood then; null when it is a new one. */
  readonly standing: ListedRead | null;
  readonly readId: number;
  /** Why the gate is not told; null where it is, or was in this pass. */
  readonly notTold: NotToldReason | null;
  /** The listed plate that may be meant, where somebody is asked for that. */
  readonly meant?: Pick<PlateRuleRow, "plate" | "formatted" | "label"> | null;
  /** The same picture shows a denied vehicle, which would come in with this one. */
  readonly isBesideDenied: boolean;
  /** The gate's state before any command; absent: unknown. */
  readonly stood?: GateStood;
  /** What is odd about how the plate comes; absent where nothing is, or where it was not looked at. */
  readonly odd?: readonly Oddity[];
  /** The look of the vehicle; absent or null where it was not looked at. */
  readonly look?: Look | null | undefined;
}

/** What the rows of one burst have in common. */
export interface RowSource {
  readonly arrival: Arrival;
  readonly camera: ActingCamera;
  /** Frames that the recogniser was run on. */
  readonly samples: number;
  /** Epoch ms. */
  readonly now: number;
}

/** The row of a recognised vehicle: a new one, or the pass that it joins with one more burst. */
export function rowOf(one: Decided, standing: ListedRead | null, source: RowSource): PlateReadRow {
  return standing === null ? newRow(one, source) : grown(standing, one, source);
}

function newRow(one: Decided, source: RowSource): PlateReadRow {
  const { analysis, votes } = one.vehicle;
  return {
    ...blankRow(one.readId, source),
    plate: one.plate,
    formatted: one.formatted,
    seenText: analysis.text,
    plateKind: analysis.kind,
    confidence: analysis.confidence,
    votes,
    status: "recognised",
    decision: one.verdict.decision,
    ruleId: one.verdict.rule?.id ?? null,
    direction: one.direction,
    opensVisit: opensVisit(one, source.camera),
    notTold: one.notTold,
    odd: oddText(one),
    ...gateColumns(one.stood),
    askedAt: one.notTold === "asked" ? source.now : null,
  };
}

/** How the gate stood, as it is stored: one that moves is not shut. */
export function gateColumns({ standing, since }: GateStood = { standing: "unknown", since: null }) {
  const isOpen = standing === "open" || standing === "between";
  return {
    gateWasOpen: isOpen ? (1 as const) : (0 as const),
    gateWasShut: standing === "closed" ? (1 as const) : (0 as const),
    gateOpenSince: isOpen ? since : null,
  };
}

/** As it is stored. */
function oddText({ odd = [] }: Pick<Decided, "odd">): string | null {
  return odd.length === 0 ? null : JSON.stringify(odd);
}

/** What is listed of the burst itself, once there is more than one in its pass. */
export function captureOf(one: Decided, { arrival: { burst, captureKey }, samples, now }: RowSource): PlateCaptureRow {
  const { analysis, votes } = one.vehicle;
  const { captureId, trigger, at } = burst;
  const { readId, direction } = one;
  return {
    readId,
    captureId,
    captureKey,
    trigger,
    at,
    direction,
    confidence: analysis.confidence,
    votes,
    samples,
    storedAt: now,
  };
}

/** The same of the burst with which a pass began. */
export function firstCaptureOf(row: PlateReadRow): PlateCaptureRow {
  const { id: readId, captureId, captureKey, trigger, at, direction, confidence, votes, samples, storedAt } = row;
  return { readId, captureId, captureKey, trigger, at, direction, confidence, votes, samples, storedAt };
}

/** A row that says nothing yet of what was seen. */
export function blankRow(
  id: number,
  { arrival: { burst, captureKey }, camera, samples, now }: RowSource,
): PlateReadRow {
  return {
    id,
    siteId: camera.siteId,
    deviceId: camera.deviceId,
    captureId: burst.captureId,
    captureKey,
    plate: null,
    formatted: null,
    seenPlate: null,
    seenText: "",
    plateKind: "unknown",
    confidence: 0,
    votes: 0,
    samples,
    status: "unrecognised",
    reason: null,
    decision: "unknown",
    ruleId: null,
    direction: null,
    opensVisit: 1,
    trigger: burst.trigger,
    at: burst.at,
    lastAt: burst.at,
    storedAt: now,
    correctedAt: null,
    correctedBy: null,
    notTold: "not_recognised",
    odd: null,
    gateWasOpen: 0,
    gateWasShut: 0,
    gateOpenSince: null,
    askedAt: null,
    answeredAt: null,
    answeredBy: null,
  };
}

/** Why a vehicle stays outside for which no gate is commanded, as far as it is known. */
const STAYS_OUT: ReadonlySet<NotToldReason | null> = new Set([
  ...["asked", "unanswered", "kept_shut", "next_vehicle", "rule_changed", "already_inside", "elsewhere", "presented"],
] as const);

/**
 * A vehicle that is denied, refused, or about which somebody is still asked stays outside, unless the camera is behind
 * the gate.
 */
function opensVisit({ verdict, notTold }: Pick<Decided, "verdict" | "notTold">, camera: ActingCamera): 0 | 1 {
  return (verdict.decision === "deny" || STAYS_OUT.has(notTold)) && !camera.insideGate ? 0 : 1;
}

/**
 * A pass with one more burst: the best read stays, with the capture, trigger, votes and samples of the burst that
 * produced it (docs/spec/device-control-api.md §2); a direction that was not known may be known now.
 */
function grown(
  { hasImage, ...row }: ListedRead,
  one: Decided,
  { arrival: { burst, captureKey }, camera, samples, now }: RowSource,
): PlateReadRow {
  const { analysis, votes } = one.vehicle;
  const isBetter = analysis.confidence > row.confidence && row.correctedAt === null;
  return {
    ...row,
    ...(isBetter
      ? {
          confidence: analysis.confidence,
          seenText: analysis.text,
          votes,
          samples,
          captureId: burst.captureId,
          captureKey,
          trigger: burst.trigger,
        }
      : {}),
    decision: one.verdict.decision,
    ruleId: one.verdict.rule?.id ?? null,
    direction: row.direction ?? one.direction,
    opensVisit: opensVisit(one, camera),
    notTold: one.notTold,
    odd: oddText(one) ?? row.odd,
    askedAt: row.askedAt ?? (one.notTold === "asked" ? now : null),
    at: Math.min(row.at, burst.at),
    lastAt: Math.max(row.lastAt, burst.at),
  };
}
