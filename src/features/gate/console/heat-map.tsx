import { zoneDate, zoneHour } from "../../../console/components/zone-time.ts";
import { number, t } from "../../../console/i18n/translate.ts";
import { HEAT_DAYS, type HourCounts, heatOf } from "./day-model.ts";

/** A Monday, so that weekdays can be named. */
const MONDAY = Date.UTC(2026, 2, 2);

/** How busy the gate was in the last weeks by weekday and hour, and how many plates could be read. */
export function HeatMap({ hours }: { hours: readonly HourCounts[] }) {
  const heat = heatOf(hours);
  const most = Math.max(1, ...heat.flat());
  const unread = hours.reduce((sum, hour) => sum + hour.unread, 0);
  const all = hours.reduce((sum, { allow, deny, watch, unknown }) => sum + allow + deny + watch + unknown, unread);
  const share = all === 0 ? 0 : Math.round(((all - unread) / all) * 100);
  return (
    <section class="heat" aria-label={t("heat.title")}>
      <div class="row between">
        <h2>{t("heat.title")}</h2>
        <p class="soft small">{t("heat.share", { share: number(share, 0), n: all, days: HEAT_DAYS })}</p>
      </div>
      <table>
        <caption class="sr-only">{t("heat.caption", { days: HEAT_DAYS })}</caption>
        <thead>
          <tr>
            <td />
            {heat[0]?.map((_, hour) => (
              <th key={hour} scope="col">
                <span class={hour % 6 === 0 ? "" : "sr-only"}>{zoneHour(MONDAY + hour * 3_600_000, "UTC")}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {heat.map((row, weekday) => {
            const name = zoneDate(MONDAY + weekday * 86_400_000, "UTC", { weekday: "short" });
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                {row.map((count, hour) => (
                  <td key={hour} style={{ "--heat": String(count / most) }}>
                    <span class="sr-only">{count}</span>
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
