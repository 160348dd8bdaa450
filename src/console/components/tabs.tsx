import { t } from "../i18n/translate.ts";
import { type Page, useGroups, usePages } from "../pages/page.ts";
import { Icon } from "./icon.tsx";
import { useOpenTab } from "./open-tab.ts";

/**
 * The other pages of a section (`of`: the path of its first), and where one is; a person with one page sees none. A
 * section of a few pages is a row of tabs. One of many, in groups, is a list beside the page where there is room; a
 * smaller screen has the way back to the list in the page's head.
 */
export function Tabs(props: { readonly of: string; readonly here: string }) {
  const groups = useGroups(props.of);
  return groups.length === 0 ? <Row {...props} /> : <SideList {...props} groups={groups} />;
}

function SideList({
  of,
  here,
  groups,
}: {
  readonly of: string;
  readonly here: string;
  readonly groups: ReturnType<typeof useGroups>;
}) {
  const pages = usePages();
  return (
    <nav class="side-list" aria-label={nameOf(pages.find(({ path }) => path === of))}>
      <div>
        {groups.map(({ group, pages: inGroup }) => (
          <section key={group}>
            <p>{t(`section.${group}`)}</p>
            <ul>
              {inGroup.map(({ path, title, icon }) => (
                <li key={path}>
                  <a href={path} {...(path === here ? { "aria-current": "page" as const } : {})}>
                    <Icon name={icon} small />
                    {t(title)}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
}

function Row({ of, here }: { readonly of: string; readonly here: string }) {
  const pages = usePages();
  const tabs = pages.flatMap(({ path, tab }) =>
    tab?.of === of && (path === here || tab.isShown?.() !== false) ? [{ ...tab, path }] : [],
  );
  const row = useOpenTab(tabs.length);
  if (tabs.length < 2) return null;
  return (
    <nav class="tabs" ref={row} aria-label={nameOf(pages.find(({ path }) => path === of))}>
      {tabs
        .sort((a, b) => a.at - b.at)
        .map(({ path, title }) => (
          <a key={path} href={path} {...(path === here ? { "aria-current": "page" as const } : {})}>
            {t(title)}
          </a>
        ))}
    </nav>
  );
}

function nameOf(page: Page | undefined): string {
  return page?.entry === undefined ? "" : t(page.entry.title);
}
