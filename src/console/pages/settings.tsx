import { useEffect, useState } from "preact/hooks";
import type { AnswerTo } from "../../contract/operations.js";
import { get, patch } from "../api.js";
import { Card, PageHead } from "../components/basics.js";
import { Dialog, Form } from "../components/dialog.js";
import { CheckField, SelectField, TextField } from "../components/field.js";
import { SystemTabs } from "../components/system-tabs.js";
import { say, sayError } from "../components/toast.js";
import { groupName, settingText } from "../i18n/settings-texts.js";
import { t } from "../i18n/translate.js";
import { type AgedCount, AgedList } from "./aged-card.js";

type Setting = AnswerTo<"GET", "/api/settings">["settings"][number];

/** A change that deletes what is older than it says. */
interface Shorter {
  readonly key: string;
  readonly value: number;
  readonly going: readonly AgedCount[];
}

/** Every setting with its meaning, by group; closed until wanted. A change is saved at once. */
export function SettingsPage() {
  return (
    <>
      <PageHead title={t("settings.title")} subtitle={t("settings.subtitle")} />
      <SystemTabs here="/system/settings" />
      <SettingsCard />
    </>
  );
}

function SettingsCard() {
  const [settings, setSettings] = useState<readonly Setting[]>([]);
  useEffect(() => {
    void get("/api/settings")
      .then((answer) => setSettings(answer.settings))
      .catch(sayError);
  }, []);
  const [shorter, setShorter] = useState<Shorter | null>(null);
  /** A history that is kept for a shorter time is deleted by that: first it is said how much goes. */
  const ask = async (setting: Setting, value: unknown): Promise<void> => {
    if (typeof value !== "number" || typeof setting.saved !== "number" || value >= setting.saved) return change(setting.key, value);
    const days = Math.max(0, Math.trunc(value));
    const going = await get("/api/history/due", { query: { setting: setting.key, days } }).then(
      ({ due }) => due.filter(({ count }) => count > 0),
      () => [],
    );
    if (going.length === 0) return change(setting.key, value);
    setShorter({ key: setting.key, value, going });
  };
  const change = async (key: string, value: unknown): Promise<void> => {
    try {
      const answer = await patch("/api/settings", { body: { settings: { [key]: value } } });
      setSettings(answer.settings);
      say(answer.restartFor.includes(key) ? t("settings.restart") : t("action.saved"));
    } catch (error) {
      sayError(error);
    }
  };
  const groups = [...new Set(settings.map((setting) => setting.group))];
  return (
    <Card>
      {groups.map((group) => (
        <details key={group} class="group">
          <summary>{groupName(group)}</summary>
          <div class="stack">
            {settings
              .filter((setting) => setting.group === group)
              .map((setting) => (
                <OneSetting key={setting.key} setting={setting} onChange={(value) => void ask(setting, value)} />
              ))}
          </div>
        </details>
      ))}
      {shorter && (
        <Dialog title={t("aged.shorterTitle")} onClose={() => setShorter(null)}>
          <p>{t("aged.shorter", { days: shorter.value })}</p>
          <AgedList counts={shorter.going} />
          <Form
            submit={t("aged.now")}
            danger
            onCancel={() => setShorter(null)}
            send={async () => {
              await change(shorter.key, shorter.value);
              setShorter(null);
            }}
          >
            {() => null}
          </Form>
        </Dialog>
      )}
    </Card>
  );
}

function OneSetting({ setting, onChange }: { setting: Setting; onChange: (value: unknown) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
  const shown = draft ?? (Array.isArray(setting.saved) ? setting.saved.join(", ") : String(setting.saved));
  const hint = `${settingText(setting.key, setting.description)}${setting.changeable ? "" : ` ${t("settings.fixed", { env: setting.env })}`}`;
  if (!setting.changeable) {
    return (
      <dl class="facts">
        <dt>{setting.key}</dt>
        <dd>
          <code>{shown}</code>
          <p class="soft small">{hint}</p>
        </dd>
      </dl>
    );
  }
  if (setting.kind === "boolean") return <CheckField label={setting.key} hint={hint} checked={setting.saved === true} onChange={onChange} />;
  if (setting.choices !== null)
    return (
      <SelectField label={setting.key} hint={hint} value={shown} options={setting.choices.map((choice) => [choice, choice] as const)} onChange={onChange} />
    );
  const save = (): void => {
    if (draft === null) return;
    onChange(
      setting.kind === "integer" || setting.kind === "number"
        ? Number(draft)
        : setting.kind === "list"
          ? draft.split(/[\s,]+/).filter((part) => part !== "")
          : draft,
    );
    setDraft(null);
  };
  return (
    <div class="row setting-row">
      <div class="grow">
        <TextField label={setting.key} hint={hint} value={shown} onInput={setDraft} />
      </div>
      <button type="button" class="button" disabled={draft === null} onClick={save}>
        {t("action.save")}
      </button>
    </div>
  );
}
