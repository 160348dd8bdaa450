import { t } from "../i18n/translate.ts";
import { type Page, usePages } from "../pages/page.ts";
import { useOpenTab } from "./open-tab.ts";

/** The pages of a section (`of`: the path of its first) in a row, and where one is; a person with one page sees none. */
export function Tabs({ of, here }: { readonly of: string; readonly here: string }) {
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
