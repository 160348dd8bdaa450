import { useEffect, useState } from "preact/hooks";
import type { Vehicle } from "../../contract/resources/vehicle.js";
import { get } from "../api.js";
import { Card, Decision, Empty, PageHead, Plate } from "../components/basics.js";
import { OpenGate } from "../components/device-tile.js";
import { OccupancyGauge } from "../components/occupancy.js";
import { ReadCard } from "../components/read-card.js";
import { ago, duration, t } from "../i18n/translate.js";
import { type Device, deviceList, occupancy, type PlateRead, reads } from "../store.js";
import { CorrectRead } from "./correct-read.js";

const DECISIONS = ["all", "allow", "deny", "watch", "unknown"] as const;

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
      {tabs.map(([to, label]) => (
        <a key={to} href={to} {...(to === here ? { "aria-current": "page" as const } : {})}>
          {label}
        </a>
      ))}
    </nav>
  );
}

/** Who came and went: reads as they happen, with picture, decision and how sure the reader was. */
export function GatePage() {
  const [decision, setDecision] = useState<(typeof DECISIONS)[number]>("all");
  const [correcting, setCorrecting] = useState<PlateRead | null>(null);
  const [opening, setOpening] = useState<Device | null>(null);
  const shown = reads.value.filter((read) => decision === "all" || read.decision === decision);
  const gates = deviceList.value.filter((device) => device.type === "gate");
  const words = { all: t("feed.all"), allow: t("decision.allow"), deny: t("decision.deny"), watch: t("decision.watch"), unknown: t("decision.unknown") };
  return (
    <>
      <PageHead title={t("nav.gate")}>
        {gates.map((gate) => (
          <button type="button" class="button primary" key={gate.id} disabled={!gate.online} onClick={() => setOpening(gate)}>
            {t("gate.openNamed", { name: gate.name })}
          </button>
        ))}
      </PageHead>
      <GateTabs here="/gate" />
      {occupancy.value && (
        <Card title={t("home.inside")}>
          <OccupancyGauge occupancy={occupancy.value} />
        </Card>
      )}
      <div class="chips" role="group" aria-label={t("feed.filter")}>
        {DECISIONS.map((key) => (
          <button type="button" class="chip" key={key} aria-pressed={decision === key} onClick={() => setDecision(key)}>
            {words[key]}
          </button>
        ))}
      </div>
      {shown.length === 0 ? (
        <Card>
          <Empty icon="car" text={t("gate.noReads")} />
        </Card>
      ) : (
        <div class="cards">
          {shown.map((read) => (
            <ReadCard key={read.id} read={read} onCorrect={() => setCorrecting(read)} />
          ))}
        </div>
      )}
      {correcting && <CorrectRead read={correcting} onClose={() => setCorrecting(null)} />}
      {opening && <OpenGate device={opening} onClose={() => setOpening(null)} />}
    </>
  );
}

/** The register: every plate seen, with its visits. */
export function VehiclesPage() {
  const [answer, setAnswer] = useState<{ insideNow: number; vehicles: Vehicle[] } | null>(null);
  useEffect(() => {
    void get<{ insideNow: number; vehicles: Vehicle[] }>("/v1/vehicles?days=365&limit=1000")
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
