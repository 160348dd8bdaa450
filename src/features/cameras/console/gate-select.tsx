import { SelectField } from "../../../console/components/field.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { type Device, deviceList, devices } from "../../../console/store.ts";
import { barriers, isMover, openingOf } from "../../gate/console/gate-devices.ts";

/** What a new camera can open: the house's gates and locks, or where it has none, what may move one. */
function able(): readonly Device[] {
  const gates = barriers();
  return gates.length > 0 ? gates : deviceList.value.filter(isMover);
}

/** What a new camera opens unless somebody says otherwise: the house's gate; empty where none is known. */
export function likelyGate(): string {
  return barriers()[0]?.id ?? "";
}

/** The gate as a camera's settings name it, with the command that opens it. */
export function gateOf(deviceId: string): { deviceId: string; command: Record<string, unknown> } | null {
  return deviceId === "" ? null : { deviceId, command: openingOf(devices.value.get(deviceId)) ?? { open: true } };
}

/** Which gate a new camera opens; other devices can be chosen on its page. */
export function GateSelect({ value, onChange }: { value: string; onChange: (deviceId: string) => void }) {
  const all = able();
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
