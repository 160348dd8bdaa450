import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { keyedText, recordedText } from "../../../console/i18n/hub-texts.ts";
import { ago, dateTime, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { isOwner } from "../../../console/session.ts";

/** One health check of the hub. */
type HealthCheck = Health["checks"][number];

/** The state of the hub (`GET /api/health`). */
export type Health = AnswerTo<"GET", "/api/health">;

const RELOAD_MS = 15_000;
/** A clock offset beyond this is shown. */
const DRIFT_MS = 60_000;

/** The hub's clock state while an owner's browser can confirm the time. */
const UNSETTLED: ReadonlySet<unknown> = new Set(["clock.unknown", "clock.refused", "clock.doubted"]);

/** Offers this browser's time to a hub that is not sure of its own; the hub decides. */
function offerTime(health: Health): void {
  if (!isOwner.value || !health.checks.some((check) => UNSETTLED.has(check.words?.code))) return;
  // the check keeps reporting the problem
  void post("/api/clock", { body: { now: new Date().toISOString() } }).catch(() => {});
}

/** The hub's health, polled while the page is open; null before the first answer. */
export function useHealth(): Health | null {
  const [health, setHealth] = useState<Health | null>(null);
  useEffect(() => {
    const load = (): void =>
      void get("/api/health")
        .then((health) => {
          setHealth(health);
          offerTime(health);
        })
        .catch(() => {}); // the frame reports when the hub does not answer
    load();
    const timer = setInterval(load, RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  return health;
}

/** The name of a check. */
function checkTitle(check: HealthCheck): string {
  return keyedText(`check.${check.code}`, check.title);
}

/** Its state in words. */
function checkText(check: HealthCheck): string {
  return recordedText("health", check.words, check.text);
}

/** Whether something about the hub needs a person. */
export function isAmiss(health: Health): boolean {
  return isClockOff(health) || health.checks.some(({ level }) => level !== "ok");
}

/** Every health check of the hub, and its clock: what is wrong as a card, what is fine folded to how much it is. */
export function HealthCard({ health }: { health: Health }) {
  const wrong = health.checks.filter(({ level }) => level !== "ok");
  const fine = health.checks.filter(({ level }) => level === "ok");
  const words = t("system.fine", { n: fine.length, all: health.checks.length });
  const since = (
    <p class="soft small">{t("system.version", { version: health.version, since: ago(health.startedAt) })}</p>
  );
  if (!isAmiss(health))
    return (
      <FoldCard title={t("system.health")} value={words} starts="folded">
        <Checks checks={fine} />
        {since}
      </FoldCard>
    );
  return (
    <Card title={t("system.health")}>
      <ClockNotice health={health} />
      {wrong.length > 0 && <Checks checks={wrong} />}
      <details class="group">
        <summary>{words}</summary>
        <Checks checks={fine} />
      </details>
      {since}
    </Card>
  );
}

function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  const words = { ok: t("level.ok"), degraded: t("level.degraded"), failed: t("level.failed") };
  const tones = { ok: "badge good", degraded: "badge warn", failed: "badge bad" };
  return (
    <ul class="list">
      {checks.map((check) => (
        <li key={check.code}>
          <div class="grow">
            <p>{checkTitle(check)}</p>
            <p class="soft small">{checkText(check)}</p>
          </div>
          <span class={tones[check.level]}>{words[check.level]}</span>
        </li>
      ))}
    </ul>
  );
}

function isClockOff({ now }: Health): boolean {
  return Math.abs(Date.now() - Date.parse(now)) > DRIFT_MS;
}

function ClockNotice({ health }: { health: Health }) {
  if (!isClockOff(health) || !isOwner.value) return null;
  const send = (): void =>
    void post("/api/clock", { body: { now: new Date().toISOString() } }).then(
      () => say(t("system.clockSent")),
      sayError,
    );
  return (
    <Notice tone="warn">
      {t("system.clockOff", { now: dateTime(health.now) })} <Button text={t("system.clockSet")} onClick={send} />
    </Notice>
  );
}

/** The hub's problems, at the top of the first page. */
export function HealthBanner() {
  const health = useHealth();
  const wrong = (health?.checks ?? []).filter((check) => check.level !== "ok");
  if (health === null || wrong.length === 0) return null;
  // Problems of the disk or the broker concern owners only.
  if (!isOwner.value) return health.status === "failed" ? <Notice tone="bad">{t("health.forMember")}</Notice> : null;
  return (
    <Notice tone={health.status === "failed" ? "bad" : "warn"}>
      <ul class="stack">
        {wrong.map((check) => (
          <li key={check.code}>
            <strong>{checkTitle(check)}</strong> {checkText(check)}
          </li>
        ))}
      </ul>
      <a href="/system">{t("home.lookAt")}</a>
    </Notice>
  );
}
