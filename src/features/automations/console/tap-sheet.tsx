import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, Chip } from "../../../console/components/button.tsx";
import { Dialog } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { Icon, type IconName } from "../../../console/components/icon.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { found } from "./search-words.ts";
import "../../../console/components/sheet-rows.css";

/** One choice behind a word. */
export interface SheetOption {
  readonly text: string;
  readonly group?: string;
  readonly icon?: IconName;
  /** It is a device's, under the heading of its room, which is folded where there are many. */
  readonly isOfDevice?: boolean;
  /** What else people call it. */
  readonly words?: string;
  /** Shown only to those who look for it. */
  readonly isFurther?: boolean;
  readonly isChosen?: boolean;
  /** Its place among what other rules of the house have, which stands first in a long list. */
  readonly usual?: number | undefined;
  readonly choose: () => void;
}

/** What can be chosen behind a word. */
export interface Sheet {
  readonly title: string;
  readonly options?: readonly SheetOption[];
  /** Fields for what cannot be tapped; `done` closes the sheet. */
  readonly fields?: (done: () => void) => ComponentChildren;
  readonly remove?: () => void;
}

/** A list that is longer has a search, and begins with what the house uses. */
const LONG = 14;
const MOST_USUAL = 4;
/** What the arrows lead through. */
const CHOICES = ".sheet-row, .chip, summary";
/** From this many rows of devices on, each room is folded. */
const MANY_ROWS = 16;
/** Most rows that a search draws; another letter narrows them. */
const MOST_FOUND = 60;

/** The choices behind a word: from below on a phone, as full rows where they have icons. */
export function TapSheet({ sheet, onClose }: { sheet: Sheet; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const whole = useRef<HTMLDivElement>(null);
  useEffect(() => {
    whole.current?.closest("dialog")?.scrollTo(0, 0); // what is found begins above
  }, [typed]);
  useEffect(() => {
    if (matchMedia("(pointer: coarse)").matches) return; // no keyboard of the screen covers what can be chosen
    whole.current?.querySelector<HTMLElement>(`input[type=search], [aria-pressed=true], ${CHOICES}`)?.focus();
  }, []);
  const all = sheet.options ?? [];
  const isLong = all.length > LONG;
  const isSearched = typed.trim() !== "";
  const usual = !isLong || isSearched ? [] : usualOf(all);
  const matching = found(
    all.filter((one) => !usual.includes(one)),
    typed,
  );
  const placed = isSearched ? matching.slice(0, MOST_FOUND) : matching;
  const isFolded = !isSearched && placed.filter(({ isOfDevice }) => isOfDevice).length > MANY_ROWS;
  const groups = [...new Set(placed.map(({ group }) => group ?? ""))].map(
    (group) => [group, placed.filter((one) => (one.group ?? "") === group)] as const,
  );
  const isRows = all.some(({ icon }) => icon !== undefined);
  const pick = (one: SheetOption): void => {
    onClose(); // before it, since a choice may lead to another sheet
    one.choose();
  };
  /** Up and down lead from the search through what was found, Enter takes the first of it. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const { target: at } = event;
    if (!(at instanceof HTMLElement)) return;
    const isSearch = at.matches("input[type=search]");
    const [best] = [...usual, ...placed];
    if (isSearch && event.key === "Enter" && isSearched && best !== undefined) {
      event.preventDefault();
      pick(best);
      return;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || !(isSearch || at.matches(CHOICES))) return;
    event.preventDefault();
    const steps = [...(whole.current?.querySelectorAll<HTMLElement>(`input[type=search], ${CHOICES}`) ?? [])];
    steps[steps.indexOf(at) + step]?.focus();
  };
  return (
    <Dialog title={sheet.title} isSheet onClose={onClose}>
      <div class="tap-sheet" role="group" aria-label={sheet.title} ref={whole} onKeyDown={onKeyDown}>
        {isLong && (
          <div class="sheet-search">
            <TextField
              type="search"
              label={t("tap.search")}
              placeholder={t("picker.search")}
              value={typed}
              onInput={setTyped}
            />
          </div>
        )}
        {usual.length > 0 && (
          <section class="stack">
            <h3 class="soft small">{t("tap.usual")}</h3>
            <Rows options={usual} isAway onPick={pick} />
          </section>
        )}
        {groups.map(([group, options]) =>
          isFolded && options.some(({ isOfDevice }) => isOfDevice) ? (
            <Folded key={group} group={group} options={options} onPick={pick} />
          ) : (
            <section key={group} class="stack">
              {group !== "" && <h3 class="soft small">{group}</h3>}
              {isRows ? (
                <Rows options={options} onPick={pick} />
              ) : (
                <div class="chips">
                  {options.map((one) => (
                    <Chip key={one.text} text={one.text} pressed={one.isChosen === true} onClick={() => pick(one)} />
                  ))}
                </div>
              )}
            </section>
          ),
        )}
        {matching.length > placed.length && (
          <p class="soft small">{t("picker.more", { n: matching.length - placed.length })}</p>
        )}
        {isLong && (
          <p class={isSearched && placed.length === 0 ? "soft" : "sr-only"} role="status">
            {!isSearched ? "" : placed.length === 0 ? t("tap.nothing") : t("picker.found", { n: matching.length })}
          </p>
        )}
        {sheet.fields?.(onClose)}
        <div class="actions">
          {sheet.remove !== undefined && (
            <Button
              look="danger"
              text={t("tap.remove")}
              onClick={() => {
                onClose();
                sheet.remove?.();
              }}
            />
          )}
          <Button text={t("action.cancel")} onClick={onClose} />
        </div>
      </div>
    </Dialog>
  );
}

/** What other rules have, those of the latest first. */
function usualOf(all: readonly SheetOption[]): readonly SheetOption[] {
  return all
    .flatMap((one) => (one.usual === undefined ? [] : [{ one, place: one.usual }]))
    .sort((a, b) => a.place - b.place)
    .slice(0, MOST_USUAL)
    .map(({ one }) => one);
}

/** A room of a house with many devices: its name and how much is in it, open if the present choice is there. */
function Folded({
  group,
  options,
  onPick,
}: {
  group: string;
  options: readonly SheetOption[];
  onPick: (one: SheetOption) => void;
}) {
  const [isOpen, setOpen] = useState(() => options.some(({ isChosen }) => isChosen));
  return (
    <details class="tap-room" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="grow">{group}</span>
        <span class="soft small numbers">{options.length}</span>
        <Icon name="chevronRight" small />
      </summary>
      {isOpen && <Rows options={options} onPick={onPick} />}
    </details>
  );
}

/** Choices as full rows. `isAway`: each from another heading, which then stands beside it. */
function Rows({
  options,
  isAway = false,
  onPick,
}: {
  options: readonly SheetOption[];
  isAway?: boolean;
  onPick: (one: SheetOption) => void;
}) {
  return (
    <ul class="sheet-rows">
      {options.map((one, index) => (
        <li key={index}>
          <Row option={one} detail={isAway && one.isOfDevice ? one.group : undefined} onPick={() => onPick(one)} />
        </li>
      ))}
    </ul>
  );
}

function Row({
  option: { text, icon, isChosen },
  detail,
  onPick,
}: {
  option: SheetOption;
  detail: string | undefined;
  onPick: () => void;
}) {
  return (
    <button type="button" class="sheet-row" aria-pressed={isChosen === true} onClick={onPick}>
      <Icon name={icon ?? "circle"} />
      <span class="grow">{text}</span>
      {detail !== undefined && (
        <span class="soft small" aria-hidden="true">
          {detail}
        </span>
      )}
    </button>
  );
}
