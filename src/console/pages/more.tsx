import { PageHead } from "../components/basics.tsx";
import { Icon } from "../components/icon.tsx";
import { t } from "../i18n/translate.ts";
import { usePages } from "./page.ts";

/** What does not fit into a phone's tabs. */
export function More() {
  const entries = usePages().flatMap(({ path, entry }) =>
    entry?.more === undefined ? [] : [{ path, ...entry, ...entry.more }],
  );
  return (
    <>
      <PageHead title={t("nav.more")} />
      <ul class="cards">
        {entries
          .sort((a, b) => a.at - b.at)
          .map(({ path, icon, title, text }) => (
            <li key={path}>
              <a class="card link-card" href={path}>
                <div class="row">
                  <Icon name={icon} />
                  <strong class="grow">{t(title)}</strong>
                  <Icon name="chevronRight" small />
                </div>
                <span class="soft">{t(text)}</span>
              </a>
            </li>
          ))}
      </ul>
    </>
  );
}
