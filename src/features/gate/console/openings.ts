import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { whenText } from "../../../console/i18n/translate.ts";
import { askAfter } from "../../../console/live.ts";
import { reads } from "../../../console/store.ts";
import type { Opening } from "./gate-story.ts";

/** Openings that a page shows. */
const SHOWN = 50;

/** Who opened gates and locks, newest first, as it happens; null until the hub has answered, or has failed to. */
export function useOpenings(): readonly Opening[] | null {
  const [openings, setOpenings] = useState<readonly Opening[] | null>(null);
  useEffect(() => {
    const load = (): Promise<void> =>
      get("/api/openings", { query: { limit: SHOWN } })
        .then((answer) => setOpenings(answer.openings))
        .catch(() => setOpenings((before) => before ?? []));
    void load();
    return askAfter(["gate.opening"], load);
  }, []);
  return openings;
}

/** When an opening was, in words: that of the car that it was for, as long as its read is at hand. */
export function openingWhen({ at, readId }: Opening): string {
  return whenText(reads.value.find(({ id }) => id === readId)?.at ?? at);
}
