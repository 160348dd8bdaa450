import { useEffect, useState } from "preact/hooks";
import { ApiError, post } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { Logo } from "../../../console/components/logo.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { loadFurther, t } from "../../../console/i18n/translate.ts";
import { browserHasPasskeys, NoPasskey, signInByPasskey } from "../../../console/passkey.ts";
import { hasUnsaved } from "../../../console/router.ts";
import { account, passkeysHere, whoAmI } from "../../../console/session.ts";
import { ClearNotice } from "./clear-notice.tsx";

/** The sign-in page. */
export function SignIn() {
  return (
    <main class="page narrow-page">
      <div class="brand-head">
        <Logo />
        <h1>{t("signIn.title")}</h1>
      </div>
      <ClearNotice />
      <section class="card">
        <SignInForm />
      </section>
      <details class="group">
        <summary>{t("signIn.forgot")}</summary>
        <div class="stack small">
          <p>{t("signIn.forgotOthers")}</p>
          <p>{t("signIn.forgotOwner")}</p>
        </div>
      </details>
    </main>
  );
}

/** Covers the page of a person whose session has ended; it continues unchanged once they have signed in again. */
export function SignInAgain() {
  useEffect(() => {
    const look = (): void => void whoAmI(); // they may have signed in in another window
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, []);
  return (
    <Dialog title={t("signIn.again")} isCurtain>
      <p>{t(hasUnsaved() ? "signIn.againKept" : "signIn.againText")}</p>
      <ClearNotice />
      <SignInForm email={account.value?.email ?? ""} />
    </Dialog>
  );
}

/**
 * Sign-in with e-mail and password, and the second factor if the account has one; or with a passkey if one exists for
 * this page.
 */
function SignInForm({ email: known = "" }: { email?: string }) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [wantsCode, setWantsCode] = useState(false);
  const send = async (): Promise<void> => {
    try {
      await post("/api/session", { body: { email, password, ...(code === "" ? {} : { totp: code }) } });
    } catch (error) {
      if (error instanceof ApiError && error.code === "totp_required") {
        setWantsCode(true);
        return;
      }
      await loadFurther().catch(() => {}); // a refusal may name a moment
      throw error;
    }
    await whoAmI();
  };
  const byPasskey = async (): Promise<void> => {
    try {
      await signInByPasskey();
    } catch (error) {
      if (error instanceof NoPasskey) say(error.message);
      else sayError(error);
      return;
    }
    await whoAmI();
  };
  return (
    <>
      <Form isPassing submit={t("signIn.submit")} send={send}>
        {(errors) => (
          <>
            <TextField
              label={t("signIn.email")}
              type="email"
              inputMode="email"
              autocomplete="username"
              value={email}
              onInput={setEmail}
              error={errors.email}
              required
            />
            <PasswordField
              label={t("signIn.password")}
              autocomplete="current-password"
              value={password}
              onInput={setPassword}
              error={errors.password}
              required
            />
            {wantsCode && (
              <TextField
                label={t("signIn.code")}
                hint={t("signIn.codeHint")}
                inputMode="numeric"
                autocomplete="one-time-code"
                value={code}
                onInput={setCode}
                error={errors.totp}
                required
              />
            )}
          </>
        )}
      </Form>
      {passkeysHere.value && browserHasPasskeys && (
        <div class="row actions">
          <Button text={t("passkey.signIn")} onClick={() => void byPasskey()} />
        </div>
      )}
    </>
  );
}
