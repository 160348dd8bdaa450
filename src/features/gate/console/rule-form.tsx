import type { FieldErrors } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import type { Window } from "../../../console/components/week-times.ts";
import { WindowsField, WORKDAYS } from "../../../console/components/windows-field.tsx";
import { momentOfField } from "../../../console/components/zone-time.ts";
import { t } from "../../../console/i18n/translate.ts";

/** When something holds, while it is edited: `datetime-local` texts and times of the week. */
export interface WhenDraft {
  readonly kind: "always" | "until" | "weekly";
  readonly from: string;
  readonly to: string;
  readonly windows: readonly Window[];
}

/** When a rule or a pass holds: always, between two moments, or at times of the week. */
export function WhenFields({
  draft,
  errors,
  needsEnd = false,
  onChange,
}: {
  draft: WhenDraft;
  errors: FieldErrors;
  /** A pass always ends. */
  needsEnd?: boolean;
  onChange: (draft: WhenDraft) => void;
}) {
  const kinds = [
    ...(needsEnd ? [] : [["always", t("when.always")] as const]),
    ["until", needsEnd ? t("when.untilTime") : t("when.between")] as const,
    ["weekly", t("when.weekly")] as const,
  ];
  const choose = (kind: WhenDraft["kind"]): void =>
    onChange({ ...draft, kind, windows: kind === "weekly" && draft.windows.length === 0 ? [WORKDAYS] : draft.windows });
  return (
    <>
      <SelectField label={t("when.title")} value={draft.kind} onChange={choose} options={kinds} />
      {draft.kind === "weekly" && (
        <WindowsField windows={draft.windows} onChange={(windows) => onChange({ ...draft, windows })} />
      )}
      {errors.windows !== undefined && <p class="error">{errors.windows}</p>}
      {draft.kind !== "always" && (
        <div class="pair">
          <TextField
            label={t("rules.validFrom")}
            type="datetime-local"
            value={draft.from}
            onInput={(from) => onChange({ ...draft, from })}
            error={errors.validFrom}
          />
          <TextField
            label={needsEnd ? t("pass.until") : t("rules.validTo")}
            type="datetime-local"
            value={draft.to}
            onInput={(to) => onChange({ ...draft, to })}
            error={errors.validTo}
            required={needsEnd}
          />
        </div>
      )}
    </>
  );
}

/** A draft in the hub's form. */
export function boundsOf({ kind, from, to, windows }: WhenDraft) {
  const isBounded = kind !== "always";
  return {
    validFrom: isBounded ? momentOf(from) : null,
    validTo: isBounded ? momentOf(to) : null,
    windows:
      kind === "weekly"
        ? windows.map(({ days, from: begin, to: end }) => ({ days: [...days], from: begin, to: end }))
        : [],
  };
}

/** The moment that a `datetime-local` field holds; null for none. */
function momentOf(typed: string): string | null {
  return typed === "" ? null : momentOfField(typed);
}
