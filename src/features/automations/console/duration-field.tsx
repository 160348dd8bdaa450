import { useState } from "preact/hooks";
import { SelectField } from "../../../console/components/field.tsx";
import { ParsedField, readNumber } from "../../../console/components/parsed-field.tsx";
import { t } from "../../../console/i18n/translate.ts";

const UNITS = [
  ["1", "duration.seconds"],
  ["60", "duration.minutes"],
  ["3600", "duration.hours"],
] as const;
type Unit = (typeof UNITS)[number][0];

/** The largest unit in which a length is a whole number; minutes for none. */
function unitOf(seconds: number): Unit {
  if (seconds === 0) return "60";
  return seconds % 3_600 === 0 ? "3600" : seconds % 60 === 0 ? "60" : "1";
}

/** A length of time with its unit. @param seconds undefined: none is given @param onChange seconds, undefined for none */
export function DurationField({
  label,
  seconds,
  isOptional = false,
  error,
  onChange,
}: {
  label: string;
  seconds: number | undefined;
  isOptional?: boolean;
  error?: string | undefined;
  onChange: (seconds: number | undefined) => void;
}) {
  const [unit, setUnit] = useState<Unit>(() => unitOf(seconds ?? 0));
  return (
    <div class="duration-field">
      <ParsedField
        key={unit}
        label={label}
        inputMode="decimal"
        value={seconds === undefined ? null : seconds / Number(unit)}
        show={(n) => (n === null ? "" : String(n))}
        read={(typed) => {
          if (typed.trim() === "" && isOptional) return { value: null };
          const number = readNumber(typed);
          return number === null || number.value < 0 ? null : number;
        }}
        wrong={t("block.noNumber")}
        onChange={(n) => onChange(n === null ? undefined : Math.round(n * Number(unit)))}
      />
      <SelectField
        label={t("duration.unit")}
        value={unit}
        options={UNITS.map(([value, text]) => [value, t(text)] as const)}
        onChange={(next) => {
          setUnit(next);
          if (seconds !== undefined) onChange((seconds / Number(unit)) * Number(next));
        }}
      />
      {error !== undefined && <span class="error">{error}</span>}
    </div>
  );
}
