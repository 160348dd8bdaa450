import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Decision, Empty, Plate } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { Moment } from "../../../console/components/moment.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { EstateHub, EstateRead } from "./estate-model.ts";

const PAGE = 50;
const REFRESH_MS = 5_000;
/** Pause after which typing counts as finished. */
const REST_MS = 350;

type DecisionChoice = EstateRead["decision"] | "";

/** Reads of all gates, newest first; the first page is kept up to date. */
export function EstateReads({ hubs }: { hubs: readonly EstateHub[] }) {
  const [plate, setPlate] = useState("");
  const [hub, setHub] = useState("");
  const [decision, setDecision] = useState<DecisionChoice>("");
  const [reads, setReads] = useState<readonly EstateRead[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [isFirst, setFirst] = useState(true);
  const query = {
    limit: PAGE,
    hub: hub || undefined,
    plate: plate.trim() || undefined,
    decision: decision || undefined,
  };
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      try {
        const answer = await get("/api/estate/reads", { query });
        if (isOver) return;
        setReads(answer.reads);
        setNext(answer.next);
        setFirst(true);
      } catch (error) {
        if (!isOver) sayError(error);
      }
    };
    const first = setTimeout(() => void load(), plate === "" ? 0 : REST_MS);
    return () => {
      isOver = true;
      clearTimeout(first);
    };
  }, [plate, hub, decision]);
  useEffect(() => {
    if (!isFirst) return;
    let isOver = false;
    const timer = setInterval(() => {
      if (document.visibilityState !== "visible") return;
      get("/api/estate/reads", { query }).then(
        (answer) => {
          if (isOver) return;
          setReads(answer.reads);
          setNext(answer.next);
        },
        () => {}, // the page above reports that the hub does not answer
      );
    }, REFRESH_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [plate, hub, decision, isFirst]);
  const more = async (): Promise<void> => {
    if (next === null) return;
    try {
      const answer = await get("/api/estate/reads", { query: { ...query, cursor: next } });
      setFirst(false);
      setReads([...(reads ?? []), ...answer.reads]);
      setNext(answer.next);
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Card title={t("estate.reads")}>
      <div class="block-fields">
        <SelectField
          label={t("estate.gate")}
          value={hub}
          options={[["", t("estate.allGates")], ...hubs.map((one) => [one.hub, one.name] as const)]}
          onChange={setHub}
        />
        <SelectField<DecisionChoice>
          label={t("estate.decision")}
          value={decision}
          options={[
            ["", t("estate.everyDecision")],
            ["allow", t("decision.allow")],
            ["deny", t("decision.deny")],
            ["watch", t("decision.watch")],
            ["unknown", t("decision.unknown")],
          ]}
          onChange={setDecision}
        />
        <TextField label={t("estate.plate")} value={plate} onInput={setPlate} maxLength={32} />
      </div>
      {reads !== null && reads.length === 0 && (
        <Empty
          icon="car"
          text={plate === "" && hub === "" && decision === "" ? t("gate.noReads") : t("gate.noneFound")}
        />
      )}
      <ul class="list wrapped">
        {(reads ?? []).map((read) => (
          <li key={read.id}>
            <Plate text={read.formatted} />
            <div class="grow">
              <p>{read.label === "" ? read.hubName : `${read.label} · ${read.hubName}`}</p>
              <p class="soft small">
                {[
                  read.camera,
                  ...(read.direction === null ? [] : [read.direction === "in" ? t("read.in") : t("read.out")]),
                ].join(" · ")}
                {" · "}
                <Moment iso={read.at} />
              </p>
            </div>
            <Decision decision={read.decision} />
          </li>
        ))}
      </ul>
      {next !== null && <Button text={t("estate.more")} onClick={() => void more()} />}
    </Card>
  );
}
