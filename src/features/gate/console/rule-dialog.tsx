import { useState } from "preact/hooks";
import { patch, post } from "../../../console/api.ts";
import { Plate, Switch } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { areWindowsWhole } from "../../../console/components/windows-field.tsx";
import { localMoment } from "../../../console/components/zone-time.ts";
import { t } from "../../../console/i18n/translate.ts";
import { deviceList } from "../../../console/store.ts";
import type { PlateRule } from "../resources/plate-rule.ts";
import { boundsOf, type WhenDraft, WhenFields } from "./rule-form.tsx";

/** What a plate may earn, in words. */
export const earnings = () =>
  [
    ["open", t("earns.open")],
    ["confirm", t("earns.confirm")],
    ["ask", t("earns.ask")],
    ["note", t("earns.note")],
  ] as const;

/** Adds a plate rule, or changes one; its plate and its camera identify it and cannot be changed. */
export function RuleDialog({
  rule,
  plate: given = "",
  kind: first = "allow",
  onClose,
  onDone,
  onRemove,
}: {
  rule: PlateRule | null;
  plate?: string;
  /** What a new rule does, until another choice is made. */
  kind?: PlateRule["kind"];
  onClose: () => void;
  onDone: (kind: PlateRule["kind"]) => void;
  onRemove?: () => void;
}) {
  const [plate, setPlate] = useState(given);
  const [kind, setKind] = useState<PlateRule["kind"]>(rule?.kind ?? first);
  const [earns, setEarns] = useState<NonNullable<PlateRule["earns"]> | "">(rule?.earns ?? "");
  const [label, setLabel] = useState(rule?.label ?? "");
  const [camera, setCamera] = useState("");
  const [enabled, setEnabled] = useState(rule?.enabled ?? true);
  const [when, setWhen] = useState<WhenDraft>({
    kind:
      (rule?.windows.length ?? 0) > 0
        ? "weekly"
        : (rule?.validFrom ?? rule?.validTo ?? null) === null
          ? "always"
          : "until",
    from: localMoment(rule?.validFrom ?? null),
    to: localMoment(rule?.validTo ?? null),
    windows: rule?.windows ?? [],
  });
  const send = async (): Promise<void> => {
    const body = { kind, label, earns: earns === "" ? null : earns, ...boundsOf(when) };
    await (rule === null
      ? post("/v1/plate-rules", { body: { ...body, plate, deviceId: camera === "" ? null : camera } })
      : patch("/api/plate-rules/{id}", { params: { id: rule.id }, body: { ...body, enabled } }));
    onDone(kind);
  };
  const cameras = deviceList.value
    .filter((device) => device.type === "camera")
    .map((device) => [device.id, device.name] as const);
  return (
    <Dialog title={rule === null ? t("rules.addTitle") : t("rules.editTitle")} onClose={onClose}>
      <Form
        submit={t("action.save")}
        send={send}
        onCancel={onClose}
        disabled={when.kind === "weekly" && !areWindowsWhole(when.windows)}
      >
        {(errors) => (
          <>
            {rule === null ? (
              <TextField
                label={t("read.plate")}
                hint={t("rules.plateHint")}
                value={plate}
                onInput={setPlate}
                error={errors.plate}
                required
              />
            ) : (
              <div class="row between">
                <Plate text={rule.formatted} />
                <Switch
                  label={t("rules.enable", { plate: rule.formatted })}
                  on={enabled}
                  pending={false}
                  onToggle={setEnabled}
                />
              </div>
            )}
            <SelectField
              label={t("rules.kind")}
              value={kind}
              onChange={setKind}
              options={[
                ["allow", t("rules.allow")],
                ["deny", t("rules.deny")],
                ["watch", t("rules.watch")],
              ]}
            />
            {kind === "allow" && (
              <SelectField
                label={t("earns.label")}
                hint={t("earns.warning")}
                value={earns}
                onChange={setEarns}
                options={[["", t("earns.usual")], ...earnings()]}
              />
            )}
            <TextField
              label={t("rules.label")}
              hint={t("rules.labelHint")}
              value={label}
              onInput={setLabel}
              error={errors.label}
              maxLength={80}
            />
            {rule === null && (
              <SelectField
                label={t("rules.camera")}
                value={camera}
                onChange={setCamera}
                options={[["", t("rules.everyCamera")], ...cameras]}
              />
            )}
            <WhenFields draft={when} errors={errors} onChange={setWhen} />
            {rule !== null && onRemove !== undefined && (
              <div class="row">
                <Button
                  look="danger"
                  icon="trash"
                  text={t("rules.removeNamed", { plate: rule.formatted })}
                  onClick={onRemove}
                />
              </div>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}
