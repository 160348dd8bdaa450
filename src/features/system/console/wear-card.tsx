import { useEffect, useState } from "preact/hooks";
import { ApiError, get } from "../../../console/api.ts";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { bytes, number, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";

type Wear = AnswerTo<"GET", "/api/storage/wear">["wear"];

/** Bytes written to the card, against a daily budget: writing wears flash out. */
export function WearCard() {
  const [wear, setWear] = useState<Wear | null>(null);
  useEffect(() => {
    void get("/api/storage/wear")
      .then((answer) => setWear(answer.wear))
      .catch((error) => {
        if (!(error instanceof ApiError && error.status === 404)) sayError(error);
      });
  }, []);
  if (wear === null) return null;
  const written = wear.today.reduce((sum, { bytes: count }) => sum + count, 0);
  const words = {
    database: t("wear.database"),
    pictures: t("wear.pictures"),
    backups: t("wear.backups"),
    other: t("wear.other"),
  };
  const today = t("wear.today", { written: bytes(written), budget: bytes(wear.budgetBytes) });
  return (
    <FoldCard title={t("wear.title")} value={today}>
      <progress
        class={written > wear.budgetBytes ? "gauge full" : "gauge"}
        max={Math.max(1, wear.budgetBytes)}
        value={Math.min(written, wear.budgetBytes)}
        aria-label={today}
      />
      <p class="soft small">
        {wear.today
          .filter(({ bytes: count }) => count > 0)
          .map(({ cause, bytes: count }) => `${words[cause]} ${bytes(count)}`)
          .join(" · ")}
      </p>
      {wear.lifetimeYears !== null && (
        <p class="soft small">{t("wear.lifetime", { years: number(wear.lifetimeYears, 0) })}</p>
      )}
    </FoldCard>
  );
}
