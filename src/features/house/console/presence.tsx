import { useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { DeviceField } from "../../../console/components/device-field.tsx";
import { SelectField } from "../../../console/components/field.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { type House, house, refreshHouse, set } from "../../../console/store.ts";
import { stateSays } from "../rules/presence.ts";
import { presenceLine } from "./house-sheet.tsx";

type Person = House["persons"][number];
type PlateRule = AnswerTo<"GET", "/v1/plate-rules">["rules"][number];

/** What tells whether each person of the household is home. */
export function PresencePage() {
  const [rules] = useLoaded(async () => (await get("/v1/plate-rules")).rules.filter(({ kind }) => kind === "allow"));
  const [persons, load] = useLoaded(async () => {
    const answer = await get("/api/house");
    set(house, answer.house);
    return answer.house.persons;
  });
  return (
    <>
      <PageHead title={t("presence.title")} subtitle={t("presence.subtitle")} />
      <Tabs of="/system" here="/system/presence" />
      {(persons ?? []).map((person) => (
        <OnePerson key={person.id} person={person} rules={rules ?? []} onChanged={load} />
      ))}
      <p class="soft small">
        {t("presence.private")} <a href="/system/settings?find=presence">{t("presence.sharing")}</a>
      </p>
    </>
  );
}

function OnePerson({
  person,
  rules,
  onChanged,
}: {
  person: Person;
  rules: readonly PlateRule[];
  onChanged: () => void;
}) {
  const [chosen, setChosen] = useState({ plate: person.plate, deviceId: person.deviceId });
  const choose = async (part: Partial<typeof chosen>): Promise<void> => {
    const next = { ...chosen, ...part };
    setChosen(next);
    try {
      await put("/api/house/persons/{id}", { params: { id: person.id }, body: next });
    } catch (error) {
      setChosen(chosen);
      sayError(error);
    }
    onChanged();
    await refreshHouse().catch(() => {});
  };
  const plates = new Map(
    rules.map(({ plate, formatted, label }) => [plate, label ? `${label} · ${formatted}` : formatted]),
  );
  if (chosen.plate !== null && !plates.has(chosen.plate)) plates.set(chosen.plate, chosen.plate);
  return (
    <Card title={person.name}>
      <p class="soft small">{presenceLine(person)}</p>
      <SelectField
        label={t("presence.car")}
        hint={t("presence.carHint")}
        value={chosen.plate ?? ""}
        options={[["", t("presence.none")], ...plates]}
        onChange={(plate) => void choose({ plate: plate === "" ? null : plate })}
      />
      <DeviceField
        label={t("presence.device")}
        value={chosen.deviceId ?? ""}
        any={t("presence.none")}
        only={({ state }) => stateSays(state) !== null}
        onChange={(id) => void choose({ deviceId: id === "" ? null : id })}
      />
      <p class="soft small">{t("presence.deviceHint")}</p>
    </Card>
  );
}
