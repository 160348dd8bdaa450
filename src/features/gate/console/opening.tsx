import { signal } from "@preact/signals";
import type { Choice } from "../../../console/components/controls.ts";
import { Confirm } from "../../../console/components/dialog.tsx";
import { say } from "../../../console/components/toast.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { opening as ownOpening } from "../../../console/session.ts";
import { command, type Device, devices, type Scene } from "../../../console/store.ts";
import { onlyCloses } from "../../../core/plates/opening.ts";

/** Something that lets somebody in, and waits for a yes. */
interface Opening {
  readonly title: string;
  readonly action: string;
  readonly open: () => Promise<void>;
}
const opening = signal<Opening | null>(null);

/** Why the signed-in person may not open a device now; null: they may. */
export function refusedOpening(deviceId: string): string | null {
  const mine = ownOpening.value;
  if (mine === null || (mine.now && (mine.gates === null || mine.gates.includes(deviceId)))) return null;
  return recordedText("detail", mine.words, mine.message);
}

/** Why the signed-in person may not move something that decides whom the house lets in; null: they may. */
export function refusedLever(lever: { readonly deviceId: string } | "mode" | "presence"): string | null {
  const levers = ownOpening.value?.levers;
  if (levers === undefined) return null;
  const isHeld = typeof lever === "string" ? levers[lever] : levers.devices.includes(lever.deviceId);
  return isHeld ? recordedText("detail", levers.words, levers.message) : null;
}

/** Whether a device takes commands of the signed-in person now. */
export function takesCommands({ id, online }: Device): boolean {
  return online && refusedLever({ deviceId: id }) === null;
}

function mayOpen(device: Device, order: Readonly<Record<string, unknown>>): boolean {
  return device.capabilities?.barrier === true && !onlyCloses(order);
}

/** Sends a command, after a yes if it may let somebody in: a tap in a pocket must not. */
export function sendOrAsk(device: Device, order: Choice["command"], effect: Choice["effect"] = order): void {
  const send = (): Promise<void> => command(device.id, { ...order }, { ...effect });
  if (!mayOpen(device, order)) {
    void send();
    return;
  }
  const refusal = refusedOpening(device.id);
  if (refusal !== null) {
    say(refusal);
    return;
  }
  const isLock = "locked" in order;
  opening.value = {
    title: t(isLock ? "gate.unlockTitle" : "gate.openTitle", { name: device.name }),
    action: t(isLock ? "gate.unlockNow" : "gate.openNow"),
    open: send,
  };
}

/** Calls `run` at once, or after a yes if a command of the scene may let somebody in. */
export function askBeforeScene(scene: Pick<Scene, "name" | "actions" | "houseMode">, run: () => Promise<void>): void {
  const opened = scene.actions.flatMap((action) => {
    const device = devices.value.get(action.deviceId);
    return device !== undefined && mayOpen(device, action.command) ? [device] : [];
  });
  const refusal = [
    ...opened.map(({ id }) => refusedOpening(id)),
    ...scene.actions.map(refusedLever),
    scene.houseMode == null ? null : refusedLever("mode"),
  ].find((one) => one !== null);
  if (refusal !== undefined) {
    say(refusal);
    return;
  }
  if (opened.length === 0) {
    void run();
    return;
  }
  opening.value = {
    title: t("gate.sceneTitle", { scene: scene.name, names: opened.map(({ name }) => name).join(", ") }),
    action: t("scene.run"),
    open: run,
  };
}

/** Where the question appears; once per page. */
export function OpeningQuestion() {
  const asked = opening.value;
  if (asked === null) return null;
  return (
    <Confirm
      title={asked.title}
      text={t("gate.openText")}
      action={asked.action}
      onYes={asked.open}
      onClose={() => (opening.value = null)}
    />
  );
}
