import { useState } from "preact/hooks";
import { patch, post, put, remove } from "../../../console/api.ts";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckField, TextField } from "../../../console/components/field.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { recordedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { unsubscribeHere } from "../../../console/push.ts";
import { isOwner } from "../../../console/session.ts";
import { SetUpDialog } from "./notification-channels.tsx";
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

/** How a way stands for the household, and for owners the button that sets it up. */
function SetUp({ channel, preferences, reload }: { channel: Channel } & Omit<WaysProps, "onChanged">) {
  const [isOpened, setOpened] = useState(false);
  const is = isOpen(preferences, channel);
  if (!isOwner.value) return is ? null : <p class="soft small">{t("notify.closedMember")}</p>;
  const name = t(`notify.${channel}`);
  return (
    <div class="row between">
      <p class="soft small">{t(is ? "notify.openOwner" : "notify.closedOwner")}</p>
      <Button
        text={t(is ? "notify.change" : "notify.setUp")}
        aria-label={t(is ? "notify.changeNamed" : "notify.setUpNamed", { name })}
        onClick={() => setOpened(true)}
      />
      {isOpened && <SetUpDialog channel={channel} onClose={() => setOpened(false)} onChanged={reload} />}
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
      // who took it cannot say whether the device shows it
      setOutcome({ delivered, text: delivered ? t(`test.${channel}`) : recordedText("detail", words, text) });
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
      <SetUp channel="push" preferences={preferences} reload={reload} />
      {isOpen(preferences, "push") && publicKey !== null && (
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

function NtfyWay({ preferences, onChanged, reload }: WaysProps) {
  const { server, topic } = preferences.ntfy;
  const [isOpened, setOpened] = useState(false);
  return (
    <section class="stack way" aria-labelledby="way-ntfy">
      <h3 id="way-ntfy">{t("notify.ntfy")}</h3>
      <SetUp channel="ntfy" preferences={preferences} reload={reload} />
      {isOpen(preferences, "ntfy") && server !== null && (
        <>
          <div class="row between">
            <p>
              {t("ntfy.topic")}: {topic === null ? <span class="soft">{t("ntfy.noTopic")}</span> : <code>{topic}</code>}
            </p>
            <Button
              text={t(topic === null ? "ntfy.choose" : "notify.change")}
              aria-label={t("ntfy.changeTopic")}
              onClick={() => setOpened(true)}
            />
          </div>
          {isOpened && (
            <TopicDialog server={server} topic={topic} onClose={() => setOpened(false)} onChanged={onChanged} />
          )}
          <Trouble preferences={preferences} channel="ntfy" />
          {topic !== null && <Test channel="ntfy" label={t("ntfy.test")} />}
        </>
      )}
    </section>
  );
}

/** Where in ntfy this person's messages go. */
function TopicDialog({
  server,
  topic: before,
  onClose,
  onChanged,
}: {
  server: string;
  topic: string | null;
  onClose: () => void;
  onChanged: (preferences: Preferences) => void;
}) {
  const [topic, setTopic] = useState(before ?? "");
  const send = async (): Promise<void> => {
    const { preferences: changed } = await put("/api/notifications/ntfy-topic", {
      body: { topic: topic.trim() === "" ? null : topic.trim() },
    });
    onChanged(changed);
    say(t("action.saved"));
    onClose();
  };
  return (
    <Dialog title={t("ntfy.topic")} onClose={onClose}>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
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
    </Dialog>
  );
}

/** A topic that nobody can guess. */
function newTopic(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `gatehouse-${[...bytes].map((byte) => byte.toString(36).padStart(2, "0")).join("")}`;
}

function EmailWay({ preferences, onChanged, reload }: WaysProps) {
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
      <SetUp channel="email" preferences={preferences} reload={reload} />
      {isOpen(preferences, "email") && (
        <>
          <CheckField label={t("email.to", { address })} checked={on} onChange={(wanted) => void choose(wanted)} />
          <Trouble preferences={preferences} channel="email" />
          {on && <Test channel="email" label={t("email.test")} />}
        </>
      )}
    </section>
  );
}
