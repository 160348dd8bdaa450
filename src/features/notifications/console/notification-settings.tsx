import { useEffect, useRef, useState } from "preact/hooks";
import { get, patch } from "../../../console/api.ts";
import { Card, Notice, PageHead } from "../../../console/components/basics.tsx";
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
import { AppCard } from "./app-card.tsx";
import { Mute } from "./mute.tsx";
import { WaysCard } from "./notification-ways.tsx";
import { PhoneCard } from "./phone-card.tsx";
import { TOPIC_GROUPS, type TopicGroup } from "./topic-groups.ts";
import "./notifications.css";

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

/** A way to this person, and whether something sent by it would reach them. */
interface Way {
  readonly channel: Channel;
  readonly isReady: boolean;
}

/** The list, and the ways that the household has. */
function waysOf({ ways, push, ntfy, email }: Preferences): Way[] {
  const isReady = { push: push.subscriptions.length > 0, ntfy: ntfy.topic !== null, email: email.on };
  const open = ways.filter((way) => way.open).map(({ channel }) => ({ channel, isReady: isReady[channel] }));
  return [{ channel: "console", isReady: true }, ...open];
}

/** Each topic with the ways by which it reaches this person. A tap is saved at once. */
function TopicsCard({ preferences }: { preferences: Preferences }) {
  const [topics, setTopics] = useState(preferences.topics);
  const ways = waysOf(preferences);
  const waiting = ways.filter(({ isReady }) => !isReady).map(({ channel }) => t(NAMES[channel]));
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
      <p class="soft small">{t(ways.length > 1 ? "notify.topicsText" : "notify.noWays")}</p>
      {waiting.length > 0 && <Notice tone="warn">{t("notify.notReady", { ways: waiting.join(", ") })}</Notice>}
      {Object.entries(TOPIC_GROUPS).map(([group, all]) => {
        const shown = all.filter((topic) => isOwner.value || !OWNERS_ONLY.has(topic));
        const told = shown.filter((topic) => topics[topic].channels.length > 0);
        return (
          <details key={group} class="group" open={group === "danger"}>
            <summary>
              {t(`topics.${group as TopicGroup}`)}{" "}
              <span class="soft small topics-told">{t("topics.told", { n: told.length, all: shown.length })}</span>
            </summary>
            <ul class="list topics">
              {shown.length > 1 && (
                <li>
                  <p class="grow soft">{t("topics.all")}</p>
                  <WayChips
                    label={t("topics.all")}
                    ways={ways}
                    choices={shown.map((topic) => topics[topic])}
                    onChoose={(change) =>
                      void choose(Object.fromEntries(shown.map((topic) => [topic, change(topics[topic])])))
                    }
                  />
                </li>
              )}
              {shown.map((topic) => (
                <TopicRow
                  key={topic}
                  topic={topic}
                  choice={topics[topic]}
                  ways={ways}
                  onChoose={(change) => void choose({ [topic]: change(topics[topic]) })}
                />
              ))}
            </ul>
          </details>
        );
      })}
    </Card>
  );
}

type Change = (choice: Choice) => Choice;

/** A choice with or without a way. */
function withWay(channel: Channel, on: boolean): Change {
  return (choice) => {
    const others = choice.channels.filter((other) => other !== channel);
    return { ...choice, channels: on ? [...others, channel] : others };
  };
}

/** One toggle for each way, and one for what rings in quiet hours; on where all of `choices` have it. */
function WayChips({
  label,
  ways,
  choices,
  onChoose,
}: {
  label: string;
  ways: readonly Way[];
  choices: readonly Choice[];
  onChoose: (change: Change) => void;
}) {
  const isUrgent = choices.every(({ urgent }) => urgent);
  const sends = choices.some(({ channels }) => channels.some((channel) => channel !== "console"));
  return (
    <div class="topic-ways" role="group" aria-label={label}>
      {ways.map(({ channel }) => {
        const on = choices.every(({ channels }) => channels.includes(channel));
        return (
          <Chip key={channel} text={t(NAMES[channel])} pressed={on} onClick={() => onChoose(withWay(channel, !on))} />
        );
      })}
      {ways.length > 1 && (
        <Chip
          text={t("notify.urgent")}
          pressed={isUrgent}
          disabled={!sends}
          onClick={() => onChoose((choice) => ({ ...choice, urgent: !isUrgent }))}
        />
      )}
    </div>
  );
}

function TopicRow({
  topic,
  choice,
  ways,
  onChoose,
}: {
  topic: Topic;
  choice: Choice;
  ways: readonly Way[];
  onChoose: (change: Change) => void;
}) {
  const name = t(`topic.${topic}`);
  const isSent = ways.some(
    ({ channel, isReady }) => channel !== "console" && isReady && choice.channels.includes(channel),
  );
  return (
    <li>
      <div class="grow">
        <p>{name}</p>
        <p class="soft small">{t(`topicText.${topic}`)}</p>
        {topic === "danger" && !isSent && (
          <p class="small topic-unsent">
            <Icon name="circleAlert" small />{" "}
            {t(choice.channels.includes("console") ? "topics.onlyList" : "topics.toldNothing")}
          </p>
        )}
      </div>
      <WayChips label={name} ways={ways} choices={[choice]} onChoose={onChoose} />
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
        <div class="row">
          <Mute until={preferences.mutedUntil} onChanged={(mutedUntil) => onChanged({ ...preferences, mutedUntil })} />
        </div>
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
