import { useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { DeviceField } from "../../../console/components/device-field.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { Picker, type PickerOption } from "../../../console/components/picker.tsx";
import { withWords } from "../../../console/components/ranked.ts";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { type House, house, refreshHouse, set } from "../../../console/store.ts";
import { stateSays } from "../rules/presence.ts";
import { presenceLine } from "./house-sheet.tsx";

type Person = House["persons"][number];
type PlateRule = AnswerTo<"GET", "/v1/plate-rules">["rules"][number];

/** What shows whether each person of the household is home. */
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
  return (
    <Card title={person.name}>
      <p class="soft small">{presenceLine(person)}</p>
      <CarField plate={chosen.plate} rules={rules} onChange={(plate) => void choose({ plate })} />
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

/** Choice of a car among those that are let in, by any part of its plate or of whose it is; null: none. */
function CarField({
  plate,
  rules,
  onChange,
}: {
  plate: string | null;
  rules: readonly PlateRule[];
  onChange: (plate: string | null) => void;
}) {
  // a plate may have several rules, for several cameras
  const cars = [...new Map(rules.map((rule) => [rule.plate, rule])).values()].map(carOption);
  const none: PickerOption = { id: "", name: t("presence.none"), detail: "" };
  const find = (text: string): readonly PickerOption[] => [
    ...(text === "" ? [none] : []),
    ...cars.filter(withWords(text, ({ id, name, detail }) => `${id} ${name} ${detail}`)),
  ];
  return (
    <Picker
      label={t("presence.car")}
      hint={t("presence.carHint")}
      chosen={plate === null ? none : (cars.find(({ id }) => id === plate) ?? { id: plate, name: plate })}
      find={find}
      onChange={(id) => onChange(id === "" ? null : id)}
    />
  );
}

function carOption({ plate, formatted, label }: PlateRule): PickerOption {
  return label ? { id: plate, name: label, detail: formatted } : { id: plate, name: formatted, detail: "" };
}
