/** Until when somebody has access: chosen as a last day, stored as the moment after it, said as that day. */
import type { FieldErrors } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { dayOf, shifted, shownZone, startOfDay, zoneDate, zoneMoment } from "../../../console/components/zone-time.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";

/** An end while it is edited. */
export interface UntilDraft {
  readonly kind: "never" | "week" | "month" | "date" | "kept";
  /** The last day, of `date`. */
  readonly day: string;
  /** The end before, of `kept`. */
  readonly before: string | null;
}

const KIND_TEXTS = {
  never: "until.never",
  week: "until.week",
  month: "until.month",
  date: "until.date",
} as const satisfies Readonly<Record<Exclude<UntilDraft["kind"], "kept">, TextKey>>;

/** The draft of an end (ISO 8601), null for none; one that has passed is a date yet to choose. */
export function untilDraft(until: string | null): UntilDraft {
  if (until === null) return { kind: "never", day: "", before: null };
  if (Date.parse(until) <= Date.now()) return { kind: "date", day: "", before: until };
  return isWholeDay(until)
    ? { kind: "date", day: lastDayOf(until), before: until }
    : { kind: "kept", day: "", before: until };
}

/** The moment (ISO 8601) that a draft means; null for none, empty while a date is to be chosen. */
export function untilOf({ kind, day, before }: UntilDraft): string | null {
  if (kind === "never") return null;
  if (kind === "kept") return before;
  const last = kind === "date" ? day : dayOf(inOne(kind), shownZone());
  return last === "" ? "" : endOf(last);
}

/** The end in words: `30 June 2027`, with the time where it is not the end of a day; `zone`: of a house that one is not in. */
export function untilText(until: string, zone = shownZone()): string {
  const at = Date.parse(until);
  if (startOfDay(dayOf(at, zone), zone) !== at) return zoneMoment(at, zone);
  return zoneDate(at - 1, zone, { day: "numeric", month: "long", year: "numeric" });
}

/** How somebody's access ends. */
export function UntilField({
  draft,
  errors,
  onChange,
}: {
  draft: UntilDraft;
  errors: FieldErrors;
  onChange: (draft: UntilDraft) => void;
}) {
  const until = untilOf(draft);
  const isPast = draft.kind === "date" && until !== null && until !== "" && Date.parse(until) <= Date.now();
  const options = (Object.keys(KIND_TEXTS) as (keyof typeof KIND_TEXTS)[]).map(
    (kind) => [kind, t(KIND_TEXTS[kind])] as const,
  );
  return (
    <>
      <SelectField
        label={t("until.title")}
        hint={until === null || until === "" || isPast ? t("until.text") : t("until.textOf", { day: untilText(until) })}
        error={draft.kind === "date" ? undefined : errors.until}
        value={draft.kind}
        onChange={(kind) => onChange({ ...draft, kind })}
        options={
          draft.kind === "kept" && draft.before !== null
            ? [["kept", untilText(draft.before)] as const, ...options]
            : options
        }
      />
      {draft.kind === "date" && (
        <TextField
          label={t("until.lastDay")}
          type="date"
          value={draft.day}
          onInput={(day) => onChange({ ...draft, day })}
          error={isPast ? t("until.past") : errors.until}
          unread={isPast} // said before the form asks who is there
          required
        />
      )}
    </>
  );
}

function inOne(span: "week" | "month"): number {
  return shifted(Date.now(), span, 1, shownZone());
}

function endOf(day: string): string {
  return new Date(shifted(startOfDay(day, shownZone()), "day", 1, shownZone())).toISOString();
}

function isWholeDay(until: string): boolean {
  return startOfDay(dayOf(Date.parse(until), shownZone()), shownZone()) === Date.parse(until);
}

function lastDayOf(until: string): string {
  return dayOf(Date.parse(until) - 1, shownZone());
}
