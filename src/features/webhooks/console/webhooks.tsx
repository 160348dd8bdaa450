import { useEffect, useState } from "preact/hooks";
import { get, post, remove } from "../../../console/api.ts";
import { Card, Empty } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { Confirm } from "../../../console/components/dialog.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { Secret } from "../../../console/components/secret.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { ago, t, timeOfDay } from "../../../console/i18n/translate.ts";
import { askAfter } from "../../../console/live.ts";
import { DeliveryLog } from "./delivery-log.tsx";
import { type Webhook, WebhookDialog } from "./webhook-dialog.tsx";

/** Receivers of events, their state, and what was sent to them. */
export function WebhooksCard() {
  const [hooks, load] = useLoaded(async () => (await get("/api/webhooks")).webhooks);
  const [editing, setEditing] = useState<Webhook | "new" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [removing, setRemoving] = useState<Webhook | null>(null);
  const [reading, setReading] = useState<Webhook | null>(null);
  useEffect(() => askAfter(["webhook.changed"], async () => load()), []);
  const act = async (work: () => Promise<unknown>, done?: string): Promise<void> => {
    try {
      await work();
      if (done !== undefined) say(done);
    } catch (error) {
      sayError(error);
    }
    load();
  };
  const test = async (id: number): Promise<void> => {
    const { ok, status, error } = await post("/api/webhooks/{id}/test", { params: { id } });
    say(ok ? t("hook.tested", { code: status ?? 0 }) : t("hook.testFailed", { why: error ?? String(status) }));
  };
  return (
    <Card
      title={t("dev.webhooks")}
      action={<Button look="primary" icon="plus" text={t("hook.add")} onClick={() => setEditing("new")} />}
    >
      {hooks !== null && hooks.length === 0 && <Empty icon="code" text={t("hook.none")} />}
      <ul class="list">
        {(hooks ?? []).map((hook) => (
          <li key={hook.id}>
            <div class="grow stack">
              <p class="hook-name">
                <strong>{hook.label === "" ? hook.url : hook.label}</strong>{" "}
                <span class="badge">{t(`env.${hook.env}`)}</span>{" "}
                {hook.active ? (
                  <span class="badge good">{t("hook.active")}</span>
                ) : (
                  <span class="badge bad">{t("hook.disabled")}</span>
                )}
              </p>
              <p class="soft small">
                {hook.label === "" ? "" : `${hook.url} · `}
                {hook.events.join(", ")}
                {hook.failures > 0 && ` · ${t("hook.failures", { n: hook.failures })}`}
                {hook.disabledReason !== null && ` · ${t(`hookOff.${hook.disabledReason}`)}`}
                {hook.disabledAt !== null && ` · ${t("hook.disabledAt", { ago: ago(hook.disabledAt) })}`}
                {hook.nextProbeAt !== null && ` · ${t("hook.nextProbe", { time: timeOfDay(hook.nextProbeAt) })}`}
              </p>
              <div class="row">
                <Button text={t("hook.test")} onClick={() => void act(() => test(hook.id))} />
                <Button text={t("action.edit")} onClick={() => setEditing(hook)} />
                <Button text={t("hook.log")} onClick={() => setReading(hook)} />
                <Button
                  text={t("hook.rotate")}
                  onClick={() =>
                    void act(async () =>
                      setSecret((await post("/api/webhooks/{id}/rotate", { params: { id: hook.id } })).secret),
                    )
                  }
                />
                {hook.active ? (
                  <Button
                    text={t("hook.disable")}
                    onClick={() => void act(() => post("/api/webhooks/{id}/disable", { params: { id: hook.id } }))}
                  />
                ) : (
                  <Button
                    look="primary"
                    text={t("hook.enable")}
                    onClick={() =>
                      void act(
                        () =>
                          post("/api/webhooks/{id}/enable", {
                            params: { id: hook.id },
                            body: { force: true, kept: "send" },
                          }),
                        t("hook.enabled"),
                      )
                    }
                  />
                )}
                <IconButton
                  icon="trash"
                  label={t("rule.removeNamed", { name: hook.url })}
                  onClick={() => setRemoving(hook)}
                />
              </div>
            </div>
          </li>
        ))}
      </ul>
      {editing && (
        <WebhookDialog
          hook={editing === "new" ? null : editing}
          onClose={() => setEditing(null)}
          onDone={(made) => {
            setEditing(null);
            setSecret(made);
            load();
          }}
        />
      )}
      {secret !== null && (
        <Secret
          title={t("hook.secretTitle")}
          text={t("hook.secretText")}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
      {reading && <DeliveryLog hookId={reading.id} onClose={() => setReading(null)} />}
      {removing && (
        <Confirm
          title={t("rule.removeTitle", { name: removing.url })}
          text={t("hook.removeText")}
          action={t("device.remove")}
          danger
          onYes={() => act(() => remove("/api/webhooks/{id}", { params: { id: removing.id } }))}
          onClose={() => setRemoving(null)}
        />
      )}
    </Card>
  );
}
