import type { Caller } from "../../../core/api/caller.ts";
import { type BoundRoute, bind, bindOpen } from "../../../core/http/exchange.ts";
import { type Clock, isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import {
  approvePairing,
  denyPairing,
  endApp,
  fetchPairedKey,
  listApps,
  lookAtPairing,
  requestPairing,
  scopesIn,
} from "../api/pairing.ts";
import type { AppPairing, WaitingApp } from "../app-pairing.ts";
import type { KeyInfo } from "../key-info.ts";
import type { Keys } from "../keys.ts";
import type { AuditNote } from "./console-audit.ts";

/** The app's side of pairing: it asks, and fetches its key. */
export function appPairingRoutes(pairing: AppPairing): BoundRoute[] {
  return [
    bindOpen(requestPairing, ({ body, facts, baseUrl }) => {
      const scopes = scopesIn(body.scope);
      if (scopes === null) {
        const details = [
          { field: "/scope", code: "unknown", message: "holds a scope that does not exist; GET /v1 lists them" },
        ];
        throw new Problem("invalid_body", "There is no such scope; GET /v1 lists them.", { details });
      }
      const { deviceCode, userCode, expiresIn, interval } = pairing.begin({
        name: body.client_name,
        scopes,
        address: facts.address,
      });
      const uri = `${baseUrl}/pair`;
      return {
        status: 200,
        body: {
          device_code: deviceCode,
          user_code: userCode,
          verification_uri: uri,
          verification_uri_complete: `${uri}#${userCode}`, // behind the mark, so that no log of a proxy has it
          expires_in: expiresIn,
          interval,
        },
        headers: { "Cache-Control": "no-store" },
      };
    }),
    bindOpen(fetchPairedKey, async ({ body }) => {
      const { secret, scopes } = await pairing.fetch(body.device_code);
      return {
        status: 200,
        body: { access_token: secret, token_type: "Bearer", scope: scopes.join(" ") },
        headers: { "Cache-Control": "no-store" },
      };
    }),
  ];
}

/** The person's side: they look who shows a code, and approve or refuse. */
export function approvalRoutes(pairing: AppPairing, note: AuditNote): BoundRoute[] {
  return [
    bind(lookAtPairing, ({ caller, body }) => ({
      status: 200,
      body: { pairing: shownApp(pairing.look(body.userCode, caller), caller) },
    })),
    bind(approvePairing, async ({ caller, body }) => {
      const { name, scopes } = body;
      const app = pairing.approve(body.userCode, caller, { name, scopes });
      await note(caller, "app.approved", name, { scopes, address: app.address });
      return { status: 200, body: { done: true } };
    }),
    bind(denyPairing, async ({ caller, body }) => {
      const app = pairing.deny(body.userCode, caller);
      await note(caller, "app.refused", app.name, { address: app.address });
      return { status: 200, body: { done: true } };
    }),
  ];
}

/** The apps that a person has paired (for an owner: all persons' apps), and ending them. */
export function pairedAppRoutes(keys: Keys, clock: Clock): BoundRoute[] {
  const appsOf = (caller: Caller): KeyInfo[] =>
    keys
      .list(caller.householdId)
      .filter(
        ({ env, revokedAt, expiresAt }) =>
          env === "live" && revokedAt === null && (expiresAt === null || expiresAt > clock.now()),
      )
      .filter(({ accountId }) => caller.role === "owner" || accountId === caller.accountId);
  return [
    bind(listApps, ({ caller }) => {
      const apps = appsOf(caller).map((key) => ({
        ...{
          id: key.id,
          name: key.name,
          scopes: key.scopes,
          person: keys.personIn(key),
          mine: key.accountId === caller.accountId,
        },
        ...{ createdAt: isoTime(key.createdAt), lastUsedAt: isoTimeOrNull(key.lastUsedAt) },
      }));
      return { status: 200, body: { apps } };
    }),
    bind(endApp, async ({ caller, params }) => {
      const app = appsOf(caller).find(({ id }) => id === params.id);
      if (app === undefined) throw new Problem("not_found", "There is no such app.");
      await keys.revoke(caller.householdId, app.id, caller);
      return { status: 200, body: { done: true } };
    }),
  ];
}

function shownApp({ name, scopes, address, startedAt, expiresAt }: WaitingApp, caller: Caller) {
  return {
    name,
    scopes: scopes.filter((scope) => caller.scopes.includes(scope)),
    withheld: scopes.filter((scope) => !caller.scopes.includes(scope)),
    address,
    startedAt: isoTime(startedAt),
    expiresAt: isoTime(expiresAt),
  };
}
