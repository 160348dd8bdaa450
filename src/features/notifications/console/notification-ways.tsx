import { useState } from "preact/hooks";
import { patch, post, put, remove } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { CheckField, TextField } from "../../../console/components/field.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { unsubscribeHere } from "../../../console/push.ts";
import { isOwner } from "../../../console/session.ts";
import { showSetUp } from "./notification-channels.tsx";
import type { Preferences } from "./notification-settings.tsx";

interface WaysProps {
  readonly preferences: Preferences;
  readonly onChanged: (preferences: Preferences) => void;
  readonly reload: () => void;
}

type Channel = Preferences["ways"][number]["channel"];

/** The channels to this person, each with a test that reports its real outcome. */
export function WaysCard(props: WaysProps) {
  return (
    <Card title={t("notify.ways")}>
      <PushWay {...props} />
      <NtfyWay {...props} />
      <EmailWay {...props} />
    </Card>
  );
}

function isOpen({ ways }: Preferences, channel: Channel): boolean {
  return ways.some((way) => way.channel === channel && way.open);
}

/** Shown for a channel that is not available; an owner gets to where it is set up. */
function Closed({ channel }: { channel: Channel }) {
  if (!isOwner.value) return <p class="soft small">{t("notify.closedMember")}</p>;
  return (
    <div class="row between">
      <p class="soft small">{t("notify.closedOwner")}</p>
      <Button
        text={t("notify.setUp")}
        aria-label={t("notify.setUpNamed", { name: t(`notify.${channel}`) })}
        onClick={() => showSetUp(channel)}
      />
    </div>
  );
}

function Trouble({ preferences, channel }: { preferences: Preferences; channel: Channel }) {
  const trouble = preferences.ways.find((way) => way.channel === channel)?.trouble ?? null;
  return trouble === null ? null : (
    <Notice tone="warn">{t("notify.trouble", { why: recordedText("detail", trouble.words, trouble.text) })}</Notice>
  );
}

/** Sends a test and shows the receiver's answer. */
function Test({ channel, subscriptionId, label }: { channel: Channel; subscriptionId?: number; label?: string }) {
  const [outcome, setOutcome] = useState<{ delivered: boolean; text: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    setOutcome(null);
    try {
      const { delivered, text, words } = await post("/api/notifications/test", {
        body: { channel, ...(subscriptionId === undefined ? {} : { subscriptionId }) },
      });
      setOutcome({ delivered, text: recordedText("detail", words, text) });
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div class="row">
        <button
          type="button"
          class="button"
          disabled={busy}
          onClick={() => void send()}
          {...(label === undefined ? {} : { "aria-label": label })}
        >
          {busy ? t("notify.testing") : t("hook.test")}
        </button>
      </div>
      {outcome !== null && <Notice tone={outcome.delivered ? "good" : "bad"}>{outcome.text}</Notice>}
    </>
  );
}

function PushWay({ preferences, reload }: WaysProps) {
  const { publicKey, subscriptions } = preferences.push;
  const off = async (id: number, isThisSession: boolean): Promise<void> => {
    try {
      if (isThisSession) await unsubscribeHere();
      await remove("/api/notifications/subscriptions/{id}", { params: { id } });
      reload();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <section class="stack way" aria-labelledby="way-push">
      <h3 id="way-push">{t("notify.push")}</h3>
      {!isOpen(preferences, "push") || publicKey === null ? (
        <Closed channel="push" />
      ) : (
        <>
          {subscriptions.length === 0 && <p class="soft small">{t("push.nowhere")}</p>}
          <Trouble preferences={preferences} channel="push" />
          <ul class="list">
            {subscriptions.map(({ id, label, isThisSession }) => (
              <li key={id} class="wrap">
                <Icon name="bell" />
                <span class="grow">
                  {label}
                  {isThisSession && <span class="soft small"> · {t("push.here")}</span>}
                </span>
                <IconButton
                  icon="trash"
                  label={t("rule.removeNamed", { name: label })}
                  onClick={() => void off(id, isThisSession)}
                />
                <div class="whole stack">
                  <Test channel="push" subscriptionId={id} label={t("push.testNamed", { name: label })} />
                </div>
              </li>
            ))}
          </ul>
          <p class="soft small">{t("push.ends")}</p>
        </>
      )}
    </section>
  );
}

function NtfyWay({ preferences, onChanged }: WaysProps) {
  const { server } = preferences.ntfy;
  const [topic, setTopic] = useState(preferences.ntfy.topic ?? "");
  const send = async (): Promise<void> => {
    const { preferences: changed } = await put("/api/notifications/ntfy-topic", {
      body: { topic: topic.trim() === "" ? null : topic.trim() },
    });
    onChanged(changed);
    say(t("action.saved"));
  };
  return (
    <section class="stack way" aria-labelledby="way-ntfy">
      <h3 id="way-ntfy">{t("notify.ntfy")}</h3>
      {!isOpen(preferences, "ntfy") || server === null ? (
        <Closed channel="ntfy" />
      ) : (
        <>
          <Form submit={t("action.save")} send={send}>
            {(errors) => (
              <>
                <TextField
                  label={t("ntfy.topic")}
                  hint={t("ntfy.topicHint", { server })}
                  value={topic}
                  onInput={setTopic}
                  maxLength={64}
                  error={errors.topic}
                />
                {topic === "" && (
                  <div class="row">
                    <Button text={t("ntfy.suggest")} onClick={() => setTopic(newTopic())} />
                  </div>
                )}
              </>
            )}
          </Form>
          <Trouble preferences={preferences} channel="ntfy" />
          {preferences.ntfy.topic !== null && <Test channel="ntfy" label={t("ntfy.test")} />}
        </>
      )}
    </section>
  );
}

/** A topic that nobody can guess. */
function newTopic(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `gatehouse-${[...bytes].map((byte) => byte.toString(36).padStart(2, "0")).join("")}`;
}

function EmailWay({ preferences, onChanged }: WaysProps) {
  const { on, address } = preferences.email;
  const choose = async (email: boolean): Promise<void> => {
    try {
      onChanged((await patch("/api/notifications/preferences", { body: { email } })).preferences);
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <section class="stack way" aria-labelledby="way-email">
      <h3 id="way-email">{t("notify.email")}</h3>
      {!isOpen(preferences, "email") ? (
        <Closed channel="email" />
      ) : (
        <>
          <CheckField label={t("email.to", { address })} checked={on} onChange={(wanted) => void choose(wanted)} />
          <Trouble preferences={preferences} channel="email" />
          {on && <Test channel="email" label={t("email.test")} />}
        </>
      )}
    </section>
  );
}
