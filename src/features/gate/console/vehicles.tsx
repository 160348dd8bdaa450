import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Decision, Empty, PageHead, Plate } from "../../../console/components/basics.tsx";
import { Moment } from "../../../console/components/moment.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { duration, t } from "../../../console/i18n/translate.ts";
import { reads } from "../../../console/store.ts";
import type { Vehicle } from "../resources/vehicle.ts";

/** The register: every plate seen, with its visits. */
export function VehiclesPage() {
  const [answer, setAnswer] = useState<{ insideNow: number; vehicles: Vehicle[] } | null>(null);
  useEffect(() => {
    void get("/v1/vehicles", { query: { days: 365, limit: 1000 } })
      .then(setAnswer)
      .catch(() => setAnswer(null));
  }, [reads.value]);
  return (
    <>
      <PageHead
        title={t("gate.vehicles")}
        subtitle={answer === null ? "" : t("gate.insideNow", { n: answer.insideNow })}
      />
      <Tabs of="/gate" here="/gate/vehicles" />
      <Card>
        {answer === null || answer.vehicles.length === 0 ? (
          <Empty icon="car" text={t("gate.noVehicles")} />
        ) : (
          <ul class="list wrapped">
            {answer.vehicles.map((vehicle) => (
              <li key={vehicle.plate}>
                <a href={`/gate/vehicles/${encodeURIComponent(vehicle.plate)}`}>
                  <Plate text={vehicle.formatted} />
                </a>
                <div class="grow">
                  <p>{vehicle.label ?? t("gate.visits", { n: vehicle.visits })}</p>
                  <p class="soft small">
                    <Moment iso={vehicle.lastSeen} />
                    {vehicle.averageStaySeconds !== null &&
                      ` · ${t("gate.averageStay", { stay: duration(vehicle.averageStaySeconds) })}`}
                  </p>
                </div>
                {vehicle.inside && <span class="badge good">{t("gate.inside")}</span>}
                {vehicle.list !== null &&
                  (vehicle.list === "allow" || vehicle.list === "deny" || vehicle.list === "watch") && (
                    <Decision decision={vehicle.list} />
                  )}
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  );
}
