import { get } from "../../../console/api.ts";
import { Icon } from "../../../console/components/icon.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { GateRead } from "../../../console/store.ts";
import type { PlateRule } from "../resources/plate-rule.ts";
import { ReadRow } from "./read-row.tsx";

/** Sightings, and rules, shown among the results of a search on Home. */
const SHOWN = 5;

/** The latest sightings whose plate or name contains a text. @throws ApiError when the hub does not answer */
export async function findReads(q: string): Promise<readonly GateRead[]> {
  return (await get("/api/reads", { query: { q, limit: SHOWN } })).reads;
}

/** Every plate rule. @throws ApiError when the hub does not answer */
export async function listPlateRules(): Promise<readonly PlateRule[]> {
  return (await get("/v1/plate-rules")).rules;
}

/** Sightings that a search on Home found. */
export function FoundReads({ reads, q }: { reads: readonly GateRead[]; q: string }) {
  if (reads.length === 0) return null;
  return (
    <section class="stack" aria-label={t("found.reads")}>
      <h2>{t("found.reads")}</h2>
      <ol class="read-rows">
        {reads.map((read) => (
          <ReadRow key={read.id} read={read} withDay found={q} />
        ))}
      </ol>
      <a class="more-link" href={`/gate?q=${encodeURIComponent(q)}`}>
        {t("found.all")}
      </a>
    </section>
  );
}

/** Plate rules that a search on Home found; each leads to the list, where it is changed. */
export function FoundPlateRules({ rules, q }: { rules: readonly PlateRule[]; q: string }) {
  if (rules.length === 0) return null;
  return (
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
  );
}

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
