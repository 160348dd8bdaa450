/** Fresh proofs of identity, and passkeys: for such proofs, and for signing in. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import { Type } from "typebox";
import { answer, Done, IdParams, password, person } from "../../../core/api/console-common.ts";
import { closed, dateTime, freeObject, integerId, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { Account } from "./console-session.ts";

const tag = "Passkeys";
const base64url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$" });
const Nothing = Type.Object({}, { ...closed, title: "Nothing" });
const forBrowser = { description: "For the browser, as WebAuthn's JSON form." };
const CreationOptions = answer(
  "options",
  freeObject<PublicKeyCredentialCreationOptionsJSON>(forBrowser),
  "PasskeyOptions",
);
const RequestOptions = answer(
  "options",
  freeObject<PublicKeyCredentialRequestOptionsJSON>(forBrowser),
  "PasskeyOptions",
);
const credential = {
  id: base64url(1400), // WebAuthn: at most 1023 bytes
  rawId: base64url(1400),
  type: oneOf(["public-key"]),
  clientExtensionResults: freeObject(),
  authenticatorAttachment: Type.Optional(nullable(Type.String({ maxLength: 40 }))),
};

/** A browser's response to a request for a passkey. */
const Assertion = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: base64url(4_000),
      authenticatorData: base64url(4_000),
      signature: base64url(4_000),
      userHandle: Type.Optional(base64url(100)),
    }),
  },
  { title: "PasskeyAssertion" },
);

/** A browser's response after creating a passkey. */
const Attestation = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: base64url(4_000),
      attestationObject: base64url(20_000),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 })),
    }),
  },
  { title: "PasskeyAttestation" },
);

/** Where passkeys work, and why not elsewhere. */
export const PASSKEY_PLACES = ["here", "plain", "address", "name"] as const;

const Passkey = Type.Object(
  {
    id: integerId(),
    name: Type.String(),
    host: Type.String({ description: "Host name of the pages that it works on." }),
    createdAt: dateTime(),
    lastUsedAt: nullable(dateTime()),
  },
  { title: "Passkey" },
);

/** `GET /api/session/proof`. */
export const getProof = defineRoute({
  method: "GET",
  path: "/api/session/proof",
  operationId: "getProof",
  tag,
  summary: "Whether a fresh proof is there",
  description:
    "For what a page opens by a link, such as a download: it asks here first. Without a fresh proof the answer is `fresh_proof_required`.",
  access: person,
  proof: "fresh",
  responses: { 200: { description: "It is.", schema: Done } },
});

/** `POST /api/session/proof`. */
export const proveByPassword = defineRoute({
  method: "POST",
  path: "/api/session/proof",
  operationId: "proveByPassword",
  tag,
  summary: "Prove who you are by password",
  description:
    "With a code where the account has a second factor. It counts for this session and five minutes; signing in counts too. Wrong tries are slowed down together with those of the sign-in.",
  access: person,
  proof: "none",
  body: Type.Object(
    {
      password: password(),
      totp: Type.Optional(text(40, { description: "Code of the authenticator app, or a recovery code." })),
    },
    { ...closed, title: "ProofInput" },
  ),
  responses: { 200: { description: "Proved.", schema: Done } },
  problems: ["invalid_login", "totp_required"],
});

/** `POST /api/session/proof/passkey/options`. */
export const beginProof = defineRoute({
  method: "POST",
  path: "/api/session/proof/passkey/options",
  operationId: "beginProof",
  tag,
  summary: "Begin a proof by passkey",
  access: person,
  proof: "none",
  body: Nothing,
  responses: { 200: { description: "What to ask the browser for.", schema: RequestOptions } },
  problems: ["conflict"],
});

/** `POST /api/session/proof/passkey`. */
export const proveByPasskey = defineRoute({
  method: "POST",
  path: "/api/session/proof/passkey",
  operationId: "proveByPasskey",
  tag,
  summary: "Prove who you are by passkey",
  access: person,
  proof: "none",
  body: Type.Object({ response: Assertion }, { ...closed, title: "PasskeyProof" }),
  responses: { 200: { description: "Proved.", schema: Done } },
  problems: ["passkey_refused", "conflict"],
});

/** `POST /api/session/passkey/options`. */
export const beginPasskeySignIn = defineRoute({
  method: "POST",
  path: "/api/session/passkey/options",
  operationId: "beginPasskeySignIn",
  tag,
  summary: "Begin to sign in with a passkey",
  description: "Only where the page is opened by a name of the hub over TLS.",
  access: { kind: "public" },
  body: Nothing,
  responses: { 200: { description: "What to ask the browser for.", schema: RequestOptions } },
  problems: ["conflict"],
});

/** `POST /api/session/passkey`. */
export const signInByPasskey = defineRoute({
  method: "POST",
  path: "/api/session/passkey",
  operationId: "signInByPasskey",
  tag,
  summary: "Sign in with a passkey",
  description: "It stands for the password and the second factor: the device has asked for a finger, a face or a PIN.",
  access: { kind: "public" },
  body: Type.Object({ response: Assertion }, { ...closed, title: "PasskeySignIn" }),
  responses: {
    200: {
      description: "Signed in; the answer sets the session's cookie.",
      schema: answer("account", Account, "AccountAnswer"),
    },
  },
  problems: ["passkey_refused", "conflict", "forbidden"],
});

/** `GET /api/me/passkeys`. */
export const listPasskeys = defineRoute({
  method: "GET",
  path: "/api/me/passkeys",
  operationId: "listPasskeys",
  tag,
  summary: "List the own passkeys",
  access: person,
  proof: "none",
  responses: {
    200: {
      description: "Oldest first.",
      schema: Type.Object(
        {
          passkeys: Type.Array(Passkey),
          place: oneOf(PASSKEY_PLACES, {
            description:
              "`here`: this page can make one. Else why not: opened without TLS, by an address, or by a name that the certificate does not hold.",
          }),
        },
        { title: "PasskeyList" },
      ),
    },
  },
});

/** `POST /api/me/passkeys/options`. */
export const beginPasskey = defineRoute({
  method: "POST",
  path: "/api/me/passkeys/options",
  operationId: "beginPasskey",
  tag,
  summary: "Begin to add a passkey",
  access: person,
  proof: "fresh",
  body: Nothing,
  responses: { 200: { description: "What to ask the browser for.", schema: CreationOptions } },
  problems: ["limit_reached", "conflict"],
});

/** `POST /api/me/passkeys`. */
export const addPasskey = defineRoute({
  method: "POST",
  path: "/api/me/passkeys",
  operationId: "addPasskey",
  tag,
  summary: "Add a passkey",
  access: person,
  proof: "fresh",
  body: Type.Object({ name: text(80), response: Attestation }, { ...closed, title: "PasskeyInput" }),
  responses: { 201: { description: "It can be used now.", schema: answer("passkey", Passkey, "PasskeyAnswer") } },
  problems: ["passkey_refused", "limit_reached", "conflict"],
});

/** `PATCH /api/me/passkeys/{id}`. */
export const renamePasskey = defineRoute({
  method: "PATCH",
  path: "/api/me/passkeys/{id}",
  operationId: "renamePasskey",
  tag,
  summary: "Give a passkey another name",
  access: person,
  proof: "none",
  params: IdParams,
  body: Type.Object({ name: text(80) }, { ...closed, title: "PasskeyPatch" }),
  responses: { 200: { description: "The passkey.", schema: answer("passkey", Passkey, "PasskeyAnswer") } },
  problems: ["not_found"],
});

/** `DELETE /api/me/passkeys/{id}`. */
export const removePasskey = defineRoute({
  method: "DELETE",
  path: "/api/me/passkeys/{id}",
  operationId: "removePasskey",
  tag,
  summary: "Remove a passkey",
  access: person,
  proof: "fresh",
  params: IdParams,
  responses: { 200: { description: "Removed.", schema: Done } },
  problems: ["not_found"],
});
