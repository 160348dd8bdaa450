import { useEffect, useState } from "preact/hooks";
import { get, post, remove } from "../../../console/api.ts";
import { NewPasswordField } from "../../../console/components/account-fields.tsx";
import { Card, Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Confirm, Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckField, TextField } from "../../../console/components/field.tsx";
import { QrCode } from "../../../console/components/qr-code.tsx";
import { CopyText, ShownOnce } from "../../../console/components/shown-once.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { isOwner, opening } from "../../../console/session.ts";
import { AppList } from "./app-list.tsx";
import { limitsText } from "./limits-field.tsx";
import { PasskeyList } from "./passkey-list.tsx";
import { PersonGrants } from "./person-grants.tsx";
import { type Session, SessionList } from "./session-list.tsx";
import { untilText } from "./until-field.tsx";

type Me = AnswerTo<"GET", "/api/me">["account"];

/** An end that is nearer than this stands out. */
const SOON_MS = 14 * 86_400_000;

type Open = "password" | "totp" | "disable" | "grants" | null;

/** A person's own account, under their name where the page has the title: password, second factor, passkeys, where it is signed in. */
export function AccountCard() {
  const [me, setMe] = useState<Me | null>(null);
  const [sessions, setSessions] = useState<readonly Session[]>([]);
  const [open, setOpen] = useState<Open>(null);
  const load = (): void => {
    void get("/api/me")
      .then((answer) => setMe(answer.account))
      .catch(sayError);
    void get("/api/sessions")
      .then((answer) => setSessions(answer.sessions))
      .catch(sayError);
  };
  useEffect(load, []);
  if (me === null) return null;
  const close = (): void => {
    setOpen(null);
    load();
  };
  return (
    <Card title={isOwner.value ? me.name : t("account.title")}>
      <p class="soft">{me.email}</p>
      {me.until !== null &&
        (Date.parse(me.until) - Date.now() < SOON_MS ? (
          <Notice tone="warn">{t("until.yours", { day: untilText(me.until) })}</Notice>
        ) : (
          <p>{t("until.yours", { day: untilText(me.until) })}</p>
        ))}
      {opening.value !== null && <p>{t("limits.yours", { limits: limitsText(opening.value) })}</p>}
      <div class="row">
        <Button text={t("account.password")} onClick={() => setOpen("password")} />
        <Button
          text={me.totp ? t("account.totpOff") : t("account.totpOn")}
          onClick={() => setOpen(me.totp ? "disable" : "totp")}
        />
        <Button text={t("grants.ownTitle")} onClick={() => setOpen("grants")} />
      </div>
      <PasskeyList />
      <h3>{t("account.sessions")}</h3>
      <SessionList
        sessions={sessions}
        onEnd={(session) => void remove("/api/sessions/{id}", { params: { id: session.id } }).then(load, sayError)}
      />
      <AppList />
      {open === "password" && <ChangePassword onClose={close} />}
      {open === "totp" && <SetUpTotp onClose={close} />}
      {open === "grants" && <PersonGrants person={null} fate="stay" onDone={load} onClose={close} />}
      {open === "disable" && <DisableTotp onClose={close} />}
    </Card>
  );
}

function ChangePassword({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState("");
  const [endGrants, setEndGrants] = useState(false);
  const send = async (): Promise<void> => {
    await post("/api/me/password", { body: { password, endGrants } });
    say(t("account.passwordChanged"));
    onClose();
  };
  return (
    <Dialog title={t("account.password")} onClose={onClose}>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <NewPasswordField label={t("account.new")} value={password} onInput={setPassword} error={errors.password} />
            <CheckField
              label={t("grants.withPassword")}
              hint={t("grants.withPasswordHint")}
              checked={endGrants}
              onChange={setEndGrants}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function SetUpTotp({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<{ secret: string; uri: string } | null>(null);
  const [code, setCode] = useState("");
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const begin = async (): Promise<void> => setSecret(await post("/api/me/totp"));
  const confirm = async (): Promise<void> =>
    setCodes((await post("/api/me/totp/confirm", { body: { code } })).recoveryCodes);
  return (
    <Dialog title={t("account.totpOn")} onClose={onClose}>
      {codes !== null ? (
        <>
          <p>{t("account.codes")}</p>
          <ShownOnce text={codes.join("\n")} />
          <div class="actions">
            <Button look="primary" text={t("action.done")} onClick={onClose} />
          </div>
        </>
      ) : secret === null ? (
        <Form submit={t("welcome.continue")} send={begin} onCancel={onClose}>
          {() => <p>{t("account.totpBegin")}</p>}
        </Form>
      ) : (
        <Form submit={t("account.confirm")} send={confirm} onCancel={onClose}>
          {(errors) => (
            <>
              <p>{t("account.totpText")}</p>
              <QrCode text={secret.uri} label={t("account.totpQr")} />
              <CopyText text={secret.secret} />
              <a href={secret.uri}>{t("account.totpOpen")}</a>
              <TextField
                label={t("signIn.code")}
                inputMode="numeric"
                autocomplete="one-time-code"
                value={code}
                onInput={setCode}
                error={errors.code}
              />
            </>
          )}
        </Form>
      )}
    </Dialog>
  );
}

function DisableTotp({ onClose }: { onClose: () => void }) {
  return (
    <Confirm
      title={t("account.totpOff")}
      text={t("account.totpOffText")}
      action={t("account.totpOff")}
      danger
      onYes={() => post("/api/me/totp/disable")}
      onClose={onClose}
    />
  );
}
