import { measured } from "../i18n/measures.ts";
import { controlName, type Range } from "./controls.ts";

/** A slider between a control's limits. `otherwise`: shown while it has no value. */
export function RangeField({
  control,
  now,
  otherwise,
  disabled = false,
  onInput,
  onChange,
}: {
  control: Range;
  now: number | null;
  otherwise: string;
  disabled?: boolean;
  onInput: (n: number) => void;
  onChange?: (n: number) => void;
}) {
  return (
    <label class="field">
      <span class="row between">
        <span class="label">{controlName(control)}</span>
        <span class="numbers">{now === null ? otherwise : measured(control.field, now)}</span>
      </span>
      <input
        class="range"
        type="range"
        min={control.min}
        max={control.max}
        step={control.step}
        value={now ?? control.min}
        disabled={disabled}
        onInput={(event) => onInput(Number(event.currentTarget.value))}
        onChange={(event) => onChange?.(Number(event.currentTarget.value))}
      />
    </label>
  );
}
