import { Type } from "typebox";
import { answer, Done, IdParams, password, person, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { PlateRuleWindow } from "../../../core/api/resources/week-window.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { Limits } from "../resources/limits.ts";
import { Account, EmailAddress, Session } from "./console-session.ts";

const tag = "Persons";
const fate = oneOf(["end", "keep"]);
const role = oneOf(["owner", "gatekeeper", "member"], {
  description:
    "An owner may do everything. A member uses devices and scenes and sees the gate: no keys, webhooks, rules, settings or persons. A gatekeeper is a member who also keeps the gate: plate rules, corrections of reads, guests' passes, visits that ended.",
});

const until = nullable(dateTime(), { description: "The end of the access, in the future; null: none." });

const limits = nullable(Limits, {
  description:
    "What a member may open and disarm, and when; null: everything, at any time. Those of a gatekeeper or an owner rest while they have that role.",
});

const Person = Type.Object(
  {
    id: integerId(),
    name: Type.String(),
    email: Type.String(),
    role,
    you: Type.Boolean(),
    isHead: Type.Boolean({ description: "The first owner, who stays." }),
    until: nullable(dateTime(), { description: "The end of their access; null: none." }),
    ended: Type.Boolean({ description: "That end has come; nothing of theirs lets anybody in." }),
    limits,
    hasSecondFactor: Type.Boolean(),
    createdAt: dateTime(),
    lastSeenAt: nullable(dateTime(), { description: "Null without a living session." }),
    sessions: Type.Integer({ minimum: 0 }),
  },
  { title: "Person" },
);

const Invitation = Type.Object(
  {
    id: integerId(),
    name: Type.String(),
    role,
    until: nullable(dateTime(), { description: "The end of the access that it gives; null: none." }),
    limits,
    createdAt: dateTime(),
    expiresAt: dateTime(),
  },
  { title: "Invitation" },
);

/** The fate of a person's grants, by kind. */
const Fates = Type.Object(
  {
    invitation: Type.Optional(fate),
    owner: Type.Optional(fate),
    gatekeeper: Type.Optional(fate),
    member: Type.Optional(fate),
    key_scope: Type.Optional(fate),
    scene: Type.Optional(fate),
    webhook_event: Type.Optional(fate),
    api_key: Type.Optional(fate),
    guest_pass: Type.Optional(fate),
    plate_rule: Type.Optional(fate),
    automation: Type.Optional(fate),
    bridge_client: Type.Optional(fate),
    camera: Type.Optional(fate),
    camera_source: Type.Optional(fate),
    device: Type.Optional(fate),
    matter_home: Type.Optional(fate),
    webhook: Type.Optional(fate),
    notification_channel: Type.Optional(fate),
  },
  {
    ...closed,
    title: "GrantFates",
    description:
      "`keep`: the person who decides issues it from now on. A kind that is missing ends if it opens something, shows who comes and goes, or grants rights; else it is the household's. Of `owner`, the owners whom the person made, and of `gatekeeper`, the gatekeepers, `end` makes them members, and what they handed out is decided about in the same way; of `member`, the people whom the person let in, it removes them; of `scene` nobody runs it until it is saved again; of `key_scope` and `webhook_event`, what the person added to the keys and webhooks of others, it is taken out again.",
  },
);

const IssuedGrants = Type.Array(
  Type.Object(
    {
      kind: Type.String({ description: "An open list." }),
      allows: oneOf(["opens", "reads_plates", "grants", "other"], { description: "The most that one of them may do." }),
      proposed: oneOf(["end", "keep"], { description: "What becomes of them unless somebody says otherwise." }),
      count: Type.Integer({ minimum: 1 }),
      names: Type.Array(Type.String(), { description: "Up to 50 of them." }),
    },
    { title: "IssuedGrants" },
  ),
  { description: "What the person handed out and what is in force." },
);

const Settled = Type.Object(
  {
    ended: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), { description: "How many ended, by kind." }),
    kept: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), { description: "How many go on, by kind." }),
  },
  { title: "GrantsSettled" },
);

/** `GET /api/persons/{id}/grants`. */
export const listPersonGrants = defineRoute({
  method: "GET",
  path: "/api/persons/{id}/grants",
  operationId: "listPersonGrants",
  tag,
  summary: "What a person has handed out",
  description:
    "Keys, invitations, the people who came by one, guests' passes, plates, rules, scenes and whatever else lets somebody do or learn something.",
  access: session,
  proof: "none",
  params: IdParams,
  query: Type.Object({
    remaining: Type.Optional(
      oneOf(["gatekeeper", "member"], { description: "Only what a person who is given this role may not hand out." }),
    ),
  }),
  responses: { 200: { description: "By kind.", schema: answer("grants", IssuedGrants, "GrantList") } },
  problems: ["not_found"],
});

/** `POST /api/persons/{id}/grants`. */
export const settlePersonGrants = defineRoute({
  method: "POST",
  path: "/api/persons/{id}/grants",
  operationId: "settlePersonGrants",
  tag,
  summary: "End what a person has handed out, and remove or demote the person",
  description: "One step: nothing that the person handed out outlives their right to hand it out.",
  access: session,
  proof: "fresh",
  params: IdParams,
  body: Type.Object(
    {
      person: oneOf(["remove", "member", "gatekeeper", "stay"], { description: "What becomes of the person." }),
      grants: Type.Optional(Fates),
    },
    { ...closed, title: "PersonSettlement" },
  ),
  responses: { 200: { description: "What ended and what goes on.", schema: Settled } },
  problems: ["not_found", "conflict"],
});

/** `GET /api/me/grants`. */
export const listOwnGrants = defineRoute({
  method: "GET",
  path: "/api/me/grants",
  operationId: "listOwnGrants",
  tag: "Own account",
  summary: "What one has handed out",
  access: person,
  proof: "none",
  responses: { 200: { description: "By kind.", schema: answer("grants", IssuedGrants, "OwnGrantList") } },
});

/** `POST /api/me/grants/end`. */
export const endOwnGrants = defineRoute({
  method: "POST",
  path: "/api/me/grants/end",
  operationId: "endOwnGrants",
  tag: "Own account",
  summary: "End what one has handed out",
  description: "After a stolen password: everything that an intruder may have handed out in one's name.",
  access: person,
  proof: "fresh",
  body: Type.Object({ grants: Type.Optional(Fates) }, { ...closed, title: "OwnGrantsEnd" }),
  responses: { 200: { description: "What ended and what goes on.", schema: Settled } },
});

/** `GET /api/persons`. */
export const listPersons = defineRoute({
  method: "GET",
  path: "/api/persons",
  operationId: "listPersons",
  tag,
  summary: "Who lives here, and who is invited",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "The first owner first.",
      schema: Type.Object(
        { persons: Type.Array(Person), invitations: Type.Array(Invitation) },
        { title: "PersonList" },
      ),
    },
  },
});

/** `POST /api/persons/invitations`. */
export const invitePerson = defineRoute({
  method: "POST",
  path: "/api/persons/invitations",
  operationId: "invitePerson",
  tag,
  summary: "Invite somebody",
  description:
    "The code works once, within three days and before the access that it gives would end. It is shown this once.",
  access: session,
  proof: "fresh",
  body: Type.Object(
    { name: text(120), role, until: Type.Optional(until), limits: Type.Optional(limits) },
    { ...closed, title: "InvitationInput" },
  ),
  responses: {
    201: {
      description: "The code. The console opens it at `/join#CODE`.",
      schema: Type.Object({ invitation: Invitation, code: Type.String() }, { title: "InvitationMade" }),
    },
  },
  problems: ["limit_reached"],
});

/** `DELETE /api/persons/invitations/{id}`. */
export const withdrawInvitation = defineRoute({
  method: "DELETE",
  path: "/api/persons/invitations/{id}",
  operationId: "withdrawInvitation",
  tag,
  summary: "Take an invitation back",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "Its code is void.", schema: Done } },
  problems: ["not_found"],
});

/** `POST /api/join/look`. */
export const lookAtInvitation = defineRoute({
  method: "POST",
  path: "/api/join/look",
  operationId: "lookAtInvitation",
  tag,
  summary: "Show somebody the invitation behind a code",
  description: "A wrong code counts as a try to join.",
  access: { kind: "public" },
  body: Type.Object({ code: text(40) }, { ...closed, title: "InvitationCode" }),
  responses: {
    200: {
      description: "Who invites whom, and to which house.",
      schema: answer(
        "invitation",
        Type.Object(
          {
            household: Type.String(),
            inviter: nullable(Type.String(), { description: "Null if it was nobody of the house." }),
            name: Type.String({ description: "Who is invited." }),
            role,
            until: nullable(dateTime(), { description: "The end of their access; null: none." }),
            times: Type.Array(PlateRuleWindow, { description: "When they may open; empty: at any time." }),
            timeZone: Type.String({ description: "Of the house: an end is the end of a day there." }),
          },
          { title: "InvitationView" },
        ),
        "InvitationViewAnswer",
      ),
    },
  },
  problems: ["invalid_code"],
});

/** `POST /api/join`. */
export const joinHousehold = defineRoute({
  method: "POST",
  path: "/api/join",
  operationId: "joinHousehold",
  tag,
  summary: "Become a person of a household with an invitation",
  description: "Ten tries in ten minutes. Opens a session.",
  access: { kind: "public" },
  body: Type.Object(
    { code: text(40), name: text(120), email: EmailAddress, password: password("At least 15 characters.") },
    { ...closed, title: "JoinInput" },
  ),
  responses: {
    201: {
      description: "Welcome; the answer sets the session's cookie.",
      schema: answer("account", Account, "AccountAnswer"),
    },
  },
  problems: ["conflict", "invalid_code", "weak_password"],
});

/** `PATCH /api/persons/{id}`. */
export const editPerson = defineRoute({
  method: "PATCH",
  path: "/api/persons/{id}",
  operationId: "editPerson",
  tag,
  summary: "Give a person another role, another end, or other limits",
  description:
    "With a lesser role, what the person handed out and that role may not hand out ends as proposed by `GET /api/persons/{id}/grants`. At the end of their access, their sessions and apps end, and what they handed out as proposed there. A person who has ended may sign in again with a new end; nothing that ended comes back. Limits count at once, for sessions and apps alike.",
  access: session,
  proof: "fresh",
  params: IdParams,
  body: Type.Object(
    { role: Type.Optional(role), until: Type.Optional(until), limits: Type.Optional(limits) },
    { ...closed, minProperties: 1, title: "PersonPatch" },
  ),
  responses: { 200: { description: "The person.", schema: answer("person", Person, "PersonAnswer") } },
  problems: ["not_found", "conflict"],
});

/** `DELETE /api/persons/{id}`. */
export const removePerson = defineRoute({
  method: "DELETE",
  path: "/api/persons/{id}",
  operationId: "removePerson",
  tag,
  summary: "Remove a person",
  description:
    "All sessions of the person end, and what they handed out, as proposed by `GET /api/persons/{id}/grants`. The audit list keeps the name.",
  access: session,
  proof: "fresh",
  params: IdParams,
  responses: { 200: { description: "Removed.", schema: Done } },
  problems: ["not_found", "conflict"],
});

/** `GET /api/persons/{id}/sessions`. */
export const listPersonSessions = defineRoute({
  method: "GET",
  path: "/api/persons/{id}/sessions",
  operationId: "listPersonSessions",
  tag,
  summary: "Where a person is signed in",
  access: session,
  proof: "none",
  params: IdParams,
  responses: {
    200: {
      description: "Living sessions, most recently used first.",
      schema: answer("sessions", Type.Array(Session), "SessionList"),
    },
  },
  problems: ["not_found"],
});

/** `DELETE /api/persons/{id}/sessions/{sessionId}`. */
export const endPersonSession = defineRoute({
  method: "DELETE",
  path: "/api/persons/{id}/sessions/{sessionId}",
  operationId: "endPersonSession",
  tag,
  summary: "Sign a person out somewhere",
  access: session,
  proof: "none",
  params: Type.Object({ id: integerId(), sessionId: integerId() }),
  responses: { 200: { description: "Ended.", schema: Done } },
  problems: ["not_found"],
});
