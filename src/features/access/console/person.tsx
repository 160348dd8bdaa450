import { useState } from "preact/hooks";
import { get, patch, remove } from "../../../console/api.ts";
import { Card, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { Gone } from "../../../console/components/gone.tsx";
import { Icon } from "../../../console/components/icon.tsx";
import { useLoaded } from "../../../console/components/loaded.ts";
import { Tabs } from "../../../console/components/tabs.tsx";
import { sayError } from "../../../console/components/toast.tsx";
import { t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { go } from "../../../console/router.ts";
import { isAtLeast, type Role } from "../../../core/api/roles.ts";
import { LimitsField, limitsDraft, limitsOf, limitsText } from "./limits-field.tsx";
import { countedGrants, type PersonFate, PersonGrants } from "./person-grants.tsx";
import type { Person } from "./persons.tsx";
import { usePersonsChanged } from "./persons-changed.ts";
import { RoleField, roleWord } from "./role-field.tsx";
import { SessionList } from "./session-list.tsx";
import { UntilField, untilDraft, untilOf, untilText } from "./until-field.tsx";

const PERSONS = "/system/persons";

/** What the page shows of a person. */
interface Shown {
  /** Null: there is no such person. */
  readonly person: Person | null;
  readonly sessions: AnswerTo<"GET", "/api/persons/{id}/sessions">["sessions"];
  readonly grants: AnswerTo<"GET", "/api/persons/{id}/grants">["grants"];
}

async function loadPerson(id: number): Promise<Shown> {
  const { persons } = await get("/api/persons");
  const person = persons.find((one) => one.id === id) ?? null;
  if (person === null) return { person, sessions: [], grants: [] };
  const params = { id };
  const [{ sessions }, { grants }] = await Promise.all([
    get("/api/persons/{id}/sessions", { params }),
    get("/api/persons/{id}/grants", { params }),
  ]);
  return { person, sessions, grants };
}

/** One person of the household: what they may do and until when, where they are signed in, what they gave to others. */
export function PersonPage({ params }: PageProps) {
  const [shown, load] = useLoaded(() => loadPerson(Number(params.id)));
  const [isChanging, setChanging] = useState(false);
  const [settling, setSettling] = useState<PersonFate | null>(null);
  usePersonsChanged(load);
  if (shown === null) return <p aria-busy="true">{t("state.loading")}</p>;
  const { person, sessions, grants } = shown;
  if (person === null) return <Gone text={t("persons.gone")} />;
  const { id, isHead } = person;
  return (
    <>
      <PageHead title={person.name} subtitle={person.email} />
      <Tabs of="/system" here={PERSONS} />
      <Card
        title={t("persons.access")}
        action={!isHead && <Button text={t("persons.changeAccess")} onClick={() => setChanging(true)} />}
      >
        <AccessFacts person={person} />
        {isHead && <p class="soft small">{t("persons.headStays")}</p>}
      </Card>
      <Card title={t("persons.signedIn")}>
        {sessions.length === 0 && <p class="soft">{t("persons.notSignedIn")}</p>}
        <SessionList
          sessions={sessions}
          onEnd={(session) =>
            void remove("/api/persons/{id}/sessions/{sessionId}", { params: { id, sessionId: session.id } }).then(
              load,
              sayError,
            )
          }
        />
      </Card>
      <Card title={t("grants.given")}>
        <p class={grants.length === 0 ? "soft" : ""}>
          {grants.length === 0 ? t("grants.nothing") : countedGrants(grants)}
        </p>
        {grants.length > 0 && (
          <div class="row">
            <Button text={t("grants.decide")} onClick={() => setSettling("stay")} />
          </div>
        )}
      </Card>
      <ul class="rows">
        <li>
          <a href={`/system/audit?person=${id}`}>
            <Icon name="list" />
            <span class="row-title">
              {t("persons.acts")}
              <span class="row-text">{t("system.audit")}</span>
            </span>
            <Icon name="chevronRight" small />
          </a>
        </li>
      </ul>
      {!isHead && (
        <div class="row">
          <Button look="danger" icon="trash" text={t("persons.remove")} onClick={() => setSettling("remove")} />
        </div>
      )}
      {isChanging && (
        <ChangeAccess
          person={person}
          onLess={(role) => {
            setChanging(false);
            setSettling(role);
          }}
          onClose={() => {
            setChanging(false);
            load();
          }}
        />
      )}
      {settling && (
        <PersonGrants
          person={person}
          fate={settling}
          onDone={() => (settling === "remove" ? go(PERSONS, { replace: true }) : load())}
          onClose={() => setSettling(null)}
        />
      )}
    </>
  );
}

function AccessFacts({ person: { role, you, until, ended, limits, hasSecondFactor } }: { person: Person }) {
  return (
    <dl class="facts">
      <dt>{t("persons.role")}</dt>
      <dd>
        {roleWord(role)} {you && <span class="badge">{t("persons.you")}</span>}
      </dd>
      {(role === "member" || limits !== null) && (
        <>
          <dt>{t("limits.title")}</dt>
          <dd>
            {limits === null ? t("limits.none") : limitsText(limits)}
            {role !== "member" && <span class="soft small"> {t("limits.rest")}</span>}
          </dd>
        </>
      )}
      <dt>{t("until.title")}</dt>
      <dd>
        {until === null ? t("until.never") : ended ? t("until.ended", { day: untilText(until) }) : untilText(until)}
      </dd>
      <dt>{t("persons.secondFactor")}</dt>
      <dd>{t(hasSecondFactor ? "persons.secondFactorOn" : "persons.secondFactorOff")}</dd>
    </dl>
  );
}

/** What a person may do, and until when; with a lesser role, what they gave to others is asked about next. */
function ChangeAccess({
  person: { id, name, role: before, until: ends, limits: limited },
  onLess,
  onClose,
}: {
  person: Person;
  onLess: (role: "gatekeeper" | "member") => void;
  onClose: () => void;
}) {
  const [role, setRole] = useState<Role>(before);
  const [draft, setDraft] = useState(() => untilDraft(ends));
  const [limitsOn, setLimits] = useState(() => limitsDraft(limited));
  const until = untilOf(draft);
  const limits = role === "member" ? limitsOf(limitsOn) : limited;
  const isLess = role !== "owner" && !isAtLeast(role, before);
  const send = async (): Promise<void> => {
    const body = {
      ...(role === before || isLess ? {} : { role }),
      ...(until === ends || until === "" ? {} : { until }),
      ...(limits === undefined || JSON.stringify(limits) === JSON.stringify(limited) ? {} : { limits }),
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
        disabled={(until === "" && role === before) || limits === undefined}
      >
        {(errors) => (
          <>
            <RoleField value={role} onChange={setRole} />
            {role === "member" ? (
              <LimitsField draft={limitsOn} errors={errors} onChange={setLimits} />
            ) : (
              limited !== null && <p class="soft">{t("limits.willRest", { limits: limitsText(limited) })}</p>
            )}
            <UntilField draft={draft} errors={errors} onChange={setDraft} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
