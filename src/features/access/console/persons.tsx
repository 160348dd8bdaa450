import { useState } from "preact/hooks";
import { get, patch, post, remove } from "../../../console/api.ts";
import { Card, Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button, IconButton } from "../../../console/components/button.tsx";
import { copyText } from "../../../console/components/copy.ts";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { SelectField } from "../../../console/components/field.tsx";
import { useHubOrigin } from "../../../console/components/hub-address.ts";
import { useLoaded } from "../../../console/components/loaded.ts";
import { NameField } from "../../../console/components/name-fields.tsx";
import { QrCode } from "../../../console/components/qr-code.tsx";
import { ShownOnce } from "../../../console/components/shown-once.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { TrustLine } from "../../../console/components/trust-line.tsx";
import { ago, dateTime, type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { isAtLeast, ROLES, type Role } from "../../../core/api/roles.ts";
import { type PersonFate, PersonGrants } from "./person-grants.tsx";
import { PersonSessions } from "./person-sessions.tsx";
import { UntilField, untilDraft, untilOf, untilText } from "./until-field.tsx";

/** A person of the household (`GET /api/persons`). */
type PersonList = AnswerTo<"GET", "/api/persons">;
export type Person = PersonList["persons"][number];

/** The people of the household: invitations, roles, sessions. */
export function PersonsPage() {
  const [list, load] = useLoaded(() => get("/api/persons"));
  const [inviting, setInviting] = useState(false);
  const [settling, setSettling] = useState<{ person: Person; fate: PersonFate } | null>(null);
  const [choosing, setChoosing] = useState<Person | null>(null);
  const [looking, setLooking] = useState<Person | null>(null);
  const act = (work: Promise<unknown>): void => void work.then(load, sayError);
  return (
    <>
      <PageHead title={t("persons.title")} subtitle={t("persons.subtitle")}>
        <Button look="primary" icon="plus" text={t("persons.invite")} onClick={() => setInviting(true)} />
      </PageHead>
      <Tabs of="/system" here="/system/persons" />
      <Card>
        <ul class="list tooled">
          {(list?.persons ?? []).map((person) => (
            <OnePerson
              key={person.id}
              person={person}
              onAccess={() => setChoosing(person)}
              onGrants={() => setSettling({ person, fate: "stay" })}
              onSessions={() => setLooking(person)}
              onRemove={() => setSettling({ person, fate: "remove" })}
            />
          ))}
        </ul>
      </Card>
      {list !== null && list.invitations.length > 0 && (
        <Card title={t("persons.invited")}>
          <ul class="list">
            {list.invitations.map((invitation) => (
              <li key={invitation.id}>
                <div class="grow">
                  <p>{invitation.name}</p>
                  <p class="soft small">
                    {t("persons.until", { role: roleWord(invitation.role), at: dateTime(invitation.expiresAt) })}
                    {invitation.until !== null && ` · ${t("until.ends", { day: untilText(invitation.until) })}`}
                  </p>
                </div>
                <Button
                  text={t("persons.withdraw")}
                  onClick={() => act(remove("/api/persons/invitations/{id}", { params: { id: invitation.id } }))}
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
      {looking && (
        <PersonSessions
          person={looking}
          onClose={() => {
            setLooking(null);
            load();
          }}
        />
      )}
      {choosing && (
        <ChangeAccess
          person={choosing}
          onLess={(fate) => {
            setChoosing(null);
            setSettling({ person: choosing, fate });
          }}
          onClose={() => {
            setChoosing(null);
            load();
          }}
        />
      )}
      {settling && (
        <PersonGrants person={settling.person} fate={settling.fate} onDone={load} onClose={() => setSettling(null)} />
      )}
    </>
  );
}

/** What people call each role, and what it may do, in one sentence. */
const ROLE_TEXTS = {
  member: ["role.member", "role.memberText"],
  gatekeeper: ["role.gatekeeper", "role.gatekeeperText"],
  owner: ["role.owner", "role.ownerText"],
} as const satisfies Readonly<Record<Role, readonly [word: TextKey, text: TextKey]>>;

function roleWord(role: Role): string {
  return t(ROLE_TEXTS[role][0]);
}

function RoleField({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  return (
    <SelectField
      label={t("persons.role")}
      hint={t(ROLE_TEXTS[value][1])}
      value={value}
      onChange={onChange}
      options={ROLES.map((role) => [role, roleWord(role)] as const)}
    />
  );
}

/** What a person may do, and until when; with a lesser role, what they handed out is asked about next. */
function ChangeAccess({
  person: { id, name, role: before, until: ends },
  onLess,
  onClose,
}: {
  person: Person;
  onLess: (role: "gatekeeper" | "member") => void;
  onClose: () => void;
}) {
  const [role, setRole] = useState<Role>(before);
  const [draft, setDraft] = useState(() => untilDraft(ends));
  const until = untilOf(draft);
  const isLess = role !== "owner" && !isAtLeast(role, before);
  const send = async (): Promise<void> => {
    const body = {
      ...(role === before || isLess ? {} : { role }),
      ...(until === ends || until === "" ? {} : { until }),
    };
    if (Object.keys(body).length > 0) await patch("/api/persons/{id}", { params: { id }, body });
    if (isLess) onLess(role);
    else onClose();
  };
  return (
    <Dialog title={t("persons.accessTitle", { name })} onClose={onClose}>
      <Form
        submit={t("persons.changeAccess")}
        send={send}
        onCancel={onClose}
        disabled={until === "" && role === before}
      >
        {(errors) => (
          <>
            <RoleField value={role} onChange={setRole} />
            <UntilField draft={draft} errors={errors} onChange={setDraft} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function OnePerson({
  person,
  onAccess,
  onSessions,
  onGrants,
  onRemove,
}: {
  person: Person;
  onAccess: () => void;
  onSessions: () => void;
  onGrants: () => void;
  onRemove: () => void;
}) {
  const { name, email, role, you, isHead, until, ended, hasSecondFactor, lastSeenAt, sessions } = person;
  return (
    <li>
      <div class="grow">
        <p>
          <strong>{name}</strong> {you && <span class="badge">{t("persons.you")}</span>}{" "}
          <span class="badge">{roleWord(role)}</span>
        </p>
        <p class="soft small ellipsis">{email}</p>
        {until !== null && (
          <p class={ended ? "small" : "soft small"}>
            {t(ended ? "until.ended" : "until.ends", { day: untilText(until) })}
          </p>
        )}
        <p class="soft small">
          {lastSeenAt === null ? t("persons.notSignedIn") : t("persons.seen", { ago: ago(lastSeenAt), n: sessions })}
          {hasSecondFactor && ` · ${t("persons.secondFactor")}`}
        </p>
      </div>
      <div class="tools">
        <Button text={t("account.sessions")} onClick={onSessions} />
        {role !== "member" && <Button text={t("grants.shown")} onClick={onGrants} />}
        {!isHead && (
          <>
            <Button text={t("persons.changeAccess")} onClick={onAccess} />
            <IconButton icon="trash" label={t("persons.removeNamed", { name })} onClick={onRemove} />
          </>
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
  const until = untilOf(draft);
  const send = async (): Promise<void> =>
    setMade(await post("/api/persons/invitations", { body: { name, role, until } }));
  const origin = useHubOrigin();
  const link = made === null ? "" : `${origin}/join#${made.code}`;
  return (
    <Dialog
      title={made === null ? t("persons.invite") : t("persons.invitedTitle", { name: made.invitation.name })}
      onClose={onClose}
    >
      {made === null ? (
        <Form submit={t("persons.makeInvitation")} send={send} onCancel={onClose} disabled={until === ""}>
          {(errors) => (
            <>
              <NameField label={t("persons.name")} value={name} onInput={setName} errors={errors} />
              <RoleField value={role} onChange={setRole} />
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
            <Button text={t("persons.copyCode")} onClick={() => void copyText(made.code)} />
            <Button look="primary" text={t("action.done")} onClick={onClose} />
          </div>
        </>
      )}
    </Dialog>
  );
}
