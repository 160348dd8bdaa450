import { useEffect, useRef, useState } from "preact/hooks";
import { get, patch, post } from "../../../console/api.ts";
import { NEW_PERSON, NewPersonFields, typedCode } from "../../../console/components/account-fields.tsx";
import { Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { givenName } from "../../../console/components/household.ts";
import { useLoaded } from "../../../console/components/loaded.ts";
import { Logo } from "../../../console/components/logo.tsx";
import { loadCities, placeOf, type Whereabouts, WhereFields } from "../../../console/components/place-field.tsx";
import { Restarting } from "../../../console/components/restarting.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { language } from "../../../console/preferences.ts";
import { go } from "../../../console/router.ts";
import { whoAmI } from "../../../console/session.ts";
import { knowSite } from "../../../console/store.ts";
import { RestoreFields } from "../../backups/console/restore-file.tsx";
import { ClearNotice, wayToHttps } from "./clear-notice.tsx";
import { beginSite, endSite, isSiteAsked } from "./first-run.ts";

/**
 * Before anything is typed over a connection that others can read: the page that makes this browser trust the hub and
 * continues over https by itself. Skipped on the host itself (a secure context), where nothing goes over the network,
 * and for a person who chose to continue unencrypted.
 */
function useLockFirst(): boolean {
  const chosen = new URLSearchParams(location.search).has("clear");
  // a person who comes back to the second step has decided already
  const [isLooking, setLooking] = useState(!window.isSecureContext && !chosen && !isSiteAsked.value);
  useEffect(() => {
    if (!isLooking) return;
    void wayToHttps()
      .then((way) => (way === null ? setLooking(false) : location.replace(way)))
      .catch(() => setLooking(false));
  }, []);
  return isLooking;
}

/** The address of this browser where the hub takes no claim code from it; null where it does, or does not say. */
function useElsewhere(): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    void get("/api/claim").then(
      ({ elsewhere }) => setAddress(elsewhere),
      () => {}, // sending the code says it
    );
  }, []);
  return address;
}

/**
 * First run: the claim code and the owner, then the site. Home follows, with the steps to a gate that opens.
 */
export function Welcome() {
  const isLooking = useLockFirst();
  const [step, setStep] = useState<"owner" | "site" | "restore">(isSiteAsked.value ? "site" : "owner");
  const [restarting, setRestarting] = useState<{ restarts: boolean } | null>(null);
  const elsewhere = useElsewhere();
  const head = useRef<HTMLHeadingElement>(null);
  const first = useRef(step);
  useEffect(() => {
    if (step !== first.current) head.current?.focus(); // the form with the pressed button is gone
    first.current = step;
  }, [step]);
  if (isLooking) return null;
  return (
    <main class="page narrow-page">
      <div class="brand-head">
        <Logo />
        <h1 ref={head} tabIndex={-1}>
          {t("welcome.title")}
        </h1>
        <p class="soft">
          {step === "owner"
            ? t("welcome.ownerText")
            : step === "site"
              ? t("welcome.siteText")
              : t("welcome.restoreText")}
        </p>
      </div>
      {step !== "site" && elsewhere !== null ? (
        <Notice tone="bad">{t("welcome.elsewhere", { address: elsewhere })}</Notice>
      ) : (
        <>
          {step !== "site" && <ClearNotice />}
          <section class="card">
            {step === "owner" && <OwnerStep onDone={() => setStep("site")} />}
            {step === "site" && <SiteStep />}
            {step === "restore" && <RestoreStep onStarted={setRestarting} onCancel={() => setStep("owner")} />}
          </section>
          <div class="row between">
            <p class="soft small">{step !== "restore" && t("welcome.step", { n: step === "owner" ? 1 : 2, of: 2 })}</p>
            {step === "owner" && <Button look="plain" text={t("welcome.restore")} onClick={() => setStep("restore")} />}
          </div>
        </>
      )}
      {restarting && <Restarting text={t("restart.restore")} byItself={restarting.restarts} />}
    </main>
  );
}

function OwnerStep({ onDone }: { onDone: () => void }) {
  const [code, setCode] = useState("");
  const [person, setPerson] = useState(NEW_PERSON);
  const send = async (): Promise<void> => {
    await post("/api/claim", {
      body: {
        code: typedCode(code),
        ...person,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        language: language.value,
      },
    });
    beginSite();
    onDone();
  };
  return (
    <Form isPassing submit={t("welcome.continue")} send={send}>
      {(errors) => (
        <>
          <TextField
            label={t("welcome.code")}
            hint={t("welcome.codeHint")}
            value={code}
            onInput={setCode}
            error={errors.code}
            required
          />
          <NewPersonFields person={person} errors={errors} onChange={setPerson} />
        </>
      )}
    </Form>
  );
}

/** Instead of a new household, one from a backup, with its owner. */
function RestoreStep({
  onStarted,
  onCancel,
}: {
  onStarted: (plan: { restarts: boolean }) => void;
  onCancel: () => void;
}) {
  const [code, setCode] = useState("");
  return (
    <div class="stack">
      <TextField label={t("welcome.code")} hint={t("welcome.codeHint")} value={code} onInput={setCode} required />
      <RestoreFields code={typedCode(code)} onStarted={onStarted} onCancel={onCancel} />
    </div>
  );
}

/** Where the house is, as far as the hub knows it: somebody may come back to this step later. */
function SiteStep() {
  const [site] = useLoaded(async () => {
    await loadCities(); // somebody may type faster than they come
    return (await get("/api/site")).site;
  });
  return site === null ? <p aria-busy="true">{t("state.loading")}</p> : <SiteForm site={site} />;
}

function SiteForm({ site }: { site: AnswerTo<"GET", "/api/site">["site"] }) {
  const [name, setName] = useState(givenName(site.name) ?? t("welcome.siteDefault"));
  const [where, setWhere] = useState<Whereabouts>({
    place: placeOf(site),
    timeZone: site.timeZoneGiven ? site.timeZone : Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const send = async (): Promise<void> => {
    const { place, timeZone } = where;
    knowSite((await patch("/api/site", { body: { name, timeZone, ...place } })).site);
    endSite();
    go("/", { replace: true });
    await whoAmI();
  };
  return (
    <Form isPassing submit={t("welcome.finish")} send={send}>
      {(errors) => (
        <>
          <TextField label={t("site.name")} value={name} onInput={setName} error={errors.name} selected required />
          <WhereFields where={where} errors={errors} onChange={setWhere} />
          <Notice tone="good">{t("welcome.local")}</Notice>
        </>
      )}
    </Form>
  );
}
