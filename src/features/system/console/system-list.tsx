import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../../../console/components/icon.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { type Listed, useGroups } from "../../../console/pages/page.ts";
import type { Standing } from "../../../console/pages/section.ts";
import { SECTIONS } from "../../../console/pages/sections.ts";

const STANDINGS = new Map(SECTIONS.flatMap(({ standings = {} }) => Object.entries(standings)));

/** Every page of the section in its group, each with how it stands. */
export function SystemList() {
  return (
    <div class="row-groups">
      {useGroups("/system").map(({ group, pages }) => (
        <section key={group} aria-label={t(`section.${group}`)}>
          <h2>{t(`section.${group}`)}</h2>
          <ul class="rows">
            {pages.map((page) => (
              <Row key={page.path} {...page} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Row({ path, title, icon }: Listed) {
  const [standing, setStanding] = useState<Standing | null>(null);
  useEffect(
    () =>
      // a standing that comes from the store is asked again when that changes
      effect(() => {
        let isOvertaken = false;
        void STANDINGS.get(path)?.().then(
          (now) => {
            if (!isOvertaken) setStanding(now);
          },
          () => {}, // a list of pages is useful without it
        );
        return () => {
          isOvertaken = true;
        };
      }),
    [path],
  );
  return (
    <li>
      <a href={path}>
        <Icon name={icon} />
        <span class="row-title">{t(title)}</span>
        {standing !== null && <span class={`row-state ${standing.tone ?? ""}`}>{standing.text}</span>}
        <Icon name="chevronRight" small />
      </a>
    </li>
  );
}
