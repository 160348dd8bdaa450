import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, get } from "../../../console/api.ts";
import { Card, PageHeading } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Gone } from "../../../console/components/gone.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { say } from "../../../console/components/toast.tsx";
import { dayOf as dayAt, shifted, shownZone, startOfDay } from "../../../console/components/zone-time.ts";
import { clockTime, dayName, dayOf, t, timeOfDay } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { go } from "../../../console/router.ts";
import { keepsGate } from "../../../console/session.ts";
import { deviceList, devices, type GateRead, reads } from "../../../console/store.ts";
import type { PlateRule } from "../resources/plate-rule.ts";
import { countCars } from "../rules/car-count.ts";
import { picturesOf } from "../rules/read-picture.ts";
import { CorrectRead } from "./correct-read.tsx";
import { carsText } from "./day-model.ts";
import { hasGate } from "./gate-devices.ts";
import { correctionText } from "./gate-story.ts";
import { useOpenings } from "./openings.ts";
import { OpeningLine } from "./outcome.tsx";
import { PassDialog } from "./pass-dialog.tsx";
import { OpenNow, surenessText } from "./read-pane.tsx";
import { Chain } from "./read-row.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { boundsText } from "./rule-times.ts";
import { askSeen, isUnread, markSeen } from "./seen-reads.ts";
import { ZoomPicture } from "./zoom-picture.tsx";
import "./read-review.css";

/** Most reads of one day on the timeline. */
const MOST_OF_DAY = 200;
/** An opening by hand within this time after a read belongs to its story. */
const AFTER_MS = 180_000;

/** A read that is left sooner than this was only passed: what stands around it is not asked for. */
const REST_MS = 200;

/** What was last shown: turning from read to read shows the next one at once, and asks for none of it again. */
let lastDay: readonly GateRead[] = [];
let lastRules: readonly PlateRule[] | null = null;
/** The newest reads as they were when {@link lastDay} was asked for. */
let lastReads: readonly GateRead[] | null = null;

const pathOf = (read: Pick<GateRead, "id">): string => `/gate/reads/${read.id}`;

/** The day of a moment at the house: its first and its last millisecond. */
function dayBounds(iso: string): { since: string; until: string } {
  const zone = shownZone();
  const from = startOfDay(dayAt(Date.parse(iso), zone), zone);
  return { since: new Date(from).toISOString(), until: new Date(shifted(from, "day", 1, zone) - 1).toISOString() };
}

/**
 * One read large, with the day around it: zoom, keys and swipe to the next, what happened at the gate, and what to do
 * with the plate.
 */
export function ReadReviewPage({ params }: PageProps) {
  const id = Number(params.id);
  const [read, setRead] = useState<GateRead | null>(() => lastDay.find((one) => one.id === id) ?? null);
  const [captures, setCaptures] = useState<readonly { readonly at: string }[]>([]);
  const [day, setDay] = useState<readonly GateRead[]>(read === null ? [] : lastDay);
  const [missing, setMissing] = useState(false);
  const [open, setOpen] = useState<"allow" | "deny" | "pass" | "correct" | null>(null);
  useEffect(() => {
    void get("/api/plates/{id}", { params: { id } })
      .then(async ({ plate }) => {
        setRead(plate);
        setCaptures(plate.captures);
        await askSeen().catch(() => {});
        markSeen(id);
        if (lastReads === reads.value && lastDay.some((one) => one.id === id)) return;
        const asked = reads.value;
        const { reads: plates } = await get("/api/reads", { query: { ...dayBounds(plate.at), limit: MOST_OF_DAY } });
        lastDay = [...plates].reverse();
        lastReads = asked;
        setDay(lastDay);
      })
      .catch((error: unknown) => setMissing(error instanceof ApiError && error.status === 404));
  }, [id, reads.value]);
  // the pictures on both sides are there before somebody turns to them
  useEffect(() => {
    const here = day.findIndex((one) => one.id === id);
    if (here < 0) return;
    const timer = setTimeout(() => {
      for (const beside of [day[here + 1], day[here - 1]])
        if (beside?.hasImage === true) new Image().src = picturesOf(beside).whole;
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [id, day]);
  const turn = async (way: 1 | -1): Promise<void> => {
    if (read === null) return;
    const here = day.findIndex((other) => other.id === read.id);
    const next = here < 0 ? undefined : day[here + way];
    const beside = next ?? (await neighbour(read, way));
    if (beside !== undefined) go(pathOf(beside), { replace: true });
    else say(way === 1 ? t("review.last") : t("review.first"));
  };
  // Together with the picture, not after it: holding a key down loses no press.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (
        open !== null ||
        (event.target instanceof Element && event.target.closest("input, select, textarea, dialog") !== null)
      )
        return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const key = event.key.toLowerCase();
      // J and K as in the list, whose newest one stands on top
      if (key === "arrowright" || key === "k") void turn(1);
      else if (key === "arrowleft" || key === "j") void turn(-1);
      else if (key === "escape") go("/gate");
      else if ((key === "a" || key === "d") && keepsGate.value && read !== null && read.plate !== null) {
        event.preventDefault(); // the letter is not typed into the dialog
        setOpen(key === "a" ? "allow" : "deny");
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [read, day, open]);
  const openings = useOpenings() ?? [];
  const [rules, setRules] = useState<readonly PlateRule[]>(lastRules ?? []);
  useEffect(() => {
    const timer = setTimeout(
      () =>
        void get("/v1/plate-rules")
          .then((answer) => {
            lastRules = answer.rules;
            setRules(answer.rules);
          })
          .catch(() => {}),
      lastRules === null ? 0 : REST_MS,
    );
    return () => clearTimeout(timer);
  }, [open]);
  if (missing) return <Gone text={t("review.gone")} />;
  if (read === null) return <p aria-busy="true">{t("state.loading")}</p>;
  const camera = devices.value.get(read.deviceId)?.name ?? read.deviceId;
  const barriers = new Set(
    deviceList.value.filter((device) => device.capabilities?.barrier === true).map((device) => device.id),
  );
  const since = Date.parse(read.at);
  const byHand = openings.filter(
    (one) =>
      one.readId === null &&
      one.at !== read.openedAfter?.at &&
      barriers.has(one.deviceId) &&
      Date.parse(one.at) >= since &&
      Date.parse(one.at) <= since + AFTER_MS,
  );
  const rule =
    rules.find((one) => one.plate === read.plate && (one.deviceId === null || one.deviceId === read.deviceId)) ?? null;
  const close = (): void => setOpen(null);
  const corrected = correctionText(read);
  const name = rule?.label || read.label;
  /** What holds for the plate today, where that is not what was decided then. */
  const today = rule?.enabled === true ? rule.kind : "unknown";
  const now = read.plate === null || today === read.decision ? null : today;
  return (
    <>
      <header class="review-head">
        <div class="review-title">
          <PageHeading text={name || (read.formatted ?? t("plate.unread"))} />
          <p class="soft small">
            {[dayName(read.at), timeOfDay(read.at), camera].join(" · ")}
            {read.direction !== null && ` · ${read.direction === "in" ? t("read.in") : t("read.out")}`}
          </p>
        </div>
        {name !== "" && read.formatted !== null && <span class="plate small">{read.formatted}</span>}
      </header>
      <div class="review">
        <section class="card review-picture" aria-label={t("review.picture")}>
          {read.hasImage ? (
            <ZoomPicture
              src={picturesOf(read).whole}
              alt={t("read.imageAlt", { camera })}
              onTurn={(way) => void turn(way)}
            />
          ) : (
            <div class="read-image none">
              <Icon name="camera" />
              <span class="small">{t("read.noImage")}</span>
            </div>
          )}
          <IconButton icon="chevronLeft" label={t("review.earlier")} onClick={() => void turn(-1)} />
          <IconButton icon="chevronRight" label={t("review.later")} onClick={() => void turn(1)} />
        </section>
        <section class="card" aria-label={t("review.what")}>
          <Chain read={read} isExplained />
          {corrected !== null && (
            <p class="small">
              <Icon name="pencil" small /> {corrected}
            </p>
          )}
          {now !== null && (
            <p class="review-now">
              <span class={`badge ${now}`}>{t("review.now", { what: t(`decision.${now}`).toLocaleLowerCase() })}</span>
              {rule !== null && boundsText(rule) !== "" && <span class="soft small"> {boundsText(rule)}</span>}
            </p>
          )}
          <OpenNow read={read} />
          {byHand.map((opening) => (
            <OpeningLine
              key={opening.id}
              opening={opening}
              name={devices.value.get(opening.deviceId)?.name ?? opening.deviceId}
            />
          ))}
          {keepsGate.value && (
            <div class="stack">
              {read.plate !== null && (
                <>
                  {rule === null ? (
                    <div class="row even-buttons">
                      <Button look="primary" icon="check" text={t("review.allow")} onClick={() => setOpen("allow")} />
                      <Button icon="x" text={t("bulk.deny")} onClick={() => setOpen("deny")} />
                    </div>
                  ) : (
                    <Button icon="pencil" text={t("review.rule")} onClick={() => setOpen("allow")} />
                  )}
                  {rule === null && <Button icon="car" text={t("review.pass")} onClick={() => setOpen("pass")} />}
                </>
              )}
              <Button icon="pencil" text={t("read.correctTitle")} onClick={() => setOpen("correct")} />
            </div>
          )}
          {read.plate !== null && (
            <p>
              <a href={`/gate/vehicles/${encodeURIComponent(read.plate)}`}>{t("review.vehicle")}</a>
            </p>
          )}
          <details class="group">
            <summary>{t("review.details")}</summary>
            <p class="soft small">
              {dayOf(read.at)}, {clockTime(read.at)}
            </p>
            <p class="soft small">{surenessText(read)}</p>
            {captures.length > 1 && (
              <p class="soft small">
                {t("review.captures", {
                  n: captures.length,
                  from: clockTime(captures[0]?.at ?? read.at),
                  to: clockTime(captures.at(-1)?.at ?? read.at),
                })}
              </p>
            )}
          </details>
        </section>
      </div>
      {day.length > 0 && <Timeline day={day} here={read.id} />}
      {(open === "allow" || open === "deny") && (
        <RuleDialog
          rule={rule}
          plate={read.formatted ?? read.plate ?? ""}
          kind={open}
          onClose={close}
          onDone={(kind) => {
            close();
            say(
              rule !== null
                ? t("action.saved")
                : t(kind === "allow" && !hasGate() ? "bulk.allowedNoGate" : `bulk.done.${kind}`, { n: 1 }),
            );
          }}
        />
      )}
      {open === "pass" && <PassDialog plate={read.formatted ?? read.plate ?? ""} onClose={close} />}
      {open === "correct" && <CorrectRead read={read} onClose={close} />}
    </>
  );
}

/** The read before the first or after the last of a day. */
async function neighbour(read: GateRead, way: 1 | -1): Promise<GateRead | undefined> {
  const beside = new Date(Date.parse(read.at) + way).toISOString();
  const { reads: found } = await get("/api/reads", {
    query: { limit: 1, ...(way === 1 ? { since: beside, order: "oldest" } : { until: beside }) },
  });
  return found[0];
}

/** The reads of a day in their order; the one that is shown stays in sight. */
function Timeline({ day, here }: { day: readonly GateRead[]; here: number }) {
  const current = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const item = current.current;
    const list = item?.parentElement;
    // the list alone: the page stays at the picture
    if (item && list) list.scrollLeft = item.offsetLeft - list.offsetLeft - (list.clientWidth - item.clientWidth) / 2;
  }, [here, day]);
  return (
    <Card title={t("review.day", { cars: carsText(countCars(day)) })}>
      <ol class="timeline">
        {day.map((read) => (
          <li key={read.id} ref={read.id === here ? current : null}>
            <a
              href={pathOf(read)}
              class={`timeline-read ${read.decision}${isUnread(read) ? " unread" : ""}`}
              {...(read.id === here ? { "aria-current": "true" as const } : {})}
            >
              <time dateTime={read.at}>{timeOfDay(read.at)}</time>
              <span>{read.formatted ?? t("plate.unread")}</span>
              {isUnread(read) && <span class="badge good">{t("gate.new")}</span>}
            </a>
          </li>
        ))}
      </ol>
    </Card>
  );
}
