import { signal } from "@preact/signals";
import { t } from "../i18n/translate.js";
import { command, type Device, devices, type Scene } from "../store.js";
import { type Choice, controlsOf } from "./controls.js";
import { Confirm } from "./dialog.js";

/** Something that lets somebody in, and waits for a yes. */
interface Opening {
  readonly title: string;
  readonly action: string;
  readonly open: () => Promise<void>;
}
const opening = signal<Opening | null>(null);

/** Asks before a device lets somebody in: a tap in a pocket must not. */
export function askToOpen(device: Device, order: Choice["command"], effect: Choice["effect"]): void {
  const isLock = "locked" in order;
  opening.value = {
    title: t(isLock ? "gate.unlockTitle" : "gate.openTitle", { name: device.name }),
    action: t(isLock ? "gate.unlockNow" : "gate.openNow"),
    open: () => command(device.id, { ...order }, { ...effect }),
  };
}

/** Runs `run` at once, or after a yes where a command of the scene lets somebody in. */
export function askBeforeScene(scene: Pick<Scene, "name" | "actions">, run: () => Promise<void>): void {
  const opened = scene.actions.flatMap((action) => {
    const device = devices.value.get(action.deviceId);
    const wanted = JSON.stringify(action.command);
    const opens = controlsOf(device).some((control) => control.kind === "button" && control.confirm && JSON.stringify(control.command) === wanted);
    return device !== undefined && opens ? [device.name] : [];
  });
  if (opened.length === 0) {
    void run();
    return;
  }
  opening.value = { title: t("gate.sceneTitle", { scene: scene.name, names: opened.join(", ") }), action: t("scene.run"), open: run };
}

/** Where the question appears; once per page. */
export function OpeningQuestion() {
  const asked = opening.value;
  if (asked === null) return null;
  return <Confirm title={asked.title} text={t("gate.openText")} action={asked.action} onYes={asked.open} onClose={() => (opening.value = null)} />;
}
