import { useState } from "preact/hooks";
import { get, patch, remove } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { placeOf, type Whereabouts, WhereFields } from "../../../console/components/place-field.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { loadLanguage, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { language, setLanguage, setTheme, type Theme, theme } from "../../../console/preferences.ts";
import { account, authStatus, isOwner } from "../../../console/session.ts";
import { knowSite } from "../../../console/store.ts";
import type { Language } from "../../../core/text/render.ts";
import { AccountCard } from "../../access/console/account.tsx";
import { AgedCard } from "./aged-card.tsx";
import { FoundPlaces } from "./found-places.tsx";
import { HealthCard, isAmiss, useHealth } from "./health-card.tsx";
import { NetworkCard } from "./network-card.tsx";
import { ResetCard } from "./reset-card.tsx";
import { SystemList } from "./system-list.tsx";
import { WearCard } from "./wear-card.tsx";
import { ZoneNotice } from "./zone-notice.tsx";

type Site = AnswerTo<"GET", "/api/site">["site"];

/**
 * The first page of the section: for an owner what needs somebody, and all its pages with how they stand; for the others
 * their browser and their account.
 */
export function SystemPage() {
  const owner = isOwner.value;
  const health = useHealth();
  const [wanted, setWanted] = useState("");
  if (!owner)
    return (
      <>
        <PageHead title={t("nav.system")} subtitle={t("more.ownSystem")} />
        <AppearanceCard />
        <AccountCard />
      </>
    );
  return (
    <>
      <PageHead title={t("nav.system")} />
      <ZoneNotice onAnswered={() => {}} />
      {health !== null && isAmiss(health) && <HealthCard health={health} />}
      <AgedCard />
      <SearchField label={t("settings.search")} value={wanted} onInput={setWanted} />
      {wanted.trim() === "" ? <SystemList /> : <FoundPlaces wanted={wanted} withSettings />}
    </>
  );
}

/** How this browser shows the console. */
export function BrowserPage() {
  return (
    <>
      <PageHead title={t("system.appearance")} />
      <Tabs of="/system" here="/system/browser" />
      <AppearanceCard isPage />
    </>
  );
}

/** The person's own account. */
export function AccountPage() {
  return (
    <>
      <PageHead title={t("account.title")} />
      <Tabs of="/system" here="/system/account" />
      <AccountCard />
    </>
  );
}

/** The house: its name, time zone and place; last the factory reset. */
export function SitePage() {
  const [site, , setSite] = useLoaded(async () => (await get("/api/site")).site);
  return (
    <>
      <PageHead title={t("system.site")} />
      <Tabs of="/system" here="/system/site" />
      {site !== null && (
        <>
          <SiteCard key={site.timeZone} site={site} onSaved={setSite} />
          <ResetCard siteName={site.name} />
        </>
      )}
    </>
  );
}

/** Names, addresses and encryption. */
export function NetworkPage() {
  return (
    <>
      <PageHead title={t("network.title")} />
      <Tabs of="/system" here="/system/network" />
      <NetworkCard />
    </>
  );
}

/** How the hub is, and its card. */
export function HealthPage() {
  const health = useHealth();
  return (
    <>
      <PageHead title={t("system.health")} />
      <Tabs of="/system" here="/system/health" />
      {health === null ? <p aria-busy="true">{t("state.loading")}</p> : <HealthCard health={health} isPage />}
      <AgedCard />
      <WearCard />
    </>
  );
}

function SiteCard({ site: saved, onSaved }: { site: Site; onSaved: (site: Site) => void }) {
  const [name, setName] = useState(saved.name);
  const [where, setWhere] = useState<Whereabouts>({ place: placeOf(saved), timeZone: saved.timeZone });
  const [capacity, setCapacity] = useState(saved.capacity === null ? "" : String(saved.capacity));
  const send = async (): Promise<void> => {
    const { place, timeZone } = where;
    const answer = await patch("/api/site", {
      body: {
        name,
        timeZone,
        latitude: place?.latitude ?? null,
        longitude: place?.longitude ?? null,
        capacity: numberOrNull(capacity),
      },
    });
    knowSite(answer.site);
    onSaved(answer.site);
    say(t("action.saved"));
  };
  return (
    <Card>
      <Form submit={t("action.save")} send={send}>
        {(errors) => (
          <>
            <TextField label={t("site.name")} value={name} onInput={setName} error={errors.name} />
            <WhereFields where={where} errors={errors} onChange={setWhere} />
            <TextField
              label={t("site.capacity")}
              hint={t("site.capacityHint")}
              inputMode="numeric"
              value={capacity}
              onInput={setCapacity}
              error={errors.capacity}
            />
          </>
        )}
      </Form>
    </Card>
  );
}

function numberOrNull(typed: string): number | null {
  return typed.trim() === "" ? null : Number(typed);
}

/** `isPage`: the page has its title. */
function AppearanceCard({ isPage = false }: { isPage?: boolean }) {
  return (
    <Card {...(isPage ? {} : { title: t("system.appearance") })}>
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
