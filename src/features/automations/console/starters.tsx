import { useState } from "preact/hooks";
import { Card } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { type StarterRule, starterRules } from "./starter-rules.ts";
import "./tap.css";

const FIRST = 6;

/** The rules that many houses have, made for this one; a tap puts one into the sentence, or opens it. */
export function Starters({
  without = [],
  onChoose,
}: {
  /** Names of rules that are there already. */
  without?: readonly string[];
  /** Without it, each opens a page of its own. */
  onChoose?: (start: Pick<StarterRule, "name" | "triggers" | "conditions" | "actions">) => void;
}) {
  const [isAll, setAll] = useState(false);
  const all = starterRules().filter(({ name }) => !without.includes(name));
  if (all.length === 0) return null;
  return (
    <Card title={t("starter.title")}>
      <p class="soft small">{t("starter.subtitle")}</p>
      <ul class="starters">
        {(isAll ? all : all.slice(0, FIRST)).map(({ key, icon, ...start }) => (
          <li key={key}>
            <a
              href={`/automations/new?starter=${key}`}
              onClick={(event) => {
                if (onChoose === undefined) return;
                event.preventDefault();
                onChoose(start);
                scrollTo(0, 0);
              }}
            >
              <Icon name={icon} />
              {start.name}
            </a>
          </li>
        ))}
      </ul>
      {all.length > FIRST && (
        <p>
          <Button
            text={isAll ? t("states.fewer") : t("states.allLines", { n: all.length })}
            onClick={() => setAll(!isAll)}
          />
        </p>
      )}
    </Card>
  );
}
