import type { Caller } from "../../../core/api/caller.ts";
import type { FactPosition } from "../../../core/api/fact-position.ts";
import type { Base } from "../../../core/base.ts";
import { type BoundRoute, bind, bindOpen, type RequestFacts } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import type { Logger } from "../../../core/kernel/logger.ts";
import type { OwnNames } from "../../../core/platform/own-names.ts";
import { isPlainHttpClosed } from "../../../core/platform/tls.ts";
import { isTimeZone } from "../../../core/settings/load.ts";
import type { SettingsStore } from "../../../core/settings/store.ts";
import { detailEnglish } from "../../../core/text/english.ts";
import type { Detail } from "../../../core/text/keys.ts";
import type { Access } from "../access.ts";
import {
  claimHub,
  getAuthStatus,
  getClaim,
  listSessions,
  recoverAccount,
  revokeSession,
  signIn,
  signOut,
} from "../api/console-session.ts";
import { sessionIdOf } from "../authenticator.ts";
import { deviceCookie } from "../device-cookie.ts";
import type { Standing } from "../person-limits.ts";
import type { SessionInfo } from "../sessions.ts";
import type { OpenedSession, SignInSource } from "../sign-in.ts";
import { passkeyPlace } from "./passkey-page.ts";
import { shownLimits } from "./shown-limits.ts";

/** Claiming, signing in and out, sessions. */
export function sessionRoutes(
  {
    accounts,
    claim,
    signIn: door,
    sessions,
    passkeys,
    limits,
    position,
  }: Pick<Access, "accounts" | "claim" | "signIn" | "sessions" | "passkeys" | "limits"> & {
    readonly position: FactPosition;
  },
  { address, store, tls, logger }: Base,
  isOwnName: OwnNames,
): BoundRoute[] {
  const opened = <Status extends number>(status: Status, session: OpenedSession, facts: RequestFacts) =>
    openedAnswer(sessions, status, session, facts);
  return [
    bindOpen(getAuthStatus, ({ facts: about }) => {
      const match = sessions.match(about.headers.cookie ?? null, about.secure);
      const { page } = passkeyPlace(about, isOwnName);
      const account = match.kind === "active" ? shownAccount(accounts.get(match.accountId)) : null;
      const siteId = account === null ? null : accounts.siteIdOf(account.id, "live");
      const facts = siteId === null ? null : position.of(siteId);
      const opening = account === null || siteId === null ? null : shownOpening(limits.standing(account.id, siteId));
      const hasPasskeys = page !== null && passkeys.anyFor(page.rpId);
      return { status: 200, body: { claimed: claim.claimed, account, facts, opening, passkeys: hasPasskeys } };
    }),
    bindOpen(getClaim, ({ facts }) => ({
      status: 200,
      body: {
        claimed: claim.claimed,
        elsewhere: claim.isTakenFrom(sourceOf(facts).address) ? null : facts.address,
        name: address.name,
        httpPort: address.httpPort,
        httpsPort: address.httpsPort,
        plainHttp: isPlainHttpClosed(store.current, tls) ? "closed" : "open",
      },
    })),
    bindOpen(claimHub, async ({ body, facts }) => {
      const timeZone = body.timeZone !== undefined && isTimeZone(body.timeZone) ? body.timeZone : undefined;
      const session = await claim.claim({ ...body, timeZone }, sourceOf(facts));
      if (facts.secure) await closePlainHttp(store, logger);
      return opened(201, session, facts);
    }),
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
        sessions: sessions.list(caller.accountId).map((session) => shownSession(session, caller)),
      },
    })),
    bind(revokeSession, async ({ caller, params }) => {
      await sessions.revoke(caller.accountId, params.id, caller.actor);
      return { status: 200, body: { done: true } };
    }),
  ];
}

/**
 * The browser that claims over https trusts the hub: plain http is no longer needed. An explicit setting takes
 * precedence.
 */
async function closePlainHttp(store: SettingsStore, logger: Logger): Promise<void> {
  if (store.current.tls.plainHttp !== "auto") return;
  try {
    await store.change({ "tls.plainHttp": "closed" });
  } catch (error) {
    logger.error({ err: error }, "plain http could not be closed after the claim over https");
  }
}

/** The answer that hands an opened session to a browser. */
export function openedAnswer<Status extends number>(
  sessions: Access["sessions"],
  status: Status,
  session: OpenedSession,
  facts: RequestFacts,
) {
  const cookies = [sessions.cookie(session.token, facts.secure), deviceCookie(session.deviceToken, facts.secure)];
  return { status, body: { account: shownAccount(session.account) }, headers: { "Set-Cookie": cookies } };
}

/** A session in the shape of the contract. */
export function shownSession(
  { id, createdAt, lastUsedAt, expiresAt, address, userAgent }: SessionInfo,
  caller: Caller,
) {
  const current = id === sessionIdOf(caller);
  return {
    id,
    current,
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTime(lastUsedAt),
    expiresAt: isoTime(expiresAt),
    address,
    userAgent,
  };
}

function shownOpening(standing: Standing | null) {
  if (standing === null) return null;
  const { now, changesInMs, refusal, levers, ...limits } = standing;
  const { devices, mode, presence, refusal: held } = levers;
  return {
    ...shownLimits(limits),
    now,
    changesInMs,
    ...told(refusal),
    levers: { devices, mode, presence, ...told(held) },
  };
}

function told(words: Detail) {
  return { message: detailEnglish(words), words };
}

function shownAccount({ id, email, name, role }: OpenedSession["account"]) {
  return { id, email, name, role };
}

/** The source of a person's request, for the throttle and the list of sessions. */
export function sourceOf(facts: RequestFacts): SignInSource {
  const { headers, secure } = facts;
  return {
    address: facts.box ? "127.0.0.1" : facts.address,
    userAgent: headers["user-agent"] ?? "",
    cookie: headers.cookie ?? null,
    secure,
  };
}
