import { Icon, type IconName } from "../../../console/components/icon.tsx";
import { oddText } from "../../../console/components/odd.ts";
import { dateTime, isTextKey, t, timeOfDay } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { PlateRead } from "../../../console/store.ts";

type Outcome = NonNullable<PlateRead["gate"]>;

/** Who opened which gate or lock. */
export type Opening = AnswerTo<"GET", "/api/openings">["openings"][number];

const ICONS: Readonly<Record<Outcome["result"], IconName>> = {
  opened: "check",
  taken: "check",
  waiting: "more",
  not_opened: "circleAlert",
  not_told: "lock",
};
const TONES: Readonly<Record<Outcome["result"], string>> = {
  opened: "good",
  taken: "good",
  waiting: "",
  not_opened: "bad",
  not_told: "",
};
/** A movement this long after an order is worth its own time. */
const LATE_MS = 60_000;

/** The outcome of an order, in a few words. */
function outcomeText({
  result,
  reason,
}: {
  readonly result: Outcome["result"];
  readonly reason: string | null;
}): string {
  const key = `outcome.${result === "not_opened" || result === "not_told" ? (reason ?? "") : result}`;
  return isTextKey(key) ? t(key) : "";
}

/**
 * What happened at the gate for a read: opened, did not open and why, not told and why. Nothing if this camera opens
 * none.
 */
export function OutcomeLine({ read }: { read: PlateRead }) {
  const { gate } = read;
  if (gate === null || gate.reason === "no_gate") return null;
  const isLate = gate.settledAt !== null && Date.parse(gate.settledAt) - Date.parse(read.at) > LATE_MS;
  return (
    <>
      <p class={`outcome ${TONES[gate.result]}`}>
        <Icon name={ICONS[gate.result]} small />
        <span>
          {outcomeText(gate)}
          {gate.result === "opened" && isLate && ` · ${timeOfDay(gate.settledAt ?? read.at)}`}
        </span>
      </p>
      {gate.odd.length > 0 && <p class="soft small">{oddText(gate.odd)}</p>}
    </>
  );
}

/** Who opened, and what came of it. */
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
