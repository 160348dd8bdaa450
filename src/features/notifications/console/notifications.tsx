import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Button, Chip } from "../../../console/components/button.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import { refreshUnread } from "../../../console/notifications.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { isOwner } from "../../../console/session.ts";
import { devices, type GateRead, live, refreshGate, rooms, set, unread } from "../../../console/store.ts";
import { kindsOf } from "../../../core/api/notification-topics.ts";
import { dangers } from "../../devices/console/house-dangers.ts";
import { FeedList } from "../../feed/console/feed-list.tsx";
import { carTitle, useReadsOf } from "../../gate/console/car-of-item.ts";
import type { Opening } from "../../gate/console/gate-story.ts";
import { useOpenings } from "../../gate/console/openings.ts";
import { PlateCrop } from "../../gate/console/plate-crop.tsx";
import { OpenNow } from "../../gate/console/read-pane.tsx";
import { RuleDialog } from "../../gate/console/rule-dialog.tsx";
import { Mute } from "./mute.tsx";
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

/** What a message is about, as a picture, and the way to where something can be done about it. */
function Below({ item, cars }: { item: Item; cars: ReadonlyMap<number, GateRead> }) {
  const read = item.readId === null ? undefined : cars.get(item.readId);
  return read === undefined ? <AtTheDevice item={item} /> : <AtTheGate item={item} read={read} />;
}

/** The plate of a message about the gate, and what can still be done for the vehicle. */
function AtTheGate({ item, read }: { item: Item; read: GateRead }) {
  const [allows, setAllows] = useState(false);
  const plate = read.formatted ?? read.plate;
  const isOpen = isOwner.value && plate !== null && read.decision === "unknown" && TO_DECIDE.includes(item.kind);
  return (
    <div class="row at-the-gate">
      <a href={`/gate/reads/${read.id}`} aria-label={t("notify.look", { plate: plate ?? t("plate.unread") })}>
        <PlateCrop read={read} />
      </a>
      <OpenNow read={read} />
      {isOpen && <Button icon="check" text={t("review.allow")} onClick={() => setAllows(true)} />}
      {allows && (
        <RuleDialog
          rule={null}
          plate={plate ?? ""}
          onClose={() => setAllows(false)}
          onDone={() => {
            setAllows(false);
            say(t("action.saved"));
            void refreshGate().catch(() => {});
          }}
        />
      )}
    </div>
  );
}

/** Kinds after which somebody looks at the device. */
const TO_LOOK_AT: readonly string[] = ["device.danger", "command.failed", "gate.not_opened", "gate.not_closed"];

/** Where what a message tells of is seen, or ended: each page has its own rights and its own questions. */
function AtTheDevice({ item }: { item: Item }) {
  const id = item.cameraId ?? (TO_LOOK_AT.includes(item.kind) ? item.deviceId : null);
  const device = id === null ? undefined : devices.value.get(id);
  if (device === undefined) return null;
  const danger = item.kind === "device.danger" ? dangers.value.find(({ deviceId }) => deviceId === id) : undefined;
  const room = danger && rooms.value.find(({ name }) => name === device.room);
  const action = t(
    item.cameraId !== null
      ? "notify.showCamera"
      : danger?.kind === "siren"
        ? "notify.stopSiren"
        : danger?.kind === "alarm"
          ? "notify.stopAlarm"
          : "notify.showDevice",
  );
  const name = (what: string, of: string): string => t("notify.showNamed", { action: what, name: of });
  return (
    <div class="row at-the-gate">
      <a class="button" href={`/devices/${encodeURIComponent(device.id)}`} aria-label={name(action, device.name)}>
        {action}
      </a>
      {room !== undefined && (
        <a class="button" href={`/rooms/${room.id}`} aria-label={name(t("notify.showRoom"), room.name)}>
          {t("notify.showRoom")}
        </a>
      )}
    </div>
  );
}

/** From so many on, a list is narrowed rather than read. */
const LONG = 12;

function isOf(group: TopicGroup, { kind }: Item): boolean {
  return kindsOf(new Set(TOPIC_GROUPS[group])).some((one) => one === kind);
}

/** This person's notifications, newest first; new ones stay new until the person marks them as read. */
export function NotificationsPage() {
  const [items, setItems] = useState<readonly Item[] | null>(null);
  const [mutedUntil, setMutedUntil] = useState<string | null>(null);
  const [only, setOnly] = useState<TopicGroup | null>(null);
  const openings = useOpenings();
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
  const mute = <Mute until={mutedUntil} onChanged={setMutedUntil} />;
  return (
    <>
      <PageHead title={t("notify.title")}>
        {items?.some((item) => !item.read) && <Button text={t("feed.markRead")} onClick={() => void markRead()} />}
        {mutedUntil === null && mute}
        <a class="button" href="/notifications/settings">
          {t("notify.settings")}
        </a>
      </PageHead>
      {mutedUntil !== null && mute}
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
