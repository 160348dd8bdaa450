import { useEffect } from "preact/hooks";
import { Dialog } from "../../../console/components/dialog.tsx";
import { Logo } from "../../../console/components/logo.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { later } from "../../../console/pages/later.tsx";
import { hasUnsaved } from "../../../console/router.ts";
import { account, whoAmI } from "../../../console/session.ts";
import { ClearNotice } from "./clear-notice.tsx";

/** Most visits begin signed in. */
const SignInForm = later(async () => (await import("./sign-in-form.tsx")).SignInForm);

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
        <SignInForm params={{}} />
      </section>
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
      <SignInForm params={{ email: account.value?.email ?? "" }} />
    </Dialog>
  );
}
