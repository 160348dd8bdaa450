import { useState } from "preact/hooks";
import { Button, Chip } from "../../../console/components/button.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { isOwner, keepsGate } from "../../../console/session.ts";
import type { Device, GateRead } from "../../../console/store.ts";
import { ALL, countSet, type DayFilter, queryOf } from "./day-model.ts";

/** Search, the filters behind one button, choosing several, export. */
export function DayTools({
  filter,
  cameras,
  chooses,
  day,
  onFilter,
  onChoose,
  onDay,
}: {
  filter: DayFilter;
  cameras: readonly Device[];
  chooses: boolean;
  /** `2026-03-01`: the day that the list begins with. */
  day: string;
  onDay: (day: string) => void;
  onFilter: (filter: DayFilter) => void;
  onChoose: (chooses: boolean) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const n = countSet(filter);
  return (
    <search class="stack day-tools">
      <div class="tool-row">
        <SearchField label={t("day.search")} value={filter.q} onInput={(q) => onFilter({ ...filter, q })} />
        <button
          type="button"
          class="button"
          aria-expanded={isOpen}
          aria-controls="day-filters"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="filter" small />
          <span>{n === 0 ? t("filter.title") : t("day.filtersSet", { n })}</span>
        </button>
        {keepsGate.value && (
          <button type="button" class="button" aria-pressed={chooses} onClick={() => onChoose(!chooses)}>
            <Icon name="circleCheck" small />
            <span>{t("day.select")}</span>
          </button>
        )}
      </div>
      <div id="day-filters" hidden={!isOpen}>
        {isOpen && <Filters filter={filter} cameras={cameras} day={day} onFilter={onFilter} onDay={onDay} />}
      </div>
    </search>
  );
}

function Filters({
  filter,
  cameras,
  day,
  onFilter,
  onDay,
}: {
  filter: DayFilter;
  cameras: readonly Device[];
  day: string;
  onDay: (day: string) => void;
  onFilter: (filter: DayFilter) => void;
}) {
  const kinds = ["allow", "deny", "watch", "unknown"] as const satisfies readonly GateRead["decision"][];
  const any = ["", t("filter.any")] as const;
  const query = new URLSearchParams(
    Object.entries(queryOf(filter)).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return (
    <div class="card">
      <div class="chips" role="group" aria-label={t("filter.decision")}>
        {kinds.map((kind) => {
          const isOn = filter.decisions.includes(kind);
          return (
            <Chip
              key={kind}
              {...(isOn ? { icon: "check" as const } : {})}
              text={t(`decision.${kind}`)}
              pressed={isOn}
              onClick={() =>
                onFilter({
                  ...filter,
                  decisions: isOn ? filter.decisions.filter((one) => one !== kind) : [...filter.decisions, kind],
                })
              }
            />
          );
        })}
      </div>
      <div class="filters">
        <TextField label={t("day.day")} type="date" value={day} onInput={(next) => next !== "" && onDay(next)} />
        <SelectField
          label={t("filter.camera")}
          value={filter.camera}
          onChange={(camera) => onFilter({ ...filter, camera })}
          options={[any, ...cameras.map((camera) => [camera.id, camera.name] as const)]}
        />
        <SelectField
          label={t("block.direction")}
          value={filter.direction}
          onChange={(direction) => onFilter({ ...filter, direction })}
          options={[any, ["in", t("read.in")] as const, ["out", t("read.out")] as const]}
        />
        <SelectField
          label={t("filter.status")}
          value={filter.status}
          onChange={(status) => onFilter({ ...filter, status })}
          options={[
            any,
            ["recognised", t("filter.recognised")] as const,
            ["unrecognised", t("filter.unrecognised")] as const,
          ]}
        />
        <SelectField
          label={t("order.label")}
          value={filter.order}
          onChange={(order) => onFilter({ ...filter, order })}
          options={[["newest", t("order.newest")] as const, ["oldest", t("order.oldest")] as const]}
        />
      </div>
      <div class="row">
        <Button
          text={t("filter.clear")}
          disabled={countSet(filter) === 0}
          onClick={() => onFilter({ ...ALL, q: filter.q })}
        />
        {keepsGate.value && (
          <a class="button" href={`/api/reads/csv?${query}`} download>
            {t("day.csv")}
          </a>
        )}
        {isOwner.value && (
          <a class="button" href={`/api/reads/pictures?${query}`} download>
            {t("day.zip")}
          </a>
        )}
      </div>
    </div>
  );
}
