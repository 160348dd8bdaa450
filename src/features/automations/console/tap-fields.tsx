/** Fields for what cannot be tapped in the sentence of a rule: numbers, times, ranges, messages. */
import { useRef, useState } from "preact/hooks";
import { Button, Chip, IconButton } from "../../../console/components/button.tsx";
import { controlName, type Range } from "../../../console/components/controls.ts";
import { TextField } from "../../../console/components/field.tsx";
import { measured } from "../../../console/i18n/measures.ts";
import { t } from "../../../console/i18n/translate.ts";
import { stepped } from "./command-words.ts";

/** A number, and a button that takes it. */
export function NumberField({
  label,
  value,
  onDone,
}: {
  label: string;
  value: string;
  onDone: (value: number) => void;
}) {
  const [typed, setTyped] = useState(value);
  const number = Number(typed.replace(",", "."));
  const isGood = typed.trim() !== "" && Number.isFinite(number);
  return (
    <div class="row tap-field">
      <TextField label={label} inputMode="decimal" value={typed} onInput={setTyped} />
      <Button look="primary" text={t("tap.done")} disabled={!isGood} onClick={() => onDone(number)} />
    </div>
  );
}

/** A time of day, and a button that takes it. */
export function TimeField({ value, onDone }: { value: string; onDone: (at: string) => void }) {
  const [typed, setTyped] = useState(value);
  return (
    <div class="row tap-field">
      <TextField type="time" label={t("tap.time")} value={typed} onInput={setTyped} />
      <Button look="primary" text={t("tap.done")} disabled={!/^\d\d:\d\d$/.test(typed)} onClick={() => onDone(typed)} />
    </div>
  );
}

/** Ranges with more steps than this are moved by five at a time. */
const MANY_STEPS = 80;

/** A number of a device's range by steps or by sliding, and a button that takes it. */
export function RangeSetter({
  control,
  start,
  onDone,
}: {
  control: Range;
  start: number;
  onDone: (value: number) => void;
}) {
  const [n, setN] = useState(start);
  const { min, max, step, field } = control;
  const by = (max - min) / step > MANY_STEPS ? step * 5 : step;
  const text = measured(field, n);
  const move = (to: number): void => setN(stepped(control, to));
  return (
    <section class="tap-range" aria-label={controlName(control)}>
      <h3 class="soft small">{controlName(control)}</h3>
      <div class="row">
        <IconButton icon="minus" label={t("tap.less")} framed disabled={n <= min} onClick={() => move(n - by)} />
        <output class="numbers">{text}</output>
        <IconButton icon="plus" label={t("tap.moreOf")} framed disabled={n >= max} onClick={() => move(n + by)} />
      </div>
      <input
        class="range"
        type="range"
        aria-label={controlName(control)}
        aria-valuetext={text}
        min={min}
        max={max}
        step={step}
        value={n}
        onInput={(event) => move(Number(event.currentTarget.value))}
      />
      <Button look="primary" text={t("tap.setTo", { value: text })} onClick={() => onDone(n)} />
    </section>
  );
}

/** What the hub can fill into a message. */
export type Filled = "device" | "plate" | "value";

/** The title and the text of a message, with chips for what the hub fills in. */
export function MessageFields({
  title,
  body,
  filled,
  onChange,
}: {
  title: string;
  body: string;
  filled: readonly Filled[];
  onChange: (message: { readonly title?: string; readonly body?: string }) => void;
}) {
  const whole = useRef<HTMLDivElement>(null);
  /** Where the next one goes: the field that was last in use, at its cursor. */
  const place = useRef<{ readonly isBody: boolean; readonly at: number } | null>(null);
  const note = (): void => {
    const fields = [...(whole.current?.querySelectorAll("input") ?? [])];
    const here = fields.find((field) => field === document.activeElement);
    if (here !== undefined)
      place.current = { isBody: here === fields[1], at: here.selectionStart ?? here.value.length };
  };
  const insert = (what: Filled): void => {
    const { isBody, at } = place.current ?? { isBody: false, at: title.length };
    const before = isBody ? body : title;
    const next = `${before.slice(0, at)}{${what}}${before.slice(at)}`;
    place.current = { isBody, at: at + what.length + 2 };
    onChange(isBody ? { body: next } : { title: next });
    whole.current?.querySelectorAll("input")[isBody ? 1 : 0]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only follows the cursor of its fields
    <div class="stack" ref={whole} onFocusOut={note} onKeyUp={note} onPointerUp={note}>
      <TextField label={t("block.title")} value={title} onInput={(next) => onChange({ title: next })} maxLength={120} />
      <TextField label={t("block.body")} value={body} onInput={(next) => onChange({ body: next })} maxLength={2_000} />
      {filled.length > 0 && (
        <div class="chips" role="group" aria-label={t("tap.insert")}>
          <span class="soft small tap-insert">{t("tap.insert")}</span>
          {filled.map((what) => (
            <Chip
              key={what}
              icon="plus"
              text={t(what === "device" ? "tap.theDevice" : what === "plate" ? "tap.thePlate" : "tap.theValue")}
              onMouseDown={(event) => event.preventDefault()} // the cursor stays where it is
              onClick={() => insert(what)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

/** A message in a sheet, and a button that takes it. */
export function MessageForm({
  start,
  filled,
  onDone,
}: {
  start: { readonly title: string; readonly body: string };
  filled: readonly Filled[];
  onDone: (title: string, body: string) => void;
}) {
  const [{ title, body }, setMessage] = useState(start);
  return (
    <div class="stack">
      <MessageFields
        title={title}
        body={body}
        filled={filled}
        onChange={(part) => setMessage((known) => ({ ...known, ...part }))}
      />
      <div>
        <Button
          look="primary"
          text={t("tap.done")}
          disabled={title.trim() === ""}
          onClick={() => onDone(title, body)}
        />
      </div>
    </div>
  );
}
