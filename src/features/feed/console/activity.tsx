import { useEffect, useRef, useState } from "preact/hooks";
import { get, post } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Button, Chip } from "../../../console/components/button.tsx";
import { PageActions } from "../../../console/components/page-actions.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { onFact } from "../../../console/live.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { go, query } from "../../../console/router.ts";
import { isOwner } from "../../../console/session.ts";
import { feed, live, set } from "../../../console/store.ts";
import { PersonChoice } from "../../access/console/person-choice.tsx";
import { carTitle, useReadsOf } from "../../gate/console/car-of-item.ts";
import { ACTIVITY_PARTS, type ActivityPart } from "../rules/activity.ts";
import { daysOf } from "./feed-days.ts";
import { FeedList } from "./feed-list.tsx";

type Page = AnswerTo<"GET", "/api/activity">["activity"];
type Item = Page["events"][number];

/** What the address asks for. */
interface Asked {
  readonly of: ActivityPart;
  /** Only what this person did; null: everybody. */
  readonly person: number | null;
}

/** Items that are loaded at first: two or three screens of a phone. */
const ITEMS = 25;
/** Lines that they and each tap make at least: many items may be one. */
const LINES = 12;
/** Pages that one tap loads at most: where many items are one line, the next page follows by itself. */
const MOST_PAGES = 6;
/** Time in which news is gathered before the page is loaded anew, ms: two hundred devices may come at once. */
const GATHER_MS = 1_500;

function askedOf(search: string): Asked {
  const given = new URLSearchParams(search);
  const of = ACTIVITY_PARTS.find((part) => part === given.get("of")) ?? "all";
  const person = Number(given.get("person"));
  return { of, person: Number.isSafeInteger(person) && person > 0 ? person : null };
}

function addressOf({ of, person }: Asked): string {
  const given = new URLSearchParams({
    ...(of === "all" ? {} : { of }),
    ...(person === null ? {} : { person: String(person) }),
  });
  return given.size === 0 ? "/activity" : `/activity?${given}`;
}

function loadPage({ of, person }: Asked, limit: number, cursor: string | null): Promise<Page> {
  const narrowed = { ...(person === null ? {} : { person }), ...(cursor === null ? {} : { cursor }) };
  return get("/api/activity", { query: { of, limit, ...narrowed } }).then(({ activity }) => activity);
}

/** A page with all of another one that it lacks, each item once; where the list goes on is `next`. */
function joined(one: Page, other: Page, next: string | null): Page {
  const union = (all: readonly Item[]): Item[] =>
    [...new Map(all.map((item) => [item.id, item])).values()].sort(
      (first, second) => Date.parse(second.at) - Date.parse(first.at) || second.id - first.id,
    );
  return {
    events: union([...one.events, ...other.events]),
    byItself: union([...one.byItself, ...other.byItself]),
    next,
  };
}

/** Lines that items make: two hundred devices that come online are one. */
function lineCount(items: readonly Item[]): number {
  return daysOf(items).reduce((sum, { lines }) => sum + lines.length, 0);
}

/** Goes on from `page` until there are `wanted` lines, or nothing more, or enough was loaded for one tap. */
async function filled(asked: Asked, page: Page, wanted: number): Promise<Page> {
  let full = page;
  for (let pages = 1; pages < MOST_PAGES && full.next !== null && lineCount(full.events) < wanted; pages++) {
    const more = await loadPage(asked, 4 * ITEMS, full.next);
    full = joined(full, more, more.next);
  }
  return full;
}

/** Everything that happened, by kind and person; opening the page does not mark it as read, the button does. */
export function Activity() {
  const asked = askedOf(query());
  const address = addressOf(asked);
  const [shown, setShown] = useState<(Page & { readonly address: string }) | null>(null);
  const [isLoading, setLoading] = useState(false);
  const latest = useRef(address);
  latest.current = address;
  const page = shown !== null && shown.address === address ? shown : null;
  const take = (next: Page): void => {
    if (latest.current === address) setShown({ ...next, address });
  };
  useEffect(() => {
    if (live.value)
      void loadPage(asked, ITEMS, null)
        .then((first) => filled(asked, first, LINES))
        .then(take, sayError);
  }, [address, live.value]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stop = onFact("feed.added", () => {
      timer ??= setTimeout(() => {
        timer = null;
        void loadPage(asked, ITEMS, null).then(
          (first) =>
            setShown((before) =>
              before === null || before.address !== address
                ? before
                : { ...joined(before, first, before.next), address },
            ),
          () => {}, // the next news loads it
        );
      }, GATHER_MS);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [address]);
  const more = async (): Promise<void> => {
    if (page === null) return;
    setLoading(true);
    try {
      const first = await loadPage(asked, 2 * ITEMS, page.next);
      take(await filled(asked, joined(page, first, first.next), lineCount(page.events) + LINES));
    } catch (error) {
      sayError(error);
    } finally {
      setLoading(false);
    }
  };
  const items = page === null ? [] : joined(page, { events: page.byItself, byItself: [], next: null }, null).events;
  const cars = useReadsOf(items);
  const isUnread = items.some(({ read }) => !read) || feed.value.some(({ read }) => !read);
  const markRead = async (): Promise<void> => {
    try {
      const newest = Math.max(0, ...[...feed.value, ...items].map(({ id }) => id));
      await post("/api/feed/read", { body: { upToId: newest } });
      const seen = <One extends { readonly id: number; readonly read: boolean }>(all: readonly One[]): One[] =>
        all.map((item) => (item.id <= newest ? { ...item, read: true } : item));
      set(feed, seen(feed.value));
      setShown((now) => now && { ...now, events: seen(now.events), byItself: seen(now.byItself) });
      document.querySelector("h1")?.focus(); // the button goes
    } catch (error) {
      sayError(error);
    }
  };
  const narrow = (to: Partial<Asked>): void => go(addressOf({ ...asked, ...to }), { replace: true });
  const labels = {
    all: t("feed.all"),
    device: t("feed.devices"),
    plate: t("feed.plates"),
    automation: t("nav.automations"),
    security: t("feed.security"),
  };
  return (
    <>
      <PageHead title={t("nav.activity")}>
        {isUnread && (
          <PageActions others={[{ text: t("feed.markRead"), icon: "check", onClick: () => void markRead() }]} />
        )}
      </PageHead>
      <div class="narrow-tools">
        <div class="chips one-row" role="group" aria-label={t("feed.filter")}>
          {ACTIVITY_PARTS.filter((part) => isOwner.value || part !== "security").map((part) => (
            <Chip key={part} text={labels[part]} pressed={asked.of === part} onClick={() => narrow({ of: part })} />
          ))}
        </div>
        {isOwner.value && <PersonChoice value={asked.person} onChange={(person) => narrow({ person })} />}
      </div>
      <Card>
        {page === null ? (
          <p aria-busy="true">{t("state.loading")}</p>
        ) : (
          <FeedList
            items={items}
            foldsNoise={page.byItself.length > 0 && page.events.length > 0}
            empty={asked.of === "all" && asked.person === null ? t("feed.empty") : t("feed.noneSuch")}
            titleOf={(item) => carTitle(item, cars)}
            isPlain={(other, item) => other.readId !== null && other.readId === item.readId}
          />
        )}
        {page !== null && page.next !== null && (
          <Button text={t("feed.more")} onClick={() => void more()} disabled={isLoading} />
        )}
      </Card>
    </>
  );
}
