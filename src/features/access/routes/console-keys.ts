import type { Json } from "../../../core/api/route.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { type Clock, isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { type ApiKey, createKey, editKey, listKeys, revokeKey, rotateKey } from "../api/console-keys.ts";
import type { KeyInfo } from "../key-info.ts";
import type { Keys } from "../keys.ts";

/** Making, changing, rotating and revoking API keys. */
export function keyRoutes(keys: Keys, clock: Clock): BoundRoute[] {
  const shown = (info: KeyInfo) => shownKey(info, { nowMs: clock.now(), person: keys.personIn(info) });
  return [
    bind(listKeys, ({ caller }) => ({ status: 200, body: { keys: keys.list(caller.householdId).map(shown) } })),
    bind(createKey, async ({ caller, body }) => {
      const { name, env, scopes, origins = [], expiresAt = null } = body;
      const made = await keys.create(
        caller.householdId,
        { name, env, scopes, origins, expiresAt: expiresAt === null ? null : Date.parse(expiresAt) },
        caller,
      );
      return { status: 201, body: { key: shown(made.key), secret: made.secret } };
    }),
    bind(editKey, async ({ caller, params, body }) => ({
      status: 200,
      body: { key: shown(await keys.edit(caller.householdId, params.id, body, caller)) },
    })),
    bind(revokeKey, async ({ caller, params }) => ({
      status: 200,
      body: { key: shown(await keys.revoke(caller.householdId, params.id, caller)) },
    })),
    bind(rotateKey, async ({ caller, params }) => {
      const { key, secret } = await keys.rotate(caller.householdId, params.id, caller);
      return { status: 201, body: { key: shown(key), secret } };
    }),
  ];
}

/** A key as the console shows it. */
function shownKey(
  info: KeyInfo,
  { nowMs, person }: { readonly nowMs: number; readonly person: string | null },
): Json<ApiKey> {
  const { id, name, env, prefix, lastFour, scopes, origins, rotatedTo } = info;
  const isExpired = info.expiresAt !== null && info.expiresAt <= nowMs;
  return {
    id,
    name,
    env,
    prefix,
    lastFour,
    scopes,
    origins,
    status: info.revokedAt !== null ? "revoked" : isExpired ? "expired" : "active",
    createdAt: isoTime(info.createdAt),
    lastUsedAt: isoTimeOrNull(info.lastUsedAt),
    expiresAt: isoTimeOrNull(info.expiresAt),
    revokedAt: isoTimeOrNull(info.revokedAt),
    person,
    rotatedTo,
  };
}
