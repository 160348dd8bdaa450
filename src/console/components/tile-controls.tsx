/** The controls on Home's tiles; everything else is on the device's own page. */
import type { ComponentChildren } from "preact";
import { sendOrAsk, takesCommands } from "../../features/gate/console/opening.tsx";
import { measured } from "../i18n/measures.ts";
import { t } from "../i18n/translate.ts";
import { type Device, isPending } from "../store.ts";
import { Switch } from "./basics.tsx";
import { Button } from "./button.tsx";
import { type Choice, type Control, choicesOf, controlName, controlsOf, type Range, rangeCommand } from "./controls.ts";
import { send } from "./device-controls.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { LiveFrame } from "./live-frame.tsx";

/** A tile shows a recent picture, not live video. */
const PICTURE_EVERY_MS = 30_000;
/** Channels with a button of their own on a tile. */
const MOST_CHANNELS = 4;
const WAYS: readonly (readonly [name: string, icon: IconName])[] = [
  ["open", "arrowUp"],
  ["stop", "square"],
  ["close", "arrowDown"],
];

type State = Readonly<Record<string, unknown>>;

/** The switch or button beside the tile's icon. `next`: what a door or a lock can do next. */
export function TileSwitch({ device, state, next }: { device: Device; state: State; next: readonly string[] }) {
  const controls = controlsOf(device);
  const toggles = togglesOf(device);
  const [toggle] = toggles;
  const [turnOn, turnOff] = toggle === undefined || toggles.length > 1 ? [] : choicesOf(toggle);
  const buttons = isShutter(device)
    ? []
    : controls.filter((control) => control.kind === "button" && next.includes(control.name)).flatMap(choicesOf);
  return (
    <>
      {toggle !== undefined &&
        turnOn !== undefined &&
        turnOff !== undefined &&
        typeof state[toggle.field] === "boolean" && (
          <Switch
            label={device.name}
            on={device.online && state[toggle.field] === true}
            pending={isPending(device.id)}
            disabled={!takesCommands(device)}
            onToggle={(on) => send(device, on ? turnOn : turnOff)}
          />
        )}
      {buttons.map((choice) => (
        <Button
          text={choice.text}
          key={choice.text}
          onClick={() => send(device, choice)}
          disabled={!takesCommands(device)}
        />
      ))}
    </>
  );
}

/** The switches on a tile; not those of a gate or a lock: what moves one is pressed by its own word. */
function togglesOf(device: Device): readonly Extract<Control, { kind: "toggle" }>[] {
  if (device.capabilities?.barrier === true) return [];
  return controlsOf(device).filter((control) => control.kind === "toggle");
}

/** A shutter can move or stop at any position; a gate or a lock has one next step. */
function isShutter(device: Device): boolean {
  const names = controlsOf(device).flatMap((control) => (control.kind === "button" ? [control.name] : []));
  return device.capabilities?.barrier !== true && WAYS.every(([name]) => names.includes(name));
}

/**
 * The row of controls under a tile's name: a shutter's three ways, a thermostat's set point and mode, the channels of a
 * device with several.
 */
export function TileRow({ device, state }: { device: Device; state: State }) {
  const controls = controlsOf(device);
  const toggles = togglesOf(device);
  if (isShutter(device)) return <Ways device={device} controls={controls} />;
  if (toggles.length > 1) return <Channels device={device} state={state} toggles={toggles.slice(0, MOST_CHANNELS)} />;
  const target = controls.find((control): control is Range => control.kind === "range" && control.field === "target");
  const mode = controls.find((control) => control.kind === "choice" && control.field === "mode");
  if (target === undefined && mode === undefined) return null;
  return (
    <>
      {target !== undefined && <SetPoint device={device} state={state} target={target} />}
      {mode !== undefined && (
        <div class="tile-row mode">
          <Mode device={device} state={state} mode={mode} />
        </div>
      )}
    </>
  );
}

/** The last picture of a camera; like the rest of its tile, it leads to the camera. */
export function TilePicture({ device }: { device: Device }) {
  return <LiveFrame deviceId={device.id} name={device.name} fresh={false} everyMs={PICTURE_EVERY_MS} />;
}

function Ways({ device, controls }: { device: Device; controls: readonly Control[] }) {
  return (
    <div class="tile-row ways">
      {WAYS.map(([name, icon]) => {
        const control = controls.find((candidate) => candidate.kind === "button" && candidate.name === name);
        const [choice] = control === undefined ? [] : choicesOf(control);
        return (
          choice !== undefined && (
            <TileButton
              key={name}
              device={device}
              label={t("tile.named", { action: choice.text, name: device.name })}
              onPress={() => send(device, choice)}
            >
              <Icon name={icon} small />
            </TileButton>
          )
        );
      })}
    </div>
  );
}

function Channels({
  device,
  state,
  toggles,
}: {
  device: Device;
  state: State;
  toggles: readonly Extract<Control, { kind: "toggle" }>[];
}) {
  return (
    <div class="tile-row channels">
      {toggles.map((toggle, index) => {
        const [turnOn, turnOff] = choicesOf(toggle) as [Choice, Choice]; // a toggle has two
        const isOn = device.online && state[toggle.field] === true;
        return (
          <TileButton
            key={toggle.field}
            device={device}
            label={t("tile.named", { action: controlName(toggle), name: device.name })}
            pressed={isOn}
            onPress={() => send(device, isOn ? turnOff : turnOn)}
          >
            {typeof toggle.on.ch === "number" ? toggle.on.ch : index + 1}
          </TileButton>
        );
      })}
    </div>
  );
}

/** A thermostat's target: cooler, the number, warmer. */
export function SetPoint({ device, state, target }: { device: Device; state: State; target: Range }) {
  const now = state[target.field];
  const set = (by: 1 | -1): void => {
    if (typeof now !== "number") return;
    // Steps of a half stay exact in binary; those of a tenth are rounded to what a person reads.
    const next = Math.min(target.max, Math.max(target.min, Math.round((now + by * target.step) * 100) / 100));
    if (next !== now) sendOrAsk(device, rangeCommand(target, next, false));
  };
  const words = { name: device.name };
  return (
    <div class="tile-row set-point">
      <TileButton device={device} label={t("tile.cooler", words)} off={typeof now !== "number"} onPress={() => set(-1)}>
        <Icon name="minus" small />
      </TileButton>
      <strong class="numbers tile-target">{typeof now === "number" ? measured(target.field, now) : "–"}</strong>
      <TileButton device={device} label={t("tile.warmer", words)} off={typeof now !== "number"} onPress={() => set(1)}>
        <Icon name="plus" small />
      </TileButton>
    </div>
  );
}

function Mode({ device, state, mode }: { device: Device; state: State; mode: Control }) {
  const choices = choicesOf(mode);
  const now = "field" in mode ? choices.findIndex((choice) => choice.effect[mode.field] === state[mode.field]) : -1;
  return (
    <select
      class="input tile-mode"
      aria-label={t("tile.named", { action: controlName(mode), name: device.name })}
      disabled={!takesCommands(device)}
      value={String(now)}
      onChange={(event) => {
        const choice = choices[Number(event.currentTarget.value)];
        if (choice !== undefined) send(device, choice);
      }}
    >
      {now < 0 && <option value="-1">–</option>}
      {choices.map((choice, index) => (
        <option key={choice.text} value={String(index)} selected={index === now}>
          {choice.text}
        </option>
      ))}
    </select>
  );
}

function TileButton({
  device,
  label,
  pressed,
  off = false,
  onPress,
  children,
}: {
  device: Device;
  label: string;
  pressed?: boolean;
  off?: boolean;
  onPress: () => void;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class="chip tile-button"
      aria-label={label}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      disabled={!takesCommands(device) || off}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
