import { useState } from "preact/hooks";
import { Button } from "../../../console/components/button.tsx";
import { zoneMoment } from "../../../console/components/zone-time.ts";
import { shortDuration, t } from "../../../console/i18n/translate.ts";
import { activeTimes, byText, hasChanged, type Row, wordAt } from "./state-lines.ts";
import { sentenceOf, stillText } from "./state-sentence.ts";

const FIRST = 5;
/** From this many states on, only those that changed are put into words: the bars show the others. */
const MANY = 3;

/** A device's states in words: how often and how long, and the last times with who did it. */
export function StateSentences({ rows, zone }: { rows: readonly Row[]; zone: string }) {
  const [isAll, setAll] = useState(false);
  const times = rows
    .filter(({ kind }) => kind !== "online" && kind !== "motion")
    .flatMap((row) => activeTimes(row).map((time) => ({ row, ...time, isFromBefore: isFromBefore(row, time) })))
    .filter(({ isCut, isFromBefore, end }) => !isCut || (isFromBefore && end !== null))
    .sort((one, other) => other.from - one.from);
  return (
    <>
      <p class="soft small">
        {rows
          .filter((row, _, all) => hasChanged(row) || (row.kind !== "online" && all.length < MANY))
          .map((row) => `${row.name === "" ? "" : `${row.name}: `}${sentenceOf(row)}`)
          .join(" · ")}
      </p>
      {times.length > 0 && (
        <ol class="happened">
          {(isAll ? times : times.slice(0, FIRST)).map(({ row, from, to, end, by, isOngoing, isFromBefore }) => (
            <li key={`${row.id} ${from}`} class="wide-time">
              <time dateTime={new Date(from).toISOString()}>
                {isFromBefore ? t("states.fromBefore") : zoneMoment(from, zone)}
              </time>
              <span>
                {row.name !== "" && `${row.name} · `}
                {isOngoing
                  ? stillText(row.kind, wordAt(row, from, to).toLocaleLowerCase())
                  : end === null
                    ? t("states.andOn", { at: zoneMoment(to, zone) })
                    : isFromBefore
                      ? t("states.endedAt", { at: zoneMoment(end, zone) })
                      : shortDuration((end - from) / 1_000)}
                {by !== null && " · "}
                {by !== null &&
                  (by.readId !== null && by.name !== null ? (
                    <a href={`/gate/reads/${by.readId}`}>{byText(by)}</a>
                  ) : (
                    byText(by)
                  ))}
              </span>
            </li>
          ))}
        </ol>
      )}
      {times.length > FIRST && (
        <p>
          <Button
            text={isAll ? t("states.fewer") : t("states.allLines", { n: times.length })}
            onClick={() => setAll(!isAll)}
          />
        </p>
      )}
    </>
  );
}

/** Whether it was so before the stretch: the sentence counts it, and its line says when it ended. */
function isFromBefore({ pieces: [first] }: Row, { from, isCut }: { from: number; isCut: boolean }): boolean {
  return isCut && first?.isCutAtStart === true && first.from === from;
}
