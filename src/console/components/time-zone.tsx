import { t } from "../i18n/translate.ts";
import { SelectField } from "./field.tsx";

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
  const zones = Intl.supportedValuesOf("timeZone");
  const options = (zones.includes(value) ? zones : [value, ...zones]).map(
    (zone) => [zone, zone.replaceAll("_", " ")] as const,
  );
  return (
    <SelectField
      label={t("site.timeZone")}
      value={value}
      options={options}
      onChange={onChange}
      {...(error === undefined ? {} : { error })}
    />
  );
}
