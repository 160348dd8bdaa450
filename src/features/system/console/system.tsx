import { useState } from "preact/hooks";
import { get, patch, remove } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { Moment } from "../../../console/components/moment.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { TimeZoneField } from "../../../console/components/time-zone.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { ago, loadLanguage, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { language, setLanguage, setTheme, type Theme, theme } from "../../../console/preferences.ts";
import { account, authStatus, isOwner } from "../../../console/session.ts";
import { devices, knowSite } from "../../../console/store.ts";
import type { Language } from "../../../core/text/render.ts";
import { AccountCard } from "../../access/console/account.tsx";
import { AgedCard } from "./aged-card.tsx";
import { HealthCard, isAmiss, useHealth } from "./health-card.tsx";
import { NetworkCard } from "./network-card.tsx";
import { ResetCard } from "./reset-card.tsx";
import { WearCard } from "./wear-card.tsx";
import { ZoneNotice } from "./zone-notice.tsx";

type Site = AnswerTo<"GET", "/api/site">["site"];

/**
 * The first page of the section: for an owner what needs somebody; sign-out and the person's own account; for an owner
 * also the site, the network, health, the audit list, and last the factory reset.
 */
export function SystemPage() {
  const [site, , setSite] = useLoaded(async () => (await get("/api/site")).site);
  const owner = isOwner.value;
  const health = useHealth();
  const needsSomebody = health !== null && isAmiss(health);
  return (
    <>
      <PageHead title={t("nav.system")} subtitle={t("more.system")} />
      <Tabs of="/system" here="/system" />
      {owner && <ZoneNotice onAnswered={setSite} />}
      {owner && needsSomebody && <HealthCard health={health} />}
      {owner && <AgedCard />}
      <div class="columns">
        <div class="stack home-main">
          <AppearanceCard />
          <AccountCard />
          {owner && site !== null && <SiteCard key={site.timeZone} site={site} onSaved={setSite} />}
          {owner && <NetworkCard />}
        </div>
        {owner && (
          <div class="stack home-side">
            {health !== null && !needsSomebody && <HealthCard health={health} />}
            <WearCard />
            <AuditCard />
          </div>
        )}
      </div>
      {owner && site !== null && <ResetCard siteName={site.name} />}
    </>
  );
}

function SiteCard({ site: saved, onSaved }: { site: Site; onSaved: (site: Site) => void }) {
  const [site, setSite] = useState(saved);
  const [place, setPlace] = useState({
    latitude: text(saved.latitude),
    longitude: text(saved.longitude),
    capacity: text(saved.capacity),
  });
  const send = async (): Promise<void> => {
    const { name, timeZone } = site;
    const answer = await patch("/api/site", {
      body: {
        name,
        timeZone,
        latitude: numberOrNull(place.latitude),
        longitude: numberOrNull(place.longitude),
        capacity: numberOrNull(place.capacity),
      },
    });
    knowSite(answer.site);
    onSaved(answer.site);
    say(t("action.saved"));
  };
  return (
    <FoldCard title={t("system.site")} value={saved.name}>
      <Form submit={t("action.save")} send={send}>
        {(errors) => (
          <>
            <TextField
              label={t("site.name")}
              value={site.name}
              onInput={(name) => setSite({ ...site, name })}
              error={errors.name}
            />
            <TimeZoneField
              value={site.timeZone}
              onChange={(timeZone) => setSite({ ...site, timeZone })}
              error={errors.timeZone}
            />
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
    </FoldCard>
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
      <div class="pair">
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
          onChange={(next) => void loadLanguage(next as Language).then(() => setLanguage(next as Language), sayError)} // the options below
          options={[
            ["en", "English"],
            ["hi", "हिन्दी"],
          ]}
        />
      </div>
      <Button
        text={t("system.signOut")}
        onClick={() => {
          void remove("/api/session").catch(() => {});
          account.value = null;
          authStatus.value = "signed-out";
        }}
      />
    </Card>
  );
}

/** The actor where it was not a person: the hub itself, an app, the first run. */
function actorName(actor: string): string {
  return keyedText(`by.${actor.split(":")[0] ?? ""}`, actor);
}

/** What an edit changed, by the names of its fields. */
function changedParts(action: string, detail: object): string {
  if (!action.endsWith(".edited")) return "";
  if (action === "plate_rule.edited" && "kind" in detail)
    return ` (${keyedText(`decision.${String(detail.kind)}`, "")})`;
  const names = Object.keys(detail).map((key) => keyedText(`field.${key}`, ""));
  const shown = [...new Set(names.filter((name) => name !== ""))];
  return shown.length === 0 ? "" : ` (${shown.join(", ")})`;
}

/** Lines before somebody asks for the others. */
const FIRST_LINES = 8;

function AuditCard() {
  const [lines] = useLoaded(async () => (await get("/api/audit", { query: { limit: 20 } })).audit);
  const [shown, setShown] = useState(FIRST_LINES);
  const [newest] = lines ?? [];
  if (lines === null) return null;
  return (
    <FoldCard
      title={t("system.audit")}
      value={newest === undefined ? "–" : `${newest.person ?? actorName(newest.actor)}, ${ago(newest.at)}`}
    >
      <ul class="list">
        {lines.slice(0, shown).map((line) => (
          <li key={line.id}>
            <div class="grow">
              <p>
                {keyedText(`audit.${line.action}`, line.action)}{" "}
                <span class="soft">{devices.value.get(line.target)?.name ?? line.target}</span>
                {changedParts(line.action, line.detail)}
              </p>
              <p class="soft small">
                {line.person ?? actorName(line.actor)} · <Moment iso={line.at} />
              </p>
            </div>
          </li>
        ))}
      </ul>
      {lines.length > shown && <Button text={t("feed.more")} onClick={() => setShown(Number.POSITIVE_INFINITY)} />}
    </FoldCard>
  );
}
