import { useEffect, useState } from "preact/hooks";
import { ApiError, get } from "../../../console/api.ts";
import { Button, Chip } from "../../../console/components/button.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { momentOfField } from "../../../console/components/zone-time.ts";
import { problemText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import { type Device, type PlateRead, reads } from "../../../console/store.ts";

/** What the reads on the page are narrowed to; empty: everything. Moments as in a `datetime-local` field. */
export interface ReadFilter {
  readonly plate: string;
  readonly camera: string;
  readonly decision: PlateRead["decision"] | "";
  readonly direction: "in" | "out" | "";
  readonly status: PlateRead["status"] | "";
  readonly from: string;
  readonly to: string;
}

/** Everything. */
export const NO_FILTER: ReadFilter = {
  plate: "",
  camera: "",
  decision: "",
  direction: "",
  status: "",
  from: "",
  to: "",
};

/** Reads on one page of a search. */
const PAGE = 50;
/** Pause after which typing counts as finished. */
const REST_MS = 350;

/** Whether anything is narrowed. */
export function isFiltered(filter: ReadFilter): boolean {
  return Object.values(filter).some((value) => value !== "");
}

function queryOf(filter: ReadFilter, last: PlateRead | undefined) {
  return {
    limit: PAGE,
    plate: filter.plate.trim() || undefined,
    deviceId: filter.camera || undefined,
    decision: filter.decision || undefined,
    direction: filter.direction || undefined,
    status: filter.status || undefined,
    since: filter.from === "" ? undefined : momentOfField(filter.from),
    until: last?.at ?? (filter.to === "" ? undefined : momentOfField(filter.to)),
  };
}

/** Whether the plate can be searched for; shorter texts are still being typed. */
function isAskable(filter: ReadFilter): boolean {
  const plate = filter.plate.replace(/[^0-9a-z]/gi, "");
  return plate === "" || (plate.length >= 4 && /\d/.test(plate));
}

/** The matching reads: without a filter the store's live ones, else a search that is repeated when a car passes. */
export function useReads(filter: ReadFilter): {
  found: readonly PlateRead[];
  more: (() => void) | null;
  problem: string | null;
} {
  const [result, setResult] = useState<{ plates: readonly PlateRead[]; isLast: boolean } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const narrowed = isFiltered(filter);
  const load = async (before: readonly PlateRead[]): Promise<void> => {
    try {
      const { plates } = await get("/v1/plates", { query: queryOf(filter, before.at(-1)) });
      const known = new Set(before.map(({ id }) => id)); // vehicles of one picture share their moment
      setResult({ plates: [...before, ...plates.filter(({ id }) => !known.has(id))], isLast: plates.length < PAGE });
      setProblem(null);
    } catch (error) {
      if (error instanceof ApiError && error.code === "invalid_plate") setProblem(problemText(error));
      else sayError(error);
    }
  };
  useEffect(() => {
    if (!narrowed) {
      setResult(null);
      setProblem(null);
      return;
    }
    if (!isAskable(filter)) return;
    const timer = setTimeout(() => void load([]), REST_MS);
    return () => clearTimeout(timer);
  }, [filter, reads.value]);
  if (result === null)
    return {
      found: reads.value,
      more: !narrowed && reads.value.length >= PAGE ? () => void load(reads.value) : null,
      problem,
    };
  return { found: result.plates, more: result.isLast ? null : () => void load(result.plates), problem };
}

/** All filters for reads. */
export function ReadFilters({
  filter,
  cameras,
  problem,
  onChange,
}: {
  filter: ReadFilter;
  cameras: readonly Device[];
  problem: string | null;
  onChange: (filter: ReadFilter) => void;
}) {
  const set = (member: keyof ReadFilter) => (value: string) => onChange({ ...filter, [member]: value });
  const any = ["", t("filter.any")] as const;
  const decisions = [
    any,
    ["allow", t("decision.allow")],
    ["deny", t("decision.deny")],
    ["watch", t("decision.watch")],
    ["unknown", t("decision.unknown")],
  ] as const;
  const further = [filter.camera, filter.direction, filter.status, filter.from, filter.to].filter(
    (value) => value !== "",
  ).length;
  return (
    <section class="card read-filter" aria-label={t("filter.title")}>
      <div class="chips" role="group" aria-label={t("filter.decision")}>
        {decisions.map(([value, label]) => (
          <Chip
            key={value}
            text={label}
            pressed={filter.decision === value}
            onClick={() => onChange({ ...filter, decision: value })}
          />
        ))}
      </div>
      <TextField
        label={t("read.plate")}
        type="search"
        value={filter.plate}
        onInput={set("plate")}
        error={problem ?? undefined}
      />
      <details>
        <summary>{further === 0 ? t("filter.more") : t("filter.moreSet", { n: further })}</summary>
        <div class="filters">
          <SelectField
            label={t("filter.camera")}
            value={filter.camera}
            onChange={set("camera")}
            options={[any, ...cameras.map((camera) => [camera.id, camera.name] as const)]}
          />
          <SelectField
            label={t("block.direction")}
            value={filter.direction}
            onChange={set("direction")}
            options={[any, ["in", t("read.in")], ["out", t("read.out")]]}
          />
          <SelectField
            label={t("filter.status")}
            value={filter.status}
            onChange={set("status")}
            options={[any, ["recognised", t("filter.recognised")], ["unrecognised", t("filter.unrecognised")]]}
          />
          <TextField label={t("filter.from")} type="datetime-local" value={filter.from} onInput={set("from")} />
          <TextField label={t("filter.to")} type="datetime-local" value={filter.to} onInput={set("to")} />
        </div>
      </details>
      {isFiltered(filter) && (
        <div class="row">
          <Button text={t("filter.clear")} onClick={() => onChange(NO_FILTER)} />
        </div>
      )}
    </section>
  );
}
