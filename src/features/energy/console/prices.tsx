/** What the page of prices and the question for a first price share. */
import { ParsedField, readNumber } from "../../../console/components/parsed-field.tsx";
import { localeName, t } from "../../../console/i18n/translate.ts";
import type { EnergySettings } from "../resources/energy.ts";

/** Currencies by how the names of time zones begin; the first that fits counts. */
const CURRENCIES: readonly (readonly [zone: string, currency: string])[] = [
  ["Asia/Dhaka", "BDT"],
  ["Asia/Colombo", "LKR"],
  ["Asia/Karachi", "PKR"],
  ["Asia/Kathmandu", "NPR"],
  ["Asia/Dubai", "AED"],
  ["Asia/Singapore", "SGD"],
  ["Asia/Tokyo", "JPY"],
  ["Australia/", "AUD"],
  ["Europe/London", "GBP"],
  ["Europe/Zurich", "CHF"],
  ["Europe/Stockholm", "SEK"],
  ["Europe/Copenhagen", "DKK"],
  ["Europe/Oslo", "NOK"],
  ["Europe/Warsaw", "PLN"],
  ["Europe/", "EUR"],
  ["America/Toronto", "CAD"],
  ["America/Vancouver", "CAD"],
  ["America/Sao_Paulo", "BRL"],
  ["America/", "USD"],
];

/** The currency that a house in this time zone most likely pays in; it is only proposed. */
export function currencyOfZone(zone: string): string {
  return CURRENCIES.find(([begin]) => zone.startsWith(begin))?.[1] ?? "INR";
}

/** All currencies that the browser knows, by code and name. */
export function currencies(chosen: string): (readonly [string, string])[] {
  const names = new Intl.DisplayNames(localeName(), { type: "currency" });
  const known = Intl.supportedValuesOf("currency");
  return (known.includes(chosen) ? known : [chosen, ...known]).map(
    (code) => [code, `${code} · ${names.of(code) ?? code}`] as const,
  );
}

/** What owners have said of their meters; the rest is what the hub takes them for. */
export function chosenOf(roles: EnergySettings["roles"]) {
  return roles.flatMap(({ chosen, ...role }) => (chosen ? [role] : []));
}

/** The price of a kWh, as people type it; empty: none. */
export function PriceField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: number;
  onChange: (value: number) => void;
}) {
  const read = (typed: string) => {
    if (typed.trim() === "") return { value: 0 };
    const parsed = readNumber(typed);
    return parsed !== null && parsed.value >= 0 && parsed.value <= 1_000_000 ? parsed : null;
  };
  return (
    <ParsedField
      label={label}
      inputMode="decimal"
      value={value}
      show={(price) => (price === 0 ? "" : String(price))}
      read={read}
      wrong={t("energy.wrongPrice")}
      onChange={onChange}
    />
  );
}
