import type { Block } from "../../features/automations/console/block-editor.tsx";
import { keyedText } from "../i18n/hub-texts.ts";
import { measureName, unitOf } from "../i18n/measures.ts";
import { t } from "../i18n/translate.ts";
import type { Device } from "../store.ts";
import { SelectField } from "./field.tsx";
import { ParsedField, readNumber, readValue, showValue } from "./parsed-field.tsx";
import { Picker, type PickerOption } from "./picker.tsx";
import { kindOf, type StateValue, valuesOf, valueWord, wordsOf } from "./state-values.ts";

const NO_VALUE = new Set(["truthy", "falsy", "changed"]);
const ORDER = new Set(["gt", "gte", "lt", "lte"]);

/**
 * Choice of a device's value by name, each with its current value. A key can be typed only while the device has not
 * reported anything: a value that it never has would be waited for without end.
 */
export function ValueField({
  label,
  device,
  value,
  onChange,
}: {
  label: string;
  device: Device | undefined;
  value: string;
  onChange: (key: string) => void;
}) {
  const all = valuesOf(device);
  const chosen = all.find(({ key }) => key === value);
  const find = (text: string): readonly PickerOption[] => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return all
      .filter(({ key, name }) => words.every((word) => `${name} ${key}`.toLowerCase().includes(word)))
      .map((one) => ({ id: one.key, name: one.name, detail: nowText(one) }));
  };
  return (
    <Picker
      label={label}
      chosen={{ id: value, name: chosen?.name ?? measureName(value) }}
      find={find}
      isFree={all.length === 0}
      onChange={onChange}
      {...(device === undefined ? {} : { hint: nowText(chosen ?? { key: value, now: undefined }) })}
    />
  );
}

function nowText({ key, now }: Pick<StateValue, "key" | "now">): string {
  return now === undefined ? t("value.unknown") : t("picker.valueNow", { value: valueWord(key, now) });
}

/** The value to compare with, in a suitable field; nothing for comparisons without one. */
export function ComparedField({
  label,
  device,
  block,
  onChange,
}: {
  label: string;
  device: Device | undefined;
  block: Block;
  onChange: (value: unknown) => void;
}) {
  const op = String(block.op);
  if (NO_VALUE.has(op)) return null;
  const key = typeof block.field === "string" ? block.field : "";
  const kind = key === "" ? "number" : kindOf(device, key); // without a device's value: a count
  const isOne = op === "eq" || op === "ne";
  if (ORDER.has(op) || (kind === "number" && isOne)) {
    return (
      <ParsedField
        label={label}
        unit={unitOf(key)}
        inputMode="decimal"
        value={block.value}
        show={showValue}
        read={readNumber}
        wrong={t("block.noNumber")}
        onChange={onChange}
      />
    );
  }
  if (kind === "boolean" && isOne) {
    const options = [true, false].map((is) => [String(is), valueWord(key, is)] as const);
    return (
      <SelectField
        label={label}
        value={String(block.value)}
        options={[...(typeof block.value === "boolean" ? [] : [["", t("block.choose")] as const]), ...options]}
        onChange={(is) => onChange(is === "true")}
      />
    );
  }
  const words = wordsOf(device, key);
  if (isOne && words.length > 0) {
    const text = typeof block.value === "string" ? block.value : showValue(block.value);
    const find = (typed: string): readonly PickerOption[] =>
      words
        .filter((word) => `${word} ${valueWord(key, word)}`.toLowerCase().includes(typed.trim().toLowerCase()))
        .map((word) => ({ id: word, name: valueWord(key, word), detail: "" }));
    return (
      <Picker
        label={label}
        chosen={{ id: text, name: keyedText(`choice.${text}`, text) }}
        find={find}
        isFree
        onChange={onChange}
      />
    );
  }
  return (
    <ParsedField
      label={label}
      value={block.value}
      show={showValue}
      read={readValue}
      wrong=""
      onChange={onChange}
      hint={t(op === "in" ? "block.listHint" : "block.valueHint")}
    />
  );
}
