import { useEffect, useState } from "preact/hooks";
import type { PlateRule } from "../../contract/resources/plate-rule.js";
import { get, post, remove } from "../api.js";
import { Card, Decision, Empty, PageHead, Plate } from "../components/basics.js";
import { Confirm, Dialog, Form } from "../components/dialog.js";
import { SelectField, TextField } from "../components/field.js";
import { Icon } from "../components/icon.js";
import { sayError } from "../components/toast.js";
import { dateTime, t } from "../i18n/translate.js";
import { deviceList, devices } from "../store.js";
import { GateTabs } from "./gate.js";

/** Who may come in, who may not, and whom to watch. */
export function RulesPage() {
  const [rules, setRules] = useState<readonly PlateRule[] | null>(null);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<PlateRule | null>(null);
  const load = (): void => {
    void get<{ rules: PlateRule[] }>("/v1/plate-rules")
      .then((answer) => setRules(answer.rules))
      .catch(sayError);
  };
  useEffect(load, []);
  return (
    <>
      <PageHead title={t("gate.rules")} subtitle={t("rules.subtitle")}>
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          <Icon name="plus" small />
          {t("rules.add")}
        </button>
      </PageHead>
      <GateTabs here="/gate/rules" />
      <Card>
        {rules !== null && rules.length === 0 && <Empty icon="shield" text={t("rules.none")} />}
        <ul class="list wrapped">
          {(rules ?? []).map((rule) => (
            <li key={rule.id}>
              <Plate text={rule.formatted} />
              <div class="grow">
                <p>{rule.label === "" ? t("rules.noLabel") : rule.label}</p>
                <p class="soft small">{details(rule)}</p>
              </div>
              <Decision decision={rule.kind} />
              <button
                type="button"
                class="button plain icon-only"
                aria-label={t("rules.removeNamed", { plate: rule.formatted })}
                onClick={() => setRemoving(rule)}
              >
                <Icon name="trash" />
              </button>
            </li>
          ))}
        </ul>
      </Card>
      {adding && (
        <AddRule
          onClose={() => setAdding(false)}
          onDone={() => {
            setAdding(false);
            load();
          }}
        />
      )}
      {removing && (
        <Confirm
          title={t("rules.removeTitle", { plate: removing.formatted })}
          text={t("rules.removeText")}
          action={t("device.remove")}
          danger
          onYes={async () => {
            await remove(`/v1/plate-rules/${removing.id}`);
            load();
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

function details(rule: PlateRule): string {
  const parts = [rule.deviceId === null ? t("rules.everyCamera") : (devices.value.get(rule.deviceId)?.name ?? rule.deviceId)];
  if (rule.validFrom !== null) parts.push(t("rules.from", { at: dateTime(rule.validFrom) }));
  if (rule.validTo !== null) parts.push(t("rules.to", { at: dateTime(rule.validTo) }));
  parts.push(t("rules.hits", { n: rule.hits }));
  return parts.join(" · ");
}

function AddRule({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [plate, setPlate] = useState("");
  const [kind, setKind] = useState("allow");
  const [label, setLabel] = useState("");
  const [camera, setCamera] = useState("");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const send = async (): Promise<void> => {
    await post("/v1/plate-rules", {
      plate,
      kind,
      label,
      deviceId: camera === "" ? null : camera,
      validFrom: from === "" ? null : new Date(from).toISOString(),
      validTo: to === "" ? null : new Date(to).toISOString(),
    });
    onDone();
  };
  const cameras = deviceList.value.filter((device) => device.type === "camera").map((device) => [device.id, device.name] as const);
  return (
    <Dialog title={t("rules.addTitle")} onClose={onClose}>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField label={t("read.plate")} hint={t("rules.plateHint")} value={plate} onInput={setPlate} error={errors.plate} required />
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
            <TextField label={t("rules.label")} hint={t("rules.labelHint")} value={label} onInput={setLabel} error={errors.label} maxLength={80} />
            <SelectField label={t("rules.camera")} value={camera} onChange={setCamera} options={[["", t("rules.everyCamera")], ...cameras]} />
            <div class="pair">
              <TextField label={t("rules.validFrom")} type="datetime-local" value={from} onInput={setFrom} error={errors.validFrom} />
              <TextField label={t("rules.validTo")} type="datetime-local" value={to} onInput={setTo} error={errors.validTo} />
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
}
