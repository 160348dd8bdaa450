import { useState } from "preact/hooks";
import { get, patch, remove } from "../../../console/api.ts";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { download } from "../../../console/components/download.ts";
import { FindList } from "../../../console/components/find-list.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { PageActions } from "../../../console/components/page-actions.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { query } from "../../../console/router.ts";
import { isOwner } from "../../../console/session.ts";
import { devices } from "../../../console/store.ts";
import type { PlateRule } from "../resources/plate-rule.ts";
import { GateChoicesCard } from "./gate-choices.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { boundsText } from "./rule-times.ts";
import { ruleWords } from "./rule-words.ts";
import { toCsv } from "./rules-csv.ts";
import { ImportRules } from "./rules-import.tsx";
import "./gate-day.css";

type Open =
  | { readonly kind: "add" | "import" | "removeSome" }
  | { readonly kind: "edit" | "remove"; readonly rule: PlateRule };

/** Who may come in, who may not, and whom to watch. */
export function RulesPage() {
  const [rules, load] = useLoaded(async () => (await get("/v1/plate-rules")).rules);
  const [passes] = useLoaded(async () => (await get("/api/passes")).passes);
  const ofPasses = new Set((passes ?? []).flatMap(({ ruleId }) => ruleId ?? []));
  const [open, setOpen] = useState<Open | null>(() =>
    new URLSearchParams(location.search).has("add") ? { kind: "add" } : null,
  );
  const [chooses, setChooses] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const some = (rules ?? []).filter(({ id }) => chosen.has(id));
  const forEach = async (act: (rule: PlateRule) => Promise<unknown>): Promise<void> => {
    try {
      for (const rule of some) await act(rule);
    } catch (error) {
      sayError(error);
    }
    setChosen(new Set());
    load();
  };
  const enable = (enabled: boolean): Promise<void> =>
    forEach((rule) => patch("/api/plate-rules/{id}", { params: { id: rule.id }, body: { enabled } }));
  const close = (): void => {
    setOpen(null);
    load();
  };
  return (
    <>
      <PageHead title={t("gate.rules")}>
        <PageActions
          named
          primary={{ text: t("rules.add"), icon: "plus", onClick: () => setOpen({ kind: "add" }) }}
          others={[
            { text: t("rules.import"), icon: "upload", onClick: () => setOpen({ kind: "import" }) },
            {
              text: t("rules.export"),
              icon: "download",
              disabled: (rules ?? []).length === 0,
              onClick: () => download("plate-rules.csv", "text/csv", toCsv(rules ?? [])),
            },
            ...((rules ?? []).length > 1
              ? [
                  {
                    text: t(chooses ? "bulk.done" : "day.select"),
                    icon: "circleCheck" as const,
                    onClick: () => {
                      setChooses(!chooses);
                      setChosen(new Set());
                    },
                  },
                ]
              : []),
          ]}
        />
      </PageHead>
      <Tabs of="/gate" here="/gate/rules" />
      {rules !== null && rules.length === 0 ? (
        <Card>
          <Empty icon="shield" text={t("rules.none")} />
        </Card>
      ) : (
        <FindList
          items={rules ?? []}
          label={t("day.search")}
          wordsOf={ruleWords}
          className="read-rows"
          asked={new URLSearchParams(query()).get("q") ?? ""}
          orders={[
            { name: t("order.newest"), compare: (one, other) => other.id - one.id },
            { name: t("order.name"), compare: (one, other) => wordOf(one).localeCompare(wordOf(other)) },
            { name: t("order.often"), compare: (one, other) => other.hits - one.hits },
          ]}
          narrowings={[
            ...KINDS.map((kind) => ({ name: t(`decision.${kind}`), fits: (rule: PlateRule) => rule.kind === kind })),
            { name: t("device.off"), fits: ({ enabled }) => !enabled },
          ]}
          row={(rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              isPass={ofPasses.has(rule.id)}
              onOpen={() => setOpen({ kind: "edit", rule })}
              checked={chooses ? chosen.has(rule.id) : undefined}
              onCheck={(isOn) =>
                setChosen(new Set(isOn ? [...chosen, rule.id] : [...chosen].filter((id) => id !== rule.id)))
              }
            />
          )}
        />
      )}
      <p class="soft small">
        {t("rules.subtitle")} {t("earns.warning")}
      </p>
      {isOwner.value && <GateChoicesCard />}
      {open?.kind === "add" && <RuleDialog rule={null} onClose={close} onDone={close} />}
      {open?.kind === "edit" && (
        <RuleDialog
          rule={open.rule}
          onClose={close}
          onDone={close}
          onRemove={() => setOpen({ kind: "remove", rule: open.rule })}
        />
      )}
      {open?.kind === "import" && <ImportRules onClose={close} />}
      {chooses && (
        <div class="save-bar" role="toolbar" aria-label={t("bulk.label")}>
          <span class="grow" role="status">
            {t("bulk.chosen", { n: some.length })}
          </span>
          <Button text={t("bulk.on")} disabled={some.length === 0} onClick={() => void enable(true)} />
          <Button text={t("bulk.off")} disabled={some.length === 0} onClick={() => void enable(false)} />
          <Button
            look="danger"
            text={t("device.remove")}
            disabled={some.length === 0}
            onClick={() => setOpen({ kind: "removeSome" })}
          />
          <Button
            look="plain"
            text={t("bulk.done")}
            onClick={() => {
              setChooses(false);
              setChosen(new Set());
            }}
          />
        </div>
      )}
      {open?.kind === "removeSome" && (
        <Confirm
          title={t("rules.removeSome", { n: some.length })}
          text={t("rules.removeText")}
          action={t("device.remove")}
          danger
          onYes={() => forEach((rule) => remove("/v1/plate-rules/{id}", { params: { id: rule.id } }))}
          onClose={close}
        />
      )}
      {open?.kind === "remove" && (
        <Confirm
          title={t("rules.removeTitle", { plate: open.rule.formatted })}
          text={t("rules.removeText")}
          action={t("device.remove")}
          danger
          onYes={() => remove("/v1/plate-rules/{id}", { params: { id: open.rule.id } })}
          onClose={close}
        />
      )}
    </>
  );
}

const KINDS = ["allow", "deny", "watch"] as const;

function wordOf({ label, formatted }: PlateRule): string {
  return label || formatted;
}

/** One rule in a dense list: its plate, whose it is, and what it means; it opens where all of it is changed. */
function RuleRow({
  rule,
  isPass,
  onOpen,
  checked,
  onCheck,
}: {
  rule: PlateRule;
  /** It is there for a guest's pass, and ends with it. */
  isPass: boolean;
  onOpen: () => void;
  /** Undefined: nothing is chosen from the list. */
  checked: boolean | undefined;
  onCheck: (checked: boolean) => void;
}) {
  return (
    <li class="read-row rule-row" data-off={!rule.enabled}>
      {checked !== undefined && (
        <input
          type="checkbox"
          class="read-check"
          aria-label={rule.formatted}
          checked={checked}
          onChange={(event) => onCheck(event.currentTarget.checked)}
        />
      )}
      <button type="button" onClick={onOpen}>
        <span class="sr-only">{t("rules.editNamed", { plate: rule.formatted })}</span>
        <span class="plate small" aria-hidden="true">
          {rule.formatted}
        </span>
        <span class="read-who">
          <strong class={rule.label === "" ? "soft" : undefined}>{rule.label || t("rules.noLabel")}</strong>
          <span class="soft small">
            {!rule.enabled && `${t("device.off")} · `}
            <span class={`rule-kind ${rule.kind}`}>{t(`decision.${rule.kind}`)}</span>
            {isPass && ` · ${t("guest.title")}`} · {meaning(rule)}
          </span>
        </span>
        <span class="read-way">
          <Icon name="chevronRight" small />
        </span>
      </button>
    </li>
  );
}

/** When and where a rule holds, what the plate earns by it, and how often it did; not what holds for every rule. */
function meaning(rule: PlateRule): string {
  const parts = [boundsText(rule)];
  if (rule.deviceId !== null) parts.push(devices.value.get(rule.deviceId)?.name ?? rule.deviceId);
  if (rule.kind === "allow" && rule.earns !== null) parts.push(t(`earns.${rule.earns}`));
  parts.push(t("rules.hits", { n: rule.hits }));
  return parts.filter((part) => part !== "").join(" · ");
}
