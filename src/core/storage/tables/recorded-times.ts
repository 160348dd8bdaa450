/**
 * Moves records with a wrong time. The only list of the columns that hold the time of an event; planned times are not
 * among them.
 */
import type { Database } from "../database.ts";

/** Columns that hold the moment at which a row was recorded, by table. Visits and vehicles follow from their reads. */
const RECORDED: Readonly<Record<string, readonly string[]>> = {
  plate_read: ["at", "last_at", "stored_at", "corrected_at"],
  plate_capture: ["at", "stored_at"],
  plate_image: ["at"],
  visit_closure: ["at"],
  feed_item: ["at"],
  audit: ["at"],
  opening: ["at", "settled_at"],
  guest_pass: ["created_at", "opened_at"],
  command: ["at", "delivered_at", "answered_at"],
  device: ["state_at", "last_seen", "created_at"],
  retired_device: ["retired_at"],
  session: ["created_at", "last_used_at"],
  api_key: ["created_at", "last_used_at", "revoked_at"],
  invitation: ["created_at"],
  scene: ["last_activated_at", "created_at"],
  automation: ["last_triggered_at", "created_at", "updated_at"],
  automation_trace: ["at"],
  webhook: ["disabled_at", "created_at", "updated_at"],
  webhook_delivery: ["created_at", "attempted_at"],
  plate_rule: ["created_at"],
  bridge_client: ["first_seen", "last_seen"],
};

/** A span of recorded times (epoch ms, both ends included) and by how much it moves. */
export interface MovedSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly shiftMs: number;
}

/** A vehicle of a household whose reads were moved: its visits have to be paired again. */
export interface MovedPlate {
  readonly siteId: number;
  readonly plate: string;
}

/**
 * Moves every recorded time within the span; called inside a write job. Returns how many times were moved, and the
 * plates whose reads or closures were among them.
 */
export function moveRecordedTimes(
  database: Database,
  { fromMs, toMs, shiftMs }: MovedSpan,
): { times: number; plates: MovedPlate[] } {
  const { raw } = database;
  const plates = raw
    .prepare<[number, number, number, number], MovedPlate>(
      `SELECT DISTINCT site_id AS siteId, plate FROM plate_read WHERE plate IS NOT NULL AND at BETWEEN ? AND ?
       UNION SELECT site_id, plate FROM visit_closure WHERE at BETWEEN ? AND ?`,
    )
    .all(fromMs, toMs, fromMs, toMs);
  let times = 0;
  for (const [table, columns] of Object.entries(RECORDED))
    for (const column of columns)
      times += raw
        .prepare<[number, number, number]>(
          `UPDATE ${table} SET ${column} = ${column} + ? WHERE ${column} BETWEEN ? AND ?`,
        )
        .run(Math.round(shiftMs), Math.floor(fromMs), Math.ceil(toMs)).changes;
  return { times, plates };
}
