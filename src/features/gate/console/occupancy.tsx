import { t } from "../../../console/i18n/translate.ts";
import type { Occupancy } from "../../../console/store.ts";

/** How many vehicles are inside, and how much room is left where a capacity is set. */
export function OccupancyGauge({ occupancy }: { occupancy: Occupancy }) {
  return (
    <div class="stack">
      <div class="row between">
        <span class="big-number">{occupancy.inside}</span>
        {occupancy.capacity === null ? (
          <span class="soft small">{t("occupancy.noCapacity")}</span>
        ) : (
          <span class={occupancy.full ? "badge deny" : "badge"}>
            {occupancy.full ? t("occupancy.full") : t("occupancy.free", { n: occupancy.free ?? 0 })}
          </span>
        )}
      </div>
      {occupancy.capacity !== null && (
        <progress
          class={occupancy.full ? "gauge full" : "gauge"}
          max={Math.max(occupancy.capacity, 1)}
          value={Math.min(occupancy.inside, Math.max(occupancy.capacity, 1))}
          aria-label={t("occupancy.label", { inside: occupancy.inside, capacity: occupancy.capacity })}
        />
      )}
    </div>
  );
}
