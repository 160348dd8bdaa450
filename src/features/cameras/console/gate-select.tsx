import { choicesOf, controlsOf } from "../../../console/components/controls.ts";
import { SelectField } from "../../../console/components/field.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { type Device, deviceList } from "../../../console/store.ts";

/** Gates and locks, gates first. */
function barriers(): readonly Device[] {
  const all = deviceList.value.filter(({ capabilities }) => capabilities?.barrier === true);
  return [...all.filter(({ type }) => type === "gate"), ...all.filter(({ type }) => type !== "gate")];
}

/** What a new camera opens unless somebody says otherwise: the house's gate; empty where it has none. */
export function likelyGate(): string {
  return barriers()[0]?.id ?? "";
}

/** The gate as a camera's settings name it, with the command that opens it. */
export function gateOf(deviceId: string): { deviceId: string; command: Record<string, unknown> } | null {
  const device = barriers().find(({ id }) => id === deviceId);
  if (device === undefined) return null;
  const opening = controlsOf(device)
    .filter(({ kind }) => kind === "button")
    .flatMap(choicesOf)
    .find(({ confirm }) => confirm);
  return { deviceId, command: { ...(opening?.command ?? { open: true }) } };
}

/** Which gate a new camera opens; other devices can be chosen on its page. */
export function GateSelect({ value, onChange }: { value: string; onChange: (deviceId: string) => void }) {
  const all = barriers();
  if (all.length === 0) return <p class="soft small">{t("find.noGate")}</p>;
  return (
    <SelectField
      label={t("camera.gateDevice")}
      value={value}
      onChange={onChange}
      options={[...all.map(({ id, name }) => [id, name] as const), ["", t("camera.opensNothing")]]}
    />
  );
}
