import { t } from "../i18n/translate.ts";
import { devices } from "../store.ts";
import { Chip } from "./button.tsx";
import { type Choice, choicesOf, controlName, controlsOf, rangeCommand } from "./controls.ts";
import { type Parsed, ParsedField, readJson } from "./parsed-field.tsx";
import { RangeField } from "./range-field.tsx";

/** The command for a device that has not reported its abilities yet. */
const SWITCHED: readonly Choice[] = [
  { text: "quick.on", command: { power: true }, effect: {}, confirm: false },
  { text: "quick.off", command: { power: false }, effect: {}, confirm: false },
];

/** A command: by the device's own controls, or any other as JSON. */
export function CommandField({
  label,
  deviceId,
  value,
  onChange,
}: {
  label: string;
  deviceId: string;
  value: unknown;
  onChange: (command: unknown) => void;
}) {
  const device = devices.value.get(deviceId);
  const controls = controlsOf(device);
  const hasPower = controls.some((control) => control.kind === "toggle" && control.field === "power");
  const shown = JSON.stringify(value ?? {});
  let isShown = shown === "{}";
  const chips = (choices: readonly Choice[]) =>
    choices.map((choice) => {
      const isWhole = JSON.stringify(choice.command) === shown;
      isShown ||= isWhole;
      // "on, at 55 %" is on too
      const isChosen = isWhole || contains(value, choice.command);
      return <Chip key={choice.text} text={choice.text} pressed={isChosen} onClick={() => onChange(choice.command)} />;
    });
  const rows = controls.map((control) => {
    const name = controlName(control);
    if (control.kind !== "range") {
      return (
        <div class="row" key={name} role="group" aria-label={name}>
          {control.kind !== "button" && <span class="label">{name}</span>}
          <span class="chips">{chips(choicesOf(control))}</span>
        </div>
      );
    }
    const given = typeof value === "object" && value !== null ? Reflect.get(value, control.key) : null;
    const now = typeof given === "number" ? given : null;
    isShown ||= now !== null && JSON.stringify(rangeCommand(control, now, hasPower)) === shown;
    return (
      <RangeField
        key={name}
        control={control}
        now={now}
        otherwise={t("value.notSet")}
        onInput={(n) => onChange(rangeCommand(control, n, hasPower))}
      />
    );
  });
  return (
    <div class="field">
      {rows}
      {rows.length === 0 && (
        <span class="chips">
          {chips(
            SWITCHED.map((choice) => ({
              ...choice,
              text: t(choice.command.power === true ? "quick.on" : "quick.off"),
            })),
          )}
        </span>
      )}
      <details {...(isShown ? {} : { open: true })}>
        <summary>{t("block.asJson")}</summary>
        <ParsedField
          label={label}
          value={value ?? {}}
          show={(command) => JSON.stringify(command)}
          read={readObject}
          wrong={t("block.noObject")}
          hint={t("block.commandHint")}
          onChange={onChange}
        />
      </details>
    </div>
  );
}

/** Whether a command says all that another one does. */
function contains(command: unknown, part: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof command === "object" &&
    command !== null &&
    Object.entries(part).every(([key, wanted]) => Reflect.get(command, key) === wanted)
  );
}

function readObject(typed: string): Parsed<unknown> {
  const parsed = readJson(typed);
  return parsed !== null && typeof parsed.value === "object" && parsed.value !== null && !Array.isArray(parsed.value)
    ? parsed
    : null;
}
