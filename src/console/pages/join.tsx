import { useState } from "preact/hooks";
import { post } from "../api.js";
import { Form } from "../components/dialog.js";
import { TextField } from "../components/field.js";
import { t } from "../i18n/translate.js";
import { go } from "../router.js";
import { whoAmI } from "../session.js";

/** Somebody with an invitation becomes a person of the household. The code stands behind the `#` of the link, so that no log of a proxy has it. */
export function Join() {
  const [code, setCode] = useState(decodeURIComponent(location.hash.slice(1)));
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const send = async (): Promise<void> => {
    await post("/api/join", { code, name, email, password });
    go("/", { replace: true });
    await whoAmI();
  };
  return (
    <main class="page narrow-page">
      <div class="brand-head">
        <img src="/icon.svg" alt="" width="56" height="56" />
        <h1>{t("join.title")}</h1>
        <p class="soft">{t("join.text")}</p>
      </div>
      <section class="card">
        <Form submit={t("join.submit")} send={send}>
          {(errors) => (
            <>
              <TextField label={t("join.code")} value={code} onInput={setCode} error={errors.code} required />
              <TextField label={t("welcome.name")} autocomplete="name" value={name} onInput={setName} error={errors.name} required />
              <TextField
                label={t("signIn.email")}
                hint={t("welcome.emailHint")}
                type="email"
                inputMode="email"
                autocomplete="username"
                value={email}
                onInput={setEmail}
                error={errors.email}
                required
              />
              <TextField
                label={t("signIn.password")}
                hint={t("welcome.passwordHint")}
                type="password"
                autocomplete="new-password"
                value={password}
                onInput={setPassword}
                error={errors.password}
                required
              />
            </>
          )}
        </Form>
      </section>
    </main>
  );
}
