import { Type } from "typebox";
import { answer, Done, password, person } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { EmailAddress } from "./console-session.ts";

const Me = Type.Object(
  {
    id: integerId(),
    email: Type.String(),
    name: Type.String(),
    role: oneOf(["owner", "gatekeeper", "member"]),
    until: nullable(dateTime(), { description: "The end of one's access; null: none." }),
    totp: Type.Boolean({ description: "Whether a second factor is set up." }),
    recoveryCodesLeft: Type.Integer({ minimum: 0 }),
  },
  { title: "OwnAccount" },
);
const Codes = Type.Object(
  { recoveryCodes: Type.Array(Type.String(), { description: "Shown this once; each works once." }) },
  { title: "RecoveryCodes" },
);
const Nothing = Type.Object({}, { ...closed, title: "Nothing" });

/** `GET /api/me`. */
export const getOwnAccount = defineRoute({
  method: "GET",
  path: "/api/me",
  operationId: "getOwnAccount",
  tag: "Own account",
  summary: "Show the own account",
  access: person,
  proof: "none",
  responses: { 200: { description: "The account.", schema: answer("account", Me, "OwnAccountAnswer") } },
});

/** `PATCH /api/me`. */
export const updateOwnAccount = defineRoute({
  method: "PATCH",
  path: "/api/me",
  operationId: "updateOwnAccount",
  tag: "Own account",
  summary: "Change name or e-mail address",
  access: person,
  proof: { when: "the e-mail address changes", needed: ({ email }) => email !== undefined },
  body: Type.Object(
    { name: Type.Optional(text(120)), email: Type.Optional(EmailAddress) },
    { ...closed, minProperties: 1, title: "OwnAccountPatch" },
  ),
  responses: { 200: { description: "The changed account.", schema: answer("account", Me, "OwnAccountAnswer") } },
  problems: ["conflict"],
});

/** `POST /api/me/password`. */
export const changePassword = defineRoute({
  method: "POST",
  path: "/api/me/password",
  operationId: "changePassword",
  tag: "Own account",
  summary: "Change the password",
  description:
    "At least 15 characters, or 8 with a second factor; nothing that guessers try first. Every other session ends, and invitations that one made.",
  access: person,
  proof: "fresh",
  body: Type.Object(
    {
      password: password("The new one."),
      endGrants: Type.Optional(
        Type.Boolean({
          description:
            "Ends what one has handed out too, as `POST /api/me/grants/end` does, and one's passkeys and recovery codes: somebody who knew the password may have made some. Default false.",
        }),
      ),
    },
    { ...closed, title: "PasswordChange" },
  ),
  responses: { 200: { description: "Changed.", schema: Done } },
  problems: ["weak_password"],
});

/** `POST /api/me/totp`. */
export const beginTotp = defineRoute({
  method: "POST",
  path: "/api/me/totp",
  operationId: "beginTotp",
  tag: "Own account",
  summary: "Begin to set a second factor up",
  description:
    "Answers a secret for an authenticator app. It counts only once a code of it has been confirmed, within 15 minutes.",
  access: person,
  proof: "fresh",
  body: Nothing,
  responses: {
    200: {
      description: "The secret, as text to type and as an address for a QR code.",
      schema: Type.Object({ secret: Type.String(), uri: Type.String() }, { title: "TotpSecret" }),
    },
  },
});

/** `POST /api/me/totp/confirm`. */
export const confirmTotp = defineRoute({
  method: "POST",
  path: "/api/me/totp/confirm",
  operationId: "confirmTotp",
  tag: "Own account",
  summary: "Switch the second factor on",
  access: person,
  proof: "fresh",
  body: Type.Object(
    { code: text(20, { description: "A code of the authenticator app." }) },
    { ...closed, title: "TotpConfirmation" },
  ),
  responses: { 200: { description: "It is on. Keep the recovery codes.", schema: Codes } },
  problems: ["invalid_code", "conflict"],
});

/** `POST /api/me/totp/disable`. */
export const disableTotp = defineRoute({
  method: "POST",
  path: "/api/me/totp/disable",
  operationId: "disableTotp",
  tag: "Own account",
  summary: "Switch the second factor off",
  access: person,
  proof: "fresh",
  body: Nothing,
  responses: { 200: { description: "It is off.", schema: Done } },
});

/** `POST /api/me/recovery-codes`. */
export const renewRecoveryCodes = defineRoute({
  method: "POST",
  path: "/api/me/recovery-codes",
  operationId: "renewRecoveryCodes",
  tag: "Own account",
  summary: "Make new recovery codes",
  description: "All earlier codes are void.",
  access: person,
  proof: "fresh",
  body: Nothing,
  responses: { 200: { description: "Ten new codes.", schema: Codes } },
});
