import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Empty, PageHeading } from "../../../console/components/basics.tsx";
import { Button, Chip } from "../../../console/components/button.tsx";
import { byDay } from "../../../console/components/by-day.ts";
import { isAway, isOpen } from "../../../console/components/device-tile.tsx";
import { useDrawn } from "../../../console/components/drawn.ts";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { LiveFrame } from "../../../console/components/live-frame.tsx";
import { useMedia } from "../../../console/components/media.ts";
import { Name } from "../../../console/components/name.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { useToday } from "../../../console/components/today.ts";
import { dayOf, shifted, shownZone, startOfDay } from "../../../console/components/zone-time.ts";
import { dayName, t } from "../../../console/i18n/translate.ts";
import { query } from "../../../console/router.ts";
import { isOwner, keepsGate } from "../../../console/session.ts";
import { type Device, deviceList, type GateRead, inside, loaded, occupancy, reads } from "../../../console/store.ts";
import { BulkBar, ListDialog, type ListKind } from "./bulk.tsx";
import { ALL, allReads, carsText, countSet, type DayFilter, useCarCount, useDayReads, useHours } from "./day-model.ts";
import { DayStrip } from "./day-strip.tsx";
import { DayTools } from "./day-tools.tsx";
import { GateAction, gateLine } from "./gate-hero.tsx";
import { type Opening, openingSentence } from "./gate-story.ts";
import { HeatMap } from "./heat-map.tsx";
import { carsInside } from "./inside.ts";
import { MayHaveLeft } from "./may-have-left.tsx";
import { NobodyInside } from "./nobody-inside.tsx";
import { notClosedLine } from "./not-closed.ts";
import { useOpenSince } from "./open-since.ts";
import { openingWhen, useOpenings } from "./openings.ts";
import { PassDialog } from "./pass-dialog.tsx";
import { ReadPane } from "./read-pane.tsx";
import { ReadRow } from "./read-row.tsx";
import { askSeen, isUnread, markAllSeen, markSeen, seenAsked, unreadCount } from "./seen-reads.ts";
import { SetUpCard } from "./set-up.tsx";
import { isWayKnown } from "./set-up-path.ts";

/** Rows drawn before somebody scrolls, and with each further step. */
const FIRST_ROWS = 14;
/** A key that leads down draws some rows ahead. */
const AHEAD = 3;
/** Cars that may have left, named with the reason; the others are on the page of vehicles. */
const DOUBTED_SHOWN = 2;
/** Gates above the cars; further ones are folded, so that the first car is not below them. */
const GATES_SHOWN = 2;
/** From this width on the chosen sighting is shown beside the list. */
const WIDE = "(min-width: 1200px)";

/** The gate's day: how it stands, the hours to scrub through, and who came and went as a dense list. */
export function GatePage() {
  const zone = shownZone();
  const [filter, setFilter] = useState<DayFilter>({ ...ALL, q: new URLSearchParams(query()).get("q") ?? "" });
  const [day, setDay] = useState<string | null>(null);
  const [hour, setHour] = useState<number | null>(null);
  const [at, setAt] = useState<number | null>(null);
  /** The sighting that a key leads to. */
  const stepped = useRef<number | null>(null);
  const [onlyNew, setOnlyNew] = useState(false);
  const [chooses, setChooses] = useState(false);
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const [listing, setListing] = useState<{ kind: ListKind; reads: readonly GateRead[] } | null>(null);
  const [givesPass, setGivesPass] = useState(false);
  const openings = useOpenings();
  const hours = useHours(filter);
  const shownDay = day ?? dayOf(reads.value[0] === undefined ? Date.now() : Date.parse(reads.value[0].at), zone);
  const start = startOfDay(shownDay, zone);
  const until =
    day === null && hour === null
      ? null
      : hour === null
        ? shifted(start, "day", 1, zone) - 1
        : start + (hour + 1) * 3_600_000 - 1;
  const { found, more } = useDayReads(filter, until);
  const list = (onlyNew && unreadCount.value > 0 ? found?.filter(isUnread) : found) ?? [];
  const rows = useDrawn({ count: list.length, first: FIRST_ROWS, more });
  const shown = list.find(({ id }) => id === at) ?? list[0];
  useEffect(() => void askSeen().catch(() => {}), [reads.value]);
  const isWide = useMedia(WIDE);
  const isSearch = filter.q.trim() !== "" || countSet({ ...filter, order: "newest" }) > 0;
  const count = useCarCount(filter, isSearch ? null : shownDay);

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target instanceof Element ? event.target : null;
      if (event.ctrlKey || event.metaKey || event.altKey || target?.closest("input, select, textarea, dialog")) return;
      const here = list.findIndex(({ id }) => id === at);
      const key = event.key.toLowerCase();
      const place = key === "j" ? here + 1 : key === "k" ? Math.max(0, here - 1) : null;
      const next = place === null ? undefined : list[place];
      if (next !== undefined && place !== null) {
        setAt(next.id);
        rows.reach(place + AHEAD);
        stepped.current = next.id;
      } else if (keepsGate.value && shown !== undefined && shown.plate !== null && (key === "a" || key === "d"))
        setListing({ kind: key === "a" ? "allow" : "deny", reads: chosen.size > 0 ? [...chosen.values()] : [shown] });
      else if (key === "x" && keepsGate.value && shown !== undefined) {
        setChooses(true);
        if (shown.plate !== null) toggle(shown, !chosen.has(shown.id));
      } else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  // a row that a key leads to is drawn first
  useLayoutEffect(() => {
    if (stepped.current === null) return;
    const row = document.querySelector<HTMLElement>(`[data-read="${stepped.current}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
    if (row !== null) stepped.current = null;
  });
  /** The one chosen last: with Shift, those between are chosen too. */
  const lastChosen = useRef<number | null>(null);
  const toggle = (read: GateRead, isOn: boolean, isRange = false): void => {
    const [here, from] = [read.id, lastChosen.current].map((id) => list.findIndex((one) => one.id === id));
    lastChosen.current = read.id;
    const all =
      isRange && here !== undefined && from !== undefined && from >= 0
        ? list.slice(Math.min(here, from), Math.max(here, from) + 1).filter(({ plate }) => plate !== null)
        : [read];
    const next = new Map(chosen);
    for (const one of all) {
      if (isOn) next.set(one.id, one);
      else next.delete(one.id);
    }
    setChosen(next);
  };
  const chooseAll = (): void =>
    void allReads(filter)
      .then((all) => setChosen(new Map(all.map((read) => [read.id, read]))))
      .catch(sayError);

  const gates = deviceList.value.filter((device) => device.type === "gate");
  const cameras = deviceList.value.filter((device) => device.type === "camera");
  const isNew = reads.value.length === 0 && found?.length === 0 && filter.q === "" && countSet(filter) === 0;
  // Each part is drawn when all above it is known: nothing that somebody reads moves down while the page loads.
  const isTold = loaded.value && openings !== null;
  const isReady =
    isTold && (!isOwner.value || isWayKnown()) && found !== null && count !== undefined && seenAsked.value;
  return (
    <>
      <header class="page-head gate-head">
        <PageHeading text={t("nav.gate")} />
        {keepsGate.value && (
          <div class="tool-row">
            <button type="button" class="button" onClick={() => setGivesPass(true)}>
              <Icon name="car" small />
              <span>{t("pass.new")}</span>
            </button>
          </div>
        )}
      </header>
      <Tabs of="/gate" here="/gate" />
      {isTold &&
        gates.slice(0, GATES_SHOWN).map((gate, index) => (
          <GateBar key={gate.id} gate={gate} opening={openings.find((one) => one.deviceId === gate.id)}>
            {index === 0 && <InsideLine />}
          </GateBar>
        ))}
      {isTold && gates.length > GATES_SHOWN && <FurtherGates gates={gates.slice(GATES_SHOWN)} openings={openings} />}
      {isTold && isOwner.value && <SetUpCard />}
      {!isReady ? (
        <div class="gate-waits" aria-busy="true" />
      ) : isNew ? (
        <section class="card">
          <Empty icon="car" text={t("gate.noReads")}>
            {isOwner.value && cameras.length === 0 && (
              <a class="button primary" href="/gate/cameras/new">
                {t("setUp.addCamera")}
              </a>
            )}
          </Empty>
        </section>
      ) : (
        <>
          <div class="day-columns">
            <div class="day-list">
              {isSearch ? (
                // what fits is of all days: a day's strip beside it would say something else
                <div class="row between">
                  <h2>{t("day.found")}</h2>
                  <output class="soft small">{count == null ? "" : t("day.hits", { ...count })}</output>
                </div>
              ) : (
                <DayStrip
                  day={shownDay}
                  hours={hours}
                  about={count == null ? "" : carsText(count)}
                  hour={hour}
                  onDay={(next) => {
                    setDay(next);
                    setHour(null);
                  }}
                  onHour={(next) => {
                    setDay(shownDay);
                    setHour(next);
                  }}
                />
              )}
              <DayTools
                filter={filter}
                cameras={cameras}
                chooses={chooses}
                day={shownDay}
                onDay={(next) => {
                  setDay(next);
                  setHour(null);
                }}
                onFilter={setFilter}
                onChoose={(next) => {
                  setChooses(next);
                  setChosen(new Map());
                }}
              />
              <div class="row between day-status">
                {gates.length === 0 && <InsideLine />}
                {unreadCount.value > 0 && (
                  <div class="row" role="status">
                    <Chip
                      text={t("gate.newReads", { n: unreadCount.value })}
                      pressed={onlyNew}
                      onClick={() => setOnlyNew(!onlyNew)}
                    />
                    <Button
                      text={t("gate.markSeen")}
                      onClick={() => {
                        markAllSeen();
                        setOnlyNew(false);
                      }}
                    />
                  </div>
                )}
                {until !== null && (
                  <Button
                    text={t("day.now")}
                    onClick={() => {
                      setDay(null);
                      setHour(null);
                    }}
                  />
                )}
              </div>
              <div class="day-list">
                {found.length === 0 && <Empty icon="car" text={t("gate.noneFound")} />}
                <DayRows
                  list={list}
                  day={new Date(start).toISOString()}
                  rows={rows}
                  here={isWide ? shown?.id : undefined}
                  row={(read) => ({
                    found: filter.q,
                    checked: chooses ? chosen.has(read.id) : undefined,
                    onCheck: (isOn, isRange) => toggle(read, isOn, isRange),
                    onLook: () => setAt(read.id),
                  })}
                />
              </div>
            </div>
            {isWide && (
              <div class="day-side">
                {shown !== undefined && (
                  <ReadPane read={shown} onList={(kind) => setListing({ kind, reads: [shown] })} key={shown.id} />
                )}
                {cameras.slice(0, 1).map((camera) => (
                  <section class="stack" key={camera.id}>
                    <h2>{camera.name}</h2>
                    <LiveFrame deviceId={camera.id} name={camera.name} fresh={false} />
                  </section>
                ))}
              </div>
            )}
          </div>
          {hours !== null && hours.length > 0 && <HeatMap hours={hours} />}
          <p class="soft small">{t("chain.legend")}</p>
          {keepsGate.value && <p class="soft small keys-hint">{t("day.keys")}</p>}
        </>
      )}
      {chooses && (
        <BulkBar
          chosen={[...chosen.values()]}
          all={count?.passes ?? 0}
          onAll={chooseAll}
          onList={(kind) => setListing({ kind, reads: [...chosen.values()] })}
          onSeen={() => {
            for (const id of chosen.keys()) markSeen(id);
            setChosen(new Map());
          }}
          onClear={() => {
            setChooses(false);
            setChosen(new Map());
          }}
        />
      )}
      {listing !== null && (
        <ListDialog
          reads={listing.reads}
          kind={listing.kind}
          onClose={() => setListing(null)}
          onDone={() => {
            setListing(null);
            setChosen(new Map());
            setFilter({ ...filter }); // asked for again: what was decided is history, names are new
          }}
        />
      )}
      {givesPass && <PassDialog onClose={() => setGivesPass(false)} />}
    </>
  );
}

/** What is chosen, by id. */
type Chosen = ReadonlyMap<number, GateRead>;

/** How a gate stands, who opened it last, and what it can do next. */
function GateBar({
  gate,
  opening,
  children,
}: {
  gate: Device;
  opening: Opening | undefined;
  children?: ComponentChildren;
}) {
  const openSince = useOpenSince(gate);
  const notClosed = notClosedLine(gate);
  return (
    <section class="gate-bar" aria-label={gate.name}>
      <div role="status">
        <p class="soft small">
          <a href={`/devices/${encodeURIComponent(gate.id)}`}>
            <Name text={gate.name} />
          </a>
        </p>
        <p class="gate-state" data-open={gate.online && isOpen(gate)}>
          {gateLine(gate, openSince)}
        </p>
        {notClosed !== null && <p class="gate-failed small">{notClosed}</p>}
        {opening !== undefined && <p class="soft small">{openingSentence(opening, openingWhen(opening))}</p>}
      </div>
      <GateAction gate={gate} waiting={null} slides={false} />
      {children}
    </section>
  );
}

/** Gates beyond the first ones: how many of them stand open is said, the rest on demand. */
function FurtherGates({ gates, openings }: { gates: readonly Device[]; openings: readonly Opening[] }) {
  const open = gates.filter((gate) => gate.online && isOpen(gate)).length;
  const away = gates.filter(isAway).length;
  return (
    <FoldCard
      starts="folded"
      title={t("gate.further", { n: gates.length })}
      value={
        open + away === 0
          ? t("gate.noneOpen")
          : [open > 0 ? t("gate.someOpen", { n: open }) : "", away > 0 ? t("gate.someAway", { n: away }) : ""]
              .filter((part) => part !== "")
              .join(" · ")
      }
    >
      {gates.map((gate) => (
        <GateBar key={gate.id} gate={gate} opening={openings.find((one) => one.deviceId === gate.id)} />
      ))}
    </FoldCard>
  );
}

/** Who is in, in words: let in or seen inside; who may have left since, and who left without being seen. */
function InsideLine() {
  const { leftUnseen } = inside.value;
  const room = occupancy.value;
  const { here, mayHaveLeft } = carsInside(inside.value);
  const names = here.slice(0, 3).map(({ label, formatted }) => label || formatted);
  const more = mayHaveLeft.length - DOUBTED_SHOWN;
  return (
    <div class="inside-line">
      {here.length === 0 ? <NobodyInside /> : t("inside.cars", { n: here.length, names: names.join(", ") })}
      {room !== null && room.capacity !== null && (
        <>
          {" "}
          <span class={room.full ? "badge deny" : "badge"}>
            {room.full ? t("occupancy.full") : t("occupancy.label", { inside: room.inside, capacity: room.capacity })}
          </span>
        </>
      )}
      {leftUnseen.length > 0 && (
        <>
          {" "}
          <a href="/gate/vehicles?show=unseen">{t("inside.unseen", { n: leftUnseen.length })}</a>
        </>
      )}
      {mayHaveLeft.length > 0 && <MayHaveLeft cars={mayHaveLeft.slice(0, DOUBTED_SHOWN)} />}
      {more > 0 && <a href="/gate/vehicles">{t("inside.moreMayHaveLeft", { n: more })}</a>}
    </div>
  );
}

type RowParts = Pick<Parameters<typeof ReadRow>[0], "checked" | "onCheck" | "onLook" | "found">;

/** Sightings under the names of their days, drawn as far as somebody has scrolled. */
function DayRows({
  list,
  day,
  rows,
  here,
  row,
}: {
  list: readonly GateRead[];
  /** A moment of the day that stands above them already. */
  day: string;
  rows: ReturnType<typeof useDrawn>;
  here: number | undefined;
  row: (read: GateRead) => RowParts;
}) {
  const { drawn, hasMore, end, goOn } = rows;
  const today = useToday();
  return (
    <>
      {byDay(list.slice(0, drawn), ({ at }) => dayName(at, today)).map(({ name, things }) => (
        <section key={name} aria-label={name}>
          <h3 class={name === dayName(day, today) ? "sr-only" : "day-name"}>{name}</h3>
          <ol class="read-rows">
            {things.map((read) => (
              <ReadRow key={read.id} read={read} isHere={read.id === here} {...row(read)} />
            ))}
          </ol>
        </section>
      ))}
      {hasMore && (
        <button type="button" class="button" ref={end} onClick={goOn}>
          {t("feed.more")}
        </button>
      )}
    </>
  );
}
