import { useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { NEW_PERSON, NewPersonFields } from "../../../console/components/account-fields.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { Logo } from "../../../console/components/logo.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { go } from "../../../console/router.ts";
import { whoAmI } from "../../../console/session.ts";
import { ClearNotice } from "./clear-notice.tsx";

/**
 * A person with an invitation joins the household. The code is behind the `#` of the link, so that no
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
