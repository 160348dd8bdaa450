import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { monthName, number, t } from "../../../console/i18n/translate.ts";
import { withUnit } from "../../../console/i18n/unbroken.ts";
import type { AnswerTo } from "../../../console/operations.ts";

type Month = AnswerTo<"GET", "/api/plates/accuracy">["months"][number];

/** How well plates are read at this site, month by month, as far as persons corrected reads. */
export function AccuracyCard() {
  const [months, setMonths] = useState<readonly Month[]>([]);
  useEffect(() => {
    get("/api/plates/accuracy")
      .then((answer) => setMonths(answer.months))
      .catch(sayError);
  }, []);
  if (months.length === 0) return null;
  return (
    <Card title={t("accuracy.title")}>
      <p class="soft small">{t("accuracy.hint")}</p>
      <div class="table-wrap">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t("accuracy.month")}</th>
              <th scope="col">{t("accuracy.right")}</th>
              <th scope="col">{t("accuracy.read")}</th>
              <th scope="col">{t("accuracy.corrected")}</th>
              <th scope="col">{t("accuracy.filledIn")}</th>
            </tr>
          </thead>
          <tbody>
            {[...months].reverse().map((one) => (
              <tr key={one.month}>
                <th scope="row">{monthName(one.month)}</th>
                <td>{rightShare(one)}</td>
                <td>{one.read}</td>
                <td>{one.corrected}</td>
                <td>{one.filledIn}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

/** Of the plates that should have been read; a plate that a person filled in was one. */
function rightShare({ read, corrected, filledIn }: Month): string {
  const all = read + filledIn;
  return all === 0 ? "–" : withUnit(number((100 * (read - corrected)) / all, 1), "%");
}
