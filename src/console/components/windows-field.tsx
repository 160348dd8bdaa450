import { t } from "../i18n/translate.ts";
import { Button, IconButton } from "./button.tsx";
import { DaysField } from "./days-field.tsx";
import { TextField } from "./field.tsx";
import { type Window, windowText } from "./week-times.ts";

/** The initial value of a new time of the week. */
export const WORKDAYS: Window = { days: [1, 2, 3, 4, 5], from: "07:00", to: "09:00" };
/** Most times of one rule, as in the hub. */
const MOST = 14;

/** Whether the hub accepts these times, which half-typed ones are not. */
export function areWindowsWhole(windows: readonly Window[]): boolean {
  return (
    windows.length > 0 &&
    windows.every(
      ({ days, from, to }) => days.length > 0 && from !== "" && to !== "" && (from !== to || from === "00:00"),
    )
  );
}

/** Times of the week by touch: days as chips, two times, and their meaning in words. */
export function WindowsField({
  windows,
  onChange,
}: {
  windows: readonly Window[];
  onChange: (windows: readonly Window[]) => void;
}) {
  const set = (place: number, change: Partial<Window>): void =>
    onChange(windows.map((window, index) => (index === place ? { ...window, ...change } : window)));
  return (
    <div class="stack">
      {windows.map((window, index) => (
        <div class="window-edit" key={index}>
          <DaysField
            label={t("when.days")}
            days={window.days}
            onChange={(days) => set(index, { days })}
            none={t("when.noDay")}
          />
          <div class="pair">
            <TextField
              label={t("when.from")}
              type="time"
              value={window.from}
              onInput={(from) => set(index, { from })}
            />
            <TextField label={t("when.to")} type="time" value={window.to} onInput={(to) => set(index, { to })} />
          </div>
          <div class="row between">
            <p class="soft small" role="status">
              {areWindowsWhole([window]) ? windowText(window) : t("when.incomplete")}
            </p>
            {windows.length > 1 && (
              <IconButton
                icon="trash"
                label={t("when.remove")}
                onClick={() => onChange(windows.filter((_, other) => other !== index))}
              />
            )}
          </div>
        </div>
      ))}
      {windows.length < MOST && (
        <Button icon="plus" text={t("when.add")} onClick={() => onChange([...windows, WORKDAYS])} />
      )}
    </div>
  );
}
