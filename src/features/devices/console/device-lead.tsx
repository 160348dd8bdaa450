/** The top of a device's page: its state and since when, and its controls, large. */
import { useEffect, useId, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { controlsOf, type Range } from "../../../console/components/controls.ts";
import { DeviceControls } from "../../../console/components/device-controls.tsx";
import { isAway, isLit, stateParts } from "../../../console/components/device-tile.tsx";
import { deviceIcon, Icon } from "../../../console/components/icon.tsx";
import { LiveFrame } from "../../../console/components/live-frame.tsx";
import { opens, standsOf } from "../../../console/components/standing.ts";
import { SetPoint } from "../../../console/components/tile-controls.tsx";
import { shownZone, zoneTime } from "../../../console/components/zone-time.ts";
import { measured, measureName, unitOf } from "../../../console/i18n/measures.ts";
import { ago, t } from "../../../console/i18n/translate.ts";
import { askAfter } from "../../../console/live.ts";
import { isOwner } from "../../../console/session.ts";
import { type Device, devices, shownState } from "../../../console/store.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import { byText, type Row, rowsOf } from "../../states/console/state-lines.ts";
import { statesOf } from "../../states/rules/states.ts";
import { TECHNICAL } from "./further-state.tsx";
import "./device-lead.css";

/** Values besides the first that are shown large. */
const FIGURES = 4;
/** A state that a device has just reported is stored by then. */
const STORED_MS = 1_500;

/** The state of a device in a word and a sentence, what it measures, and its controls. */
export function DeviceLead({ device }: { device: Device }) {
  const id = useId();
  const since = useSince(device);
  const state = shownState(device);
  const first = firstOf(device, state);
  const controls = controlsOf(device);
  const target = controls.find((control): control is Range => control.kind === "range" && control.field === "target");
  const figures = figuresOf(device, first);
  const isUnlocked = device.type === "lock" && standsOf(device) === "unlocked";
  return (
    <section class="card lead" data-on={isLit(device)} data-away={isAway(device)} aria-labelledby={id}>
      {device.type === "camera" && (
        <div class="lead-picture">
          <LiveFrame deviceId={device.id} name={device.name} fresh={false} />
        </div>
      )}
      <div class="lead-words">
        <header class="lead-now">
          <span class="lead-icon">
            <Icon name={isAway(device) ? "wifiOff" : isUnlocked ? "lockOpen" : deviceIcon(device.type)} />
          </span>
          <div class="grow">
            <p class="lead-state">{first}</p>
            <p class="lead-since">{sentenceOf(device, state, since)}</p>
          </div>
        </header>
        {figures.length > 0 && (
          <dl class="lead-figures">
            {figures.map(({ key, name, value }) => (
              <div key={key}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <h2 id={id} class="sr-only">
        {controls.length > 0 ? t("device.controls") : device.name}
      </h2>
      {controls.length > 0 && (
        <div class="lead-controls">
          {target !== undefined && <SetPoint device={device} state={state} target={target} />}
          <DeviceControls device={device} without={target?.field} />
          {device.type === "camera" && isOwner.value && (
            <a href={`/gate/cameras/${encodeURIComponent(device.id)}`}>{t("device.cameraSetUp")}</a>
          )}
        </div>
      )}
    </section>
  );
}

/** The sentence below the state: what it is about to do, or since when it is so. */
function sentenceOf(device: Device, state: Readonly<Record<string, unknown>>, since: string | null): string {
  if (!device.online)
    return isAway(device) && device.lastSeen !== null ? t("device.offlineSince", { ago: ago(device.lastSeen) }) : "";
  const { target, heating, cooling, mode } = state;
  if (typeof target === "number" && mode !== "off") {
    const to = { target: measured("target", target) };
    return t(heating === true ? "lead.heats" : cooling === true ? "lead.cools" : "lead.rests", to);
  }
  if (since !== null) return since;
  return device.stateAt == null ? "" : t("lead.changed", { ago: ago(device.stateAt) });
}

/** What says most: of a thermostat how warm it is, whatever else it measures. */
function firstOf(device: Device, state: Readonly<Record<string, unknown>>): string {
  const { target, temperature } = state;
  if (device.online && typeof target === "number" && typeof temperature === "number")
    return measured("temperature", temperature);
  return stateParts(device)[0] ?? "";
}

/** Whether a number matters to those who live with the device; how far it is open is shown above. */
function isFigure(device: Device, key: string): boolean {
  return !TECHNICAL.test(key) && !(opens(device) && (key === "position" || key === "percent"));
}

/** The numbers of a device that its head shows. */
export function figureKeys(device: Device): ReadonlySet<string> {
  const state = shownState(device);
  const first = firstOf(device, state);
  const isFirst = ([key, value]: [string, unknown]): boolean =>
    typeof value === "number" && unitOf(key) !== "" && measured(key, value) === first;
  const keys = Object.entries(state).flatMap((entry) => (isFirst(entry) ? [entry[0]] : []));
  return new Set([...keys, ...figuresOf(device, first).map(({ key }) => key)]);
}

/** The numbers of a device that are worth a look, without the one shown above them. */
function figuresOf(device: Device, first: string) {
  const controlled = new Set(controlsOf(device).flatMap((one) => ("field" in one ? [one.field] : [])));
  return Object.entries(shownState(device))
    .filter(([key, value]) => typeof value === "number" && unitOf(key) !== "" && isFigure(device, key))
    .filter(([key]) => !controlled.has(key))
    .map(([key, value]) => ({ key, name: measureName(key), value: measured(key, value) }))
    .filter(({ value }) => value !== first)
    .slice(0, FIGURES);
}

/** The last recorded state of a device. */
interface LastState {
  readonly key: string;
  readonly value: boolean | string;
  /** Since when, and who did it. */
  readonly text: string;
}

/**
 * Since when a device has been as it is shown, and who did it, as far as the last day says; null: not known. What is
 * recorded of an earlier state says nothing of this one: while it moves, or as long as a command is not confirmed.
 */
function useSince(device: Device): string | null {
  const last = useLastState(device);
  if (last === null) return null;
  const now = statesOf(device.type, shownState(device) as JsonObject).get(last.key); // undefined: made of several
  const moves = standsOf(device);
  const isMoving = (moves === "opening" || moves === "closing") && last.value !== moves;
  return isMoving || (now !== undefined && now !== last.value) ? null : last.text;
}

function useLastState(device: Device): LastState | null {
  const [last, setLast] = useState<LastState | null>(null);
  useEffect(() => {
    let isStale = false;
    const load = (): Promise<void> =>
      get("/api/states", { query: { deviceId: device.id } })
        .then(({ stretch }) => {
          const row = rowsOf(stretch, devices.value, true).find(({ kind, name }) => kind !== "online" && name === "");
          if (!isStale) setLast(row === undefined ? null : lastOf(row));
        })
        .catch(() => {}); // the state is shown without it
    void load();
    const stop = askAfter(["device.changed"], load, {
      concerns: ({ deviceId }) => deviceId === device.id,
      soonMs: STORED_MS,
    });
    return () => {
      isStale = true;
      stop();
    };
  }, [device.id]);
  return last;
}

function lastOf({ line: { key }, pieces }: Row): LastState | null {
  const { value, isCutAtStart, from, by } = pieces.at(-1) ?? { value: null };
  if (value === null) return null;
  if (isCutAtStart) return { key, value, text: t("lead.longer") };
  const words = t("lead.since", { at: zoneTime(from, shownZone()) });
  return { key, value, text: by === null ? words : `${words} · ${byText(by)}` };
}
