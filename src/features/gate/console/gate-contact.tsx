import { useEffect, useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { SelectField } from "../../../console/components/field.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { type Device, deviceList } from "../../../console/store.ts";

/** Which sensor tells whether a gate or lock is open. Shown if there is one to choose. */
export function GateContact({ gate }: { gate: Device }) {
  const [contact, setContact] = useState<string | null | undefined>(undefined);
  useEffect(() => {
    void get("/api/gates/{id}/contact", { params: { id: gate.id } })
      .then(({ contact: { deviceId } }) => setContact(deviceId))
      .catch(() => {}); // asked again with the next visit
  }, [gate.id]);
  const sensors = deviceList.value.filter(
    ({ id, state, capabilities }) =>
      id !== gate.id && (id === contact || (capabilities?.barrier !== true && ("contact" in state || "open" in state))),
  );
  if (contact === undefined || sensors.length === 0) return null;
  const choose = async (chosen: string): Promise<void> => {
    const deviceId = chosen === "" ? null : chosen;
    try {
      await put("/api/gates/{id}/contact", { params: { id: gate.id }, body: { deviceId } });
      setContact(deviceId);
      say(t("action.saved"));
    } catch (error) {
      sayError(error);
    }
  };
  const kind = gate.type === "lock" ? "lock" : "gate";
  return (
    <FoldCard
      title={t(`contact.${kind}Title`)}
      value={sensors.find(({ id }) => id === contact)?.name ?? t(`contact.${kind}Itself`)}
    >
      <SelectField
        label={t(`contact.${kind}`)}
        hint={t(`contact.${kind}Hint`)}
        value={contact ?? ""}
        options={[["", t(`contact.${kind}Itself`)] as const, ...sensors.map(({ id, name }) => [id, name] as const)]}
        onChange={(chosen) => void choose(chosen)}
      />
    </FoldCard>
  );
}
