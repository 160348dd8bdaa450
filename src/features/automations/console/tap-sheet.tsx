import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
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
  /** Where it is, or what distinguishes it. */
  readonly detail?: string;
  /** What else people call it. */
  readonly words?: string;
  /** Shown only to those who look for it. */
  readonly isFurther?: boolean;
  readonly isChosen?: boolean;
  /** Other rules of the house have it: it stands first in a long list. */
  readonly isUsual?: boolean;
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

/** The choices behind a word: from below on a phone, as full rows where they have icons. */
export function TapSheet({ sheet, onClose }: { sheet: Sheet; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const all = sheet.options ?? [];
  const isLong = all.length > LONG;
  const usual = isLong && typed === "" ? all.filter(({ isUsual }) => isUsual).slice(0, MOST_USUAL) : [];
  const placed = found(
    all.filter((one) => !usual.includes(one)),
    typed,
  );
  const groups = [...new Set(placed.map(({ group }) => group ?? ""))].map(
    (group) => [group, placed.filter((one) => (one.group ?? "") === group)] as const,
  );
  const isRows = all.some(({ icon }) => icon !== undefined);
  const pick = (one: SheetOption): void => {
    onClose(); // before it, since a choice may lead to another sheet
    one.choose();
  };
  return (
    <Dialog title={sheet.title} isSheet onClose={onClose}>
      <div class="tap-sheet">
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
        {[...(usual.length === 0 ? [] : [[t("tap.usual"), usual] as const]), ...groups].map(([group, options]) => (
          <section key={group} class="stack">
            {group !== "" && <h3 class="soft small">{group}</h3>}
            {isRows ? (
              <ul class="sheet-rows">
                {options.map((one) => (
                  <li key={`${one.text} ${one.detail ?? ""}`}>
                    <Row option={one} onPick={() => pick(one)} />
                  </li>
                ))}
              </ul>
            ) : (
              <div class="chips">
                {options.map((one) => (
                  <Chip key={one.text} text={one.text} pressed={one.isChosen === true} onClick={() => pick(one)} />
                ))}
              </div>
            )}
          </section>
        ))}
        {isLong && placed.length === 0 && usual.length === 0 && <p class="soft">{t("tap.nothing")}</p>}
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

function Row({ option: { text, icon, detail, isChosen }, onPick }: { option: SheetOption; onPick: () => void }) {
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
