import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { isOpen } from "../../../console/components/device-tile.tsx";
import { tellerOf } from "../../../console/components/standing.ts";
import type { Device } from "../../../console/store.ts";
import { standingOf } from "../../../core/plates/opening.ts";

/** What is asked for: the last moment is enough, a state says since when it stands. */
const LOOK_BACK_MS = 60_000;

/** Since when a gate stands open (epoch ms), by the house's recorded states; null while it is shut, or nobody knows. */
export function useOpenSince(gate: Device | undefined): number | null {
  const [since, setSince] = useState<number | null>(null);
  const deviceId = gate?.online === true && isOpen(gate) ? tellerOf(gate).id : null;
  useEffect(() => {
    setSince(null);
    if (deviceId === null) return;
    let isStale = false;
    void get("/api/states", { query: { deviceId, from: new Date(Date.now() - LOOK_BACK_MS).toISOString() } })
      .then(({ stretch }) => {
        const opened = stretch.states.flatMap(({ key, before, changes }) => openSince(key, before, changes));
        if (!isStale && opened.length > 0) setSince(Math.min(...opened));
      })
      .catch(() => {});
    return () => {
      isStale = true;
    };
  }, [deviceId]);
  return since;
}

/** Since when one state says that it is open; empty where it does not. */
function openSince(
  key: string,
  before: { readonly value: unknown; readonly since: string } | null,
  changes: readonly { readonly at: string; readonly value: unknown }[],
): number[] {
  const isOpenBy = (value: unknown): boolean => ["open", "between"].includes(standingOf({ [key]: value }));
  let since: number | null = before !== null && isOpenBy(before.value) ? Date.parse(before.since) : null;
  for (const { at, value } of changes) since = isOpenBy(value) ? (since ?? Date.parse(at)) : null;
  return since === null ? [] : [since];
}
