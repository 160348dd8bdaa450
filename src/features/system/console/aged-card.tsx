import { useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { say } from "../../../console/components/toast.tsx";
import { dateTime, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";

/** The size of one kind of history (`GET /api/history/due`). */
export type AgedCount = AnswerTo<"GET", "/api/history/due">["due"][number];

/** How much there is of each kind, in words. */
export function AgedList({ counts }: { counts: readonly AgedCount[] }) {
  return (
    <ul>
      {counts.map(({ kind, count: n }) => (
        <li key={kind}>{t(`detail.aged.${kind}`, { n })}</li>
      ))}
    </ul>
  );
}

/** Overdue history beyond the daily quota, and the owner's approval to delete it; nothing if there is none. */
export function AgedCard() {
  const [history, , setHistory] = useLoaded(async () => (await get("/api/history")).history);
  const [isAsked, setAsked] = useState(false);
  const behind = (history ?? []).filter(({ isBehind }) => isBehind);
  if (behind.length === 0) return null;
  const allow = async (): Promise<void> => {
    await post("/api/history/allow", { body: { kinds: behind.map(({ kind }) => kind) } });
    setHistory([]);
    say(t("aged.begun"));
  };
  return (
    <Card title={t("aged.title")}>
      <p>{t("aged.text", { date: dateTime(new Date().toISOString()) })}</p>
      <AgedList counts={behind.map(({ kind, waiting }) => ({ kind, count: waiting }))} />
      <div class="row">
        <Button look="danger" text={t("aged.allow")} onClick={() => setAsked(true)} />
      </div>
      {isAsked && (
        <Confirm
          title={t("aged.title")}
          text={t("aged.sure")}
          action={t("aged.now")}
          danger
          onYes={allow}
          onClose={() => setAsked(false)}
        />
      )}
    </Card>
  );
}
