import { useState } from "preact/hooks";
import { patch, post } from "../../../console/api.ts";
import { EnvironmentField } from "../../../console/components/account-fields.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckField, CheckList, Group, TextField } from "../../../console/components/field.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { CONTRACT_EVENTS, MORE_EVENTS, WEBHOOK_EVENTS } from "../../../core/api/webhook-events.ts";

/** A receiver of events, without its secret. */
export type Webhook = AnswerTo<"GET", "/api/webhooks">["webhooks"][number];

/** Registers a receiver (`hook` null), or changes one. `onDone` gets the secret of a new one. */
export function WebhookDialog({
  hook,
  onClose,
  onDone,
}: {
  hook: Webhook | null;
  onClose: () => void;
  onDone: (secret: string | null) => void;
}) {
  const [url, setUrl] = useState(hook?.url ?? "");
  const [label, setLabel] = useState(hook?.label ?? "");
  const [env, setEnv] = useState<Webhook["env"]>(hook?.env ?? "live");
  const [probe, setProbe] = useState(hook?.probe ?? true);
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(hook?.events ?? CONTRACT_EVENTS));
  const send = async (): Promise<void> => {
    const body = { url, label, probe, events: WEBHOOK_EVENTS.filter((event) => events.has(event)) };
    if (hook === null) onDone((await post("/api/webhooks", { body: { ...body, env } })).secret);
    else {
      await patch("/api/webhooks/{id}", { params: { id: hook.id }, body });
      onDone(null);
    }
  };
  const boxes = (names: readonly string[]) => (
    <CheckList options={names.map((event) => ({ value: event, label: event }))} chosen={events} onChange={setEvents} />
  );
  return (
    <Dialog title={hook === null ? t("hook.add") : t("hook.edit")} onClose={onClose}>
      <Form submit={hook === null ? t("hook.register") : t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label={t("hook.url")}
              hint={t("hook.urlHint")}
              type="url"
              inputMode="url"
              value={url}
              onInput={setUrl}
              error={errors.url}
              required
            />
            <TextField label={t("rules.label")} value={label} onInput={setLabel} error={errors.label} maxLength={80} />
            {hook === null && <EnvironmentField value={env} onChange={setEnv} />}
            <Group legend={t("hook.events")}>
              {boxes(CONTRACT_EVENTS)}
              {errors.events !== undefined && <span class="error">{errors.events}</span>}
            </Group>
            <Group legend={t("hook.moreEvents")}>{boxes(MORE_EVENTS)}</Group>
            <CheckField label={t("hook.probe")} hint={t("hook.probeHint")} checked={probe} onChange={setProbe} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
