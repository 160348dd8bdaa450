import { useEffect, useState } from "preact/hooks";
import { get } from "../../../console/api.ts";
import { Card, Decision, Empty, Plate } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Moment } from "../../../console/components/moment.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { Estate } from "./estate-model.ts";

type Page = AnswerTo<"GET", "/api/estate/vehicles">;
type Vehicle = Page["vehicles"][number];

const PAGE = 20;
/** Pause after which typing counts as finished. */
const REST_MS = 350;

/** Collects a page of matches; the hub searches a part of its vehicles at a time. */
async function pageOf(search: string, cursor: string | null, isWanted: () => boolean): Promise<Page> {
  const vehicles: Vehicle[] = [];
  let next = cursor;
  do {
    const query = { search: search.trim() || undefined, limit: PAGE - vehicles.length, cursor: next ?? undefined };
    const answer: Page = await get("/api/estate/vehicles", { query });
    vehicles.push(...answer.vehicles);
    next = answer.next;
  } while (next !== null && vehicles.length < PAGE && isWanted());
  return { vehicles, next };
}

/** All vehicles of the estate: owner, rule for all gates, location, last read. */
export function EstateVehicles({ parts }: { parts: Estate["parts"] }) {
  const [search, setSearch] = useState("");
  const [found, setFound] = useState<Page | null>(null);
  const [isLoading, setLoading] = useState(false);
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      try {
        const page = await pageOf(search, null, () => !isOver);
        if (!isOver) setFound(page);
      } catch (error) {
        if (!isOver) sayError(error);
      }
    };
    const timer = setTimeout(() => void load(), search === "" ? 0 : REST_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [search]);
  const more = async (): Promise<void> => {
    if (found === null) return;
    setLoading(true);
    try {
      const page = await pageOf(search, found.next, () => true);
      // the search may have changed meanwhile
      setFound((now) => (now === found ? { ...page, vehicles: [...found.vehicles, ...page.vehicles] } : now));
    } catch (error) {
      sayError(error);
    }
    setLoading(false);
  };
  const nameOf = (part: string): string => parts.find((one) => one.part === part)?.name ?? part;
  return (
    <Card title={t("estate.vehicles")}>
      <SearchField label={t("estate.findVehicle")} value={search} onInput={setSearch} />
      {found !== null && found.vehicles.length === 0 && (
        <Empty
          icon={search === "" ? "car" : "search"}
          text={search === "" ? t("estate.noVehicles") : t("estate.noVehicleFound")}
        />
      )}
      <ul class="list wrapped">
        {(found?.vehicles ?? []).map((vehicle) => (
          <li key={vehicle.plate}>
            <Plate text={vehicle.formatted} />
            <div class="grow">
              <p>{vehicle.label === "" ? t("estate.unnamed") : vehicle.label}</p>
              <p class="soft small">
                <Whereabouts vehicle={vehicle} nameOf={nameOf} />
              </p>
            </div>
            {vehicle.inside.length > 0 && <span class="badge good">{t("estate.isInside")}</span>}
            {vehicle.rule !== null && <Decision decision={vehicle.rule} />}
          </li>
        ))}
      </ul>
      {found !== null && found.next !== null && (
        <Button text={t("estate.more")} disabled={isLoading} onClick={() => void more()} />
      )}
    </Card>
  );
}

function Whereabouts({ vehicle, nameOf }: { vehicle: Vehicle; nameOf: (part: string) => string }) {
  const { inside, lastSeen } = vehicle;
  if (lastSeen === null) return <>{t("estate.neverSeen")}</>;
  const place =
    inside.length > 0
      ? t("estate.insidePart", { part: inside.map(({ part }) => nameOf(part)).join(", ") })
      : t("estate.seenAt", { name: lastSeen.hubName });
  return (
    <>
      {place}
      {" · "}
      <Moment iso={lastSeen.at} />
    </>
  );
}
