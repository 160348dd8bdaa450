import { createContext, type FunctionComponent } from "preact";
import { useContext } from "preact/hooks";
import type { Role } from "../../core/api/roles.ts";
import type { IconName } from "../components/icon.tsx";
import type { HelpPlace } from "../help/chapters.ts";
import type { TextKey } from "../i18n/translate.ts";
import { match, path } from "../router.ts";
import { mayAs } from "../session.ts";

/** The groups of a section that is a list of pages rather than a row of tabs, in the order in which they stand. */
export const GROUPS = ["house", "connections", "care", "settings"] as const;

/** What a page gets: the named parts of its path. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Everything about one page; it is listed in `pages.ts` beside it. The frame, the rows of tabs and *More* come from
 * these records.
 */
export interface Page {
  /** Its `:name` parts become `params`. */
  readonly path: string;
  readonly view: FunctionComponent<PageProps>;
  /** The section of the manual that its "?" opens; `test/console/help.test.ts` checks it in every language. */
  readonly help: HelpPlace;
  /** The least role that sees it; an owner unless given. */
  readonly least?: Role;
  /** The navigation entry to highlight while the page is open, if its path does not already begin with that entry's. */
  readonly under?: string;
  /** Its place in the navigation, and among what a phone has behind its last tab. */
  readonly entry?: Entry;
  /** Its place in a row of tabs. */
  readonly tab?: Tab;
}

interface Entry {
  readonly title: TextKey;
  readonly icon: IconName;
  /** `at`: its rank; `on`: the screens whose navigation has it. */
  readonly nav?: { readonly at: number; readonly on: "both" | "wide" | "narrow" };
  /** `text`: what the page is for; `textOfOthers`: for those who are no owners, if it differs. */
  readonly more?: { readonly at: number; readonly text: TextKey; readonly textOfOthers?: TextKey };
}

interface Tab {
  /** The page that begins the row. */
  readonly of: string;
  readonly at: number;
  /** So short that on a phone all tabs of the row are in sight. */
  readonly title: TextKey;
  /** Whether there is something to see; it may ask the hub the first time. */
  readonly isShown?: () => boolean;
  /** Its group and icon, if the section is a list. */
  readonly group?: (typeof GROUPS)[number];
  readonly icon?: IconName;
}

/** All pages of the console. */
export const Pages = createContext<readonly Page[]>([]);

/** One page of a section that is a list. */
export interface Listed {
  readonly path: string;
  readonly title: TextKey;
  readonly icon: IconName;
}

/** The pages of a section that is a list, by group; none if the section is a row of tabs. */
export function useGroups(
  of: string,
): readonly { readonly group: (typeof GROUPS)[number]; readonly pages: readonly Listed[] }[] {
  const pages = usePages()
    .flatMap(({ path, tab }) => (tab?.of === of && tab.isShown?.() !== false ? [{ path, ...tab }] : []))
    .sort((one, other) => one.at - other.at);
  return GROUPS.flatMap((group) => {
    const inGroup = pages.filter((page) => page.group === group);
    return inGroup.length === 0
      ? []
      : [{ group, pages: inGroup.map(({ path, title, icon = "settings" }) => ({ path, title, icon })) }];
  });
}

/** The pages that the person who is signed in may see. */
export function usePages(): readonly Page[] {
  return useContext(Pages).filter((page) => mayAs(page.least ?? "owner"));
}

/** The record of the page that is shown; undefined where there is no such page. */
export function usePage(): Page | undefined {
  const here = path();
  return usePages().find((page) => match(page.path, here) !== null);
}

/** A page above another one. */
interface Parent {
  readonly path: string;
  readonly title: TextKey;
}

/**
 * The page that the one that is shown belongs to, by its address: `/gate/vehicles` for `/gate/vehicles/:plate`. Null for
 * those that the navigation and a row of tabs lead to, which stand beside each other.
 */
export function useParent(): Parent | null {
  const page = usePage();
  const pages = usePages();
  if (page === undefined || (page.tab !== undefined && page.tab.group === undefined)) return null;
  return above(page.path, pages);
}

/** The nearest page above the address that is shown, whether there is a page there or not; null: none but Home. */
export function useNearest(): Parent | null {
  return above(path(), usePages());
}

function above(address: string, pages: readonly Page[]): Parent | null {
  const parts = address.split("/");
  for (let length = parts.length - 1; length > 1; length--) {
    const path = parts.slice(0, length).join("/");
    const page = pages.find((other) => other.path === path);
    const title = page?.entry?.title ?? page?.tab?.title;
    if (title !== undefined) return { path, title };
  }
  return null;
}
