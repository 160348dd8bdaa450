import { useState } from "preact/hooks";
import { refusedLever, sendOrAsk, takesCommands } from "../../features/gate/console/opening.tsx";
import { t } from "../i18n/translate.ts";
import { type Device, isPending, shownState } from "../store.ts";
import { Switch } from "./basics.tsx";
import { Button, Chip } from "./button.tsx";
import { type Choice, type Control, choicesOf, controlName, controlsOf, type Range, rangeCommand } from "./controls.ts";
import type { IconName } from "./icon.tsx";
import { RangeField } from "./range-field.tsx";
import { isOpenStanding, standsOf } from "./standing.ts";

/** What a button of a door does, where its word has an arrow or a lock to it. */
const ICONS: Readonly<Record<string, IconName>> = {
  open: "arrowUp",
  stop: "square",
  close: "arrowDown",
  lock: "lock",
  unlock: "lockOpen",
  capture: "camera",
};

/**
 * The controls that the hub lists for the device; each acts at once and marks an unconfirmed state. `without`: the field
 * of one that is shown elsewhere.
 */
export function DeviceControls({ device, without }: { device: Device; without?: string | undefined }) {
  const controls = controlsOf(device).filter((control) => !("field" in control) || control.field !== without);
  const buttons = controls.flatMap((control) =>
    control.kind === "button" ? choicesOf(control).map((choice) => ({ ...choice, icon: ICONS[control.name] })) : [],
  );
  // what moves a gate or a lock by other words than its own stands apart
  const isApart = device.capabilities?.barrier === true && buttons.length > 0;
  const rest = controls.filter(({ kind }) => kind !== "button");
  const state = shownState(device);
  const stands = standsOf(device);
  const rows = rest.map((control) => (
    <ControlRow key={controlName(control)} device={device} control={control} state={state} />
  ));
  const refusal = controls.length === 0 ? null : refusedLever({ deviceId: device.id });
  return (
    <div class="stack">
      {refusal !== null && <p class="soft small">{refusal}</p>}
      {buttons.length > 0 && (
        <div class="row">
          {buttons.map((choice) => (
            <Button
              look={choice.confirm && !isOpenStanding(stands) ? "primary" : undefined}
              {...(choice.icon === undefined ? {} : { icon: choice.icon })}
              text={choice.text}
              key={choice.text}
              disabled={!takesCommands(device)}
              onClick={() => send(device, choice)}
            />
          ))}
        </div>
      )}
      {isApart && rows.length > 0 ? (
        <details class="fold-details">
          <summary>{t("device.moreControls")}</summary>
          <div class="stack">{rows}</div>
        </details>
      ) : (
        rows
      )}
    </div>
  );
}

/** Sends the chosen command, or asks first if it may let somebody in. */
export function send(device: Device, { command: order, effect }: Choice): void {
  sendOrAsk(device, order, effect);
}

function ControlRow({
  device,
  control,
  state,
}: {
  device: Device;
  control: Control;
  state: Readonly<Record<string, unknown>>;
}) {
  switch (control.kind) {
    case "toggle":
      return <ToggleRow device={device} control={control} on={state[control.field]} />;
    case "range":
      return <RangeRow device={device} control={control} state={state} />;
    case "choice":
      return (
        <fieldset class="row between" disabled={!takesCommands(device)}>
          <legend class="sr-only">{controlName(control)}</legend>
          <strong aria-hidden="true">{controlName(control)}</strong>
          <span class="chips">
            {choicesOf(control).map((choice) => (
              <Chip
                key={choice.text}
                text={choice.text}
                pressed={
                  device.online && JSON.stringify(state[control.field]) === JSON.stringify(choice.effect[control.field])
                }
                onClick={() => send(device, choice)}
              />
            ))}
          </span>
        </fieldset>
      );
    default:
      return null; // buttons stand together, above
  }
}

function ToggleRow({ device, control, on }: { device: Device; control: Control; on: unknown }) {
  const [turnOn, turnOff] = choicesOf(control);
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch in it is its control
    <label class="row between toggle-row">
      <strong>{controlName(control)}</strong>
      <Switch
        label={controlName(control)}
        on={device.online && on === true}
        pending={isPending(device.id)}
        disabled={!takesCommands(device)}
        onToggle={(next) => {
          const choice = next ? turnOn : turnOff;
          if (choice !== undefined) send(device, choice);
        }}
      />
    </label>
  );
}

function RangeRow({
  device,
  control,
  state,
}: {
  device: Device;
  control: Range;
  state: Readonly<Record<string, unknown>>;
}) {
  const [moved, setMoved] = useState<number | null>(null);
  const reported = state[control.field];
  const now = moved ?? (typeof reported === "number" ? reported : null);
  return (
    <RangeField
      control={control}
      now={now}
      otherwise={t("value.unknown")}
      disabled={!takesCommands(device)}
      onInput={setMoved}
      onChange={(n) => {
        sendOrAsk(device, rangeCommand(control, n, typeof state.power === "boolean"));
        setMoved(null);
      }}
    />
  );
}
