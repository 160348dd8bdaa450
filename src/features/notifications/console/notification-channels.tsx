import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { Card } from "../../../console/components/basics.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../../console/components/field.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { type Parsed, ParsedField } from "../../../console/components/parsed-field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { account } from "../../../console/session.ts";

type Channels = AnswerTo<"GET", "/api/notifications/channels">["channels"];

/** The same in every language. */
const EXAMPLES = { server: "http://192.168.1.20:2586", mail: "mail.example.org" };

interface FormProps {
  readonly channels: Channels;
  readonly onSaved: (channels: Channels) => void;
}

/** The household's channels, for owners. */
export function ChannelsCard({ onChanged }: { onChanged: () => void }) {
  const [channels, , setChannels] = useLoaded(async () => (await get("/api/notifications/channels")).channels);
  if (channels === null) return null;
  const saved = (changed: Channels): void => {
    setChannels(changed);
    say(t("action.saved"));
    onChanged();
  };
  return (
    <Card title={t("channels.title")}>
      <p class="soft small">{t("channels.text")}</p>
      <Section channel="ntfy" on={channels.ntfy?.enabled === true}>
        <NtfyForm channels={channels} onSaved={saved} />
      </Section>
      <Section channel="email" on={channels.email?.enabled === true}>
        <EmailForm channels={channels} onSaved={saved} />
      </Section>
      <Section channel="push" on={channels.push?.enabled === true}>
        <PushForm channels={channels} onSaved={saved} />
      </Section>
    </Card>
  );
}

/** Unfolds the set-up of a channel and goes there. */
export function showSetUp(channel: keyof Channels): void {
  const fold = document.querySelector<HTMLDetailsElement>(`#set-up-${channel}`);
  if (fold === null) return;
  fold.open = true;
  fold.scrollIntoView({ block: "start", behavior: "smooth" });
  fold.querySelector("summary")?.focus({ preventScroll: true });
}

function Section({ channel, on, children }: { channel: keyof Channels; on: boolean; children: ComponentChildren }) {
  return (
    <details class="group" id={`set-up-${channel}`}>
      <summary>
        {t(`notify.${channel}`)} {on && <span class="badge good">{t("channels.on")}</span>}
      </summary>
      {children}
    </details>
  );
}

/** An existing secret is not shown; leaving the field empty keeps it. */
function secretOf(typed: string): { readonly secret?: string } {
  return typed === "" ? {} : { secret: typed };
}

function NtfyForm({ channels: { ntfy }, onSaved }: FormProps) {
  const [form, setForm] = useState({
    enabled: ntfy?.enabled ?? true,
    server: ntfy?.server ?? "",
    pictures: ntfy?.pictures ?? true,
  });
  const [token, setToken] = useState("");
  const send = async (): Promise<void> => {
    const { secret } = secretOf(token);
    const body = { ...form, server: form.server.trim(), ...(secret === undefined ? {} : { token: secret }) };
    onSaved((await put("/api/notifications/channels/ntfy", { body })).channels);
    setToken("");
  };
  return (
    <Form submit={t("action.save")} send={send}>
      {(errors) => (
        <>
          <CheckField
            label={t("channels.enabled")}
            checked={form.enabled}
            onChange={(enabled) => setForm({ ...form, enabled })}
          />
          <TextField
            label={t("ntfy.server")}
            hint={t("ntfy.serverHint")}
            type="url"
            placeholder={EXAMPLES.server}
            value={form.server}
            onInput={(server) => setForm({ ...form, server })}
            error={errors.server}
          />
          <TextField
            label={t("ntfy.token")}
            hint={ntfy?.hasToken === true ? t("channels.kept") : t("ntfy.tokenHint")}
            type="password"
            autocomplete="new-password"
            value={token}
            onInput={setToken}
            error={errors.token}
          />
          <CheckField
            label={t("channels.pictures")}
            hint={t("ntfy.pictures")}
            checked={form.pictures}
            onChange={(pictures) => setForm({ ...form, pictures })}
          />
        </>
      )}
    </Form>
  );
}

type Security = NonNullable<Channels["email"]>["security"];

/** The default port of an encryption, until the person has typed another. */
const PORTS: Readonly<Record<Security, number>> = { tls: 465, starttls: 587, none: 25 };

function EmailForm({ channels: { email }, onSaved }: FormProps) {
  const [form, setForm] = useState({
    enabled: email?.enabled ?? true,
    host: email?.host ?? "",
    port: email?.port ?? 587,
    security: email?.security ?? ("starttls" as Security),
    user: email?.user ?? "",
    from: email?.from ?? account.value?.email ?? "",
    pictures: email?.pictures ?? true,
  });
  const [password, setPassword] = useState("");
  const send = async (): Promise<void> => {
    const user = form.user.trim() === "" ? null : form.user.trim();
    const { secret } = secretOf(password);
    const sent = user === null ? { password: null } : secret === undefined ? {} : { password: secret };
    const body = { ...form, host: form.host.trim(), from: form.from.trim(), user, ...sent };
    onSaved((await put("/api/notifications/channels/email", { body })).channels);
    setPassword("");
  };
  return (
    <Form submit={t("action.save")} send={send}>
      {(errors) => (
        <>
          <CheckField
            label={t("channels.enabled")}
            checked={form.enabled}
            onChange={(enabled) => setForm({ ...form, enabled })}
          />
          <TextField
            label={t("email.host")}
            placeholder={EXAMPLES.mail}
            value={form.host}
            onInput={(host) => setForm({ ...form, host })}
            error={errors.host}
          />
          <div class="pair">
            <SelectField
              label={t("email.security")}
              value={form.security}
              options={[
                ["starttls", "STARTTLS"],
                ["tls", "TLS"],
                ["none", t("email.clear")],
              ]}
              onChange={(security) =>
                setForm({ ...form, security, port: form.port === PORTS[form.security] ? PORTS[security] : form.port })
              }
              error={errors.security}
            />
            <ParsedField
              label={t("email.port")}
              inputMode="numeric"
              value={form.port}
              show={String}
              read={portOf}
              wrong={t("email.portWrong")}
              onChange={(port) => setForm({ ...form, port })}
            />
          </div>
          <TextField
            label={t("email.user")}
            value={form.user}
            onInput={(user) => setForm({ ...form, user })}
            error={errors.user}
          />
          <TextField
            label={t("signIn.password")}
            {...(email?.hasPassword === true ? { hint: t("channels.kept") } : {})}
            type="password"
            autocomplete="new-password"
            value={password}
            onInput={setPassword}
            error={errors.password}
          />
          <TextField
            label={t("email.from")}
            type="email"
            value={form.from}
            onInput={(from) => setForm({ ...form, from })}
            error={errors.from}
          />
          <CheckField
            label={t("channels.pictures")}
            hint={t("email.pictures")}
            checked={form.pictures}
            onChange={(pictures) => setForm({ ...form, pictures })}
          />
        </>
      )}
    </Form>
  );
}

function portOf(typed: string): Parsed<number> {
  const port = Number(typed);
  return /^\d{1,5}$/.test(typed.trim()) && port >= 1 && port <= 65_535 ? { value: port } : null;
}

function PushForm({ channels: { push }, onSaved }: FormProps) {
  const [form, setForm] = useState({
    enabled: push?.enabled ?? true,
    contact: push?.contact ?? account.value?.email ?? "",
    hosts: push?.hosts.join(" ") ?? "",
    pictures: push?.pictures ?? true,
  });
  const send = async (): Promise<void> => {
    const body = {
      ...form,
      contact: form.contact.trim(),
      hosts: form.hosts.split(/[\s,]+/).filter((host) => host !== ""),
    };
    onSaved((await put("/api/notifications/channels/push", { body })).channels);
  };
  return (
    <Form submit={t("action.save")} send={send}>
      {(errors) => (
        <>
          <p class="soft small">{t("push.internet")}</p>
          <CheckField
            label={t("channels.enabled")}
            checked={form.enabled}
            onChange={(enabled) => setForm({ ...form, enabled })}
          />
          <TextField
            label={t("push.contact")}
            hint={t("push.contactHint")}
            type="email"
            value={form.contact}
            onInput={(contact) => setForm({ ...form, contact })}
            error={errors.contact}
          />
          <TextField
            label={t("push.hosts")}
            hint={t("push.hostsHint")}
            value={form.hosts}
            onInput={(hosts) => setForm({ ...form, hosts })}
            error={errors.hosts}
          />
          <CheckField
            label={t("channels.pictures")}
            hint={t("push.pictures")}
            checked={form.pictures}
            onChange={(pictures) => setForm({ ...form, pictures })}
          />
        </>
      )}
    </Form>
  );
}
