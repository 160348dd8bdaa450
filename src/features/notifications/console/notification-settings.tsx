import { useEffect, useState } from "preact/hooks";
import { get, patch } from "../../../console/api.ts";
import { BackLink } from "../../../console/components/back-link.tsx";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Chip } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { CheckField, TextField } from "../../../console/components/field.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { say, sayError } from "../../../console/components/toast.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { language } from "../../../console/preferences.ts";
import { isOwner } from "../../../console/session.ts";
import { AppCard } from "./app-card.tsx";
import { ChannelsCard } from "./notification-channels.tsx";
import { WaysCard } from "./notification-ways.tsx";

/** A person's choices, as the hub reports them. */
export type Preferences = AnswerTo<"GET", "/api/notifications/preferences">["preferences"];

type Topic = keyof Preferences["topics"];
type Choice = Preferences["topics"][Topic];
type Channel = Choice["channels"][number];

/** Members see nothing of these. */
const OWNERS_ONLY: ReadonlySet<Topic> = new Set(["security"]);

const NAMES: Readonly<Record<Channel, TextKey>> = {
  console: "notify.console",
  push: "notify.push",
  ntfy: "notify.ntfy",
  email: "notify.email",
};

/** This person's topics, channels and hours; owners set the channels up. */
export function NotificationSettingsPage() {
  const [preferences, load, setPreferences] = useLoaded(
    async () => (await get("/api/notifications/preferences")).preferences,
  );
  useEffect(() => {
    // Messages use the language of the person's console.
    if (preferences === null || preferences.language === language.value) return;
    void patch("/api/notifications/preferences", { body: { language: language.value } }).then(
      (answer) => setPreferences(answer.preferences),
      () => {},
    );
  }, [preferences === null, language.value]);
  return (
    <>
      <BackLink to="/notifications" text={t("notify.title")} />
      <PageHead title={t("notify.settings")} />
      {preferences === null ? (
        <p aria-busy="true">{t("state.loading")}</p>
      ) : (
        <div class="columns">
          <div class="stack home-main">
            <WaysCard preferences={preferences} onChanged={setPreferences} reload={load} />
            <TopicsCard preferences={preferences} />
          </div>
          <div class="stack home-side">
            <QuietCard preferences={preferences} onChanged={setPreferences} />
            {isOwner.value && <ChannelsCard onChanged={load} />}
            <AppCard />
          </div>
        </div>
      )}
    </>
  );
}

/** Each topic with the available channels. A tap is saved at once. */
function TopicsCard({ preferences }: { preferences: Preferences }) {
  const [topics, setTopics] = useState(preferences.topics);
  const open: readonly Channel[] = [
    "console",
    ...preferences.ways.filter((way) => way.open).map(({ channel }) => channel),
  ];
  // the hub names every topic, in its order
  const shown = (Object.keys(topics) as Topic[]).filter((topic) => isOwner.value || !OWNERS_ONLY.has(topic));
  const choose = async (topic: Topic, choice: Choice): Promise<void> => {
    const before = topics[topic];
    setTopics((now) => ({ ...now, [topic]: choice }));
    try {
      await patch("/api/notifications/preferences", { body: { topics: { [topic]: choice } } });
    } catch (error) {
      setTopics((now) => ({ ...now, [topic]: before }));
      sayError(error);
    }
  };
  return (
    <Card title={t("notify.topics")}>
      <p class="soft small">{t("notify.topicsText")}</p>
      <ul class="list topics">
        {shown.map((topic) => {
          const choice = topics[topic];
          const name = t(`topic.${topic}`);
          const toggle = (channel: Channel): Choice => ({
            ...choice,
            channels: choice.channels.includes(channel)
              ? choice.channels.filter((other) => other !== channel)
              : [...choice.channels, channel],
          });
          const rings = choice.channels.some((channel) => channel !== "console");
          return (
            <li key={topic}>
              <div class="grow">
                <p>{name}</p>
                <p class="soft small">{t(`topicText.${topic}`)}</p>
              </div>
              <div class="chips" role="group" aria-label={name}>
                {open.map((channel) => (
                  <Chip
                    key={channel}
                    text={t(NAMES[channel])}
                    pressed={choice.channels.includes(channel)}
                    onClick={() => void choose(topic, toggle(channel))}
                  />
                ))}
                {open.length > 1 && (
                  <Chip
                    icon="zap"
                    text={t("notify.urgent")}
                    pressed={choice.urgent}
                    disabled={!rings}
                    onClick={() => void choose(topic, { ...choice, urgent: !choice.urgent })}
                  />
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function QuietCard({
  preferences,
  onChanged,
}: {
  preferences: Preferences;
  onChanged: (preferences: Preferences) => void;
}) {
  const [on, setOn] = useState(preferences.quiet !== null);
  const [hours, setHours] = useState(preferences.quiet ?? { from: "22:00", to: "06:30" });
  const send = async (): Promise<void> => {
    const answer = await patch("/api/notifications/preferences", { body: { quiet: on ? hours : null } });
    onChanged(answer.preferences);
    say(t("action.saved"));
  };
  return (
    <Card title={t("notify.quiet")}>
      <Form submit={t("action.save")} send={send}>
        {(errors) => (
          <>
            <CheckField
              label={t("notify.quietOn")}
              hint={t("notify.quietText", { zone: preferences.timeZone.replaceAll("_", " ") })}
              checked={on}
              onChange={setOn}
            />
            {on && (
              <div class="pair">
                <TextField
                  label={t("notify.from")}
                  type="time"
                  value={hours.from}
                  onInput={(from) => setHours({ ...hours, from })}
                  error={errors["quiet.from"]}
                />
                <TextField
                  label={t("notify.to")}
                  type="time"
                  value={hours.to}
                  onInput={(to) => setHours({ ...hours, to })}
                  error={errors["quiet.to"]}
                />
              </div>
            )}
          </>
        )}
      </Form>
    </Card>
  );
}
