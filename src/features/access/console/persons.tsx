import { useState } from "preact/hooks";
import { get, post, remove } from "../../../console/api.ts";
import { Card, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { useHubOrigin } from "../../../console/components/hub-address.ts";
import { useLoaded } from "../../../console/components/loaded.ts";
import { NameField } from "../../../console/components/name-fields.tsx";
import { QrCode } from "../../../console/components/qr-code.tsx";
import { ShownOnce } from "../../../console/components/shown-once.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { toldApart } from "../../../console/components/told-apart.ts";
import { TrustLine } from "../../../console/components/trust-line.tsx";
import { ago, dateTime, madeText, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { Role } from "../../../core/api/roles.ts";
import { LimitsField, limitsDraft, limitsOf, limitsText } from "./limits-field.tsx";
import { usePersonsChanged } from "./persons-changed.ts";
import { RoleField, roleWord } from "./role-field.tsx";
import { UntilField, untilDraft, untilOf, untilText } from "./until-field.tsx";

/** A person of the household (`GET /api/persons`). */
type PersonList = AnswerTo<"GET", "/api/persons">;
export type Person = PersonList["persons"][number];

/** The people of the household and who is invited; each person has a page. */
export function PersonsPage() {
  const [list, load] = useLoaded(() => get("/api/persons"));
  const [inviting, setInviting] = useState(false);
  usePersonsChanged(load);
  const { persons, invitations } = list ?? { persons: [], invitations: [] };
  const nameOf = toldApart(
    persons,
    ({ name }) => name,
    ({ email }) => email,
  );
  const invitedName = toldApart(
    invitations,
    ({ name }) => name,
    ({ createdAt }) => madeText(createdAt),
  );
  return (
    <>
      <PageHead title={t("persons.title")} subtitle={t("persons.subtitle")}>
        <Button look="primary" icon="plus" text={t("persons.invite")} onClick={() => setInviting(true)} />
      </PageHead>
      <Tabs of="/system" here="/system/persons" />
      <Card>
        <ul class="list">
          {persons.map((person) => (
            <OnePerson key={person.id} person={person} name={nameOf(person)} />
          ))}
        </ul>
      </Card>
      {invitations.length > 0 && (
        <Card title={t("persons.invited")}>
          <ul class="list">
            {invitations.map((invitation) => (
              <li key={invitation.id}>
                <div class="grow">
                  <p>{invitedName(invitation)}</p>
                  <p class="soft small">
                    {t("persons.until", { role: roleWord(invitation.role), at: dateTime(invitation.expiresAt) })}
                    {invitation.until !== null && ` · ${t("until.ends", { day: untilText(invitation.until) })}`}
                    {invitation.role === "member" &&
                      invitation.limits !== null &&
                      ` · ${t("limits.opens", { limits: limitsText(invitation.limits) })}`}
                  </p>
                </div>
                <Button
                  text={t("persons.withdraw")}
                  aria-label={t("persons.withdrawNamed", { name: invitedName(invitation) })}
                  onClick={() =>
                    void remove("/api/persons/invitations/{id}", { params: { id: invitation.id } }).then(load, sayError)
                  }
                />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {inviting && (
        <Invite
          onClose={() => {
            setInviting(false);
            load();
          }}
        />
      )}
    </>
  );
}

/** `name`: as the list calls the person. */
function OnePerson({
  person: { id, role, you, until, ended, limits, lastSeenAt },
  name,
}: {
  person: Person;
  name: string;
}) {
  return (
    <li>
      <div class="grow">
        <p>
          <a href={`/system/persons/${id}`}>{name}</a>
        </p>
        <p class="soft small">
          {[
            roleWord(role),
            ...(you ? [t("persons.you")] : []),
            ...(until === null || ended ? [] : [t("until.ends", { day: untilText(until) })]),
          ].join(" · ")}
        </p>
        {role === "member" && limits !== null && !ended && <p class="soft small">{limitsText(limits)}</p>}
        {!you && (
          <p class={ended ? "small" : "soft small"}>
            {ended && until !== null
              ? t("until.ended", { day: untilText(until) })
              : lastSeenAt === null
                ? t("persons.notSignedIn")
                : t("persons.seen", { ago: ago(lastSeenAt) })}
          </p>
        )}
      </div>
    </li>
  );
}

function Invite({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [made, setMade] = useState<AnswerTo<"POST", "/api/persons/invitations"> | null>(null);
  const [draft, setDraft] = useState(() => untilDraft(null));
  const [limitsOn, setLimits] = useState(() => limitsDraft(null));
  const until = untilOf(draft);
  const limits = role === "member" ? limitsOf(limitsOn) : null;
  const send = async (): Promise<void> =>
    setMade(await post("/api/persons/invitations", { body: { name, role, until, limits: limits ?? null } }));
  const origin = useHubOrigin();
  const link = made === null ? "" : `${origin}/join#${made.code}`;
  return (
    <Dialog
      title={made === null ? t("persons.invite") : t("persons.invitedTitle", { name: made.invitation.name })}
      onClose={onClose}
    >
      {made === null ? (
        <Form
          submit={t("persons.makeInvitation")}
          send={send}
          onCancel={onClose}
          disabled={until === "" || limits === undefined}
        >
          {(errors) => (
            <>
              <NameField label={t("persons.name")} value={name} onInput={setName} errors={errors} />
              <RoleField value={role} onChange={setRole} />
              {role === "member" && <LimitsField draft={limitsOn} errors={errors} onChange={setLimits} />}
              <UntilField draft={draft} errors={errors} onChange={setDraft} />
            </>
          )}
        </Form>
      ) : (
        <>
          <Notice tone="good">{t("persons.invitedText", { at: dateTime(made.invitation.expiresAt) })}</Notice>
          {origin !== null && <TrustLine origin={origin} />}
          {origin !== null && <QrCode text={link} label={t("persons.qr")} />}
          {origin !== null && <ShownOnce text={link} copy={t("persons.copyLink")} />}
          <p class="soft small">{t("persons.code", { code: made.code, page: `${origin ?? location.origin}/join` })}</p>
          <div class="actions">
            {origin !== null && "share" in navigator && (
              <Button
                icon="share"
                text={t("action.share")}
                onClick={() => void navigator.share({ title: t("join.title"), url: link }).catch(() => {})} // closed without sending
              />
            )}
            <Button text={t("persons.copyCode")} onClick={() => void copyText(made.code)} />
            <Button look="primary" text={t("action.done")} onClick={onClose} />
          </div>
        </>
      )}
    </Dialog>
  );
}
