import type { Caller } from "../../../core/api/caller.ts";
import { type BoundRoute, bind, bindOpen, type RequestFacts } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { OwnNames } from "../../../core/platform/own-names.ts";
import type { Access } from "../access.ts";
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  beginProof,
  getProof,
  listPasskeys,
  proveByPasskey,
  proveByPassword,
  removePasskey,
  renamePasskey,
  signInByPasskey,
} from "../api/console-passkeys.ts";
import { sessionIdOf } from "../authenticator.ts";
import type { PasskeyInfo, PasskeyPage, Passkeys, PasskeyUse } from "../passkeys.ts";
import { openedAnswer, sourceOf } from "./console-session.ts";
import { passkeyPlace } from "./passkey-page.ts";

/** Fresh proofs, passkeys, and signing in with them. */
export function passkeyRoutes(access: Access, isOwnName: OwnNames): BoundRoute[] {
  return [
    ...proofRoutes(access, isOwnName),
    ...signInRoutes(access, isOwnName),
    ...ownPasskeyRoutes(access.passkeys, isOwnName),
  ];
}

function proofRoutes({ passkeys, proofs, signIn }: Access, isOwnName: OwnNames): BoundRoute[] {
  const use = (caller: Caller): PasskeyUse => ({
    kind: "proof",
    accountId: caller.accountId,
    sessionId: sessionIdOf(caller),
  });
  return [
    bind(getProof, () => ({ status: 200, body: { done: true } })),
    bind(proveByPassword, async ({ caller, body, facts }) => {
      const { password, totp = null } = body;
      await signIn.prove(caller.accountId, { password, totp }, sourceOf(facts));
      proofs.proved(sessionIdOf(caller), caller.accountId);
      return { status: 200, body: { done: true } };
    }),
    bind(beginProof, async ({ caller, facts }) => ({
      status: 200,
      body: { options: await passkeys.requestOptions(use(caller), pageOf(facts, isOwnName)) },
    })),
    bind(proveByPasskey, async ({ caller, body, facts }) => {
      await passkeys.verify(body.response, use(caller), pageOf(facts, isOwnName));
      proofs.proved(sessionIdOf(caller), caller.accountId);
      return { status: 200, body: { done: true } };
    }),
  ];
}

function signInRoutes({ passkeys, signIn, sessions }: Access, isOwnName: OwnNames): BoundRoute[] {
  return [
    bindOpen(beginPasskeySignIn, async ({ facts }) => ({
      status: 200,
      body: { options: await passkeys.requestOptions({ kind: "sign-in" }, pageOf(facts, isOwnName)) },
    })),
    bindOpen(signInByPasskey, async ({ body, facts }) => {
      const accountId = await passkeys.verify(body.response, { kind: "sign-in" }, pageOf(facts, isOwnName));
      return openedAnswer(sessions, 200, await signIn.openKnown(accountId, sourceOf(facts)), facts);
    }),
  ];
}

function ownPasskeyRoutes(passkeys: Passkeys, isOwnName: OwnNames): BoundRoute[] {
  return [
    bind(listPasskeys, ({ caller, facts }) => ({
      status: 200,
      body: {
        passkeys: passkeys.list(caller.accountId).map(shownPasskey),
        place: passkeyPlace(facts, isOwnName).place,
      },
    })),
    bind(beginPasskey, async ({ caller, facts }) => ({
      status: 200,
      body: {
        options: await passkeys.creationOptions(caller.accountId, sessionIdOf(caller), pageOf(facts, isOwnName)),
      },
    })),
    bind(addPasskey, async ({ caller, body, facts }) => {
      const made = {
        accountId: caller.accountId,
        sessionId: sessionIdOf(caller),
        name: body.name,
        response: body.response,
      };
      return {
        status: 201,
        body: { passkey: shownPasskey(await passkeys.add(made, pageOf(facts, isOwnName), caller)) },
      };
    }),
    bind(renamePasskey, async ({ caller, params, body }) => ({
      status: 200,
      body: { passkey: shownPasskey(await passkeys.rename(caller.accountId, params.id, body.name)) },
    })),
    bind(removePasskey, async ({ caller, params }) => {
      await passkeys.remove(caller.accountId, params.id, caller);
      return { status: 200, body: { done: true } };
    }),
  ];
}

function pageOf(facts: RequestFacts, isOwnName: OwnNames): PasskeyPage {
  const { page } = passkeyPlace(facts, isOwnName);
  if (page === null) throw new Problem("conflict", { code: "conflict.passkeysNeedName" });
  return page;
}

function shownPasskey({ createdAt, lastUsedAt, ...passkey }: PasskeyInfo) {
  return { ...passkey, createdAt: isoTime(createdAt), lastUsedAt: isoTimeOrNull(lastUsedAt) };
}
