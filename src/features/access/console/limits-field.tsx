/** When, and which gates, a member may open: chosen, and said in words. */
import type { FieldErrors } from "../../../console/components/dialog.tsx";
import { CheckField, SelectField } from "../../../console/components/field.tsx";
import { type Window, windowText } from "../../../console/components/week-times.ts";
import { areWindowsWhole, WindowsField, WORKDAYS } from "../../../console/components/windows-field.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { type Device, deviceList, devices } from "../../../console/store.ts";

/** What somebody may open, and when; null: everything, at any time. */
export type Limits = AnswerTo<"GET", "/api/persons">["persons"][number]["limits"];

/** Limits while they are edited. */
export interface LimitsDraft {
  readonly when: "any" | "times";
  readonly times: readonly Window[];
  readonly what: "all" | "only";
  readonly gates: readonly string[];
}

/** The draft of limits. */
export function limitsDraft(limits: Limits): LimitsDraft {
  const { times = [], gates = null } = limits ?? {};
  return {
    when: times.length === 0 ? "any" : "times",
    times,
    what: gates === null ? "all" : "only",
    gates: gates ?? [],
  };
}

/** The limits that a draft means; undefined while something is to be chosen. */
export function limitsOf({ when, times, what, gates }: LimitsDraft): Limits | undefined {
  if ((when === "times" && !areWindowsWhole(times)) || (what === "only" && gates.length === 0)) return undefined;
  if (when === "any" && what === "all") return null;
  return {
    times: when === "any" ? [] : times.map(({ days, from, to }) => ({ days: [...days], from, to })),
    gates: what === "all" ? null : [...gates],
  };
}

/** Limits in words: `Mon, Thu 9:00–12:00 · only Front gate`; empty: none. */
export function limitsText(limits: Limits): string {
  if (limits === null) return "";
  const { times, gates } = limits;
  const names = gates?.map((id) => devices.value.get(id)?.name ?? t("limits.removedGate"));
  return [
    ...times.map(windowText),
    ...(names === undefined
      ? []
      : [t(names.length === 0 ? "limits.nothing" : "limits.only", { names: names.join(", ") })]),
  ].join(" · ");
}

/** When somebody may open, and what. */
export function LimitsField({
  draft,
  errors,
  onChange,
}: {
  draft: LimitsDraft;
  errors: FieldErrors;
  onChange: (draft: LimitsDraft) => void;
}) {
  const guarded = deviceList.value.filter(isGuarded);
  const known = new Set(guarded.map(({ id }) => id));
  const gone = draft.gates.filter((id) => !known.has(id));
  const error = Object.entries(errors).find(([field]) => field.startsWith("limits"))?.[1];
  const toggle = (id: string, on: boolean): void =>
    onChange({ ...draft, gates: on ? [...draft.gates, id] : draft.gates.filter((other) => other !== id) });
  return (
    <>
      <SelectField
        label={t("limits.when")}
        value={draft.when}
        onChange={(when) =>
          onChange({ ...draft, when, times: when === "times" && draft.times.length === 0 ? [WORKDAYS] : draft.times })
        }
        options={[
          ["any", t("limits.anyTime")],
          ["times", t("limits.certainTimes")],
        ]}
      />
      {draft.when === "times" && (
        <WindowsField windows={draft.times} onChange={(times) => onChange({ ...draft, times })} />
      )}
      <SelectField
        label={t("limits.what")}
        hint={t("limits.text")}
        value={draft.what}
        onChange={(what) => onChange({ ...draft, what })}
        options={[
          ["all", t("limits.everything")],
          ["only", t("limits.onlyThese")],
        ]}
      />
      {draft.what === "only" && (
        <div class="window-edit" role="group" aria-label={t("limits.what")}>
          {guarded.map(({ id, name }) => (
            <CheckField key={id} label={name} checked={draft.gates.includes(id)} onChange={(on) => toggle(id, on)} />
          ))}
          {gone.map((id) => (
            <CheckField key={id} label={t("limits.removedGate")} checked onChange={(on) => toggle(id, on)} />
          ))}
          {guarded.length === 0 && <p class="soft small">{t("limits.noGates")}</p>}
          {guarded.length > 0 && draft.gates.length === 0 && <p class="soft small">{t("limits.chooseOne")}</p>}
        </div>
      )}
      {error !== undefined && <p class="error">{error}</p>}
    </>
  );
}

/** Whether a device lets people in or guards the house, as the hub has it. */
function isGuarded({ type, capabilities }: Device): boolean {
  return capabilities?.barrier === true || type === "sentinel";
}
