import type { Caller } from "../../../core/api/caller.ts";
import { type BoundRoute, bind, bindOpen } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import type { Access } from "../access.ts";
import {
  editPerson,
  endOwnGrants,
  endPersonSession,
  invitePerson,
  joinHousehold,
  listOwnGrants,
  listPersonGrants,
  listPersonSessions,
  listPersons,
  lookAtInvitation,
  removePerson,
  settlePersonGrants,
  withdrawInvitation,
} from "../api/console-persons.ts";
import type { GrantsOfKind } from "../grants.ts";
import type { Invitation, Person } from "../persons.ts";
import { openedAnswer, shownSession, sourceOf } from "./console-session.ts";
import { shownLimits, shownTimes } from "./shown-limits.ts";

/** The persons of a household: listing, inviting and joining, roles, sessions. */
export function personRoutes({ persons, sessions }: Pick<Access, "persons" | "sessions">): BoundRoute[] {
  return [
    bind(listPersons, ({ caller }) => ({
      status: 200,
      body: {
        persons: persons.list(caller.householdId).map((one) => shown(one, caller)),
        invitations: persons.invitations(caller.householdId).map(shownInvitation),
      },
    })),
    bind(invitePerson, async ({ caller, body }) => {
      const { name, role, until, limits = null } = body;
      const who = { name, role, endsAt: momentOf(until) ?? null, limits };
      const { invitation, code } = await persons.invite(caller.householdId, who, caller);
      return { status: 201, body: { invitation: shownInvitation(invitation), code } };
    }),
    bind(withdrawInvitation, async ({ caller, params }) => {
      await persons.withdraw(caller.householdId, params.id, caller);
      return { status: 200, body: { done: true } };
    }),
    bindOpen(lookAtInvitation, ({ body, facts }) => {
      const { endsAt, times, ...invitation } = persons.look(body.code, sourceOf(facts));
      return {
        status: 200,
        body: { invitation: { ...invitation, until: isoTimeOrNull(endsAt), times: shownTimes(times) } },
        headers: { "Cache-Control": "no-store" },
      };
    }),
    bindOpen(joinHousehold, async ({ body, facts }) =>
      openedAnswer(sessions, 201, await persons.join(body, sourceOf(facts)), facts),
    ),
    bind(editPerson, async ({ caller, params, body }) => {
      const edit = { role: body.role, endsAt: momentOf(body.until), limits: body.limits };
      return {
        status: 200,
        body: { person: shown(await persons.edit(caller.householdId, params.id, edit, caller), caller) },
      };
    }),
    bind(listPersonGrants, ({ caller, params, query }) => ({
      status: 200,
      body: { grants: shownGrants(persons.grants(caller.householdId, params.id, query.remaining)) },
    })),
    bind(settlePersonGrants, async ({ caller, params, body }) => {
      const { person, grants = {} } = body;
      const { householdId } = caller;
      if (person === "remove")
        return { status: 200, body: await persons.remove(householdId, params.id, caller, grants) };
      if (person === "stay")
        return { status: 200, body: await persons.endGrants(householdId, params.id, grants, caller) };
      return { status: 200, body: (await persons.setRole(householdId, params.id, person, caller, grants)).settled };
    }),
    bind(listOwnGrants, ({ caller }) => ({
      status: 200,
      body: { grants: shownGrants(persons.grants(caller.householdId, caller.accountId)) },
    })),
    bind(endOwnGrants, async ({ caller, body }) => ({
      status: 200,
      body: await persons.endGrants(caller.householdId, caller.accountId, body.grants ?? {}, caller),
    })),
    bind(removePerson, async ({ caller, params }) => {
      await persons.remove(caller.householdId, params.id, caller);
      return { status: 200, body: { done: true } };
    }),
    bind(listPersonSessions, ({ caller, params }) => ({
      status: 200,
      body: {
        sessions: persons.sessions(caller.householdId, params.id).map((session) => shownSession(session, caller)),
      },
    })),
    bind(endPersonSession, async ({ caller, params }) => {
      await persons.endSession(caller.householdId, params.id, params.sessionId, caller);
      return { status: 200, body: { done: true } };
    }),
  ];
}

function shown({ createdAt, lastSeenAt, endsAt, hasEnded: ended, limits, ...one }: Person, caller: Caller) {
  return {
    ...one,
    until: isoTimeOrNull(endsAt),
    ended,
    limits: limits && shownLimits(limits),
    you: one.id === caller.accountId,
    createdAt: isoTime(createdAt),
    lastSeenAt: isoTimeOrNull(lastSeenAt),
  };
}

function shownGrants(grants: readonly GrantsOfKind[]) {
  return grants.map(({ names, ...kind }) => ({ ...kind, names: [...names] }));
}

function shownInvitation({ endsAt, limits, createdAt, expiresAt, ...invitation }: Invitation) {
  const until = isoTimeOrNull(endsAt);
  return {
    ...invitation,
    until,
    limits: limits && shownLimits(limits),
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
  };
}

/** A moment of a body; what is null or missing stays so. */
function momentOf(iso: string | null | undefined): number | null | undefined {
  return typeof iso === "string" ? Date.parse(iso) : iso;
}
