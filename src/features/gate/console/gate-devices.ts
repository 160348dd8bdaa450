/** Which devices are gates, which ones may be what moves a gate, and how each of them opens. */
import { patch } from "../../../console/api.ts";
import { choicesOf, controlsOf } from "../../../console/components/controls.ts";
import { type Device, deviceList, putDevice, reads } from "../../../console/store.ts";

/** Gates and locks, gates first. */
export function barriers(): readonly Device[] {
  const all = deviceList.value.filter(({ capabilities }) => capabilities?.barrier === true);
  return [...all.filter(({ type }) => type === "gate"), ...all.filter(({ type }) => type !== "gate")];
}

/** Whether a device that is not known as a gate may move one: a drive, a shutter, a relay. */
export function isMover(device: Device): boolean {
  return device.capabilities?.barrier !== true && device.capabilities?.movesGates === true;
}

/** Says to the hub that a device moves the gate: from then on it is one, for everybody. */
export async function callGate(id: string): Promise<void> {
  putDevice((await patch("/api/devices/{id}", { params: { id }, body: { type: "gate" } })).device);
}

/**
 * The command that opens what a device moves; null where it has none that is certain. The one switch of a relay closes
 * its contact, but that of a lock may lock it.
 */
export function openingOf(device: Device | undefined): Record<string, unknown> | null {
  const controls = controlsOf(device);
  const buttons = controls.filter((control) => control.kind === "button");
  const toggles = device !== undefined && hasOwnWord(device) ? [] : controls.filter(({ kind }) => kind === "toggle");
  const opening = buttons.find(({ confirm }) => confirm) ?? buttons.find(({ name }) => name === "open");
  const [toggle] = toggles;
  const choice = opening ?? (toggles.length === 1 ? toggle : undefined);
  return choice === undefined ? null : { ...choicesOf(choice)[0]?.command };
}

/** Whether it gives entry by its own word, not because a camera opens a relay. */
function hasOwnWord({ capabilities }: Device): boolean {
  return capabilities?.barrier === true && capabilities.movesGates !== true;
}

/** Whether any gate or lock could open for a plate, or a camera opens something else. */
export function hasGate(): boolean {
  return barriers().length > 0 || reads.value.some(({ opens }) => opens !== null);
}
