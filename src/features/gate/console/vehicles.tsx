import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Empty, PageHead, TryAgain } from "../../../console/components/basics.tsx";
import { FindList } from "../../../console/components/find-list.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { calendarDay, duration, shortDate, t, timeOfDay, whenText } from "../../../console/i18n/translate.ts";
import { type GateRead, inside, reads } from "../../../console/store.ts";
import type { Vehicle } from "../resources/vehicle.ts";
import { type CarInside, carsInside } from "./inside.ts";
import { MayHaveLeft } from "./may-have-left.tsx";
import { NobodyInside } from "./nobody-inside.tsx";
import { PlateCrop } from "./plate-crop.tsx";
import "./gate-day.css";

/** The register: every plate seen, with its visits; and who left without being seen. */
export function VehiclesPage() {
  const [vehicles, setVehicles] = useState<readonly Vehicle[] | null>(null);
  const [isFailed, setFailed] = useState(false);
  const load = (): void => {
    void get("/v1/vehicles", { query: { days: 365, limit: 1000 } })
      .then((answer) => {
        setVehicles(answer.vehicles);
        setFailed(false);
      })
      .catch(() => setFailed(true)); // a list that was loaded before stays
  };
  useEffect(load, [reads.value]);
  const howIn = new Map(inside.value.inside.map(({ plate, how }) => [plate, how]));
  const { here, mayHaveLeft } = carsInside(inside.value);
  const doubted = new Set(mayHaveLeft.map(({ plate }) => plate));
  const [latest, setLatest] = useState<readonly GateRead[]>(reads.value);
  useEffect(() => {
    void get("/api/reads", { query: { limit: 200, status: "recognised" } })
      .then((answer) => setLatest(answer.reads))
      .catch(() => {});
  }, [reads.value]);
  const newestOf = new Map([...latest].reverse().map((read) => [read.plate, read]));
  return (
    <>
      <PageHead
        title={t("gate.vehicles")}
        subtitle={here.length === 0 ? <NobodyInside /> : t("inside.known", { n: here.length })}
      />
      <Tabs of="/gate" here="/gate/vehicles" />
      {mayHaveLeft.length > 0 && (
        <Card title={t("inside.mayHaveLeft")}>
          <MayHaveLeft cars={mayHaveLeft} />
        </Card>
      )}
      <LeftUnseen />
      {vehicles === null ? (
        isFailed ? (
          <TryAgain text={t("history.failed")} onTry={load} />
        ) : (
          <p aria-busy="true">{t("state.loading")}</p>
        )
      ) : vehicles.length === 0 ? (
        <Card>
          <Empty icon="car" text={t("gate.noVehicles")} />
        </Card>
      ) : (
        <FindList
          items={vehicles}
          label={t("day.search")}
          wordsOf={({ plate, formatted, label }) => [plate, formatted, label ?? ""].join(" ")}
          className="read-rows"
          orders={[
            { name: t("order.newest"), compare: (one, other) => other.lastSeen.localeCompare(one.lastSeen) },
            { name: t("order.name"), compare: (one, other) => nameOf(one).localeCompare(nameOf(other)) },
            { name: t("order.often"), compare: (one, other) => other.passes - one.passes },
          ]}
          narrowings={[
            { name: t("gate.inside"), fits: ({ plate }) => (howIn.get(plate) ?? "at_gate") !== "at_gate" },
            ...KINDS.map((kind) => ({ name: t(`decision.${kind}`), fits: ({ list }: Vehicle) => list === kind })),
            { name: t("decision.unknown"), fits: ({ list }) => list === null },
          ]}
          row={(vehicle) => (
            <VehicleRow
              key={vehicle.plate}
              vehicle={vehicle}
              how={howIn.get(vehicle.plate)}
              isDoubted={doubted.has(vehicle.plate)}
              read={newestOf.get(vehicle.plate)}
            />
          )}
        />
      )}
    </>
  );
}

const KINDS = ["allow", "deny", "watch"] as const;

function nameOf({ label, formatted }: Vehicle): string {
  return label === null || label === "" ? formatted : label;
}

/** When it was last seen, as short as it can be said. */
function seenText(iso: string): string {
  const days = calendarDay(Date.now()) - calendarDay(Date.parse(iso));
  if (days === 0) return timeOfDay(iso);
  return `${days === 1 ? t("when.yesterdayName") : shortDate(new Date(iso))}, ${timeOfDay(iso)}`;
}

function VehicleRow({
  vehicle,
  how,
  isDoubted,
  read,
}: {
  vehicle: Vehicle;
  how: CarInside["how"] | undefined;
  /** It may have left since. */
  isDoubted: boolean;
  read: GateRead | undefined;
}) {
  const list = KINDS.find((kind) => kind === vehicle.list);
  const isLetIn = list === "allow"; // others were seen at the gate: how long they stayed there is no visit to the house
  return (
    <li class="read-row vehicle-row">
      <a href={`/gate/vehicles/${encodeURIComponent(vehicle.plate)}`}>
        {read === undefined ? <span class="plate small">{vehicle.formatted}</span> : <PlateCrop read={read} />}
        <span class="read-who">
          <strong>{nameOf(vehicle)}</strong>
          <span class="soft small">
            {list !== undefined && <span class={`rule-kind ${list}`}>{t(`decision.${list}`)} · </span>}
            {seenText(vehicle.lastSeen)}
            <span class="where-wide">
              {" · "}
              {t(isLetIn ? "gate.visits" : "gate.seenTimes", { n: isLetIn ? vehicle.visits : vehicle.passes })}
              {isLetIn &&
                vehicle.averageStaySeconds !== null &&
                ` · ${t("gate.averageStay", { stay: duration(vehicle.averageStaySeconds) })}`}
            </span>
          </span>
        </span>
        <span class="read-way">
          {how !== undefined && how !== "at_gate" && (
            <span class={isDoubted ? "badge" : "badge good"}>
              {t(isDoubted ? "inside.mayHaveLeft" : `inside.${how}`)}
            </span>
          )}
        </span>
      </a>
    </li>
  );
}

/** Vehicles that were seen to come in, and not to leave. */
function LeftUnseen() {
  const { leftUnseen } = inside.value;
  if (leftUnseen.length === 0) return null;
  const isAsked = new URLSearchParams(location.search).get("show") === "unseen";
  return (
    <FoldCard
      title={t("inside.unseen", { n: leftUnseen.length })}
      value={t("inside.unseenText")}
      starts={isAsked ? "open" : "folded"}
    >
      <ul class="list">
        {leftUnseen.slice(0, UNSEEN_SHOWN).map(({ visitId, plate, formatted, label, since }) => (
          <li key={visitId}>
            <a class="grow" href={`/gate/vehicles/${encodeURIComponent(plate)}`}>
              {label || formatted}
            </a>
            {since !== null && <span class="soft small">{t("inside.cameIn", { when: whenText(since) })}</span>}
          </li>
        ))}
      </ul>
    </FoldCard>
  );
}

const UNSEEN_SHOWN = 20;
