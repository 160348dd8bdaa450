import { timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Base } from "../../core/base.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { bodyRefused, Problem } from "../../core/kernel/problem.ts";
import type { Earns, LocalMoment, RuleWindow } from "../../core/plates/decide.ts";
import type { OnDoubt } from "../../core/plates/doubts.ts";
import { type EarnsDefault, earnedBy, MOST_EARNS_DEFAULTS } from "../../core/plates/earns.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import { storedWindows, windowsText } from "../../core/storage/stored-windows.ts";
import type { AccessFeature } from "../access/feature.ts";
import { parseCameraSource } from "../cameras/camera-source.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { Camera, CameraSettings } from "./camera-settings.ts";
import type { GateTables } from "./tables.ts";

/** A state of a device: its member `field` has this value. */
export interface StateOfDevice {
  readonly deviceId: string;
  readonly field: string;
  readonly value: boolean | number | string;
}

/**
 * What confirms at a gate: a device reports this state (a tag, a button, a contact, a loop), an event of this kind, or
 * this PIN in its state. `cameraId`: at which camera; null: at all of them.
 */
export type ConfirmingDevice =
  | ({ readonly kind: "state"; readonly cameraId: string | null } & StateOfDevice)
  | { readonly kind: "event"; readonly cameraId: string | null; readonly deviceId: string; readonly event: string }
  | {
      readonly kind: "pin";
      readonly cameraId: string | null;
      readonly deviceId: string;
      readonly field: string;
      /** Only when it is set: nobody gets it back. Absent: the one that stands for this device and field. */
      readonly pin?: string | undefined;
    };

/** What a household has chosen for its gates. */
export interface Choices {
  /** What allowed plates earn whose rules do not say. */
  readonly defaults: readonly EarnsDefault[];
  /** The state that says that the house is away; null: nothing says so. */
  readonly away: StateOfDevice | null;
  readonly confirmedBy: readonly ConfirmingDevice[];
  /** What follows when an allowed vehicle comes in that is inside already. */
  readonly whenInside: OnDoubt;
  /** Gates at which followers are counted; `loop`: a state by which each vehicle behind the gate is known. */
  readonly followed: readonly { readonly gateId: string; readonly loop: StateOfDevice | null }[];
  /** Whether somebody is asked where an unlisted plate may be a listed one that was misread. */
  readonly asksNearMisses: boolean;
  /** What follows when it was at another gate so shortly before that it cannot have driven; null: nothing. */
  readonly elsewhere: { readonly withinSeconds: number; readonly follows: Exclude<OnDoubt, "open"> } | null;
}

/** What a device reports, as far as it may confirm. */
export type Reported =
  | { readonly deviceId: string; readonly state: JsonObject; readonly changed: readonly string[] }
  | { readonly deviceId: string; readonly event: string };

/** As it is stored: the PIN sealed with the hub's key. */
type Stored = Omit<Choices, "confirmedBy"> & {
  readonly confirmedBy: readonly (ConfirmingDevice & { readonly sealed?: string })[];
};

/** `pin`: by the right PIN. */
type Confirms = "yes" | "no" | "pin" | "wrong_pin";

const NOTHING: Stored = {
  defaults: [],
  away: null,
  confirmedBy: [],
  whenInside: "open",
  elsewhere: null,
  asksNearMisses: false,
  followed: [],
};
/** Replaces what cannot be read: a gate fails shut. */
const UNREADABLE: Stored = { ...NOTHING, defaults: [{ earns: "ask", deviceId: null, windows: [], away: false }] };
const MOST_CONFIRMING = 20;

interface Siblings {
  readonly tables: GateTables;
  readonly registry: DeviceRegistry;
  readonly cameras: CameraSettings;
  readonly access: AccessFeature;
}

/** What each household has chosen for its gates. Every decision asks, so it is kept in memory. */
export class GateChoices {
  readonly #base: Base;
  readonly #siblings: Siblings;
  readonly #known = new Map<number, Stored>();

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** What a household has chosen, without the PINs. */
  of(siteId: number): Choices {
    const { confirmedBy, ...rest } = this.#stored(siteId);
    return { ...rest, confirmedBy: confirmedBy.map(({ sealed: _sealed, ...one }) => one) };
  }

  /**
   * Replaces what a household has chosen.
   * @throws Problem invalid_body; unknown_device for what is no device, or no camera, of the household
   */
  async set(siteId: number, choices: Choices, actor: string): Promise<void> {
    await this.#base.database.write(() => this.put(siteId, choices, actor));
  }

  /** As {@link set}, inside a job; says whether anything changes. */
  put(siteId: number, choices: Choices, actor: string): boolean {
    const { database } = this.#base;
    const stored = this.#checked(siteId, choices);
    if (isDeepStrictEqual(stored, this.#stored(siteId))) return false;
    this.#siblings.tables.choices.put({ siteId, choices: JSON.stringify(stored) });
    const detail = {
      defaults: stored.defaults.map(({ earns, deviceId }) => ({ earns, deviceId })),
      confirmedBy: stored.confirmedBy.map(({ kind, deviceId }) => ({ kind, deviceId })),
    };
    this.#siblings.access.recordAudit({
      siteId,
      actor,
      action: "gate.choices",
      target: "gate",
      detail,
      at: this.#base.clock.now(),
    });
    database.committed(() => this.#known.set(siteId, stored));
    return true;
  }

  /**
   * What a household has chosen, for a set-up document: without the keypads, whose PINs nobody gets back. Null: nothing
   * is chosen, or a device that is named is gone.
   */
  portable(siteId: number): Choices | null {
    const choices = this.of(siteId);
    const kept = { ...choices, confirmedBy: choices.confirmedBy.filter(({ kind }) => kind !== "pin") };
    if (isDeepStrictEqual(kept, NOTHING)) return null;
    try {
      this.#checked(siteId, kept);
      return kept;
    } catch {
      return null;
    }
  }

  /** What follows when a vehicle is inside already, was at another gate just now, or may be a misread one. */
  onDoubts(siteId: number): Pick<Choices, "whenInside" | "elsewhere" | "asksNearMisses"> {
    return this.#stored(siteId);
  }

  /** Gates of a household at which followers are counted. */
  follows(siteId: number): Choices["followed"] {
    return this.#stored(siteId).followed;
  }

  /** The devices that decide whom the gate lets in: what says that the house is away, what confirms, what sees cars. */
  deciding(siteId: number): string[] {
    const { away, confirmedBy } = this.#stored(siteId);
    const opens = this.#cameras(siteId).some(({ enabled, gate }) => enabled && gate !== null);
    return [
      ...(away === null ? [] : [away.deviceId]),
      ...confirmedBy.map(({ deviceId }) => deviceId),
      ...(opens ? this.seeing(siteId) : []),
    ];
  }

  /** The cameras of a household, and what has one take a picture. */
  seeing(siteId: number): string[] {
    const named = this.#siblings.registry.list(siteId, { type: "camera" }).map(({ id }) => id);
    return [...named, ...this.#cameras(siteId).flatMap(({ deviceId, source }) => [deviceId, ...inputOf(source)])];
  }

  /** What an allowed plate earns at a camera now. */
  earned(ruled: Earns | null, { siteId, ...moment }: LocalMoment & { siteId: number; deviceId: string }): Earns {
    if (ruled !== null) return ruled;
    const { defaults, away } = this.#stored(siteId);
    if (defaults.length === 0) return "open";
    const isAway = away === null || this.#isSo(siteId, away) !== false;
    return earnedBy(null, defaults, { ...moment, isAway });
  }

  /** Whether what a device reports confirms at a camera; for PINs whether it is the right one. */
  confirms(siteId: number, cameraId: string, reported: Reported): Confirms {
    const own = this.#stored(siteId).confirmedBy.filter(
      (one) => one.deviceId === reported.deviceId && (one.cameraId === null || one.cameraId === cameraId),
    );
    if (own.length === 0 || this.#siblings.registry.find(reported.deviceId)?.siteId !== siteId) return "no";
    const verdicts = own.map((one) => this.#confirmsBy(one, reported));
    return (["yes", "pin", "wrong_pin"] as const).find((verdict) => verdicts.includes(verdict)) ?? "no";
  }

  #confirmsBy(one: Stored["confirmedBy"][number], reported: Reported): Confirms {
    if ("event" in reported) return one.kind === "event" && one.event === reported.event ? "yes" : "no";
    if (one.kind === "event" || !reported.changed.includes(one.field)) return "no";
    const value = reported.state[one.field];
    if (one.kind === "state") return value === one.value ? "yes" : "no";
    const entered = typeof value === "number" || typeof value === "string" ? String(value) : "";
    if (entered === "") return "no"; // the keypad has cleared it
    const pin = this.#base.hubKey.open(Buffer.from(one.sealed ?? "", "base64"), contextOf(one)).toString();
    return isSame(entered, pin) ? "pin" : "wrong_pin";
  }

  /** Null: it is not known. */
  #isSo(siteId: number, { deviceId, field, value }: StateOfDevice): boolean | null {
    const device = this.#siblings.registry.find(deviceId);
    const state = device?.siteId === siteId ? device.state : null;
    const now = state?.[field];
    return now === undefined || now === null ? null : now === value;
  }

  #stored(siteId: number): Stored {
    const known = this.#known.get(siteId);
    if (known !== undefined) return known;
    const text = this.#siblings.tables.choices.find(siteId);
    const stored = text === null ? NOTHING : readStored(text);
    this.#known.set(siteId, stored);
    return stored;
  }

  #checked(
    siteId: number,
    { defaults, away, confirmedBy, whenInside, elsewhere, asksNearMisses, followed }: Choices,
  ): Stored {
    if (defaults.length > MOST_EARNS_DEFAULTS)
      throw new Problem("limit_reached", { code: "refusal.most.gateDefaults", limit: MOST_EARNS_DEFAULTS });
    if (confirmedBy.length > MOST_CONFIRMING)
      throw new Problem("limit_reached", { code: "refusal.most.confirming", limit: MOST_CONFIRMING });
    for (const [index, one] of defaults.entries()) {
      this.#checkCamera(siteId, one.deviceId, `/defaults/${index}/deviceId`);
      if (one.away && away === null) throw bodyRefused("/away", "missing", { code: "refusal.gate.awayUnknown" });
    }
    if (away !== null) this.#checkDevice(siteId, away.deviceId, "/away/deviceId");
    for (const [index, one] of followed.entries()) {
      this.#checkDevice(siteId, one.gateId, `/followed/${index}/gateId`);
      if (one.loop !== null) this.#checkDevice(siteId, one.loop.deviceId, `/followed/${index}/loop/deviceId`);
    }
    return {
      defaults: defaults.map((one) => ({ ...one, windows: storedWindows(windowsText(one.windows)) })),
      away,
      whenInside,
      elsewhere,
      asksNearMisses,
      followed,
      confirmedBy: confirmedBy.map((one, index) => {
        this.#checkCamera(siteId, one.cameraId, `/confirmedBy/${index}/cameraId`);
        this.#checkDevice(siteId, one.deviceId, `/confirmedBy/${index}/deviceId`);
        return one.kind === "pin" ? this.#sealed(siteId, one, `/confirmedBy/${index}/pin`) : one;
      }),
    };
  }

  #sealed(
    siteId: number,
    { pin, ...one }: Extract<ConfirmingDevice, { kind: "pin" }>,
    field: string,
  ): Stored["confirmedBy"][number] {
    if (pin !== undefined)
      return { ...one, sealed: this.#base.hubKey.seal(Buffer.from(pin), contextOf(one)).toString("base64") };
    const standing = this.#stored(siteId).confirmedBy.find(
      (other) => other.kind === "pin" && other.deviceId === one.deviceId && other.field === one.field,
    );
    if (standing?.sealed === undefined) throw bodyRefused(field, "missing", { code: "refusal.gate.pinMissing" });
    return { ...one, sealed: standing.sealed };
  }

  #cameras(siteId: number): Camera[] {
    return this.#siblings.cameras.all().filter((camera) => camera.siteId === siteId);
  }

  #checkDevice(siteId: number, deviceId: string, field: string): void {
    if (this.#siblings.registry.find(deviceId)?.siteId !== siteId) throw unknown(deviceId, field);
  }

  #checkCamera(siteId: number, deviceId: string | null, field: string): void {
    if (deviceId !== null && !this.#siblings.cameras.isCamera(siteId, deviceId)) throw unknown(deviceId, field);
  }
}

/** The device whose state has the camera take a picture, if there is one. */
function inputOf(source: object): string[] {
  const parsed = parseCameraSource(source);
  return parsed.kind !== "native" && parsed.watch.kind === "loop" ? [parsed.watch.deviceId] : [];
}

function unknown(id: string, field: string): Problem {
  const message = "The named device is not known, or is of the wrong kind.";
  return new Problem(
    "unknown_device",
    { code: "refusal.noDevice", id },
    {
      details: [{ field, code: "unknown_device", message }],
    },
  );
}

function contextOf({ deviceId, field }: { readonly deviceId: string; readonly field: string }): string {
  return `gate pin ${deviceId} ${field}`;
}

/** Written by {@link GateChoices.set} only. */
function readStored(text: string): Stored {
  const stored = storedJson<Stored | null>(text, null);
  if (stored === null || !Array.isArray(stored.defaults) || !Array.isArray(stored.confirmedBy)) return UNREADABLE;
  const windows = (given: readonly RuleWindow[]): readonly RuleWindow[] =>
    given.length === 0 ? [] : storedWindows(JSON.stringify(given));
  return { ...NOTHING, ...stored, defaults: stored.defaults.map((one) => ({ ...one, windows: windows(one.windows) })) };
}

function isSame(entered: string, pin: string): boolean {
  const [a, b] = [Buffer.from(entered), Buffer.from(pin)];
  return a.length === b.length && timingSafeEqual(a, b);
}
