/**
 * Builds the part of the hub that decides who may do what, and joins its pieces: accounts and households, keys,
 * sessions, passwords and second factors, the claim of a new hub, the audit list. The hub and the command line build it
 * the same way.
 */

import type { Caller } from "../contract/caller.js";
import type { RecordFeedItem } from "../contract/feed-kinds.js";
import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import type { Database } from "../storage/database.js";
import { partOf } from "../storage/tables/issued.js";
import { Accounts, type AccountsOptions } from "./accounts.js";
import { AppPairing } from "./app-pairing.js";
import { Audit } from "./audit.js";
import { Authenticator, sessionIdOf } from "./authenticator.js";
import { Claim } from "./claim.js";
import { DeviceCookies } from "./device-cookie.js";
import { Grants, type LiveGrant } from "./grants.js";
import type { HubKey } from "./hub-key.js";
import { Keys } from "./keys.js";
import { Passkeys } from "./passkeys.js";
import { PASSWORD_COST, Passwords, type ScryptCost } from "./password.js";
import { Persons } from "./persons.js";
import type { Actor } from "./ports.js";
import { Proofs } from "./proof.js";
import { Revocations } from "./revocations.js";
import { RightsWatch } from "./rights-watch.js";
import type { Role } from "./roles.js";
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
  /** Whether this hub had an owner, although its database may know of none. */
  readonly hadOwner: () => boolean;
  /** The claim code that the box was given before its first start; without one it is derived from the hub's key. */
  readonly givenClaimCode?: string | null;
  /** Ends what a person of the household issued, by kind; inside a write job. Invitations and keys are ended here. */
  readonly endGrant: (grant: LiveGrant, by: Actor) => void;
  /** Where the copy of what was revoked is kept; null: nowhere. */
  readonly dataFolder: string | null;
  /** Cost of password hashes; the real one unless given (tests take a cheap one). */
  readonly passwordCost?: ScryptCost;
}

/** The part's pieces. */
export interface Access {
  readonly audit: Audit;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly proofs: Proofs;
  readonly passkeys: Passkeys;
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly signIn: SignIn;
  readonly claim: Claim;
  readonly hubKey: HubKey;
  readonly persons: Persons;
  readonly grants: Grants;
  readonly authenticator: Authenticator;
  readonly appPairing: AppPairing;
  /**
   * Lets a caller pass whose person has just proved who they are; `passkeyHost`: host name of the page if passkeys may
   * work there.
   * @throws Problem `fresh_proof_required`
   */
  readonly checkProof: (caller: Caller, passkeyHost: string | null) => void;
  readonly watch: RightsWatch;
  readonly revocations: Revocations;
}

/**
 * Builds and joins the pieces; `keys.start()` and `watch.start()` must run once the database is open, before the first
 * check.
 */
export function buildAccess(options: AccessOptions): Access {
  const { database, clock, logger, hubKey, recordFeedItem } = options;
  const audit = new Audit({ database, issuedByFallen: (issuer) => grants.endFallen(issuer) });
  const accounts = new Accounts({
    database,
    clock,
    audit,
    created: options.created,
    siteEdited: options.siteEdited,
    newSite: options.newSite,
  });
  const personOf = (accountId: number): { householdId: number; role: Role; name: string } => {
    const { householdOf, role, name } = accounts.get(accountId);
    return { householdId: householdOf ?? accountId, role, name };
  };
  const keys = new Keys({ database, clock, logger, audit, recordFeedItem, siteIdOf: accounts.siteIdOf, personOf });
  const proofs = new Proofs(clock);
  const watch = new RightsWatch(database);
  const sessions = new Sessions({
    database,
    clock,
    logger,
    audit,
    proofs,
    unstoredEnded: () => watch.changed(),
    idleDays: options.sessionIdleDays,
    maxDays: options.sessionMaxDays,
  });
  const passwords = new Passwords(options.passwordCost ?? PASSWORD_COST);
  const secondFactor = new SecondFactor({ database, clock, accounts, audit, hubKey });
  const passkeys = new Passkeys({ database, clock, accounts, audit, hubKey, recordFeedItem });
  const devices = new DeviceCookies(hubKey);
  const grants = new Grants({
    database,
    clock,
    audit,
    accounts,
    recordFeedItem,
    end: (grant, by) => {
      if (grant.kind === "api_key") keys.end(Number(grant.id), by);
      else if (grant.kind === "invitation") persons.end(Number(grant.id));
      else if (grant.kind === "owner") persons.stepDown(Number(grant.id), by);
      else if (grant.kind === "member") persons.takeOut(Number(grant.id), by);
      else if (grant.kind === "key_scope") keys.narrow(partOf(grant.id), by);
      else options.endGrant(grant, by);
    },
  });
  const signIn = new SignIn({
    database,
    clock,
    accounts,
    sessions,
    passwords,
    secondFactor,
    passkeys,
    devices,
    grants,
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
    hadOwner: options.hadOwner,
    givenCode: options.givenClaimCode ?? null,
  });
  const { dataFolder } = options;
  const revocations = new Revocations({
    database,
    clock,
    logger,
    accounts,
    audit,
    recordFeedItem,
    hubKey,
    dataFolder,
  });
  const persons = new Persons({ database, clock, accounts, sessions, passwords, signIn, audit, proofs, grants, keys });
  const authenticator = new Authenticator({
    matchKey: (text) => keys.match(text),
    keyCaller: (id) => keys.callerOf(id),
    matchSession: (cookie, secure) => sessions.match(cookie, secure),
    sessionIsAlive: (accountId, id) => sessions.isAlive(accountId, id),
    siteIdOf: accounts.siteIdOf,
    personOf,
    ownerId: () => accounts.owner()?.id ?? null,
  });
  const appPairing = new AppPairing({
    clock,
    stands: (caller) => authenticator.stands(caller),
    // A member's app is the member's own: it ends with them. An owner's is the household's, as every key.
    makeKey: async (caller, key) =>
      (await keys.create(caller.role === "owner" ? caller.householdId : caller.accountId, key, caller)).secret,
  });
  const checkProof = (caller: Caller, passkeyHost: string | null): void =>
    proofs.check(caller, sessionIdOf(caller), () => ({
      secondFactor: accounts.get(caller.accountId).totpSecret !== null,
      passkey: passkeyHost !== null && passkeys.has(caller.accountId, passkeyHost),
    }));
  return {
    audit,
    accounts,
    keys,
    sessions,
    proofs,
    passkeys,
    passwords,
    secondFactor,
    signIn,
    claim,
    hubKey,
    persons,
    grants,
    authenticator,
    appPairing,
    checkProof,
    watch,
    revocations,
  };
}
