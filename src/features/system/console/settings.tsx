import { useEffect, useState } from "preact/hooks";
import { ApiError, get, patch, post } from "../../../console/api.ts";
import { Card, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button, Chip } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { leadToRefusal } from "../../../console/components/refusal.tsx";
import { Restarting } from "../../../console/components/restarting.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { useUnsaved } from "../../../console/components/unsaved.ts";
import { faultText } from "../../../console/i18n/hub-texts.ts";
import { groupName, groupsOf, isCommon, settingName } from "../../../console/i18n/settings-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { type AgedCount, AgedList } from "./aged-card.tsx";
import { FoundPlaces, findAll } from "./found-places.tsx";
import { SettingField } from "./setting-field.tsx";
import { type Draft, draftValue, isWaiting, PARTS, type Setting, typed, wrongWith } from "./settings-model.ts";

type Drafts = ReadonlyMap<string, Draft>;

/** Which settings are listed while nothing is looked for: those of the people of the house, those that were changed, all. */
type Listed = "common" | "changed" | "all";

/** Every setting by topic, with one button to save all changes. */
export function SettingsPage() {
  const [settings, , setSettings] = useLoaded<readonly Setting[]>(async () => (await get("/api/settings")).settings);
  const [wanted, setWanted] = useState(() => new URLSearchParams(location.search).get("find") ?? "");
  return (
    <>
      <PageHead title={t("settings.title")} subtitle={t("settings.subtitle")} />
      <Tabs of="/system" here="/system/settings" />
      {settings === null ? (
        <p aria-busy="true">{t("state.loading")}</p>
      ) : (
        <>
          <RestartNotice waiting={settings.filter(isWaiting)} />
          <SearchField label={t("settings.search")} value={wanted} onInput={setWanted} />
          <AllSettings settings={settings} wanted={wanted.trim()} onSaved={setSettings} />
        </>
      )}
    </>
  );
}

/** Changes that need a restart, and the button for it. */
function RestartNotice({ waiting }: { waiting: readonly Setting[] }) {
  const [restarting, setRestarting] = useState<{ restarts: boolean } | null>(null);
  if (waiting.length === 0) return null;
  const restart = async (): Promise<void> => {
    try {
      setRestarting(await post("/api/restart"));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <>
      <Notice tone="warn">
        <div class="row">
          <p class="grow">
            {t("settings.waiting", { n: waiting.length, names: waiting.map(({ key }) => settingName(key)).join(", ") })}
          </p>
          <Button text={t("settings.restartNow")} onClick={() => void restart()} />
        </div>
      </Notice>
      {restarting && <Restarting text={t("settings.restarting")} byItself={restarting.restarts} />}
    </>
  );
}

function AllSettings({
  settings,
  wanted,
  onSaved,
}: {
  settings: readonly Setting[];
  wanted: string;
  onSaved: (settings: readonly Setting[]) => void;
}) {
  const [drafts, setDrafts] = useState<Drafts>(new Map());
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  /** How often the hub has refused to save. */
  const [refusals, setRefusals] = useState(0);
  const [going, setGoing] = useState<readonly AgedCount[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  useUnsaved(drafts.size > 0);
  const change = (setting: Setting, draft: Draft): void => {
    const next = new Map(drafts);
    const isSame = draft === null ? isDefault(setting) : draft === typed(setting.saved);
    if (isSame) next.delete(setting.key);
    else next.set(setting.key, draft);
    setDrafts(next);
    const { [setting.key]: _mended, ...others } = refused;
    setRefused(others);
  };
  useEffect(() => {
    if (refusals > 0) leadToRefusal(document.getElementById("main"));
  }, [refusals]);
  const changed = settings.filter(({ key }) => drafts.has(key));
  const wrong = (setting: Setting): string | null =>
    refused[setting.key] ?? wrongWith(setting, drafts.get(setting.key));
  const save = async (): Promise<void> => {
    try {
      const values = Object.fromEntries(
        changed.map((setting) => [setting.key, draftValue(setting, drafts.get(setting.key) ?? null)]),
      );
      const answer = await patch("/api/settings", { body: { settings: values } });
      setDrafts(new Map());
      setRefused({});
      onSaved(answer.settings);
      say(t("action.saved"));
    } catch (error) {
      if (!(error instanceof ApiError) || error.faults.length === 0) return sayError(error);
      setRefused(
        Object.fromEntries(
          error.faults.map((fault) => [fault.field.replace(/^settings\./, ""), named(faultText(fault))]),
        ),
      );
      setRefusals(refusals + 1);
      say(t("settings.refused"));
    }
  };
  /** A shorter retention deletes history: the page first shows how much. */
  const ask = async (): Promise<void> => {
    const bad = changed.find((setting) => wrong(setting) !== null);
    if (bad !== undefined) return leadToRefusal(document.getElementById("main"));
    setBusy(true);
    const counts = (
      await Promise.all(
        changed.map((setting) => dueAfter(setting, draftValue(setting, drafts.get(setting.key) ?? null))),
      )
    ).flat();
    if (counts.length > 0) setGoing(counts);
    else await save();
    setBusy(false);
  };
  const [listed, setListed] = useState<Listed>("common");
  const lists = {
    common: settings.filter(({ key }) => isCommon(key)),
    changed: settings.filter((setting) => !isDefault(setting)),
    all: settings,
  } as const satisfies Readonly<Record<Listed, readonly Setting[]>>;
  const found =
    wanted === "" ? null : findAll(wanted, (key) => settings.find((one) => one.key === key)?.description ?? "");
  const shown = found === null ? lists[listed] : settings.filter(({ key }) => found.settings.includes(key));
  const isUnfolded = found !== null || listed === "changed";
  const inParts = PARTS.map(([title, part]) => ({
    title,
    groups: groupsOf(part).filter((group) => shown.some((setting) => setting.group === group)),
  })).filter(({ groups }) => groups.length > 0);
  // those of the house are few: one list
  const cards =
    found === null && listed === "common"
      ? [{ title: null, groups: inParts.flatMap(({ groups }) => groups) }]
      : inParts;
  const restarts = changed.filter(({ restart }) => restart).length;
  return (
    <>
      {found === null && (
        <div class="chips" role="group" aria-label={t("settings.listed")}>
          {(["common", "changed", "all"] as const).map((one) => (
            <Chip
              key={one}
              text={t(`settings.${one}List`, { n: lists[one].length })}
              pressed={listed === one}
              onClick={() => setListed(one)}
            />
          ))}
        </div>
      )}
      {found === null && shown.length === 0 && <p class="soft">{t("settings.noneChanged")}</p>}
      {found !== null && <FoundPlaces wanted={wanted} />}
      {found !== null && shown.length === 0 && found.places.length === 0 && (
        <p class="soft">{t("settings.noneFound")}</p>
      )}
      {cards.map(({ title, groups }) => (
        <Card key={title ?? ""} {...(title === null ? {} : { title: t(title) })}>
          <div>
            {groups.map((group) => (
              <details key={`${group} ${isUnfolded}`} class="group" open={isUnfolded}>
                <summary>
                  <span class="grow">{groupName(group)}</span>
                  <ChangedCount settings={shown.filter((setting) => setting.group === group && !isDefault(setting))} />
                </summary>
                <div class="stack">
                  {shown
                    .filter((setting) => setting.group === group)
                    .map((setting) => (
                      <SettingField
                        key={setting.key}
                        id={fieldId(setting.key)}
                        setting={setting}
                        draft={drafts.get(setting.key)}
                        wrong={wrong(setting)}
                        onChange={(draft) => change(setting, draft)}
                      />
                    ))}
                </div>
              </details>
            ))}
          </div>
        </Card>
      ))}
      {changed.length > 0 && (
        <div class="save-bar" role="region" aria-label={t("settings.unsaved", { n: changed.length })}>
          <p class="grow">
            {t("settings.unsaved", { n: changed.length })}
            {restarts > 0 && <span class="soft small"> {t("settings.restartsLater", { n: restarts })}</span>}
          </p>
          <Button
            look="plain"
            text={t("settings.discard")}
            onClick={() => {
              setDrafts(new Map());
              setRefused({});
            }}
          />
          <Button look="primary" text={t("action.save")} disabled={isBusy} onClick={() => void ask()} />
        </div>
      )}
      {going && (
        <Dialog title={t("aged.shorterTitle")} onClose={() => setGoing(null)}>
          <p>{t("settings.shorter")}</p>
          <AgedList counts={going} />
          <Form
            submit={t("aged.now")}
            danger
            onCancel={() => setGoing(null)}
            send={async () => {
              await save();
              setGoing(null);
            }}
          >
            {() => null}
          </Form>
        </Dialog>
      )}
    </>
  );
}

/** How many settings of a group are not as they came. */
function ChangedCount({ settings }: { settings: readonly Setting[] }) {
  if (settings.length === 0) return null;
  return <span class="badge">{t("settings.changedList", { n: settings.length })}</span>;
}

function fieldId(key: string): string {
  return `setting-${key}`;
}

function isDefault({ saved, default: byDefault }: Setting): boolean {
  return JSON.stringify(saved) === JSON.stringify(byDefault);
}

/** Replaces settings' keys in the hub's text by their names. */
function named(text: string): string {
  return text.replaceAll(/\b[a-z]\w*\.[a-z]\w*\b/gi, (key) => settingName(key));
}

/** The amount that a shorter retention would delete; nothing for other settings. */
async function dueAfter(setting: Setting, value: unknown): Promise<readonly AgedCount[]> {
  const days = value === null ? setting.default : value;
  if (typeof days !== "number" || typeof setting.saved !== "number" || days >= setting.saved) return [];
  const { due } = await get("/api/history/due", {
    query: { setting: setting.key, days: Math.max(0, Math.trunc(days)) },
  }).catch(() => ({ due: [] }));
  return due.filter(({ count }) => count > 0);
}
