import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, post } from "../../../console/api.ts";
import { Button } from "../../../console/components/button.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { PasswordField } from "../../../console/components/password-field.tsx";
import { say, sayError } from "../../../console/components/toast.tsx";
import { loadFurther, t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { browserHasPasskeys, NoPasskey, signInByPasskey } from "../../../console/passkey.ts";
import { passkeysHere, whoAmI } from "../../../console/session.ts";

/**
 * Sign-in with e-mail and password, and the second factor if the account has one; or with a passkey if one exists for
 * this page. `params.email`: of the person who was here.
 */
export function SignInForm({ params: { email: known = "" } }: PageProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // it comes after the dialog around it, which has looked for a field to begin at
    if (place.current?.closest("dialog")) place.current.querySelector("input")?.focus();
  }, []);
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
    <div class="stack" ref={place}>
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
      {known === "" && (
        <details class="group">
          <summary>{t("signIn.forgot")}</summary>
          <div class="stack small">
            <p>{t("signIn.forgotOthers")}</p>
            <p>{t("signIn.forgotOwner")}</p>
          </div>
        </details>
      )}
    </div>
  );
}
