import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { Dialog } from "../../../console/components/dialog.tsx";
import { SelectField } from "../../../console/components/field.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { dateTime, type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";

const STATUSES = ["waiting", "slow", "delivered", "failed", "dropped"] as const;
const WORDS: Readonly<Record<Delivery["status"], readonly [TextKey, string]>> = {
  waiting: ["delivery.waiting", "badge"],
  slow: ["delivery.slow", "badge warn"],
  delivered: ["delivery.delivered", "badge good"],
  failed: ["delivery.failed", "badge bad"],
  dropped: ["delivery.dropped", "badge warn"],
};
const PAGE = 50;
/** The log keeps no deliveries older than this. */
const LOG_DAYS = 30;

type Delivery = AnswerTo<"GET", "/api/webhooks/{id}/deliveries">["deliveries"][number];

/** What was sent to a receiver and its answers; resends one delivery, or all that failed. */
export function DeliveryLog({ hookId, onClose }: { hookId: number; onClose: () => void }) {
  const [items, setItems] = useState<readonly Delivery[] | null>(null);
  const [next, setNext] = useState<number | null>(null);
  const [status, setStatus] = useState<Delivery["status"] | "">("");
  const [reading, setReading] = useState<string | null>(null);
  const load = (before: number | null): void => {
    const query = { limit: PAGE, status: status === "" ? undefined : status, before: before ?? undefined };
    void get("/api/webhooks/{id}/deliveries", { params: { id: hookId }, query })
      .then((answer) => {
        setItems((known) => (before === null ? answer.deliveries : [...(known ?? []), ...answer.deliveries]));
        setNext(answer.next);
      })
      .catch(sayError);
  };
  useEffect(() => load(null), [hookId, status]);
  const act = async (work: () => Promise<string>): Promise<void> => {
    try {
      say(await work());
      load(null);
    } catch (error) {
      sayError(error);
    }
  };
  const again = (id: string): Promise<void> =>
    act(async () => {
      await post("/api/webhooks/{id}/deliveries/{deliveryId}/redeliver", { params: { id: hookId, deliveryId: id } });
      return t("hook.queued");
    });
  const allFailed = (): Promise<void> =>
    act(async () => {
      const since = new Date(Date.now() - LOG_DAYS * 86_400_000).toISOString();
      const { count } = await post("/api/webhooks/{id}/redeliver", { params: { id: hookId }, body: { since } });
      return t("delivery.resent", { n: count });
    });
  return (
    <Dialog title={t("hook.log")} onClose={onClose}>
      <div class="filters">
        <SelectField
          label={t("delivery.status")}
          value={status}
          onChange={setStatus}
          options={[["", t("filter.any")], ...STATUSES.map((known) => [known, t(WORDS[known][0])] as const)]}
        />
        <Button text={t("delivery.resendFailed")} onClick={() => void allFailed()} />
      </div>
      {items !== null && items.length === 0 && <p class="soft">{t("hook.logEmpty")}</p>}
      <ul class="list">
        {(items ?? []).map((delivery) => (
          <li key={delivery.id} class="wrap delivery">
            <div class="grow">
              <p>
                {delivery.event} · {delivery.deviceId}{" "}
                <span class={WORDS[delivery.status][1]}>{t(WORDS[delivery.status][0])}</span>
              </p>
              <p class="soft small">{answerLine(delivery)}</p>
            </div>
            <Button
              look="plain"
              text={t("delivery.show")}
              aria-expanded={reading === delivery.id}
              onClick={() => setReading(reading === delivery.id ? null : delivery.id)}
            />
            <Button look="plain" text={t("hook.again")} onClick={() => void again(delivery.id)} />
            {reading === delivery.id && <Content hookId={hookId} delivery={delivery} />}
          </li>
        ))}
      </ul>
      <div class="actions">
        {next !== null && <Button text={t("feed.more")} onClick={() => load(next)} />}
        <Button look="primary" text={t("action.done")} onClick={onClose} />
      </div>
    </Dialog>
  );
}

function answerLine({ at, statusCode, tookMs, error, attempts, nextAttemptAt }: Delivery): string {
  return [
    dateTime(at),
    statusCode === null ? null : t("delivery.answered", { code: statusCode }),
    tookMs === null ? null : t("delivery.took", { n: tookMs }),
    attempts > 1 ? t("delivery.attempts", { n: attempts }) : null,
    statusCode === null ? error : null, // with a status code it would only repeat it
    nextAttemptAt === null ? null : t("delivery.next", { at: dateTime(nextAttemptAt) }),
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

/** The request body, and the response. */
function Content({ hookId, delivery }: { hookId: number; delivery: Delivery }) {
  const [body, setBody] = useState<string | null>(null);
  useEffect(() => {
    void get("/api/webhooks/{id}/deliveries/{deliveryId}", { params: { id: hookId, deliveryId: delivery.id } })
      .then((answer) => setBody(answer.body))
      .catch(sayError);
  }, [delivery.id]);
  return (
    <div class="stack whole">
      <dl class="facts">
        <dt>{t("delivery.id")}</dt>
        <dd>
          <code>{delivery.id}</code>
        </dd>
        <dt>{t("delivery.attempted")}</dt>
        <dd>{delivery.attemptedAt === null ? t("time.never") : dateTime(delivery.attemptedAt)}</dd>
        <dt>{t("delivery.answer")}</dt>
        <dd>{delivery.statusCode ?? delivery.error ?? "–"}</dd>
      </dl>
      {body !== null && (
        <>
          <pre class="secret">{pretty(body)}</pre>
          <div class="row">
            <Button text={t("secret.copy")} onClick={() => void copyText(body)} />
          </div>
        </>
      )}
    </div>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
