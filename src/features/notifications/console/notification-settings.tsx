import { useEffect, useRef, useState } from "preact/hooks";
import { get, patch } from "../../../console/api.ts";
import { Card, PageHead, Switch } from "../../../console/components/basics.tsx";
import { Chip } from "../../../console/components/button.tsx";
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
import { WaysCard } from "./notification-ways.tsx";
import { PhoneCard } from "./phone-card.tsx";
import { TOPIC_GROUPS, type TopicGroup } from "./topic-groups.ts";

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

/** This person's topics, channels and hours, each saved as it is chosen; what is typed is in a dialog of its own. */
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
            <AppCard />
          </div>
        </div>
      )}
    </>
  );
}

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
      {Object.entries(TOPIC_GROUPS).map(([group, all]) => {
        const shown = all.filter((topic) => isOwner.value || !OWNERS_ONLY.has(topic));
        const told = shown.filter((topic) => topics[topic].channels.length > 0);
        const name = t(`topics.${group as TopicGroup}`);
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
          {name}{" "}
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

/** Pause after which a time counts as typed. */
const REST_MS = 600;

/** The hours in which only what is urgent comes; saved as they are chosen. */
function QuietCard({
  preferences,
  onChanged,
}: {
  preferences: Preferences;
  onChanged: (preferences: Preferences) => void;
}) {
  const [on, setOn] = useState(preferences.quiet !== null);
  const [hours, setHours] = useState(preferences.quiet ?? { from: "22:00", to: "06:30" });
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const save = async (quiet: Preferences["quiet"]): Promise<void> => {
    try {
      onChanged((await patch("/api/notifications/preferences", { body: { quiet } })).preferences);
      say(t("action.saved"));
    } catch (error) {
      sayError(error);
    }
  };
  const toggle = (next: boolean): void => {
    setOn(next);
    void save(next ? hours : null);
  };
  const type = (next: typeof hours): void => {
    setHours(next);
    if (timer.current !== null) clearTimeout(timer.current);
    if (next.from === "" || next.to === "") return; // not typed to the end
    timer.current = setTimeout(() => void save(next), REST_MS);
  };
  return (
    <Card title={t("notify.quiet")}>
      <div class="stack">
        <CheckField
          label={t("notify.quietOn")}
          hint={t("notify.quietText", { zone: zoneName(preferences.timeZone) })}
          checked={on}
          onChange={toggle}
        />
        {on && (
          <div class="pair">
            <TextField
              label={t("notify.from")}
              type="time"
              value={hours.from}
              onInput={(from) => type({ ...hours, from })}
            />
            <TextField label={t("notify.to")} type="time" value={hours.to} onInput={(to) => type({ ...hours, to })} />
          </div>
        )}
      </div>
    </Card>
  );
}
