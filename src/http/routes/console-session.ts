import type { Access } from "../../access/access.js";
import { sessionIdOf } from "../../access/authenticator.js";
import type { OpenedSession } from "../../access/sign-in.js";
import { claimHub, getClaim, listSessions, recoverAccount, revokeSession, signIn, signOut } from "../../contract/routes/console-session.js";
import { isoTime } from "../../kernel/clock.js";
import { type Answer, type BoundRoute, bind, bindOpen, type RequestFacts } from "../exchange.js";

/** Claiming, signing in and out, sessions. */
export function sessionRoutes({ claim, signIn: door, sessions }: Pick<Access, "claim" | "signIn" | "sessions">): BoundRoute[] {
  const opened = (status: number, session: OpenedSession, facts: RequestFacts): Answer => {
    const { id, email, name } = session.account;
    return { status, body: { account: { id, email, name } }, headers: { "Set-Cookie": sessions.cookie(session.token, facts.secure) } };
  };
  return [
    bindOpen(getClaim, () => ({ status: 200, body: { claimed: claim.claimed } })),
    bindOpen(claimHub, async ({ body, facts }) => opened(201, await claim.claim(body, sourceOf(facts)), facts)),
    bindOpen(signIn, async ({ body, facts }) => {
      const { email, password, totp = null } = body;
      return opened(200, await door.login({ email, password, totp }, sourceOf(facts)), facts);
    }),
    bindOpen(recoverAccount, async ({ body, facts }) => {
      await door.recover(body, sourceOf(facts));
      return { status: 200, body: { done: true } };
    }),
    bind(signOut, async ({ caller, facts }) => {
      const id = sessionIdOf(caller);
      if (id > 0) await sessions.revoke(caller.accountId, id, caller.actor);
      return { status: 200, body: { done: true }, headers: { "Set-Cookie": sessions.clearedCookie(facts.secure) } };
    }),
    bind(listSessions, ({ caller }) => ({
      status: 200,
      body: {
        sessions: sessions.list(caller.accountId).map(({ id, createdAt, lastUsedAt, expiresAt, address, userAgent }) => ({
          id,
          current: id === sessionIdOf(caller),
          createdAt: isoTime(createdAt),
          lastUsedAt: isoTime(lastUsedAt),
          expiresAt: isoTime(expiresAt),
          address,
          userAgent,
        })),
      },
    })),
    bind(revokeSession, async ({ caller, params }) => {
      await sessions.revoke(caller.accountId, params.id, caller.actor);
      return { status: 200, body: { done: true } };
    }),
  ];
}

/** Where a person's request comes from, for the throttle and the list of sessions. */
export function sourceOf(facts: RequestFacts): { address: string; userAgent: string } {
  return { address: facts.box ? "127.0.0.1" : facts.address, userAgent: facts.headers["user-agent"] ?? "" };
}
