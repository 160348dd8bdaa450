import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Icon } from "../../../console/components/icon.tsx";
import { withWords } from "../../../console/components/with-words.ts";
import { t } from "../../../console/i18n/translate.ts";
import { type PageProps, usePages } from "../../../console/pages/page.ts";
import type { GateRead } from "../../../console/store.ts";
import type { PlateRule } from "../resources/plate-rule.ts";
import { ReadRow } from "./read-row.tsx";
import { ruleWords } from "./rule-words.ts";

/** Sightings, and rules, shown among the results of a search on Home. */
const SHOWN = 5;

interface Found {
  readonly reads: readonly GateRead[];
  readonly rules: readonly PlateRule[];
}

/**
 * The latest sightings and the plate rules whose plate or name contains what somebody typed on Home. `alone`: nothing
 * else was found, so that somebody has to be told if these are none either.
 */
export function FoundReads({ params }: PageProps) {
  const q = params.q ?? "";
  const [found, setFound] = useState<Found | null>(null);
  const hasLists = usePages().some(({ path }) => path === "/gate/rules");
  const lists = useRef<Promise<readonly PlateRule[]> | null>(null);
  useEffect(() => {
    let isStale = false;
    lists.current ??= hasLists
      ? get("/v1/plate-rules").then(
          ({ rules }) => rules,
          () => [],
        )
      : Promise.resolve([]);
    const seen = get("/api/reads", { query: { q, limit: SHOWN } }).then(
      ({ reads }) => reads,
      () => [],
    );
    void Promise.all([seen, lists.current]).then(([reads, rules]) => {
      if (!isStale) setFound({ reads, rules: rules.filter(withWords(q, ruleWords)) });
    });
    return () => {
      isStale = true;
    };
  }, [q]);
  if (found === null) return null;
  const { reads, rules } = found;
  if (reads.length === 0 && rules.length === 0)
    return params.alone === undefined ? null : (
      <p class="soft" role="status">
        {t("found.nothing")}
      </p>
    );
  return (
    <>
      {reads.length > 0 && (
        <section class="stack" aria-label={t("found.reads")}>
          <h2>{t("found.reads")}</h2>
          <ol class="read-rows">
            {reads.map((read) => (
              <ReadRow key={read.id} read={read} />
            ))}
          </ol>
          <a class="more-link" href={`/gate?q=${encodeURIComponent(q)}`}>
            {t("found.all")}
          </a>
        </section>
      )}
      {rules.length > 0 && (
        <section class="stack" aria-label={t("gate.rules")}>
          <h2>{t("gate.rules")}</h2>
          <ul class="read-rows">
            {rules.slice(0, SHOWN).map((rule) => (
              <RuleLine key={rule.id} rule={rule} />
            ))}
          </ul>
          {rules.length > SHOWN && (
            <a class="more-link" href={`/gate/rules?q=${encodeURIComponent(q)}`}>
              {t("home.more", { n: rules.length - SHOWN })}
            </a>
          )}
        </section>
      )}
    </>
  );
}

/** A rule that was found; it leads to the list, where it is changed. */
function RuleLine({ rule: { plate, formatted, label, kind, enabled, hits } }: { rule: PlateRule }) {
  return (
    <li class="read-row rule-row" data-off={!enabled}>
      <a href={`/gate/rules?q=${encodeURIComponent(plate)}`}>
        <span class="plate small">{formatted}</span>
        <span class="read-who">
          <strong class={label === "" ? "soft" : undefined}>{label || t("rules.noLabel")}</strong>
          <span class="soft small">
            {!enabled && `${t("device.off")} · `}
            <span class={`rule-kind ${kind}`}>{t(`decision.${kind}`)}</span> · {t("rules.hits", { n: hits })}
          </span>
        </span>
        <span class="read-way">
          <Icon name="chevronRight" small />
        </span>
      </a>
    </li>
  );
}
