/**
 * Builds the part of the hub that decides who may do what, and joins its pieces: accounts and households, keys, sessions,
 * passwords and second factors, the claim of a new hub, the audit list. The hub and the command line build it the same way.
 */
import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import type { Database } from "../storage/database.js";
import { Accounts, type AccountsOptions } from "./accounts.js";
import { Audit } from "./audit.js";
import { Authenticator } from "./authenticator.js";
import { Claim } from "./claim.js";
import { DeviceCookies } from "./device-cookie.js";
import type { HubKey } from "./hub-key.js";
import { Keys } from "./keys.js";
import { PASSWORD_COST, Passwords, type ScryptCost } from "./password.js";
import { Persons } from "./persons.js";
import type { RecordFeedItem } from "./ports.js";
import { SecondFactor } from "./second-factor.js";
import { Sessions } from "./sessions.js";
import { SignIn } from "./sign-in.js";

/** What the part is built from. */
export interface AccessOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hubKey: HubKey;
  readonly recordFeedItem: RecordFeedItem;
  /** See {@link AccountsOptions}. */
  readonly created: AccountsOptions["created"];
  readonly siteEdited: AccountsOptions["siteEdited"];
  readonly newSite: AccountsOptions["newSite"];
  readonly sessionIdleDays: number;
  readonly sessionMaxDays: number;
  readonly claimFromAnywhere: boolean;
  /** The claim code that the box was given before its first start; without one it is derived from the hub's key. */
  readonly givenClaimCode?: string | null;
  /** Cost of password hashes; the real one unless given (tests take a cheap one). */
  readonly passwordCost?: ScryptCost;
}

/** The part's pieces. */
export interface Access {
  readonly audit: Audit;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly signIn: SignIn;
  readonly claim: Claim;
  readonly persons: Persons;
  readonly authenticator: Authenticator;
}

/** Builds and joins the pieces; `keys.start()` must run once the database is open, before the first check. */
export function buildAccess(options: AccessOptions): Access {
  const { database, clock, logger, hubKey, recordFeedItem } = options;
  const audit = new Audit({ database });
  const accounts = new Accounts({ database, clock, audit, created: options.created, siteEdited: options.siteEdited, newSite: options.newSite });
  const keys = new Keys({ database, clock, logger, audit, recordFeedItem, siteIdOf: accounts.siteIdOf });
  const sessions = new Sessions({ database, clock, logger, audit, idleDays: options.sessionIdleDays, maxDays: options.sessionMaxDays });
  const passwords = new Passwords(options.passwordCost ?? PASSWORD_COST);
  const secondFactor = new SecondFactor({ database, clock, accounts, audit, hubKey });
  const signIn = new SignIn({
    database,
    clock,
    accounts,
    sessions,
    passwords,
    secondFactor,
    devices: new DeviceCookies(hubKey),
    audit,
    recordFeedItem,
    logger,
  });
  const claim = new Claim({
    database,
    clock,
    hubKey,
    accounts,
    passwords,
    signIn,
    fromAnywhere: options.claimFromAnywhere,
    givenCode: options.givenClaimCode ?? null,
  });
  const persons = new Persons({ database, clock, accounts, sessions, passwords, signIn, audit });
  const authenticator = new Authenticator({
    matchKey: (text) => keys.match(text),
    matchSession: (cookie) => sessions.match(cookie),
    siteIdOf: accounts.siteIdOf,
    personOf: (accountId) => {
      const { household_of, role } = accounts.get(accountId);
      return { householdId: household_of ?? accountId, role };
    },
    ownerId: () => accounts.owner()?.id ?? null,
  });
  return { audit, accounts, keys, sessions, passwords, secondFactor, signIn, claim, persons, authenticator };
}
