import { useEffect, useState } from "preact/hooks";
import { get, post, remove } from "../api.js";
import { Card, Empty } from "../components/basics.js";
import { Confirm, Dialog, Form } from "../components/dialog.js";
import { CheckField, Group, SelectField, TextField } from "../components/field.js";
import { Icon } from "../components/icon.js";
import { Secret } from "../components/secret.js";
import { say, sayError } from "../components/toast.js";
import { ago, dateTime, t } from "../i18n/translate.js";
import { onFact } from "../live.js";

const EVENTS = ["device.state", "device.telemetry", "device.online", "device.offline"] as const;

interface Webhook {
  readonly id: number;
  readonly env: "live" | "test";
  readonly url: string;
  readonly label: string;
  readonly events: readonly string[];
  readonly active: boolean;
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
  readonly failures: number;
}

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly deviceId: string;
  readonly status: string;
  readonly attempts: number;
  readonly at: string;
  readonly statusCode: number | null;
  readonly tookMs: number | null;
  readonly error: string | null;
}

/** Receivers of events, how they are doing, and what was sent to them. */
export function WebhooksCard() {
  const [hooks, setHooks] = useState<readonly Webhook[] | null>(null);
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [removing, setRemoving] = useState<Webhook | null>(null);
  const [reading, setReading] = useState<Webhook | null>(null);
  const load = (): void => {
    void get<{ webhooks: Webhook[] }>("/api/webhooks")
      .then((answer) => setHooks(answer.webhooks))
      .catch(sayError);
  };
  useEffect(() => {
    load();
    return onFact("webhook.changed", load);
  }, []);
  const act = async (work: () => Promise<unknown>, done?: string): Promise<void> => {
    try {
      await work();
      if (done !== undefined) say(done);
    } catch (error) {
      sayError(error);
    }
    load();
  };
  return (
    <Card
      title={t("dev.webhooks")}
      action={
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          <Icon name="plus" small />
          {t("hook.add")}
        </button>
      }
    >
      {hooks !== null && hooks.length === 0 && <Empty icon="code" text={t("hook.none")} />}
      <ul class="list">
        {(hooks ?? []).map((hook) => (
          <li key={hook.id}>
            <div class="grow stack">
              <p class="ellipsis">
                <strong>{hook.label === "" ? hook.url : hook.label}</strong> <span class="badge">{hook.env}</span>{" "}
                {hook.active ? <span class="badge good">{t("hook.active")}</span> : <span class="badge bad">{t("hook.disabled")}</span>}
              </p>
              <p class="soft small">
                {hook.label === "" ? "" : `${hook.url} · `}
                {hook.events.join(", ")}
                {hook.failures > 0 && ` · ${t("hook.failures", { n: hook.failures })}`}
                {hook.disabledAt !== null && ` · ${t("hook.disabledAt", { ago: ago(hook.disabledAt) })}`}
              </p>
              <div class="row">
                <button type="button" class="button" onClick={() => void act(() => post(`/api/webhooks/${hook.id}/test`), t("hook.tested"))}>
                  {t("hook.test")}
                </button>
                <button type="button" class="button" onClick={() => setReading(hook)}>
                  {t("hook.log")}
                </button>
                <button
                  type="button"
                  class="button"
                  onClick={() => void act(async () => setSecret((await post<{ secret: string }>(`/api/webhooks/${hook.id}/rotate`)).secret))}
                >
                  {t("hook.rotate")}
                </button>
                {!hook.active && (
                  <button
                    type="button"
                    class="button primary"
                    onClick={() => void act(() => post(`/api/webhooks/${hook.id}/enable`, { force: true, kept: "send" }), t("hook.enabled"))}
                  >
                    {t("hook.enable")}
                  </button>
                )}
                <button type="button" class="button plain icon-only" aria-label={t("rule.removeNamed", { name: hook.url })} onClick={() => setRemoving(hook)}>
                  <Icon name="trash" />
                </button>
              </div>
            </div>
          </li>
        ))}
      </ul>
      {adding && (
        <AddWebhook
          onClose={() => setAdding(false)}
          onMade={(text) => {
            setAdding(false);
            setSecret(text);
            load();
          }}
        />
      )}
      {secret !== null && <Secret title={t("hook.secretTitle")} text={t("hook.secretText")} secret={secret} onClose={() => setSecret(null)} />}
      {reading && <DeliveryLog hook={reading} onClose={() => setReading(null)} />}
      {removing && (
        <Confirm
          title={t("rule.removeTitle", { name: removing.url })}
          text={t("hook.removeText")}
          action={t("device.remove")}
          danger
          onYes={() => act(() => remove(`/api/webhooks/${removing.id}`))}
          onClose={() => setRemoving(null)}
        />
      )}
    </Card>
  );
}

function AddWebhook({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const [url, setUrl] = useState("");
  const [label, setLabel] = useState("");
  const [env, setEnv] = useState("live");
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(EVENTS));
  const send = async (): Promise<void> => {
    onMade((await post<{ secret: string }>("/api/webhooks", { url, env, label, events: EVENTS.filter((event) => events.has(event)) })).secret);
  };
  return (
    <Dialog title={t("hook.add")} onClose={onClose}>
      <Form submit={t("hook.register")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField label={t("hook.url")} hint={t("hook.urlHint")} type="url" inputMode="url" value={url} onInput={setUrl} error={errors.url} required />
            <TextField label={t("rules.label")} value={label} onInput={setLabel} error={errors.label} maxLength={80} />
            <SelectField
              label={t("key.env")}
              value={env}
              onChange={setEnv}
              options={[
                ["live", t("key.live")],
                ["test", t("key.test")],
              ]}
            />
            <Group legend={t("hook.events")}>
              <div>
                {EVENTS.map((event) => (
                  <CheckField
                    key={event}
                    label={event}
                    checked={events.has(event)}
                    onChange={(on) => setEvents(new Set(on ? [...events, event] : [...events].filter((known) => known !== event)))}
                  />
                ))}
              </div>
            </Group>
          </>
        )}
      </Form>
    </Dialog>
  );
}

function DeliveryLog({ hook, onClose }: { hook: Webhook; onClose: () => void }) {
  const [items, setItems] = useState<readonly Delivery[] | null>(null);
  const load = (): void => {
    void get<{ deliveries: Delivery[] }>(`/api/webhooks/${hook.id}/deliveries?limit=50`)
      .then((answer) => setItems(answer.deliveries))
      .catch(sayError);
  };
  useEffect(load, [hook.id]);
  const again = async (delivery: Delivery): Promise<void> => {
    try {
      await post(`/api/webhooks/${hook.id}/deliveries/${delivery.id}/redeliver`);
      say(t("hook.queued"));
      load();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Dialog title={t("hook.log")} onClose={onClose}>
      {items !== null && items.length === 0 && <p class="soft">{t("hook.logEmpty")}</p>}
      <ul class="list">
        {(items ?? []).map((delivery) => (
          <li key={delivery.id}>
            <div class="grow">
              <p>
                {delivery.event} · {delivery.deviceId}
              </p>
              <p class="soft small">
                {dateTime(delivery.at)} · {delivery.status}
                {delivery.statusCode !== null && ` ${delivery.statusCode}`}
                {delivery.tookMs !== null && ` · ${delivery.tookMs} ms`}
                {delivery.error !== null && ` · ${delivery.error}`}
              </p>
            </div>
            <button type="button" class="button plain" onClick={() => void again(delivery)}>
              {t("hook.again")}
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="button primary" onClick={onClose}>
          {t("action.done")}
        </button>
      </div>
    </Dialog>
  );
}
