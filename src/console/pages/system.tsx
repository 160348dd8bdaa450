import { useEffect, useState } from "preact/hooks";
import { get, patch, post, remove } from "../api.js";
import { Card, Notice, PageHead } from "../components/basics.js";
import { Form } from "../components/dialog.js";
import { SelectField, TextField } from "../components/field.js";
import { TimeZoneField } from "../components/time-zone.js";
import { say, sayError } from "../components/toast.js";
import { ago, dateTime, t } from "../i18n/translate.js";
import { type Language, language, setLanguage, setTheme, type Theme, theme } from "../preferences.js";
import { standing } from "../session.js";
import { AccountCard } from "./account.js";
import { SettingsCard } from "./settings.js";

interface Health {
  readonly status: string;
  readonly checks: readonly { code: string; level: "ok" | "degraded" | "failed"; title: string; text: string }[];
  readonly version: string;
  readonly startedAt: string;
  readonly now: string;
}

interface Site {
  readonly name: string;
  readonly timeZone: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly capacity: number | null;
}

/** The box itself: its health, the site, the owner's account, settings, who did what. */
export function SystemPage() {
  return (
    <>
      <PageHead title={t("nav.system")} subtitle={t("more.system")} />
      <div class="columns">
        <div class="stack home-main">
          <HealthCard />
          <SiteCard />
          <BackupCard />
          <SettingsCard />
        </div>
        <div class="stack home-side">
          <Card title={t("home.devices")}>
            <p class="soft small">{t("more.devices")}</p>
            <div class="row">
              <a class="button" href="/system/devices">
                {t("system.manageDevices")}
              </a>
              <a class="button" href="/system/rooms">
                {t("rooms.title")}
              </a>
            </div>
          </Card>
          <AppearanceCard />
          <AccountCard />
          <AuditCard />
        </div>
      </div>
    </>
  );
}

function HealthCard() {
  const [health, setHealth] = useState<Health | null>(null);
  useEffect(() => {
    const load = (): void => void get<Health>("/api/health").then(setHealth).catch(sayError);
    load();
    const timer = setInterval(load, 15_000);
    return () => clearInterval(timer);
  }, []);
  if (health === null) return <Card title={t("system.health")}>{t("state.loading")}</Card>;
  const words = { ok: t("health.ok"), degraded: t("health.degraded"), failed: t("health.failed") };
  const tones = { ok: "badge good", degraded: "badge warn", failed: "badge bad" };
  const drift = Math.abs(Date.now() - Date.parse(health.now));
  return (
    <Card title={t("system.health")}>
      {drift > 60_000 && (
        <Notice tone="warn">
          {t("system.clockOff", { now: dateTime(health.now) })}{" "}
          <button
            type="button"
            class="button"
            onClick={() => void post("/api/clock", { now: new Date().toISOString() }).then(() => say(t("system.clockSent")), sayError)}
          >
            {t("system.clockSet")}
          </button>
        </Notice>
      )}
      <ul class="list">
        {health.checks.map((check) => (
          <li key={check.code}>
            <div class="grow">
              <p>{check.title}</p>
              <p class="soft small">{check.text}</p>
            </div>
            <span class={tones[check.level]}>{words[check.level]}</span>
          </li>
        ))}
      </ul>
      <p class="soft small">{t("system.version", { version: health.version, since: ago(health.startedAt) })}</p>
    </Card>
  );
}

/** A backup holds passwords and pictures, so the box alone writes and reads it; the page says how. */
function BackupCard() {
  return (
    <Card title={t("system.backup")}>
      <p class="soft">{t("system.backupText")}</p>
      <code class="secret">gatehouse backup /media/stick/gatehouse.backup</code>
      <code class="secret">gatehouse restore /media/stick/gatehouse.backup</code>
    </Card>
  );
}

function SiteCard() {
  const [site, setSite] = useState<Site | null>(null);
  const [place, setPlace] = useState({ latitude: "", longitude: "", capacity: "" });
  useEffect(() => {
    void get<{ site: Site }>("/api/site")
      .then((answer) => {
        setSite(answer.site);
        setPlace({ latitude: text(answer.site.latitude), longitude: text(answer.site.longitude), capacity: text(answer.site.capacity) });
      })
      .catch(sayError);
  }, []);
  if (site === null) return null;
  const send = async (): Promise<void> => {
    const { name, timeZone } = site;
    await patch("/api/site", {
      name,
      timeZone,
      latitude: numberOrNull(place.latitude),
      longitude: numberOrNull(place.longitude),
      capacity: numberOrNull(place.capacity),
    });
    say(t("action.saved"));
  };
  return (
    <Card title={t("system.site")}>
      <Form submit={t("action.save")} send={send}>
        {(errors) => (
          <>
            <TextField label={t("site.name")} value={site.name} onInput={(name) => setSite({ ...site, name })} error={errors.name} />
            <TimeZoneField value={site.timeZone} onChange={(timeZone) => setSite({ ...site, timeZone })} error={errors.timeZone} />
            <div class="pair">
              <TextField
                label={t("site.latitude")}
                inputMode="decimal"
                value={place.latitude}
                onInput={(latitude) => setPlace({ ...place, latitude })}
                error={errors.latitude}
              />
              <TextField
                label={t("site.longitude")}
                inputMode="decimal"
                value={place.longitude}
                onInput={(longitude) => setPlace({ ...place, longitude })}
                error={errors.longitude}
              />
            </div>
            <TextField
              label={t("site.capacity")}
              hint={t("site.capacityHint")}
              inputMode="numeric"
              value={place.capacity}
              onInput={(capacity) => setPlace({ ...place, capacity })}
              error={errors.capacity}
            />
          </>
        )}
      </Form>
    </Card>
  );
}

function text(value: number | null): string {
  return value === null ? "" : String(value);
}

function numberOrNull(typed: string): number | null {
  return typed.trim() === "" ? null : Number(typed);
}

function AppearanceCard() {
  return (
    <Card title={t("system.appearance")}>
      <SelectField
        label={t("system.theme")}
        value={theme.value}
        onChange={(next) => setTheme(next as Theme)} // the options below
        options={[
          ["auto", t("theme.auto")],
          ["light", t("theme.light")],
          ["dark", t("theme.dark")],
        ]}
      />
      <SelectField
        label={t("system.language")}
        value={language.value}
        onChange={(next) => setLanguage(next as Language)} // the options below
        options={[
          ["en", "English"],
          ["hi", "हिन्दी"],
        ]}
      />
      <button
        type="button"
        class="button"
        onClick={() => {
          void remove("/api/session").catch(() => {});
          standing.value = "signed-out";
        }}
      >
        {t("system.signOut")}
      </button>
    </Card>
  );
}

interface AuditLine {
  readonly id: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly at: string;
}

function AuditCard() {
  const [lines, setLines] = useState<readonly AuditLine[]>([]);
  useEffect(() => {
    void get<{ audit: AuditLine[] }>("/api/audit?limit=20")
      .then((answer) => setLines(answer.audit))
      .catch(sayError);
  }, []);
  return (
    <Card title={t("system.audit")}>
      <ul class="list">
        {lines.map((line) => (
          <li key={line.id}>
            <div class="grow">
              <p>
                {line.action} <span class="soft">{line.target}</span>
              </p>
              <p class="soft small">
                {line.actor} · {ago(line.at)}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
