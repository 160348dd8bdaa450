import { useState } from "preact/hooks";
import { put } from "../../../console/api.ts";
import { Empty, Switch } from "../../../console/components/basics.tsx";
import { FindList } from "../../../console/components/find-list.tsx";
import { FoldCard } from "../../../console/components/fold-card.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { Matter, MatterCard } from "./matter.tsx";

type Shown = Matter["shown"][number];

/** A longer list is folded to how many it has. */
const SHORT = 6;

/** What the joined homes see: devices by room, then scenes. */
export function MatterShownCard({ matter, onChange }: MatterCard) {
  const [pending, setPending] = useState<string | null>(null);
  const toggle = async (one: Shown, shown: boolean): Promise<void> => {
    setPending(one.subject);
    try {
      onChange((await put("/api/matter/shown", { body: { subject: one.subject, shown } })).matter);
    } catch (error) {
      sayError(error);
    }
    setPending(null);
  };
  const visible = matter.shown.filter((one) => one.shown).length;
  const words = t("matter.shownCount", { n: visible, all: matter.shown.length });
  return (
    <FoldCard title={t("matter.shown")} value={words} starts={matter.shown.length > SHORT ? "folded" : "open"}>
      <p class="soft small">{t("matter.shownText")}</p>
      {matter.shown.length === 0 ? (
        <Empty icon="plug" text={t("matter.noDevices")} />
      ) : (
        <FindList
          items={matter.shown}
          label={t("matter.find")}
          className="list"
          wordsOf={(one) => `${one.name} ${one.room ?? ""} ${detail(one)}`}
          orders={[{ name: "", compare: () => 0 }]}
          row={(one) => (
            <li key={one.subject}>
              <div class="grow">
                <p>
                  {one.name} {one.guarded && <span class="badge warn">{t("matter.guarded")}</span>}
                </p>
                <p class="soft small">{detail(one)}</p>
              </div>
              {one.refusal === null && (
                <Switch
                  label={t("matter.showNamed", { name: one.name })}
                  on={one.shown}
                  pending={pending === one.subject}
                  disabled={pending !== null}
                  onToggle={(on) => void toggle(one, on)}
                />
              )}
            </li>
          )}
        />
      )}
    </FoldCard>
  );
}

/** Its room and its type in Matter, or why Matter does not show it. */
function detail(one: Shown): string {
  if (one.refusal === "nothing") return t("matter.refusal.nothing");
  if (one.refusal === "opens") return t("matter.refusal.opens");
  const kinds = [...new Set(one.kinds)].map((kind) => keyedText(`matterKind.${kind}`, kind)).join(", ");
  return [one.room, kinds].filter((part) => part !== null && part !== "").join(" · ");
}
