import { useEffect, useState } from "preact/hooks";
import type { Vehicle } from "../../contract/resources/vehicle.js";
import { get } from "../api.js";
import { Card, Decision, Empty, PageHead, Plate } from "../components/basics.js";
import { GateCard } from "../components/gate-card.js";
import { LiveFrame } from "../components/live-frame.js";
import { OccupancyGauge } from "../components/occupancy.js";
import { ReadCard } from "../components/read-card.js";
import { ago, duration, t } from "../i18n/translate.js";
import { isOwner } from "../session.js";
import { deviceList, occupancy, type PlateRead, reads } from "../store.js";
import { CorrectRead } from "./correct-read.js";
import { isFiltered, NO_FILTER, type ReadFilter, ReadFilters, useReads } from "./read-filters.js";

/** The parts of the gate section and where they are. */
export function GateTabs({ here }: { here: string }) {
  const tabs = [
    ["/gate", t("gate.reads")],
    ["/gate/vehicles", t("gate.vehicles")],
    ["/gate/rules", t("gate.rules")],
    ["/gate/cameras", t("gate.cameras")],
  ] as const;
  return (
    <nav class="tabs" aria-label={t("nav.gate")}>
      {tabs.slice(0, isOwner.value ? tabs.length : 2).map(([to, label]) => (
        <a key={to} href={to} {...(to === here ? { "aria-current": "page" as const } : {})}>
          {label}
        </a>
      ))}
    </nav>
  );
}

/** Reads on the page at first; each has a picture. */
const FIRST_READS = 12;

/** Who came and went: each camera as it is now, and reads as they happen, with picture, decision and how sure the reader was. */
export function GatePage() {
  const [filter, setFilter] = useState<ReadFilter>(NO_FILTER);
  const [correcting, setCorrecting] = useState<PlateRead | null>(null);
  const [shown, setShown] = useState(FIRST_READS);
  const { found, more, problem } = useReads(filter);
  const showMore = (): void => {
    setShown(shown + FIRST_READS);
    if (shown + FIRST_READS > found.length) more?.();
  };
  const gates = deviceList.value.filter((device) => device.type === "gate");
  const cameras = deviceList.value.filter((device) => device.type === "camera");
  return (
    <>
      <PageHead title={t("nav.gate")} />
      <GateTabs here="/gate" />
      <div class="cards">
        {gates.map((gate) => (
          <GateCard key={gate.id} gate={gate} />
        ))}
        {occupancy.value && (
          <Card title={t("home.inside")}>
            <OccupancyGauge occupancy={occupancy.value} />
          </Card>
        )}
        {cameras.map((camera) => (
          <Card
            key={camera.id}
            title={camera.name}
            action={isOwner.value && <a href={`/gate/cameras/${encodeURIComponent(camera.id)}`}>{t("camera.setUp")}</a>}
          >
            <LiveFrame deviceId={camera.id} name={camera.name} fresh={false} />
          </Card>
        ))}
      </div>
      <ReadFilters filter={filter} cameras={cameras} problem={problem} onChange={setFilter} />
      {found.length === 0 ? (
        <Card>
          <Empty icon="car" text={isFiltered(filter) ? t("gate.noneFound") : t("gate.noReads")} />
        </Card>
      ) : (
        <div class="cards">
          {found.slice(0, shown).map((read) => (
            <ReadCard key={read.id} read={read} {...(isOwner.value ? { onCorrect: () => setCorrecting(read) } : {})} />
          ))}
        </div>
      )}
      {(shown < found.length || more !== null) && (
        <button type="button" class="button" onClick={showMore}>
          {t("feed.more")}
        </button>
      )}
      {correcting && <CorrectRead read={correcting} onClose={() => setCorrecting(null)} />}
    </>
  );
}

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
      <PageHead title={t("gate.vehicles")} subtitle={answer === null ? "" : t("gate.insideNow", { n: answer.insideNow })} />
      <GateTabs here="/gate/vehicles" />
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
                    {ago(vehicle.lastSeen)}
                    {vehicle.averageStaySeconds !== null && ` · ${t("gate.averageStay", { stay: duration(vehicle.averageStaySeconds) })}`}
                  </p>
                </div>
                {vehicle.inside && <span class="badge good">{t("gate.inside")}</span>}
                {vehicle.list !== null && (vehicle.list === "allow" || vehicle.list === "deny" || vehicle.list === "watch") && (
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
