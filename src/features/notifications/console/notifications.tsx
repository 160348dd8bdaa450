import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Button, Chip } from "../../../console/components/button.tsx";
import { ActionMenu, PageActions } from "../../../console/components/page-actions.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import { refreshUnread } from "../../../console/notifications.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { keepsGate } from "../../../console/session.ts";
import { devices, type GateRead, live, rooms, set, unread } from "../../../console/store.ts";
import { kindsOf } from "../../../core/api/notification-topics.ts";
import { dangers } from "../../devices/console/house-dangers.ts";
import { FeedList } from "../../feed/console/feed-list.tsx";
import { carTitle, useReadsOf } from "../../gate/console/car-of-item.ts";
import type { Opening } from "../../gate/console/gate-story.ts";
import { useOpenings } from "../../gate/console/openings.ts";
import { PlateCrop } from "../../gate/console/plate-crop.tsx";
import { gateFor, OpenNow } from "../../gate/console/read-pane.tsx";
import { RuleDialog } from "../../gate/console/rule-dialog.tsx";
import { isMuted, Mute, mute } from "./mute.tsx";
import { TOPIC_GROUPS, type TopicGroup } from "./topic-groups.ts";

type Item = AnswerTo<"GET", "/api/notifications">["notifications"][number];

/** What became of a question, in its place: `Asha let UP 32 JE 3626 in`; null where it waits, or is no question. */
function answerTo({ kind, readId, words }: Item, openings: readonly Opening[]): string | null {
  if (kind !== "gate.asked" || readId === null) return null;
  const opening = openings.find((one) => one.readId === readId && one.result !== "not_opened");
  if (opening?.by.name == null) return null;
  return t("notify.letCarIn", { who: opening.by.name, plate: String(words?.plate ?? "") });
}

/** Kinds whose vehicle somebody may want to put on a list. */
const TO_DECIDE: readonly string[] = ["plate.unknown", "gate.asked", "gate.kept_shut"];

/** What can be done about a message, as things are now: one thing at once, the others in a menu. */
function Below({ item, cars }: { item: Item; cars: ReadonlyMap<number, GateRead> }) {
  const read = item.readId === null ? undefined : cars.get(item.readId);
  return read === undefined ? <AtTheDanger item={item} /> : <AtTheGate item={item} read={read} />;
}

/** The plate of a message about the gate, and what can still be done for the vehicle. */
function AtTheGate({ item, read }: { item: Item; read: GateRead }) {
  const [list, setList] = useState<"allow" | "deny" | null>(null);
  const plate = read.formatted ?? read.plate;
  const isOpen = keepsGate.value && plate !== null && read.listedNow === null && TO_DECIDE.includes(item.kind);
  const waits = gateFor(read) !== null;
  const allow = { text: t("review.allow"), icon: "check", onClick: () => setList("allow") } as const;
  const deny = { text: t("bulk.deny"), icon: "x", onClick: () => setList("deny") } as const;
  return (
    <div class="feed-acts">
      <PlateCrop read={read} />
      <OpenNow read={read} />
      {isOpen && !waits && <Button {...allow} />}
      {isOpen && <ActionMenu label={t("notify.moreFor", { name: plate })} actions={waits ? [allow, deny] : [deny]} />}
      {list !== null && (
        <RuleDialog
          rule={null}
          plate={plate ?? ""}
          kind={list}
          onClose={() => setList(null)}
          onDone={() => {
            setList(null);
            say(t("action.saved"));
          }}
        />
      )}
    </div>
  );
}

/** Where a danger is seen, or ended, as long as it lasts: each page has its own rights and its own questions. */
function AtTheDanger({ item: { kind, deviceId } }: { item: Item }) {
  const device = kind === "device.danger" && deviceId !== null ? devices.value.get(deviceId) : undefined;
  const danger = dangers.value.find((one) => one.deviceId === device?.id);
  if (device === undefined || danger === undefined) return null;
  const room = rooms.value.find(({ name }) => name === device.room);
  const action = t(
    danger.kind === "siren" ? "notify.stopSiren" : danger.kind === "alarm" ? "notify.stopAlarm" : "notify.showDevice",
  );
  return (
    <div class="feed-acts">
      <a
        class="button"
        href={`/devices/${encodeURIComponent(device.id)}`}
        aria-label={t("notify.showNamed", { action, name: device.name })}
      >
        {action}
      </a>
      {room !== undefined && (
        <ActionMenu
          label={t("notify.moreFor", { name: device.name })}
          actions={[{ text: t("notify.showRoom"), icon: "doorOpen", href: `/rooms/${room.id}` }]}
        />
      )}
    </div>
  );
}

/** From this many on, a list can be narrowed. */
const LONG = 12;

function isOf(group: TopicGroup, { kind }: Item): boolean {
  return kindsOf(new Set(TOPIC_GROUPS[group])).some((one) => one === kind);
}

/** This person's notifications, newest first; new ones stay new until the person marks them as read. */
export function NotificationsPage() {
  const [items, setItems] = useState<readonly Item[] | null>(null);
  const [mutedUntil, setMutedUntil] = useState<string | null>(null);
  const [only, setOnly] = useState<TopicGroup | null>(null);
  const openings = useOpenings() ?? [];
  const cars = useReadsOf(items ?? []);
  const groups = (Object.keys(TOPIC_GROUPS) as TopicGroup[]).filter((group) => items?.some((one) => isOf(group, one)));
  const isLong = (items?.length ?? 0) >= LONG && groups.length > 1;
  const load = (): void => {
    void get("/api/notifications").then((answer) => {
      setItems(answer.notifications);
      setMutedUntil(answer.mutedUntil);
    }, sayError);
  };
  useEffect(() => {
    if (live.value) load(); // also when the hub is back
  }, [live.value]);
  useEffect(() => onFact("feed.added", load), []);
  useEffect(() => onFact("gate.question", ({ state }) => void (state !== "asked" && load())), []);
  const newest = Math.max(0, ...(items ?? []).map(({ id }) => id));
  const markRead = async (): Promise<void> => {
    try {
      set(unread, (await post("/api/notifications/read", { body: { upToId: newest } })).unread);
      setItems((shown) => shown?.map((item) => (item.id <= newest ? { ...item, read: true } : item)) ?? null);
      document.querySelector("h1")?.focus(); // the button goes
    } catch (error) {
      sayError(error);
      refreshUnread();
    }
  };
  const muted = isMuted(mutedUntil);
  return (
    <>
      <PageHead title={t("notify.title")}>
        <PageActions
          others={[
            ...(items?.some((item) => !item.read) === true
              ? [{ text: t("feed.markRead"), icon: "check", onClick: () => void markRead() } as const]
              : []),
            ...(muted
              ? []
              : [{ text: t("mute.begin"), icon: "bell", onClick: () => void mute(true, setMutedUntil) } as const]),
            { text: t("notify.settings"), icon: "settings", href: "/notifications/settings" },
          ]}
        />
      </PageHead>
      {muted && <Mute until={mutedUntil} onChanged={setMutedUntil} />}
      {isLong && (
        <div class="chips one-row" role="group" aria-label={t("feed.filter")}>
          <Chip text={t("feed.all")} pressed={only === null} onClick={() => setOnly(null)} />
          {groups.map((group) => (
            <Chip key={group} text={t(`topics.${group}`)} pressed={only === group} onClick={() => setOnly(group)} />
          ))}
        </div>
      )}
      <Card>
        {items === null ? (
          <p aria-busy="true">{t("state.loading")}</p>
        ) : items.length === 0 ? (
          <p class="soft">{t("notify.none")}</p>
        ) : (
          <FeedList
            items={only === null || !isLong ? items : items.filter((item) => isOf(only, item))}
            titleOf={(item) => answerTo(item, openings) ?? carTitle(item, cars)}
            below={(item) => <Below item={item} cars={cars} />}
            isPlain={(other, item) => other.readId !== null && other.readId === item.readId}
          />
        )}
        <p>
          <a href="/activity">{t("notify.everything")}</a>
        </p>
      </Card>
    </>
  );
}
