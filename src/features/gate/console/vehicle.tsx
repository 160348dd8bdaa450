import { useEffect, useState } from "preact/hooks";
import { ApiError, get, post, remove } from "../../../console/api.ts";
import { Card, Decision, PageHead, Plate } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { byDay } from "../../../console/components/by-day.ts";
import { Confirm } from "../../../console/components/dialog.tsx";
import { Gone } from "../../../console/components/gone.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { dayName, duration, shortDate, t, timeOfDay } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { go } from "../../../console/router.ts";
import { isOwner, keepsGate } from "../../../console/session.ts";
import { devices, type GateRead, reads, refreshGate } from "../../../console/store.ts";
import type { PlateRule } from "../resources/plate-rule.ts";
import type { VehicleHistory, Visit } from "../resources/vehicle.ts";
import { PlateCrop } from "./plate-crop.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { boundsText } from "./rule-times.ts";
import "./gate-day.css";

/** One vehicle: its visits as a timeline with the length of each stay. */
export function VehiclePage({ params }: PageProps) {
  const plate = params.plate ?? "";
  const [history, setHistory] = useState<VehicleHistory | null>(null);
  const [missing, setMissing] = useState(false);
  const [open, setOpen] = useState<"rule" | "forget" | null>(null);
  const [rules, setRules] = useState<readonly PlateRule[]>([]);
  const [seen, setSeen] = useState<readonly GateRead[]>([]);
  const [editing, setEditing] = useState<PlateRule | null>(null);
  const close = (): void => {
    setOpen(null);
    setEditing(null);
  };
  useEffect(() => {
    void get("/v1/vehicles/{plate}", { params: { plate } })
      .then((answer) => setHistory(answer))
      .catch((error) => setMissing(error instanceof ApiError && error.status === 404));
    void get("/api/reads", { query: { q: plate, limit: 200 } })
      .then((answer) => setSeen(answer.reads.filter((read) => read.plate === plate)))
      .catch(() => {});
  }, [plate, reads.value]);
  useEffect(() => {
    void get("/v1/plate-rules")
      .then((answer) => setRules(answer.rules))
      .catch(() => {});
  }, [plate, open, editing]);
  const forget = async (): Promise<void> => {
    const { deleted } = await remove("/api/vehicles/{plate}", { params: { plate } });
    say(t("vehicle.forgotten", { n: deleted }));
    await refreshGate();
    go("/gate/vehicles", { replace: true });
  };
  const left = async (visit: Visit): Promise<void> => {
    try {
      await post("/api/visits/{id}/close", { params: { id: visit.id } });
      await refreshGate();
    } catch (error) {
      sayError(error);
    }
  };
  if (missing) return <Gone text={t("vehicle.never")} />;
  if (history === null) return <p aria-busy="true">{t("state.loading")}</p>;
  const own = rules.filter((rule) => rule.plate === history.plate);
  const name = own.find(({ label }) => label !== "")?.label ?? "";
  const addRule = <Button text={t("rules.add")} onClick={() => setOpen("rule")} />;
  const isLetIn = own.some(({ kind }) => kind === "allow");
  return (
    <>
      <PageHead
        title={name === "" ? history.formatted : name}
        subtitle={
          isLetIn
            ? t("vehicle.summary", { passes: history.passes, visits: history.visits.length })
            : t("gate.seenTimes", { n: history.passes })
        }
      >
        {history.inside && <span class="badge good">{t("gate.inside")}</span>}
        {keepsGate.value && own.length === 0 && addRule}
      </PageHead>
      <Tabs of="/gate" here="/gate/vehicles" />
      <Card>
        <div class="row between">
          <Plate text={history.formatted} />
          {isLetIn && <span class="soft">{t("vehicle.total", { stay: duration(history.totalStaySeconds) })}</span>}
        </div>
      </Card>
      <Card title={t("vehicle.rules")} action={keepsGate.value && own.length > 0 ? addRule : undefined}>
        {own.length === 0 ? (
          <p class="soft">{t("vehicle.noRule")}</p>
        ) : (
          <ul class="list">
            {own.map((rule) => (
              <li key={rule.id}>
                <div class="grow">
                  <p>{rule.label === "" ? t("rules.noLabel") : rule.label}</p>
                  <p class="soft small">{ruleText(rule)}</p>
                </div>
                {!rule.enabled && <span class="badge">{t("device.off")}</span>}
                <Decision decision={rule.kind} />
                {keepsGate.value && (
                  <IconButton
                    icon="pencil"
                    label={t("rules.editNamed", { plate: rule.formatted })}
                    onClick={() => setEditing(rule)}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </Card>
      <section class="stack" aria-label={t("vehicle.visits")}>
        <h2>{t("vehicle.visits")}</h2>
        {history.visits.length === 0 ? (
          <p class="soft">{t("vehicle.noVisits")}</p>
        ) : (
          <Visits visits={history.visits} seen={seen} onLeft={(visit) => void left(visit)} />
        )}
      </section>
      {isOwner.value && (
        <details class="group">
          <summary>{t("day.more")}</summary>
          <div class="row">
            <Button look="danger" icon="trash" text={t("vehicle.forget")} onClick={() => setOpen("forget")} />
          </div>
        </details>
      )}
      {editing !== null && <RuleDialog rule={editing} onClose={close} onDone={close} />}
      {open === "rule" && (
        <RuleDialog
          rule={null}
          plate={history.formatted}
          onClose={close}
          onDone={() => {
            close();
            say(t("action.saved"));
          }}
        />
      )}
      {open === "forget" && (
        <Confirm
          title={t("vehicle.forgetTitle", { plate: history.formatted })}
          text={t("vehicle.forgetText")}
          action={t("vehicle.forget")}
          danger
          onYes={forget}
          onClose={close}
        />
      )}
    </>
  );
}

/** Where and when a rule holds. */
function ruleText(rule: PlateRule): string {
  const where =
    rule.deviceId === null ? t("rules.everyCamera") : (devices.value.get(rule.deviceId)?.name ?? rule.deviceId);
  return [where, boundsText(rule)].filter((part) => part !== "").join(" · ");
}

/** Visits drawn before somebody asks for the others. */
const FIRST_VISITS = 8;

/** Visits under the names of the days on which they began, each with the plate as it was seen then. */
function Visits({
  visits,
  seen,
  onLeft,
}: {
  visits: readonly Visit[];
  seen: readonly GateRead[];
  onLeft: (visit: Visit) => void;
}) {
  const [drawn, setDrawn] = useState(FIRST_VISITS);
  const readAt = new Map(seen.map((read) => [read.at, read]));
  const days = byDay(visits.slice(0, drawn), ({ entryAt, exitAt }) => dayName(entryAt ?? exitAt ?? ""));
  const left = visits.length - drawn;
  return (
    <>
      {days.map(({ name, things }) => (
        <section key={name} aria-label={name}>
          <h3 class="day-name">{name}</h3>
          <ol class="read-rows">
            {things.map((visit) => (
              <VisitRow
                key={visit.id}
                visit={visit}
                read={readAt.get(visit.entryAt ?? "") ?? readAt.get(visit.exitAt ?? "")}
                onLeft={() => onLeft(visit)}
              />
            ))}
          </ol>
        </section>
      ))}
      {left > 0 && <Button text={t("visit.more", { n: left })} onClick={() => setDrawn(visits.length)} />}
    </>
  );
}

/** From when to when, in the fewest words: the day is named only where it is another one. */
function spanText({ entryAt, exitAt, status }: Visit): string {
  const from = entryAt === null ? t("visit.entryUnknown") : timeOfDay(entryAt);
  if (exitAt === null) return `${from} – ${status === "open" ? t("visit.stillHere") : t("visit.exitUnknown")}`;
  const isSameDay = entryAt === null || dayName(entryAt) === dayName(exitAt);
  return `${from} – ${timeOfDay(exitAt)}${isSameDay ? "" : ` (${shortDate(new Date(exitAt))})`}`;
}

function VisitRow({ visit, read, onLeft }: { visit: Visit; read: GateRead | undefined; onLeft: () => void }) {
  const ids = new Set([visit.entryCamera, visit.exitCamera].filter((id) => id !== null));
  const cameras = [...ids].map((id) => devices.value.get(id)?.name ?? id).join(" → ");
  const stay = visit.staySeconds === null ? "" : duration(visit.staySeconds);
  const words = (
    <>
      {read === undefined ? <span class="crop none" aria-hidden="true" /> : <PlateCrop read={read} />}
      <span class="read-who">
        <strong>{spanText(visit)}</strong>
        <span class="soft small">
          {[stay === "" ? "" : t("visit.stayed", { stay }), cameras].filter((part) => part !== "").join(" · ")}
        </span>
      </span>
    </>
  );
  return (
    <li class="read-row visit-row">
      {read === undefined ? <div>{words}</div> : <a href={`/gate/reads/${read.id}`}>{words}</a>}
      {visit.status === "open" && keepsGate.value && <Button text={t("visit.close")} onClick={onLeft} />}
    </li>
  );
}
