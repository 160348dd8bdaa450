import { useState } from "preact/hooks";
import { post } from "../../../console/api.js";
import { NEW_PERSON, NewPersonFields } from "../../../console/components/account-fields.js";
import { ClearNotice } from "./clear-notice.js";
import { Form } from "../../../console/components/dialog.js";
import { TextField } from "../../../console/components/field.js";
import { Logo } from "../../../console/components/logo.js";
import { t } from "../../../console/i18n/translate.js";
import { go } from "../../../console/router.js";
import { whoAmI } from "../../../console/session.js";

/**
 * Somebody with an invitation becomes a person of the household. The code is behind the `#` of the link, so that no
 * proxy logs it.
 */
export function Join() {
  const [code, setCode] = useState(decodeURIComponent(location.hash.slice(1)));
  const [person, setPerson] = useState(NEW_PERSON);
  const send = async (): Promise<void> => {
    await post("/api/join", { body: { code, ...person } });
    go("/", { replace: true });
    await whoAmI();
  };
  return (
    <main class="page narrow-page">
      <div class="brand-head">
        <Logo />
        <h1>{t("join.title")}</h1>
        <p class="soft">{t("join.text")}</p>
      </div>
      <ClearNotice />
      <section class="card">
        <Form isPassing submit={t("join.submit")} send={send}>
          {(errors) => (
            <>
              <TextField label={t("join.code")} value={code} onInput={setCode} error={errors.code} required />
              <NewPersonFields person={person} errors={errors} onChange={setPerson} />
            </>
          )}
        </Form>
      </section>
    </main>
  );
}
