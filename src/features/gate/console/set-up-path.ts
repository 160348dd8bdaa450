/**
 * The way from a new house to a gate that opens by itself: its steps, and which one is next. The list on Home, the bar
 * on the pages that the way leads through, and the pages themselves go by it.
 */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get } from "../../../console/api.ts";
import type { TextKey } from "../../../console/i18n/translate.ts";
import { askAfter } from "../../../console/live.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { type Device, deviceList, hints } from "../../../console/store.ts";
import { barriers } from "./gate-devices.ts";

/** One step: what to do, and the page where it is done. */
interface Step {
  readonly text: TextKey;
  readonly to: string;
  readonly isDone: boolean;
}

/** All steps in their order; `next`: the first that is not done, null once the gate has opened for a plate. */
export interface SetUpPath {
  readonly steps: readonly Step[];
  readonly next: Step | null;
  /** How many are done. */
  readonly count: number;
}

type Done = AnswerTo<"GET", "/api/gate/set-up">;

/** Where this browser remembers that somebody is adding a gate. */
const BEGUN = "gatehouse.set-up-gate";

const done = signal<Done | null>(null);
/** Whether the hub has been asked how far the house is, and has answered or failed to. */
const asked = signal(false);
const begun = signal(localStorage.getItem(BEGUN) !== null);

/** Somebody is adding a gate. */
export function beginSetUp(): void {
  localStorage.setItem(BEGUN, "yes");
  begun.value = true;
}

/** Whether somebody is adding a gate and the house has none yet. */
export function wantsGate(): boolean {
  return begun.value && barriers().length === 0;
}

/** Asks again how far the set-up is, after a change that no fact reports. */
export async function refreshSetUp(): Promise<void> {
  try {
    done.value = await get("/api/gate/set-up");
  } finally {
    asked.value = true;
  }
}

/** Whether it is known if the way is shown: what stands below it is drawn then, and does not jump. */
export function isWayKnown(): boolean {
  return hints.value !== null && (hints.value.setUp !== true || asked.value);
}

/** The way of this house, kept up to date; null while it is not known, and where nobody wants it. */
export function useSetUp(): SetUpPath | null {
  const all = deviceList.value;
  const isWanted = hints.value?.setUp === true;
  // of all devices only these are steps
  const gatesAndCameras = [...barriers(), ...all.filter(({ type }) => type === "camera")].map(({ id }) => id).join(" ");
  useEffect(() => {
    if (!isWanted) return;
    void refreshSetUp().catch(() => {}); // a part of the page that nobody waits for
    return askAfter(["read.decided", "gate.opening"], refreshSetUp);
  }, [isWanted, gatesAndCameras]);
  return done.value === null || !isWanted ? null : pathOf(done.value, all);
}

/** Null in a house that has neither a gate nor a camera but other devices, unless somebody is adding a gate. */
function pathOf({ cameraId, gateId, pictured, listed, opened }: Done, all: readonly Device[]): SetUpPath | null {
  const gate = all.find(({ id }) => id === gateId) ?? barriers()[0];
  const camera = cameraId ?? all.find(({ type }) => type === "camera")?.id;
  if (all.length > 0 && gate === undefined && camera === undefined && !begun.value) return null;
  const cameraPage = camera === undefined ? "/gate/cameras/new" : `/gate/cameras/${encodeURIComponent(camera)}`;
  const steps: readonly Step[] = [
    gate === undefined
      ? { text: "setUp.gate", to: "/devices?add=gate", isDone: false }
      : {
          text: gate.lastSeen === null && !gate.online ? "setUp.connect" : "setUp.gate",
          to: `/devices/${encodeURIComponent(gate.id)}`,
          isDone: gate.lastSeen !== null || gate.online,
        },
    {
      text: camera === undefined || cameraId !== null ? "setUp.camera" : "setUp.join",
      to: cameraPage,
      isDone: cameraId !== null,
    },
    { text: "setUp.picture", to: cameraPage, isDone: pictured },
    { text: "setUp.plate", to: cameraPage, isDone: listed },
    { text: "setUp.open", to: cameraPage, isDone: opened },
  ];
  return {
    steps,
    next: opened ? null : (steps.find(({ isDone }) => !isDone) ?? null),
    count: steps.filter(({ isDone }) => isDone).length,
  };
}
