import { useEffect, useState } from "preact/hooks";
import { ApiError, get, post, remove } from "../../../console/api.ts";
import { Card, Decision, Gone, PageHead, Plate } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { dateTime, dayOf, duration, t, timeOfDay } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { go } from "../../../console/router.ts";
import { isOwner, keepsGate } from "../../../console/session.ts";
import { devices, reads, refreshGate } from "../../../console/store.ts";
import type { PlateRule } from "../resources/plate-rule.ts";
import type { VehicleHistory, Visit } from "../resources/vehicle.ts";
import { RuleDialog } from "./rule-dialog.tsx";
import { boundsText } from "./rule-times.ts";

/** One vehicle: its visits as a timeline with the length of each stay. */
export function VehiclePage({ params }: PageProps) {
  const plate = params.plate ?? "";
  const [history, setHistory] = useState<VehicleHistory | null>(null);
  const [missing, setMissing] = useState(false);
  const [open, setOpen] = useState<"rule" | "forget" | null>(null);
  const [rules, setRules] = useState<readonly PlateRule[]>([]);
  const [editing, setEditing] = useState<PlateRule | null>(null);
  const close = (): void => {
    setOpen(null);
    setEditing(null);
  };
  useEffect(() => {
    void get("/v1/vehicles/{plate}", { params: { plate } })
      .then((answer) => setHistory(answer))
      .catch((error) => setMissing(error instanceof ApiError && error.status === 404));
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
        {keepsGate.value && <Button text={t("rules.add")} onClick={() => setOpen("rule")} />}
        {isOwner.value && <Button look="danger" text={t("vehicle.forget")} onClick={() => setOpen("forget")} />}
      </PageHead>
      <Tabs of="/gate" here="/gate/vehicles" />
      <Card>
        <div class="row between">
          <Plate text={history.formatted} />
          {isLetIn && <span class="soft">{t("vehicle.total", { stay: duration(history.totalStaySeconds) })}</span>}
        </div>
      </Card>
      <Card title={t("vehicle.rules")}>
        {own.length === 0 ? (
          <p class="soft">{t("vehicle.noRule")}</p>
        ) : (
          <ul class="list wrapped">
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
      <Card title={t("vehicle.visits")}>
        {history.visits.length === 0 ? (
          <p class="soft">{t("vehicle.noVisits")}</p>
        ) : (
          <ol class="list">
            {history.visits.map((visit) => (
              <VisitLine key={visit.id} visit={visit} onLeft={() => void left(visit)} />
            ))}
          </ol>
        )}
      </Card>
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

/** When it left: only the time of day if it left on the day it came. */
function exitWord({ entryAt, exitAt, status }: Visit): string {
  if (exitAt === null) return status === "open" ? t("visit.stillHere") : t("visit.exitUnknown");
  const isSameDay = entryAt !== null && dayOf(entryAt) === dayOf(exitAt);
  return isSameDay ? timeOfDay(exitAt) : dateTime(exitAt);
}

function VisitLine({ visit, onLeft }: { visit: Visit; onLeft: () => void }) {
  const ids = new Set([visit.entryCamera, visit.exitCamera].filter((id) => id !== null));
  const cameras = [...ids].map((id) => devices.value.get(id)?.name ?? id).join(" → ");
  const words = {
    open: t("visit.open"),
    closed: t("visit.closed"),
    entry_missed: t("visit.entryMissed"),
    exit_missed: t("visit.exitMissed"),
  };
  const tone = visit.status === "open" ? "badge good" : visit.status === "closed" ? "badge" : "badge warn";
  return (
    <li>
      <div class="grow">
        <p>
          {visit.entryAt === null ? t("visit.entryUnknown") : dateTime(visit.entryAt)}
          {" → "}
          {exitWord(visit)}
        </p>
        {cameras !== "" && <p class="soft small">{cameras}</p>}
        {visit.staySeconds !== null && (
          <p class="soft small">{t("visit.stayed", { stay: duration(visit.staySeconds) })}</p>
        )}
      </div>
      {visit.status === "open" && keepsGate.value && <Button text={t("visit.close")} onClick={onLeft} />}
      <span class={tone}>{words[visit.status]}</span>
    </li>
  );
}
