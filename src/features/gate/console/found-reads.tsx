import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import type { GateRead } from "../../../console/store.ts";
import { ReadRow } from "./read-row.tsx";

/** Sightings shown among the results of a search on Home. */
const SHOWN = 5;

/**
 * The latest sightings whose plate or name contains what somebody typed on Home. `alone`: nothing else was found, so that
 * somebody has to be told if these are none either.
 */
export function FoundReads({ params }: PageProps) {
  const q = params.q ?? "";
  const [found, setFound] = useState<readonly GateRead[] | null>(null);
  useEffect(() => {
    let isStale = false;
    void get("/api/reads", { query: { q, limit: SHOWN } })
      .then(({ reads }) => {
        if (!isStale) setFound(reads);
      })
      .catch(() => setFound([]));
    return () => {
      isStale = true;
    };
  }, [q]);
  if (found === null) return null;
  if (found.length === 0)
    return params.alone === undefined ? null : (
      <p class="soft" role="status">
        {t("found.nothing")}
      </p>
    );
  return (
    <section class="stack" aria-label={t("found.reads")}>
      <h2>{t("found.reads")}</h2>
      <ol class="read-rows">
        {found.map((read) => (
          <ReadRow key={read.id} read={read} />
        ))}
      </ol>
      <a class="more-link" href={`/gate?q=${encodeURIComponent(q)}`}>
        {t("found.all")}
      </a>
    </section>
  );
}
