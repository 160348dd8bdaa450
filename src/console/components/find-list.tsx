import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n/translate.ts";
import { Chip } from "./button.tsx";
import { withWords } from "./ranked.ts";
import { SearchField } from "./search-field.tsx";

/** Rows that are drawn at first, and with each further step: what a phone shows on two screens. */
const STEP = 20;
/** Shorter lists are seen at a glance and need no search. */
const SHORT = 8;
/** Pause after which typing counts as finished: drawing rows takes longer than a key. */
const REST_MS = 140;

/** One order of a list. */
export interface Order<Item> {
  readonly name: string;
  readonly compare: (one: Item, other: Item) => number;
}

/** One narrowing of a list; several may be chosen at once, and an item has to fit one of them. */
export interface Narrowing<Item> {
  readonly name: string;
  readonly fits: (item: Item) => boolean;
}

/** A list of any length that can be searched, ordered and narrowed, and is drawn as far as somebody wants to see it. */
export function FindList<Item>({
  items,
  label,
  wordsOf,
  orders,
  narrowings = [],
  className = "list wrapped",
  asked = "",
  step = STEP,
  row,
}: {
  items: readonly Item[];
  /** What the search field is for. */
  label: string;
  /** All that an item can be found by. */
  wordsOf: (item: Item) => string;
  /** The first one holds until another is chosen. */
  orders: readonly Order<Item>[];
  narrowings?: readonly Narrowing<Item>[];
  className?: string;
  /** What is looked for at first, as an address may say. */
  asked?: string;
  /** Rows at first, where they are taller than others. */
  step?: number;
  row: (item: Item) => ComponentChildren;
}) {
  const [typed, setTyped] = useState(asked);
  const [wanted, setWanted] = useState(asked);
  const [order, setOrder] = useState(0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [drawn, setDrawn] = useState(step);
  useEffect(() => {
    const timer = setTimeout(() => {
      setWanted(typed);
      setDrawn(step);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const narrowed = narrowings.filter(({ name }) => chosen.has(name));
  const found = items
    .filter(withWords(wanted, wordsOf))
    .filter((item) => narrowed.length === 0 || narrowed.some(({ fits }) => fits(item)))
    .sort(orders[order]?.compare);
  const left = found.length - drawn;
  return (
    <div class="find-list">
      {items.length > SHORT && (
        <search class="stack">
          <SearchField label={label} value={typed} onInput={setTyped} />
          <div class="find-tools">
            {narrowings.length > 0 && (
              <div class="chips" role="group" aria-label={t("filter.title")}>
                {narrowings.map(({ name, fits }) => {
                  const isOn = chosen.has(name);
                  return (
                    <Chip
                      key={name}
                      {...(isOn ? { icon: "check" as const } : {})}
                      text={`${name} ${items.filter(fits).length}`}
                      pressed={isOn}
                      onClick={() => {
                        setChosen(new Set(isOn ? [...chosen].filter((one) => one !== name) : [...chosen, name]));
                        setDrawn(step);
                      }}
                    />
                  );
                })}
              </div>
            )}
            <p class="soft small" role="status">
              {found.length === items.length ? "" : t("list.found", { n: found.length, all: items.length })}
            </p>
            {orders.length > 1 && (
              <select
                class="input order-choice"
                aria-label={t("order.label")}
                value={String(order)}
                onChange={(event) => setOrder(Number(event.currentTarget.value))}
              >
                {orders.map(({ name }, index) => (
                  <option key={name} value={String(index)}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </div>
        </search>
      )}
      <ul class={className}>{found.slice(0, drawn).map(row)}</ul>
      {left > 0 && (
        <button type="button" class="button" onClick={() => setDrawn(drawn + 3 * step)}>
          {t("home.more", { n: left })}
        </button>
      )}
    </div>
  );
}
