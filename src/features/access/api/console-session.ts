import { Type } from "typebox";
import { answer, Done, IdParams, password, person } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, oneOf, text, words } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { Limits } from "../resources/limits.ts";

/** The signed-in person. */
export const Account = Type.Object(
  { id: integerId(), email: Type.String(), name: Type.String(), role: oneOf(["owner", "gatekeeper", "member"]) },
  { title: "ConsoleAccount" },
);
const email = text(254, { examples: ["owner@example.org"] });

/** An e-mail address typed when an account is created. */
export const EmailAddress = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: "^[^@\\s]+@[^@\\s]+$",
  "x-text": true,
  examples: ["owner@example.org"],
});

/** A place where a person is signed in. */
export const Session = Type.Object(
  {
    id: integerId(),
    current: Type.Boolean({ description: "The session of this request." }),
    createdAt: dateTime(),
    lastUsedAt: dateTime(),
    expiresAt: dateTime(),
    address: Type.String(),
    userAgent: Type.String(),
  },
  { title: "Session" },
);

/** `GET /api/standing`. */
export const getAuthStatus = defineRoute({
  method: "GET",
  path: "/api/standing",
  operationId: "getStanding",
  tag: "Sessions",
  summary: "Whether the hub has an owner, and who is signed in",
  description: "For a page that opens: nobody signed in is an answer here, not an error.",
  access: { kind: "public" },
  responses: {
    200: {
      description: "How it stands.",
      schema: Type.Object(
        {
          claimed: Type.Boolean(),
          account: nullable(Account),
          facts: nullable(
            Type.String({
              description:
                "How far the household's facts have come; null if nobody is signed in. A stream whose `stream.opened` has the same `position` has missed nothing since.",
            }),
          ),
          opening: nullable(
            Type.Object(
              {
                ...Limits.properties,
                now: Type.Boolean({ description: "Whether they may open at this moment." }),
                changesInMs: nullable(Type.Integer({ minimum: 0 }), {
                  description: "How long until that is different; null: not by itself.",
                }),
                message: Type.String({ description: "What is said to them where they may not open." }),
                words: words(),
                levers: Type.Object(
                  {
                    devices: Type.Array(Type.String(), { description: "Devices that they may not command." }),
                    mode: Type.Boolean({ description: "Whether they may not set the house's mode." }),
                    presence: Type.Boolean({ description: "Whether they may not say that they come or go." }),
                    message: Type.String({ description: "What is said to them about these." }),
                    words: words(),
                  },
                  { description: "What decides whom the house lets in, and is not theirs to move at this moment." },
                ),
              },
              { title: "OwnOpening" },
            ),
            { description: "What the person may open, and when; null: everything, at any time." },
          ),
          passkeys: Type.Boolean({ description: "Somebody can sign in with a passkey on this page." }),
        },
        { title: "Standing" },
      ),
    },
  },
});

/** `GET /api/claim`. */
export const getClaim = defineRoute({
  method: "GET",
  path: "/api/claim",
  operationId: "getClaim",
  tag: "First run",
  summary: "Whether somebody owns the hub",
  access: { kind: "public" },
  responses: {
    200: {
      description: "The hub's standing.",
      schema: Type.Object(
        {
          claimed: Type.Boolean(),
          elsewhere: nullable(Type.String(), {
            description:
              "The address of this request where no claim code is taken from it, because it is not one of a home network; null where it is.",
          }),
          name: nullable(
            Type.String({
              description:
                "The name under which the hub is found on its network, `hill-house.local`; null while it tells none.",
            }),
          ),
          httpPort: nullable(Type.Integer(), { description: "Port of plain http; null while nothing listens." }),
          httpsPort: nullable(Type.Integer(), { description: "Port of https; null without TLS." }),
          plainHttp: oneOf(["open", "closed"], {
            description: "Closed: plain http gets the way to https, and this answer.",
          }),
        },
        { title: "ClaimState" },
      ),
    },
  },
});

/** `POST /api/claim`. */
export const claimHub = defineRoute({
  method: "POST",
  path: "/api/claim",
  operationId: "claimHub",
  tag: "First run",
  summary: "Become the owner of a new hub",
  description:
    "Takes the code that the hub prints at start, from a private address only, ten tries in ten minutes. Makes the account with its live and its test household and opens a session.",
  access: { kind: "public" },
  body: Type.Object(
    {
      code: text(40, { description: "As the hub shows it; case, blanks and dashes do not matter." }),
      name: text(120),
      email: EmailAddress,
      password: password("At least 15 characters."),
      timeZone: Type.Optional(
        text(64, {
          description: "IANA name; the household's zone until it is set. One that the hub does not know is left out.",
        }),
      ),
      language: Type.Optional(oneOf(["en", "hi"], { description: "Of the console on which the hub is claimed." })),
    },
    { ...closed, title: "ClaimInput" },
  ),
  responses: {
    201: {
      description: "The hub is yours; the answer sets the session's cookie.",
      schema: answer("account", Account, "AccountAnswer"),
    },
  },
  problems: ["conflict", "forbidden", "invalid_code", "weak_password"],
});

/** `POST /api/session`. */
export const signIn = defineRoute({
  method: "POST",
  path: "/api/session",
  operationId: "signIn",
  tag: "Sessions",
  summary: "Sign in",
  description:
    "After five wrong tries each further one has to wait, up to a minute. Where the account has a second factor and `totp` is missing, the answer is `totp_required`.",
  access: { kind: "public" },
  body: Type.Object(
    {
      email,
      password: password(),
      totp: Type.Optional(text(40, { description: "Code of the authenticator app, or a recovery code." })),
    },
    { ...closed, title: "SignInInput" },
  ),
  responses: {
    200: {
      description: "Signed in; the answer sets the session's cookie.",
      schema: answer("account", Account, "AccountAnswer"),
    },
  },
  problems: ["invalid_login", "totp_required", "forbidden"],
});

/** `DELETE /api/session`. */
export const signOut = defineRoute({
  method: "DELETE",
  path: "/api/session",
  operationId: "signOut",
  tag: "Sessions",
  summary: "Sign out",
  access: person,
  proof: "none",
  responses: { 200: { description: "Signed out; the cookie is cleared.", schema: Done } },
});

/** `POST /api/session/recover`. */
export const recoverAccount = defineRoute({
  method: "POST",
  path: "/api/session/recover",
  operationId: "recoverAccount",
  tag: "Sessions",
  summary: "Set a new password with a recovery code",
  description:
    "Uses the code up, switches the second factor off, removes the passkeys and ends all sessions. Without codes: `gatehouse reset-owner` on the box.",
  access: { kind: "public" },
  body: Type.Object(
    { email, code: text(40), password: password("The new password.") },
    { ...closed, title: "RecoverInput" },
  ),
  responses: { 200: { description: "The password is changed; sign in with it.", schema: Done } },
  problems: ["invalid_login", "weak_password", "forbidden"],
});

/** `GET /api/sessions`. */
export const listSessions = defineRoute({
  method: "GET",
  path: "/api/sessions",
  operationId: "listSessions",
  tag: "Sessions",
  summary: "List the own sessions",
  access: person,
  proof: "none",
  responses: {
    200: {
      description: "Living sessions, most recently used first.",
      schema: answer("sessions", Type.Array(Session), "SessionList"),
    },
  },
});

/** `DELETE /api/sessions/{id}`. */
export const revokeSession = defineRoute({
  method: "DELETE",
  path: "/api/sessions/{id}",
  operationId: "revokeSession",
  tag: "Sessions",
  summary: "End a session",
  access: person,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "Ended.", schema: Done } },
  problems: ["not_found"],
});
