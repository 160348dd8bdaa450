import { t } from "../i18n/translate.ts";
import { SelectField } from "./field.tsx";
import { zoneToday } from "./zone-time.ts";

/** A zone as the choice lists it: `America/New York`. */
export function zoneWords(zone: string): string {
  return zoneToday(zone).replaceAll("_", " ");
}

/** Choice of an IANA time zone from those that the browser knows. */
export function TimeZoneField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (zone: string) => void;
  error?: string | undefined;
}) {
  const zones = Intl.supportedValuesOf("timeZone").map(zoneToday).sort();
  const current = zoneToday(value);
  const options = (zones.includes(current) ? zones : [current, ...zones]).map(
    (zone) => [zone, zoneWords(zone)] as const,
  );
  return (
    <SelectField
      label={t("site.timeZone")}
      value={current}
      options={options}
      onChange={onChange}
      {...(error === undefined ? {} : { error })}
    />
  );
}
