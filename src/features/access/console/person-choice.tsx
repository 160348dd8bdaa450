import { get } from "../../../console/api.ts";
import { useLoaded } from "../../../console/components/loaded.ts";
import { t } from "../../../console/i18n/translate.ts";

/** Whose acts are listed: everybody's, or one person's. */
export function PersonChoice({ value, onChange }: { value: number | null; onChange: (person: number | null) => void }) {
  const [persons] = useLoaded(async () => (await get("/api/persons")).persons);
  if (persons === null || (persons.length < 2 && value === null)) return null;
  return (
    <select
      class="input"
      aria-label={t("person.whoDidIt")}
      value={value === null ? "" : String(value)}
      onChange={(event) => onChange(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}
    >
      <option value="">{t("person.everybody")}</option>
      {persons.map(({ id, name }) => (
        <option key={id} value={String(id)}>
          {name}
        </option>
      ))}
    </select>
  );
}
