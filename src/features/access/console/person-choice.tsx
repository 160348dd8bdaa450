import { get } from "../../../console/api.ts";
import { useLoaded } from "../../../console/components/loaded.ts";
import { toldApart } from "../../../console/components/told-apart.ts";
import { t } from "../../../console/i18n/translate.ts";

/** Whose acts are listed: everybody's, or one person's. */
export function PersonChoice({ value, onChange }: { value: number | null; onChange: (person: number | null) => void }) {
  const [persons] = useLoaded(async () => (await get("/api/persons")).persons);
  if (persons === null || (persons.length < 2 && value === null)) return null;
  const nameOf = toldApart(
    persons,
    ({ name }) => name,
    ({ email }) => email,
  );
  return (
    <select
      class="input"
      aria-label={t("person.whoDidIt")}
      value={value === null ? "" : String(value)}
      onChange={(event) => onChange(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}
    >
      <option value="">{t("person.everybody")}</option>
      {persons.map((person) => (
        <option key={person.id} value={String(person.id)}>
          {nameOf(person)}
        </option>
      ))}
    </select>
  );
}
