import { useEffect, useState } from "preact/hooks";
import { get, patch } from "../../../console/api.ts";
import { BackLink } from "../../../console/components/back-link.tsx";
import { Card, PageHead, Switch } from "../../../console/components/basics.tsx";
import { Chip } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { CheckField, TextField } from "../../../console/components/field.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { say, sayError } from "../../../console/components/toast.tsx";
import { zoneName } from "../../../console/components/zone-time.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { language } from "../../../console/preferences.ts";
import { isOwner } from "../../../console/session.ts";
import { DEFAULT_CHOICES } from "../../../core/api/notification-topics.ts";
import { AppCard } from "./app-card.tsx";
import { ChannelsCard } from "./notification-channels.tsx";
import { WaysCard } from "./notification-ways.tsx";
import { PhoneCard } from "./phone-card.tsx";

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
            <PhoneCard preferences={preferences} reload={load} />
            <TopicsCard preferences={preferences} />
            <WaysCard preferences={preferences} onChanged={setPreferences} reload={load} />
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

/** Topics as people think of them. */
const GROUPS = {
  gate: ["asked", "followed", "watched", "denied", "unknown", "allowed", "guest", "opened", "full"],
  house: ["event", "message", "command", "offline", "rule"],
  hub: ["hub", "security", "update"],
} as const satisfies Readonly<Record<string, readonly Topic[]>>;

/** The topics in groups, each with one switch, and with the available channels. A tap is saved at once. */
function TopicsCard({ preferences }: { preferences: Preferences }) {
  const [topics, setTopics] = useState(preferences.topics);
  const open: readonly Channel[] = [
    "console",
    ...preferences.ways.filter((way) => way.open).map(({ channel }) => channel),
  ];
  const choose = async (chosen: Partial<Record<Topic, Choice>>): Promise<void> => {
    const before = topics;
    setTopics((now) => ({ ...now, ...chosen }));
    try {
      await patch("/api/notifications/preferences", { body: { topics: chosen } });
    } catch (error) {
      setTopics(before);
      sayError(error);
    }
  };
  return (
    <Card title={t("notify.topics")}>
      <p class="soft small">{t("notify.topicsText")}</p>
      {Object.entries(GROUPS).map(([group, all]) => {
        const shown = all.filter((topic) => isOwner.value || !OWNERS_ONLY.has(topic));
        const told = shown.filter((topic) => topics[topic].channels.length > 0);
        const name = t(`topics.${group as keyof typeof GROUPS}`);
        return (
          <div key={group} class="topic-group">
            <details class="group">
              <summary>
                {name} <span class="soft small">{t("topics.told", { n: told.length, all: shown.length })}</span>
              </summary>
              <ul class="list topics">
                {shown.map((topic) => (
                  <TopicRow
                    key={topic}
                    topic={topic}
                    choice={topics[topic]}
                    open={open}
                    onChoose={(choice) => void choose({ [topic]: choice })}
                  />
                ))}
              </ul>
            </details>
            <Switch
              label={name}
              on={told.length > 0}
              pending={false}
              onToggle={(on) => void choose(Object.fromEntries(shown.map((topic) => [topic, choiceOf(topic, on)])))}
            />
          </div>
        );
      })}
    </Card>
  );
}

/** A topic as the switch of its group leaves it: as a new person has it, or off. */
function choiceOf(topic: Topic, on: boolean): Choice {
  const { channels, urgent } = DEFAULT_CHOICES[topic];
  return { channels: on ? [...channels] : [], urgent };
}

function TopicRow({
  topic,
  choice,
  open,
  onChoose,
}: {
  topic: Topic;
  choice: Choice;
  open: readonly Channel[];
  onChoose: (choice: Choice) => void;
}) {
  const name = t(`topic.${topic}`);
  const toggle = (channel: Channel): Choice => ({
    ...choice,
    channels: choice.channels.includes(channel)
      ? choice.channels.filter((other) => other !== channel)
      : [...choice.channels, channel],
  });
  const rings = choice.channels.some((channel) => channel !== "console");
  return (
    <li>
      <div class="grow">
        <p>
          {name}
          {choice.urgent && (
            <span class="badge warn topic-urgent">
              <Icon name="bell" small /> {t("notify.urgent")}
            </span>
          )}
        </p>
        <p class="soft small">{t(`topicText.${topic}`)}</p>
      </div>
      {open.length === 1 ? (
        <Switch
          label={name}
          on={choice.channels.includes("console")}
          pending={false}
          onToggle={() => onChoose(toggle("console"))}
        />
      ) : (
        <div class="chips" role="group" aria-label={name}>
          {open.map((channel) => (
            <Chip
              key={channel}
              text={t(NAMES[channel])}
              pressed={choice.channels.includes(channel)}
              onClick={() => onChoose(toggle(channel))}
            />
          ))}
          <Chip
            icon="zap"
            text={t("notify.urgent")}
            pressed={choice.urgent}
            disabled={!rings}
            onClick={() => onChoose({ ...choice, urgent: !choice.urgent })}
          />
        </div>
      )}
    </li>
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
              hint={t("notify.quietText", { zone: zoneName(preferences.timeZone) })}
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
