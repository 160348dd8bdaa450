import { useState } from "preact/hooks";
import { get, put } from "../../../console/api.ts";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../../console/components/field.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { type Parsed, ParsedField } from "../../../console/components/parsed-field.tsx";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { say } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { account } from "../../../console/session.ts";

type Channels = AnswerTo<"GET", "/api/notifications/channels">["channels"];

/** The same in every language. */
const EXAMPLES = { server: "http://192.168.1.20:2586", mail: "mail.example.org" };

/** A way that the household's owners set up. */
export type SetUpChannel = keyof Channels;

interface FormProps {
  readonly channels: Channels;
  readonly onSaved: (channels: Channels) => void;
}

const FORMS = { ntfy: NtfyForm, email: EmailForm, push: PushForm } as const;

/** Sets a way up for the household; each person then chooses for themselves. */
export function SetUpDialog({
  channel,
  onClose,
  onChanged,
}: {
  channel: SetUpChannel;
  onClose: () => void;
  onChanged: () => void;
}) {
  const [channels] = useLoaded(async () => (await get("/api/notifications/channels")).channels);
  const Fields = FORMS[channel];
  const saved = (): void => {
    say(t("action.saved"));
    onChanged();
    onClose();
  };
  return (
    <Dialog title={t("notify.setUpNamed", { name: t(`notify.${channel}`) })} onClose={onClose}>
      <p class="soft small">{t("channels.text")}</p>
      {channels === null ? (
        <p aria-busy="true">{t("state.loading")}</p>
      ) : (
        <Fields channels={channels} onSaved={saved} />
      )}
    </Dialog>
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
          <PasswordField
            label={t("ntfy.token")}
            hint={ntfy?.hasToken === true ? t("channels.kept") : t("ntfy.tokenHint")}
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
          <PasswordField
            label={t("signIn.password")}
            {...(email?.hasPassword === true ? { hint: t("channels.kept") } : {})}
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
