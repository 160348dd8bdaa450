import { useState } from "preact/hooks";
import { SelectField } from "../../../console/components/field.tsx";
import { ParsedField, readNumber } from "../../../console/components/parsed-field.tsx";
import { t } from "../../../console/i18n/translate.ts";

type Side = "at" | "before" | "after";

/** Minutes before or after a moment, in words. @param minutes negative: before */
export function OffsetField({
  label,
  minutes,
  onChange,
}: {
  label: string;
  minutes: number;
  onChange: (minutes: number) => void;
}) {
  const [chosen, setChosen] = useState<Side>("at");
  const side: Side = minutes < 0 ? "before" : minutes > 0 ? "after" : chosen;
  const signed = (to: Side, size: number): number => (to === "at" ? 0 : to === "before" ? -size : size);
  return (
    <>
      <SelectField
        label={label}
        value={side}
        options={[
          ["at", t("offset.at")],
          ["before", t("offset.before")],
          ["after", t("offset.after")],
        ]}
        onChange={(next) => {
          const to = next === "before" || next === "after" ? next : "at";
          setChosen(to);
          onChange(signed(to, Math.abs(minutes) || USUAL_MINUTES));
        }}
      />
      {side !== "at" && (
        <ParsedField
          label={t("offset.minutes")}
          inputMode="numeric"
          value={Math.abs(minutes)}
          show={String}
          read={(typed) => {
            const parsed = readNumber(typed);
            return parsed !== null && parsed.value > 0 && Number.isInteger(parsed.value) ? parsed : null;
          }}
          wrong={t("block.noMinutes")}
          onChange={(size) => onChange(signed(side, size))}
        />
      )}
    </>
  );
}

const USUAL_MINUTES = 30;
