import { type TextKey, t } from "../i18n/translate.ts";
import { Chip } from "./button.tsx";

const WEEKDAYS: readonly TextKey[] = ["day.1", "day.2", "day.3", "day.4", "day.5", "day.6", "day.7"];

/** Days of the week as chips (1 = Monday … 7 = Sunday); `none`: the text for when none is chosen. */
export function DaysField({
  label,
  days,
  none = t("block.everyDay"),
  onChange,
}: {
  label: string;
  days: readonly number[];
  none?: string;
  onChange: (days: number[]) => void;
}) {
  const chosen = new Set(days.map((day) => (day === 0 ? 7 : day)));
  return (
    <fieldset class="days">
      <legend>{label}</legend>
      <div class="chips">
        {WEEKDAYS.map((key, index) => {
          const day = index + 1;
          const on = chosen.has(day);
          return (
            <Chip
              key={key}
              text={t(key)}
              pressed={on}
              onClick={() =>
                onChange([...(on ? [...chosen].filter((known) => known !== day) : [...chosen, day])].sort())
              }
            />
          );
        })}
      </div>
      <span class="soft small">{chosen.size === 0 ? none : ""}</span>
    </fieldset>
  );
}
