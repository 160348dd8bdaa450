/** What a device's controls are called, and which commands they send. */
import type { Control } from "../../features/devices/resources/capabilities.ts";
import { keyedText } from "../i18n/hub-texts.ts";
import { t } from "../i18n/translate.ts";
import type { Device } from "../store.ts";

export type { Control };

/** A control with a continuous range between two limits. */
export type Range = Extract<Control, { kind: "range" }>;

/** One command that a control sends, with its label. */
export interface Choice {
  readonly text: string;
  readonly command: Readonly<Record<string, unknown>>;
  /** The expected state afterwards. */
  readonly effect: Readonly<Record<string, unknown>>;
  /** It lets somebody in; features/gate/console/opening.tsx decides what is asked first. */
  readonly confirm: boolean;
}

/** What the device offers. */
export function controlsOf(device: Device | undefined): readonly Control[] {
  return device?.capabilities?.controls ?? [];
}

/** What a control is called. */
export function controlName(control: Control): string {
  if (control.kind === "button") return keyedText(`button.${control.name}`, control.label);
  const channel = control.kind === "toggle" ? control.on.ch : undefined;
  return typeof channel === "number"
    ? t("control.channel", { n: channel })
    : keyedText(`control.${control.field}`, keyedText(`measure.${control.field}`, control.label));
}

/** The commands of a control that has only a few; none for a range. */
export function choicesOf(control: Control): readonly Choice[] {
  switch (control.kind) {
    case "toggle":
      return [
        { text: t("quick.on"), command: control.on, effect: { [control.field]: true }, confirm: false },
        { text: t("quick.off"), command: control.off, effect: { [control.field]: false }, confirm: false },
      ];
    case "choice":
      return control.options.map(({ value, label, command }) => ({
        text: keyedText(`choice.${String(value)}`, label),
        command,
        effect: { [control.field]: value },
        confirm: false,
      }));
    case "button":
      // Doors move in their own time and report their state themselves.
      return [{ text: controlName(control), command: control.command, effect: {}, confirm: control.confirm }];
    default:
      return [];
  }
}

/** The command that sets a range. Brightness also switches the lamp, as people expect of a slider. */
export function rangeCommand({ field, key }: Range, n: number, hasPower: boolean): Record<string, unknown> {
  return field === "brightness" && hasPower ? { power: n > 0, brightness: n } : { [key]: n };
}
