import { type Window, windowText } from "../../../console/components/week-times.ts";
import { dateTime, t } from "../../../console/i18n/translate.ts";

/** When something holds. */
export interface Bounds {
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly windows: readonly Window[];
}

/** When a rule or a pass holds, as a sentence; empty: always. */
export function boundsText({ validFrom, validTo, windows }: Bounds): string {
  const parts = windows.map(windowText);
  if (validFrom !== null && Date.parse(validFrom) > Date.now())
    parts.push(t("rules.from", { at: dateTime(validFrom) }));
  if (validTo !== null)
    parts.push(
      Date.parse(validTo) <= Date.now()
        ? t("when.over", { at: dateTime(validTo) })
        : t("rules.to", { at: dateTime(validTo) }),
    );
  return parts.join(" · ");
}
