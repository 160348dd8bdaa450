import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Empty, Notice, PageHead, TryAgain } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { problemText } from "../../../console/i18n/hub-texts.ts";
import { ago, t } from "../../../console/i18n/translate.ts";
import { EstateHubCard } from "./estate-hub.tsx";
import { type Estate, type EstateHub, sortedHubs } from "./estate-model.ts";
import { OpenGateDialog } from "./estate-open.tsx";
import { EstateParts } from "./estate-parts.tsx";
import { EstateReads } from "./estate-reads.tsx";
import { EstateVehicles } from "./estate-vehicles.tsx";
import "./estate.css";

const REFRESH_MS = 5_000;
/** From this many gates on there is a search field. */
const MANY = 9;
/** Shown at first; those in trouble come first. */
const SHOWN = 12;

/** A gate that the person is about to open. */
export interface AskedGate {
  readonly hub: EstateHub;
  readonly gate: EstateHub["gates"][number];
}

/** All gates of the estate: their state, the vehicles inside, the reads, and opening a gate. */
export function EstatePage() {
  const [estate, setEstate] = useState<Estate | null>(null);
  const [isLoaded, setLoaded] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const [search, setSearch] = useState("");
  const [isWhole, setWhole] = useState(false);
  const [asked, setAsked] = useState<AskedGate | null>(null);
  const load = async (): Promise<void> => {
    try {
      setEstate((await get("/api/estate")).estate);
      setLoaded(true);
      setProblem(null);
    } catch (error) {
      setProblem(error);
    }
  };
  useEffect(() => {
    void load();
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const own = estate?.hubs.find((hub) => hub.self);
  const hubs = sortedHubs(estate?.hubs ?? [], search);
  const isCut = !isWhole && search === "" && hubs.length > SHOWN;
  return (
    <>
      <PageHead
        title={t("estate.title")}
        subtitle={estate === null ? "" : t("estate.subtitle", { estate: estate.estate, name: own?.name ?? estate.hub })}
      />
      <Tabs of="/gate" here="/gate/estate" />
      {problem !== null && <TryAgain text={problemText(problem)} onTry={() => void load()} />}
      {isLoaded && estate === null && (
        <Card>
          <Empty icon="fence" text={t("estate.none")}>
            <code>gatehouse estate join</code>
          </Empty>
        </Card>
      )}
      {estate !== null && (
        <>
          <Standing estate={estate} />
          <EstateParts estate={estate} onChanged={() => void load()} />
          <section class="stack" aria-label={t("estate.gates")}>
            <div class="row between">
              <h2>{t("estate.gatesCount", { n: estate.hubs.length })}</h2>
            </div>
            {estate.hubs.length >= MANY && (
              <SearchField label={t("estate.search")} value={search} onInput={setSearch} />
            )}
            {hubs.length === 0 && <Empty icon="search" text={t("estate.noneFound")} />}
            <ul class="cards estate-hubs">
              {hubs.slice(0, isCut ? SHOWN : hubs.length).map((hub) => (
                <EstateHubCard
                  key={hub.hub}
                  hub={hub}
                  mayOpen={estate.role === "manager" && estate.connected}
                  onOpen={(gate) => setAsked({ hub, gate })}
                />
              ))}
            </ul>
            {isCut && <Button text={t("estate.showAll", { n: hubs.length })} onClick={() => setWhole(true)} />}
          </section>
          {estate.role === "manager" ? (
            <>
              <EstateVehicles parts={estate.parts} />
              <EstateReads hubs={estate.hubs} />
            </>
          ) : (
            <Notice tone="good">{t("estate.gateOnly")}</Notice>
          )}
        </>
      )}
      {asked !== null && <OpenGateDialog asked={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

/** The age of this hub's data. */
function Standing({ estate }: { estate: Estate }) {
  const { connected, behind, waiting, currentAt, error, refusal } = estate;
  if (!connected)
    return (
      <Notice tone="bad">
        <p>
          <strong>
            {currentAt === null ? t("estate.neverConnected") : t("estate.cutOff", { ago: ago(currentAt) })}
          </strong>
        </p>
        <p>{t("estate.cutOffText", { n: waiting })}</p>
        {error !== null && <p class="soft small">{error}</p>}
      </Notice>
    );
  if (refusal !== null)
    return (
      <Notice tone="warn">
        <p>{t("estate.refusedText", { n: waiting })}</p>
        <p class="soft small">{refusal}</p>
      </Notice>
    );
  if (behind !== null && behind > 0) return <Notice tone="warn">{t("estate.catchingUp", { n: behind })}</Notice>;
  if (behind === null) return <p class="soft small">{t("estate.connecting")}</p>;
  return (
    <p class="soft small" role="status">
      {waiting > 0 ? t("estate.sending", { n: waiting }) : t("estate.current")}
    </p>
  );
}
