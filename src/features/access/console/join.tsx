import { useEffect, useState } from "preact/hooks";
import { ApiError, post } from "../../../console/api.ts";
import { NEW_PERSON, NewPersonFields, typedCode } from "../../../console/components/account-fields.tsx";
import { Form } from "../../../console/components/dialog.tsx";
import { TextField } from "../../../console/components/field.tsx";
import { givenName } from "../../../console/components/household.ts";
import { Logo } from "../../../console/components/logo.tsx";
import { windowText } from "../../../console/components/week-times.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { go } from "../../../console/router.ts";
import { whoAmI } from "../../../console/session.ts";
import { ClearNotice } from "./clear-notice.tsx";
import { roleWord } from "./role-field.tsx";
import { untilText } from "./until-field.tsx";

type Invitation = AnswerTo<"POST", "/api/join/look">["invitation"];

/** The letters of a code. */
const CODE_LENGTH = 12;

/**
 * A person with an invitation joins the household. The code is behind the `#` of the link, so that no
 * proxy logs it.
 */
export function Join() {
  const [code, setCode] = useState(decodeURIComponent(location.hash.slice(1)));
  const [person, setPerson] = useState(NEW_PERSON);
  const { invitation, isUnknown } = useInvitation(code);
  useEffect(() => {
    if (invitation !== null) setPerson((typed) => (typed.name === "" ? { ...typed, name: invitation.name } : typed));
  }, [invitation]);
  const send = async (): Promise<void> => {
    await post("/api/join", { body: { code, ...person } });
    go("/", { replace: true });
    await whoAmI();
  };
  const household = invitation === null ? null : givenName(invitation.household);
  return (
    <main class="page narrow-page">
      <div class="brand-head">
        <Logo />
        <h1>{household === null ? t("join.title") : t("join.titleOf", { household })}</h1>
        <p class="soft">
          {invitation === null || invitation.inviter === null
            ? t("join.text")
            : t("join.invitedBy", { inviter: invitation.inviter })}
        </p>
        {invitation !== null && (
          <p>
            {invitation.role === "owner"
              ? roleWord(invitation.role)
              : `${roleWord(invitation.role)}: ${t(`role.${invitation.role}Text`)}`}
          </p>
        )}
        {invitation !== null && invitation.until !== null && (
          <p>{t("until.yours", { day: untilText(invitation.until, invitation.timeZone) })}</p>
        )}
        {invitation !== null && invitation.times.length > 0 && (
          <p>{t("limits.yours", { limits: invitation.times.map(windowText).join(" · ") })}</p>
        )}
      </div>
      <ClearNotice />
      <section class="card">
        <Form isPassing submit={t("join.submit")} send={send}>
          {(errors) => (
            <>
              <TextField
                label={t("join.code")}
                value={code}
                onInput={setCode}
                error={errors.code ?? (isUnknown ? t("join.unknown") : undefined)}
                required
              />
              <NewPersonFields person={person} errors={errors} onChange={setPerson} />
            </>
          )}
        </Form>
      </section>
    </main>
  );
}

/** The invitation of a code, once the code is whole and good. `isUnknown`: it is whole, and the hub does not know it. */
function useInvitation(typed: string): { readonly invitation: Invitation | null; readonly isUnknown: boolean } {
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const [isUnknown, setUnknown] = useState(false);
  const code = typedCode(typed);
  useEffect(() => {
    setInvitation(null);
    setUnknown(false);
    if (code.length !== CODE_LENGTH) return;
    let isGone = false;
    post("/api/join/look", { body: { code } }).then(
      (found) => {
        if (!isGone) setInvitation(found.invitation);
      },
      (error: unknown) => {
        if (!isGone) setUnknown(error instanceof ApiError && error.code === "invalid_code");
      },
    );
    return () => {
      isGone = true;
    };
  }, [code]);
  return { invitation, isUnknown };
}
