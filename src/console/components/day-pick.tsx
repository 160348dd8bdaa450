import { useRef } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { Icon } from "./icon.tsx";
import "./day-pick.css";

/** A day in words that opens the calendar. `text`: what is shown; `value`, `max`: days as `2026-03-01`. */
export function DayPick({
  text,
  value,
  max,
  onPick,
}: {
  text: string;
  value: string;
  max: string;
  onPick: (day: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const open = (): void => {
    try {
      input.current?.showPicker();
    } catch {
      input.current?.focus(); // a browser without it shows its calendar for the field
    }
  };
  return (
    <span class="day-pick">
      <button type="button" class="button plain" aria-label={`${text}, ${t("history.pickDay")}`} onClick={open}>
        <span class="when">{text}</span>
        <Icon name="chevronRight" small />
      </button>
      <input
        ref={input}
        type="date"
        aria-label={t("history.pickDay")}
        tabIndex={-1}
        value={value}
        max={max}
        onChange={(event) => {
          const day = event.currentTarget.value;
          if (/^\d{4}-\d{2}-\d{2}$/.test(day)) onPick(day);
        }}
      />
    </span>
  );
}
