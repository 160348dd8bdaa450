import type { CommandOutcomeStatus, CommandReason } from "../../core/api/resources/command.ts";
import { storedList } from "../../core/storage/stored-json.ts";
import type { CommandRow } from "./tables/command.ts";

/** The outcome of a command, as its sender sees it; times are epoch milliseconds. */
export interface CommandOutcome {
  readonly id: number;
  readonly deviceId: string;
  readonly actor: string;
  readonly status: CommandOutcomeStatus;
  readonly reason: CommandReason;
  readonly at: number;
  readonly expiresAt: number;
  readonly acknowledgedAt: number | null;
  readonly answeredAt: number | null;
  readonly changed: readonly string[] | null;
}

/** A command's progress. `isOver`: a later message no longer counts as its answer; this is stored nowhere. */
export function progressOf(
  row: CommandRow,
  isOver: boolean,
): { readonly status: CommandOutcomeStatus; readonly reason: CommandReason } {
  if (row.status === "delivered" || row.answeredAt !== null) return { status: "acknowledged", reason: null };
  if (row.status === "failed") return { status: "failed", reason: "not_done" };
  if (row.status === "expired") return { status: "expired", reason: "device_away" };
  if (row.status === "queued") return { status: "pending", reason: null };
  return isOver ? { status: "expired", reason: "no_answer" } : { status: "sent", reason: null };
}

/** A command's outcome from its row. */
export function outcomeOf(row: CommandRow, ttlMs: number, isOver: boolean): CommandOutcome {
  return {
    id: row.id,
    deviceId: row.deviceId,
    actor: row.actor,
    ...progressOf(row, isOver),
    at: row.at,
    expiresAt: row.at + ttlMs,
    acknowledgedAt: row.deliveredAt ?? row.answeredAt,
    answeredAt: row.answeredAt,
    changed: storedList<string>(row.answer),
  };
}
