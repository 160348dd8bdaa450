import { Icon } from "../../../console/components/icon.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { type Danger, placeOf } from "../rules/dangers.ts";
import "./dangers.css";

/** Dangers below the first that have a line each. */
const FURTHER = 3;

/** What needs somebody now, before everything else on Home: what and where, and what to do. */
export function Dangers({ dangers: [first, ...others] }: { dangers: readonly Danger[] }) {
  if (first === undefined) return null;
  const rest = others.length > FURTHER + 1 ? others.length - FURTHER : 0;
  return (
    <section class="dangers" aria-label={t("danger.label")}>
      <a class="danger" href={pageOf(first)}>
        <Icon name="circleAlert" />
        <span class="grow">
          <strong class="danger-what">{whatOf(first)}</strong>
          <span class="danger-do">
            {t(`feed.body.danger.${first.kind}`)} {first.isAway && t("danger.away")}
          </span>
        </span>
        <Icon name="chevronRight" small />
      </a>
      {others.slice(0, others.length - rest).map((danger) => (
        <a key={danger.deviceId} class="danger further" href={pageOf(danger)}>
          <strong class="grow">{whatOf(danger)}</strong>
          <Icon name="chevronRight" small />
        </a>
      ))}
      {rest > 0 && <p class="danger further">{t("danger.more", { n: rest })}</p>}
    </section>
  );
}

function pageOf({ deviceId }: Danger): string {
  return `/devices/${encodeURIComponent(deviceId)}`;
}

/** `Water: Under the sink, Kitchen`. */
function whatOf(danger: Danger): string {
  return t(`feed.title.danger.${danger.kind}`, { place: placeOf(danger) });
}
