/** A key's information: as its owner sees it, and as the caller that it authenticates. */

import type { Caller, Env } from "../../core/api/caller.ts";
import type { Scope } from "../../core/api/scopes.ts";
import type { ApiKeyRow } from "./tables/api-key.ts";

/** A key as its owner sees it. Times are epoch milliseconds. */
export interface KeyInfo {
  readonly id: number;
  /** The household's, or of a member whose app it is. */
  readonly accountId: number;
  readonly siteId: number;
  readonly name: string;
  readonly env: Env;
  readonly prefix: string;
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  readonly origins: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Id of the key that took this one's place. */
  readonly rotatedTo: number | null;
}

/** Whether a key is good at a time, epoch milliseconds. */
export function isActive(info: KeyInfo, now: number): boolean {
  return info.revokedAt === null && (info.expiresAt === null || info.expiresAt > now);
}

/** A stored key. */
export function infoOf(row: ApiKeyRow): KeyInfo {
  return {
    id: row.id,
    accountId: row.accountId,
    siteId: row.siteId,
    name: row.name,
    env: row.env,
    prefix: row.prefix,
    lastFour: row.lastFour,
    scopes: JSON.parse(row.scopes) as Scope[], // checked before they were stored
    origins: JSON.parse(row.origins) as string[], // the same
    createdAt: row.createdAt,
    lastUsedAt: row.lastUsedAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    rotatedTo: row.rotatedTo,
  };
}

/** The caller behind a key: with the rights its household has given it, never more. */
export function callerOf(info: KeyInfo, householdId: number): Caller {
  const { accountId, siteId, env, scopes, name, id, origins } = info;
  return Object.freeze({
    method: "api_key",
    accountId,
    householdId,
    role: "owner",
    siteId,
    env,
    scopes,
    keyName: name,
    actor: `api_key:${id}`,
    origins,
  });
}
