import { dateTime, isTextKey, t } from "../../../console/i18n/translate.ts";
import type { Opening } from "./gate-story.ts";

/** The outcome of an order, in a few words. */
function outcomeText({
  result,
  reason,
}: {
  readonly result: Opening["result"];
  readonly reason: string | null;
}): string {
  const key = `outcome.${result === "not_opened" ? (reason ?? "") : result}`;
  return isTextKey(key) ? t(key) : "";
}

/** Who opened, and with what outcome. */
function openingText({ by, result, reason }: Opening): string {
  const kind = by.name === null && by.kind !== "device" ? "hub" : by.kind;
  const who = t(`opener.${kind}`, { name: by.name ?? "" });
  return result === "opened" ? who : `${who} · ${outcomeText({ result, reason })}`;
}

/** When and by whom it was opened. */
export function OpeningLine({ opening, name }: { opening: Opening; name?: string }) {
  return (
    <p class="soft small">
      <time dateTime={opening.at}>{dateTime(opening.at)}</time>
      {" · "}
      {name !== undefined && `${name} · `}
      {openingText(opening)}
    </p>
  );
}
