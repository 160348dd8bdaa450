/**
 * The day at the gate as people look at it: sightings found by a fragment of a plate or a name, with what is known of
 * whether each vehicle went through, hours, who is inside, and exports. It only reads.
 */
import type { Base } from "../../core/base.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/kernel/clock.ts";
import { csv } from "../../core/kernel/csv.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { type ZipEntry, zipped } from "../../core/kernel/zip.ts";
import type { Decision, RuleKind } from "../../core/plates/decide.ts";
import type { PicturePart } from "../../core/plates/reading.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { CameraSettings } from "./camera-settings.ts";
import type { PlateImageFiles } from "./images.ts";
import type { OpeningEntry, Openings } from "./openings.ts";
import { boxOf } from "./plate-crops.ts";
import { type PlateReadView, type ReadCursor, viewOf } from "./plate-reads.ts";
import { LATEST_STAYS, mayHaveLeftFrom, usualStay } from "./rules/usual-stay.ts";
import type { ReadFilter, ReadSums, ShownRead } from "./tables/plate-read.ts";
import { looksLike } from "./tables/vehicle.ts";
import type { GateTables } from "./tables.ts";

/** A sighting with where its plate is, the gate that it may open, and whether the vehicle went through. */
export interface GateReadView extends PlateReadView {
  readonly box: PicturePart | null;
  readonly opens: string | null;
  readonly passed: "seen" | "assumed" | "unknown" | "no";
  /** The gate stood open when it came. */
  readonly gateWasOpen: boolean;
  /** The gate was known to be shut when it came. */
  readonly gateWasShut: boolean;
  /** Since when it stood open; epoch ms. */
  readonly gateOpenSince: number | null;
  /** When somebody was asked, and who answered when; epoch ms. */
  readonly asked: AskedView | null;
  /** Who opened the gate while it may have waited there; epoch ms. */
  readonly openedAfter: { readonly by: OpeningEntry["by"]; readonly at: number } | null;
  /** The list that its plate is on now, for this camera; null: on none. */
  readonly listedNow: RuleKind | null;
  /** Who put it right, and what the camera saw; null: nobody did. */
  readonly correction: { readonly by: string | null; readonly saw: string } | null;
}

/** A question about a sighting; `by` is null where nobody knows the name, `answeredAt` where nobody answered. */
interface AskedView {
  readonly at: number | null;
  readonly by: string | null;
  readonly answeredAt: number | null;
}

/** What a list of sightings is narrowed to. */
export interface DayFilter extends Omit<ReadFilter, "plate" | "plates" | "decision" | "decisions" | "before"> {
  /** Part of a plate or a name, as somebody typed it. */
  readonly q?: string | undefined;
  readonly decisions?: readonly Decision[] | undefined;
}

/** A vehicle whose visit goes on, or that left unseen; times are epoch milliseconds. */
export interface InsideEntry {
  readonly visitId: number;
  readonly plate: string;
  readonly formatted: string;
  readonly label: string;
  readonly since: number | null;
  readonly how: "let_in" | "seen_inside" | "at_gate";
}

/** A vehicle inside with its habit: how long it usually stays, and from when on it may have left unseen. */
export interface StayingEntry extends InsideEntry {
  readonly usualStaySeconds: number | null;
  readonly mayHaveLeftFrom: number;
}

/** How far a gate is set up: the camera that opens one, and what has happened already. */
export interface GateSetUp {
  readonly cameraId: string | null;
  readonly gateId: string | null;
  readonly pictured: boolean;
  readonly listed: boolean;
  readonly opened: boolean;
}

/** Distinct plates that a search looks at: those seen last. */
const MOST_SEARCHED = 50_000;
/** Plates that a search finds. */
const MOST_FOUND = 500;
/** The longest range of hours. */
const MOST_DAYS = 35;
const MOST_INSIDE = 200;
/** Sightings that are counted. */
const MOST_COUNTED = 10_000;
/** A vehicle that came within this time may still stand at the gate. */
const WAITS_MS = 5 * MINUTE_MS;
const UNSEEN_DAYS = 30;
const EXPORT_PAGE = 500;
const MOST_EXPORTED = 20_000;
const MOST_PICTURES = 2_000;
const MOST_PICTURE_BYTES = 1_000_000_000;

interface Siblings {
  readonly tables: GateTables;
  readonly cameras: CameraSettings;
  readonly images: PlateImageFiles;
  readonly registry: DeviceRegistry;
  readonly openings: Pick<Openings, "firstOwn" | "gateNear">;
}

/** Sightings of a household by day. */
export class GateDay {
  readonly #base: Base;
  readonly #siblings: Siblings;
  #isExporting = false;

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** A page of sightings by (at, id); `next` is set when there are more. */
  list(
    siteId: number,
    filter: DayFilter,
    page: {
      readonly limit: number;
      readonly order?: "newest" | "oldest" | undefined;
      readonly before?: ReadCursor | undefined;
    },
  ): { reads: GateReadView[]; next: ReadCursor | null } {
    const wanted = this.#filterOf(siteId, filter);
    if (wanted === null) return { reads: [], next: null };
    const rows = this.#siblings.tables.reads.list(
      siteId,
      { ...wanted, before: page.before },
      page.limit + 1,
      page.order ?? "newest",
    );
    const shown = rows.slice(0, page.limit);
    const last = shown.at(-1);
    return {
      reads: shown.map((row) => this.#view(row)),
      next: rows.length > page.limit && last !== undefined ? { at: last.at, id: last.id } : null,
    };
  }

  /** One sighting. @throws Problem plate_read_not_found */
  get(siteId: number, id: number): GateReadView {
    const row = this.#siblings.tables.reads.find(siteId, id);
    if (row === null) throw new Problem("plate_read_not_found", "There is no such plate read.");
    return this.#view(row);
  }

  /** Those of these sightings that are kept, in the order of `ids`. */
  named(siteId: number, ids: readonly number[]): GateReadView[] {
    return [...new Set(ids)].flatMap((id) => {
      const row = this.#siblings.tables.reads.find(siteId, id);
      return row === null ? [] : [this.#view(row)];
    });
  }

  /**
   * Sightings by hour, counted from `from`; hours without one are left out. Epoch milliseconds.
   * @throws Problem invalid_query when the range ends before it begins, or is too long
   */
  hours(
    siteId: number,
    range: { readonly from: number; readonly to: number },
    filter: DayFilter = {},
  ): { from: number; allow: number; deny: number; watch: number; unknown: number; unread: number }[] {
    const { from, to } = range;
    if (!(to > from && to - from <= MOST_DAYS * DAY_MS)) {
      const message = `must be later than since, by at most ${MOST_DAYS} days`;
      throw new Problem("invalid_query", `until ${message}.`, {
        details: [{ field: "until", code: "out_of_range", message }],
      });
    }
    const hours = new Map<number, { allow: number; deny: number; watch: number; unknown: number; unread: number }>();
    const wanted = this.#filterOf(siteId, filter);
    const counts = wanted === null ? [] : this.#siblings.tables.reads.hours(siteId, wanted, from, to);
    for (const { hour, decision, status, count } of counts) {
      const sums = hours.get(hour) ?? { allow: 0, deny: 0, watch: 0, unknown: 0, unread: 0 };
      sums[status === "recognised" ? decision : "unread"] += count;
      hours.set(hour, sums);
    }
    return [...hours].map(([hour, sums]) => ({ from: from + hour * HOUR_MS, ...sums }));
  }

  /** How many sightings fit, and of how many vehicles; of the newest 10,000. */
  sums(siteId: number, filter: DayFilter): ReadSums {
    const wanted = this.#filterOf(siteId, filter);
    return wanted === null
      ? { passes: 0, cars: 0, unread: 0 }
      : this.#siblings.tables.reads.sums(siteId, wanted, MOST_COUNTED);
  }

  /** Vehicles whose visit goes on, and those that left unseen in the last month. */
  inside(siteId: number): { inside: StayingEntry[]; leftUnseen: InsideEntry[] } {
    const { clock } = this.#base;
    const { tables } = this.#siblings;
    const entry = (visit: { id: number; plate: string; entryReadId: number | null; entryAt: number | null }) => {
      const read = visit.entryReadId === null ? null : tables.reads.find(siteId, visit.entryReadId);
      const formatted = read?.formatted ?? tables.vehicles.find(siteId, visit.plate)?.formatted ?? visit.plate;
      const how = read === null ? ("at_gate" as const) : this.#howIn(read);
      return {
        visitId: visit.id,
        plate: visit.plate,
        formatted,
        label: read?.label ?? this.#labelOf(siteId, visit.plate),
        since: visit.entryAt,
        how,
      };
    };
    const staying = (visit: Parameters<typeof entry>[0]): StayingEntry => {
      const stays = tables.visits.latestStays(siteId, visit.plate, LATEST_STAYS).map(({ seconds }) => seconds);
      const habit = usualStay(stays);
      return {
        ...entry(visit),
        usualStaySeconds: habit?.usualSeconds ?? null,
        mayHaveLeftFrom: mayHaveLeftFrom(visit.entryAt ?? 0, habit),
      };
    };
    const unseen = tables.visits.leftUnseen(siteId, clock.now() - UNSEEN_DAYS * DAY_MS, MOST_INSIDE).map(entry);
    return {
      inside: tables.visits.open(siteId).slice(0, MOST_INSIDE).map(staying),
      leftUnseen: unseen.filter(({ how }) => how !== "at_gate"), // who was never let in has not left
    };
  }

  /** How far the gate of a household is set up. */
  setUp(siteId: number): GateSetUp {
    const { tables, cameras } = this.#siblings;
    const own = tables.cameras.all().flatMap(({ deviceId }) => cameras.find(deviceId) ?? []);
    const joined = own.find((camera) => camera.siteId === siteId && camera.enabled && camera.gate !== null);
    return {
      cameraId: joined?.deviceId ?? null,
      gateId: joined?.gate?.deviceId ?? null,
      pictured: tables.reads.list(siteId, {}, 1).length > 0,
      listed: tables.rules.list(siteId).some(({ kind, enabled }) => kind === "allow" && enabled === 1),
      opened: tables.openings.hasOpenedForPlate(siteId),
    };
  }

  /** The sightings as a table, page by page while it is sent. */
  async *table(siteId: number, filter: DayFilter): AsyncGenerator<string> {
    yield csv([
      ["time", "plate", "name", "decision", "direction", "camera", "status", "sure", "gate", "reason", "went through"],
    ]);
    for (const reads of this.#pages(siteId, filter, MOST_EXPORTED))
      yield csv(
        reads.map((read) => [
          new Date(read.at).toISOString(),
          read.formatted ?? "",
          read.label,
          read.decision,
          read.direction ?? "",
          this.#siblings.registry.find(read.deviceId)?.name ?? read.deviceId,
          read.status,
          read.status === "recognised" ? read.confidence : null,
          read.gate?.result ?? "",
          read.gate?.reason ?? "",
          read.passed,
        ]),
      );
  }

  /**
   * The pictures of sightings as a ZIP file, picture by picture while it is sent.
   * @throws Problem unavailable while another export runs
   */
  pictures(siteId: number, filter: DayFilter): AsyncGenerator<Uint8Array> {
    this.#refuseSecondExport();
    return this.#zip(siteId, filter);
  }

  /** Counts as under way from its first piece: an answer to HEAD, or to a client that has gone, asks for none. */
  async *#zip(siteId: number, filter: DayFilter): AsyncGenerator<Uint8Array> {
    this.#refuseSecondExport(); // another one may have begun since it was asked for
    this.#isExporting = true;
    try {
      yield* zipped(this.#entries(siteId, filter));
    } finally {
      this.#isExporting = false;
    }
  }

  #refuseSecondExport(): void {
    if (this.#isExporting) throw new Problem("unavailable", { code: "unavailable.exporting" });
  }

  async *#entries(siteId: number, filter: DayFilter): AsyncGenerator<ZipEntry> {
    let [count, bytes] = [0, 0];
    for (const reads of this.#pages(siteId, filter, MOST_EXPORTED))
      for (const read of reads) {
        const picture = read.hasImage ? await this.#siblings.images.read(read.id) : null;
        if (picture === null) continue;
        if (count >= MOST_PICTURES || bytes + picture.length > MOST_PICTURE_BYTES) return;
        count += 1;
        bytes += picture.length;
        const moment = new Date(read.at).toISOString().slice(0, 19).replaceAll(":", "-");
        yield { name: `${moment}Z_${read.plate ?? "unread"}_${read.id}.jpg`, at: read.at, bytes: picture };
      }
  }

  *#pages(siteId: number, filter: DayFilter, most: number): Generator<GateReadView[]> {
    let before: ReadCursor | undefined;
    for (let left = most; left > 0; left -= EXPORT_PAGE) {
      const { reads, next } = this.list(siteId, filter, { limit: Math.min(left, EXPORT_PAGE), before });
      yield reads;
      if (next === null) return;
      before = next;
    }
  }

  /** The filter of the table; null: nothing can fit. */
  #filterOf(siteId: number, { q, decisions, ...rest }: DayFilter): ReadFilter | null {
    const listed = decisions === undefined ? undefined : JSON.stringify(decisions);
    const typed = q?.trim() ?? "";
    if (typed === "") return { ...rest, decisions: listed };
    const plates = this.#platesFor(siteId, typed);
    return plates.length === 0 ? null : { ...rest, decisions: listed, plates: JSON.stringify(plates) };
  }

  /** Plates that contain what somebody typed, or whose rule's name does. */
  #platesFor(siteId: number, typed: string): string[] {
    const { tables } = this.#siblings;
    const name = plain(typed);
    const named = tables.rules.list(siteId).filter((rule) => plain(rule.label).includes(name));
    const part = typed
      .normalize("NFKC")
      .toUpperCase()
      .replaceAll(/[^0-9A-Z]/g, "");
    const wanted = { siteId, searched: MOST_SEARCHED, limit: MOST_FOUND };
    const exact = part === "" ? [] : tables.vehicles.containing({ ...wanted, part });
    const found =
      exact.length > 0 || named.length > 0 || part === ""
        ? exact
        : tables.vehicles.resembling({ ...wanted, part: looksLike(part) });
    return [...new Set([...found, ...named].map(({ plate }) => plate))].slice(0, MOST_FOUND);
  }

  #view(row: ShownRead): GateReadView {
    const camera = this.#siblings.cameras.find(row.deviceId);
    const rules = row.plate === null ? [] : this.#siblings.tables.rules.of(row.siteId, row.plate);
    const applies = rules.find(({ enabled, deviceId }) => enabled === 1 && (deviceId ?? row.deviceId) === row.deviceId);
    return {
      ...viewOf(row),
      // the owner known today, even if the plate was on no list at the time of the read
      label: row.label || (rules[0]?.label ?? ""),
      listedNow: applies?.kind ?? null,
      box: row.hasImage === 1 ? boxOf(this.#siblings.tables.images.box(row.id)) : null,
      opens: camera?.enabled === true ? (camera.gate?.deviceId ?? null) : null,
      passed: this.#passed(row),
      gateWasOpen: row.gateWasOpen === 1,
      gateWasShut: row.gateWasShut === 1,
      gateOpenSince: row.gateOpenSince,
      asked: askedOf(row),
      openedAfter: this.#openedAfter(row),
      correction: this.#correction(row),
    };
  }

  #correction({ correctedAt, correctedBy, seenPlate, seenText }: ShownRead): GateReadView["correction"] {
    if (correctedAt === null) return null;
    const [kind = "", id = ""] = correctedBy?.split(":") ?? [];
    return { by: this.#siblings.tables.openings.nameOf(kind, Number(id)), saw: seenPlate ?? seenText };
  }

  /** An opening that no read has asked for, while no other vehicle had come to the camera. */
  #openedAfter(row: ShownRead): GateReadView["openedAfter"] {
    if (row.notTold === null || row.result !== null) return null;
    const { tables, openings, cameras } = this.#siblings;
    const gateId = openings.gateNear(row.siteId, cameras.find(row.deviceId)?.gate?.deviceId ?? null);
    if (gateId === null) return null;
    const opening = openings.firstOwn(row.siteId, gateId, row.at, row.lastAt + WAITS_MS);
    if (opening === null || tables.reads.anyBetween(row.siteId, row.deviceId, row.lastAt, opening.at)) return null;
    return { by: opening.by, at: opening.at };
  }

  #passed(row: ShownRead): GateReadView["passed"] {
    if (row.plate === null) return row.result === null ? "no" : "assumed";
    const camera = this.#siblings.cameras.find(row.deviceId);
    if (camera?.insideGate === true) return "seen";
    const hasLeft = this.#siblings.tables.visits.statusOfEntry(row.id) === "closed";
    if (row.result === "opened" || row.result === "taken") return hasLeft ? "seen" : "assumed";
    const hasGate = row.notTold !== null && row.notTold !== "no_gate";
    if (hasGate || row.result !== null) return "no";
    return hasLeft ? "seen" : "unknown";
  }

  #howIn(read: ShownRead): InsideEntry["how"] {
    if (read.result === "opened" || read.result === "taken") return "let_in";
    return this.#siblings.cameras.find(read.deviceId)?.insideGate === true ? "seen_inside" : "at_gate";
  }

  #labelOf(siteId: number, plate: string): string {
    return this.#siblings.tables.rules.of(siteId, plate)[0]?.label ?? "";
  }
}

/** Reads of before questions were recorded say at least who opened. */
function askedOf({ askedAt, answeredAt, answeredBy, openedBy }: ShownRead): AskedView | null {
  const by = answeredBy ?? openedBy;
  return askedAt === null && by === null ? null : { at: askedAt, by, answeredAt };
}

/** Letters as they are compared: full-width as half-width, small, without accents. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}
