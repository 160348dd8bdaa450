import { useState } from "preact/hooks";
import { get, patch, remove } from "../../../console/api.ts";
import { Card, Decision, Empty, PageHead, Plate, Switch } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { download } from "../../../console/components/download.ts";
import { useLoaded } from "../../../console/components/loaded.ts";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { devices } from "../../../console/store.ts";
import type { PlateRule } from "../resources/plate-rule.ts";
import { GateChoicesCard } from "./gate-choices.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { boundsText } from "./rule-times.ts";
import { toCsv } from "./rules-csv.ts";
import { ImportRules } from "./rules-import.tsx";

type Open =
  | { readonly kind: "add" }
  | { readonly kind: "import" }
  | { readonly kind: "edit" | "remove"; readonly rule: PlateRule };

/** Who may come in, who may not, and whom to watch. */
export function RulesPage() {
  const [rules, load] = useLoaded(async () => (await get("/v1/plate-rules")).rules);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => {
    setOpen(null);
    load();
  };
  return (
    <>
      <PageHead title={t("gate.rules")} subtitle={t("rules.subtitle")}>
        <Button text={t("rules.import")} onClick={() => setOpen({ kind: "import" })} />
        <Button
          text={t("rules.export")}
          disabled={(rules ?? []).length === 0}
          onClick={() => download("plate-rules.csv", "text/csv", toCsv(rules ?? []))}
        />
        <Button look="primary" icon="plus" text={t("rules.add")} onClick={() => setOpen({ kind: "add" })} />
      </PageHead>
      <Tabs of="/gate" here="/gate/rules" />
      <Card>
        {rules !== null && rules.length === 0 && <Empty icon="shield" text={t("rules.none")} />}
        <ul class="list wrapped rules">
          {(rules ?? []).map((rule) => (
            <RuleLine key={rule.id} rule={rule} load={load} onOpen={setOpen} />
          ))}
        </ul>
      </Card>
      <GateChoicesCard />
      {open?.kind === "add" && <RuleDialog rule={null} onClose={close} onDone={close} />}
      {open?.kind === "edit" && <RuleDialog rule={open.rule} onClose={close} onDone={close} />}
      {open?.kind === "import" && <ImportRules onClose={close} />}
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

function RuleLine({ rule, load, onOpen }: { rule: PlateRule; load: () => void; onOpen: (open: Open) => void }) {
  const toggle = async (enabled: boolean): Promise<void> => {
    try {
      await patch("/api/plate-rules/{id}", { params: { id: rule.id }, body: { enabled } });
    } catch (error) {
      sayError(error);
    }
    load();
  };
  return (
    <li>
      <Switch
        label={t("rules.enable", { plate: rule.formatted })}
        on={rule.enabled}
        pending={false}
        onToggle={(on) => void toggle(on)}
      />
      <Plate text={rule.formatted} />
      <div class="grow">
        <p>{rule.label === "" ? t("rules.noLabel") : rule.label}</p>
        <p class="soft small">{details(rule)}</p>
      </div>
      <Decision decision={rule.kind} />
      <IconButton
        icon="pencil"
        label={t("rules.editNamed", { plate: rule.formatted })}
        onClick={() => onOpen({ kind: "edit", rule })}
      />
      <IconButton
        icon="trash"
        label={t("rules.removeNamed", { plate: rule.formatted })}
        onClick={() => onOpen({ kind: "remove", rule })}
      />
    </li>
  );
}

function details(rule: PlateRule): string {
  const parts = [
    rule.deviceId === null ? t("rules.everyCamera") : (devices.value.get(rule.deviceId)?.name ?? rule.deviceId),
  ];
  const when = boundsText(rule);
  if (when !== "") parts.push(when);
  if (rule.kind === "allow" && rule.earns !== null) parts.push(t(`earns.${rule.earns}`));
  parts.push(t("rules.hits", { n: rule.hits }));
  return parts.join(" · ");
}
