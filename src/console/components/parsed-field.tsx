import { useRef, useState } from "preact/hooks";
import { TextField } from "./field.tsx";

/** The value of a typed text; null: nothing usable yet. */
export type Parsed<Value> = { readonly value: Value } | null;

/**
 * A field for a value that is not text. What is typed stays exactly as typed; whenever it can be parsed, its value goes
 * to `onChange`. What cannot be parsed is reported below the field, and a form with such a field is not sent.
 */
export function ParsedField<Value>({
  label,
  hint,
  value,
  show,
  read,
  wrong,
  inputMode,
  unit = "",
  onChange,
}: {
  label: string;
  hint?: string;
  value: Value;
  show: (value: Value) => string;
  read: (typed: string) => Parsed<Value>;
  /** The message for a text that cannot be parsed. */
  wrong: string;
  inputMode?: "text" | "numeric" | "decimal";
  unit?: string;
  onChange: (value: Value) => void;
}) {
  const [typed, setTyped] = useState(() => show(value));
  const known = useRef(JSON.stringify(value));
  if (JSON.stringify(value) !== known.current) {
    // Another part of the page chose it: a button, or a block that replaced this one.
    known.current = JSON.stringify(value);
    setTyped(show(value));
  }
  const isRead = read(typed) !== null;
  return (
    <TextField
      label={label}
      unit={unit}
      value={typed}
      onInput={(text) => {
        setTyped(text);
        const parsed = read(text);
        if (parsed === null) return;
        known.current = JSON.stringify(parsed.value);
        onChange(parsed.value);
      }}
      {...(hint === undefined ? {} : { hint })}
      {...(inputMode === undefined ? {} : { inputMode })}
      {...(isRead ? {} : { error: wrong, unread: true })}
    />
  );
}

/** Reads a number as people type it: with a sign, and a point or a comma. */
export function readNumber(typed: string): Parsed<number> {
  const text = typed.trim().replace(",", ".").replace("−", "-");
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text) ? { value: Number(text) } : null;
}

/** What a person types becomes a number, true or false, a list or an object if it parses as one, else a text. */
export function readValue(typed: string): Parsed<unknown> {
  return readJson(typed) ?? { value: typed };
}

/** Reads JSON. */
export function readJson(typed: string): Parsed<unknown> {
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch {
    return null;
  }
}

/** A value as a person would type it. */
export function showValue(value: unknown): string {
  return value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
}
