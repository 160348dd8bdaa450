import { PageHead } from "../components/basics.tsx";
import { Icon } from "../components/icon.tsx";
import { t } from "../i18n/translate.ts";
import { isOwner } from "../session.ts";
import { usePages } from "./page.ts";

/** What does not fit into a phone's tabs. */
export function More() {
  const entries = usePages().flatMap(({ path, entry }) =>
    entry?.more === undefined ? [] : [{ path, ...entry, ...entry.more }],
  );
  return (
    <>
      <PageHead title={t("nav.more")} />
      <ul class="rows">
        {entries
          .sort((a, b) => a.at - b.at)
          .map(({ path, icon, title, text, textOfOthers }) => (
            <li key={path}>
              <a href={path}>
                <Icon name={icon} />
                <span class="row-title">
                  {t(title)}
                  <span class="row-text">{t(textOfOthers === undefined || isOwner.value ? text : textOfOthers)}</span>
                </span>
                <Icon name="chevronRight" small />
              </a>
            </li>
          ))}
      </ul>
    </>
  );
}
