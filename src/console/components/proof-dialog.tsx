import { useState } from "preact/hooks";
import { ApiError, type ProofQuestion, post } from "../api.ts";
import { problemText } from "../i18n/hub-texts.ts";
import { t } from "../i18n/translate.ts";
import { browserHasPasskeys, NoPasskey, proveByPasskey } from "../passkey.ts";
import { CurrentPasswordField } from "./account-fields.tsx";
import { Button } from "./button.tsx";
import { Dialog, Form } from "./dialog.tsx";
import { TextField } from "./field.tsx";

interface Wrong {
  readonly field: "passkey" | "password" | "code";
  readonly text: string;
}

/** Asks the signed-in person to prove who they are, by passkey or by password with the second factor. */
export function ProofDialog({ question }: { question: ProofQuestion }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [wantsCode, setWantsCode] = useState(question.secondFactor);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const errorOf = (field: Wrong["field"]): string | undefined => (wrong?.field === field ? wrong.text : undefined);
  const byPasskey = async (): Promise<void> => {
    setWrong(null);
    try {
      await proveByPasskey();
      question.answer(true);
    } catch (error) {
      setWrong({ field: "passkey", text: error instanceof NoPasskey ? error.message : problemText(error) });
    }
  };
  const byPassword = async (): Promise<void> => {
    setWrong(null);
    try {
      await post("/api/session/proof", { body: { password, ...(code === "" ? {} : { totp: code }) } });
      question.answer(true);
    } catch (error) {
      const asksForCode = error instanceof ApiError && error.code === "totp_required";
      const isWrong = error instanceof ApiError && error.code === "invalid_login";
      if (asksForCode) setWantsCode(true);
      const text = isWrong ? t(wantsCode ? "proof.wrongEither" : "proof.wrong") : problemText(error);
      setWrong({ field: asksForCode ? "code" : "password", text });
    }
  };
  return (
    <Dialog title={t("proof.title")} onClose={() => question.answer(false)}>
      <p>{t("proof.text")}</p>
      {question.passkey && browserHasPasskeys && (
        <div class="field">
          <Button look="primary" text={t("passkey.use")} onClick={() => void byPasskey()} />
          {errorOf("passkey") !== undefined && (
            <span class="error" role="alert">
              {errorOf("passkey")}
            </span>
          )}
          <span class="soft small">{t("proof.or")}</span>
        </div>
      )}
      <Form isPassing submit={t("proof.confirm")} send={byPassword} onCancel={() => question.answer(false)}>
        {() => (
          <>
            <CurrentPasswordField value={password} onInput={setPassword} error={errorOf("password")} />
            {wantsCode && (
              <TextField
                label={t("signIn.code")}
                hint={t("signIn.codeHint")}
                inputMode="numeric"
                autocomplete="one-time-code"
                value={code}
                onInput={setCode}
                error={errorOf("code")}
                required
              />
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}
