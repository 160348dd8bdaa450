import { Table } from "../../../core/storage/table.ts";
import type { EstateReadRow } from "./estate-read.ts";

/** A plate's rule for every camera. */
export interface EstateRuleRow {
  readonly kind: "allow" | "deny" | "watch";
  readonly formatted: string;
  readonly label: string;
}

/** When and where a plate was last seen in a part of the site. */
export type LastSeenRow = Pick<EstateReadRow, "hub" | "part" | "formatted" | "camera" | "direction" | "label" | "at">;

/** Further parts are ignored: any hub can name some, and each step queries each of them. */
const MOST_PARTS = 64;

/** Reads `estate_read`, `estate_visit` and `plate_rule` plate by plate: each step is one index look-up. */
export class EstateVehicleTable extends Table {
  readonly #nextPart = this.sql.statement<[string], { part: string | null }>(
    "SELECT min(part) AS part FROM estate_read WHERE part > ?",
  );
  readonly #nextSeen = this.sql.statement<[string, string], { plate: string | null }>(
    "SELECT min(plate) AS plate FROM estate_read WHERE part = ? AND plate > ?",
  );
  readonly #nextRuled = this.sql.statement<[number, string], { plate: string }>(
    "SELECT plate FROM plate_rule WHERE site_id = ? AND plate > ? AND device_id IS NULL ORDER BY plate LIMIT 1",
  );
  readonly #lastSeen = this.sql.statement<
    [string, string],
    LastSeenRow
  >(`SELECT hub, part, formatted, camera, direction, label, at FROM estate_read
       WHERE part = ? AND plate = ? AND kind = 0 ORDER BY at DESC, hub DESC, uid DESC LIMIT 1`);

  /** Parts of the site in which anything was seen, by name; at most 64. */
  parts(): string[] {
    const found: string[] = [];
    while (found.length < MOST_PARTS) {
      const part = this.#nextPart.get(found.at(-1) ?? "")?.part ?? null;
      if (part === null) break;
      found.push(part);
    }
    return found;
  }

  /** The next plate in alphabetical order that was seen in one of these parts or has a rule. */
  next(siteId: number, parts: readonly string[], after: string): string | null {
    const ruled = this.#nextRuled.get(siteId, after)?.plate ?? null;
    const seen = parts.map((part) => this.#nextSeen.get(part, after)?.plate ?? null);
    return [ruled, ...seen].reduce((least, one) => (one !== null && (least === null || one < least) ? one : least));
  }

  readonly rule = this.sql.first<[siteId: number, plate: string], EstateRuleRow>(
    "SELECT kind, formatted, label FROM plate_rule WHERE site_id = ? AND plate = ? AND device_id IS NULL",
  );

  /** The last pass of a plate in one of these parts; null without any. */
  lastSeen(parts: readonly string[], plate: string): LastSeenRow | null {
    const rows = parts.flatMap((part) => this.#lastSeen.get(part, plate) ?? []);
    return rows.sort((a, b) => b.at - a.at)[0] ?? null;
  }

  /** Parts in which a plate is inside, and since when. */
  readonly inside = this.sql.all<[plate: string], { part: string; entryAt: number }>(
    `SELECT part, entry_at AS entryAt FROM estate_visit WHERE plate = ? AND status = 'open' ORDER BY entry_at DESC`,
  );
}
