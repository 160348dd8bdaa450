import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { keyedText, recordedText } from "../../../console/i18n/hub-texts.ts";
import { ago, dateTime, type TextKey, t } from "../../../console/i18n/translate.ts";
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

let asked: Promise<Health> | null = null;

/** The state of the hub; all who ask while an answer is on its way get the same. */
export function askHealth(): Promise<Health> {
  asked ??= get("/api/health").finally(() => {
    asked = null;
  });
  return asked;
}

/** The hub's health, polled while the page is open; null before the first answer. */
export function useHealth(): Health | null {
  const [health, setHealth] = useState<Health | null>(null);
  useEffect(() => {
    const load = (): void =>
      void askHealth()
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

/** What works and could be better. */
export function adviceOf({ checks }: Health): readonly HealthCheck[] {
  return checks.filter(({ level, advice }) => level === "ok" && advice);
}

/** Where somebody can follow a piece of advice, by its words. */
const ADVISED: Readonly<Record<string, readonly [text: TextKey, to: string]>> = {
  "backup.clear": ["health.toPassphrase", "/system/backups"],
  "backup.off": ["health.toSettings", "/system/settings?find=backup"],
  "backup.offNone": ["health.toSettings", "/system/settings?find=backup"],
  "backup.onlyHere": ["health.toBackups", "/system/settings?find=destinations"],
  "encryption.off": ["health.toSettings", "/system/settings?find=encryption"],
  "encryption.open": ["health.toNetwork", "/system/network"],
  "encryption.uncovered": ["health.toSettings", "/system/settings?find=encryption"],
};

/**
 * Every health check of the hub, and its clock: what is wrong and what could be better with what to do, what is fine
 * folded to how much it is. `isPage`: the page has its title.
 */
export function HealthCard({ health, isPage = false }: { health: Health; isPage?: boolean }) {
  const wrong = health.checks.filter(({ level }) => level !== "ok");
  const advice = adviceOf(health);
  const fine = health.checks.filter(({ level, advice }) => level === "ok" && !advice);
  const words = t("system.fine", { n: fine.length, all: health.checks.length });
  const since = (
    <p class="soft small">{t("system.version", { version: health.version, since: ago(health.startedAt) })}</p>
  );
  return (
    <Card {...(isPage ? {} : { title: t("system.health") })}>
      <ClockNotice health={health} />
      {wrong.length + advice.length > 0 && <Checks checks={[...wrong, ...advice]} />}
      <details class="group">
        <summary>{words}</summary>
        <Checks checks={fine} />
      </details>
      {since}
    </Card>
  );
}

function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  const words = { degraded: t("level.degraded"), failed: t("level.failed") };
  const tones = { degraded: "badge warn", failed: "badge bad" };
  return (
    <ul class="list">
      {checks.map((check) => {
        const [text, to] = ADVISED[String(check.words?.code ?? "")] ?? [];
        return (
          <li key={check.code} class="check-line">
            <span class={`state-dot ${check.advice ? "advice" : check.level}`} aria-hidden="true" />
            <div class="grow">
              <p>
                {checkTitle(check)}{" "}
                {check.level !== "ok" ? (
                  <span class={tones[check.level]}>{words[check.level]}</span>
                ) : (
                  check.advice && <span class="badge warn">{t("level.advice")}</span>
                )}
              </p>
              <p class="soft small">{checkText(check)}</p>
            </div>
            {check.advice && to !== undefined && text !== undefined && isOwner.value && (
              <a class="button small" href={to}>
                {t(text)}
              </a>
            )}
          </li>
        );
      })}
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
      <a href="/system/health">{t("home.lookAt")}</a>
    </Notice>
  );
}
