import { dateTime, isTextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";

/** Who opened which gate or lock. */
export type Opening = AnswerTo<"GET", "/api/openings">["openings"][number];

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

/** Who opened, and what came of it. */
function openingText({ by, result, reason }: Opening): string {
  const kind = by.name === null && by.kind !== "device" ? "hub" : by.kind;
  const who = t(`opener.${kind}`, { name: by.name ?? "" });
  return result === "opened" ? who : `${who} · ${outcomeText({ result, reason })}`;
}

/** Who opened and when, as a sentence. `when`: as {@link whenText} says it. */
export function openingSentence({ by, result, reason }: Opening, when: string): string {
  if (by.kind === "device" && result !== "not_opened") return t("opened.byHand", { when });
  if (by.kind === "plate" && by.name !== null && result !== "not_opened")
    return t("opened.plate", { who: by.name, when });
  const who = t(`opener.${by.name === null && by.kind !== "device" ? "hub" : by.kind}`, { name: by.name ?? "" });
  return result === "not_opened"
    ? t("opened.not", { who, when, why: outcomeText({ result, reason }) })
    : t("opened.by", { who, when });
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
