/**
 * Builds the part of the hub that decides who may do what, and joins its pieces: accounts and households, keys,
 * sessions, passwords and second factors, the claim of a new hub, the audit list. The hub and the command line build it
 * the same way.
 */

import type { Caller } from "../../core/api/caller.ts";
import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { ProofAge } from "../../core/api/route.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import type { Database } from "../../core/storage/database.ts";
import { Accounts } from "./accounts.ts";
import { AppPairing } from "./app-pairing.ts";
import { Audit } from "./audit.ts";
import { Authenticator, sessionIdOf } from "./authenticator.ts";
import { Claim } from "./claim.ts";
import { DeviceCookies } from "./device-cookie.ts";
import { Grants } from "./grants.ts";
import { Keys } from "./keys.ts";
import { Passkeys } from "./passkeys.ts";
import { PASSWORD_COST, Passwords, type ScryptCost } from "./password.ts";
import { PersonEnds } from "./person-ends.ts";
import { PersonLimits } from "./person-limits.ts";
import { Persons } from "./persons.ts";
import { Proofs } from "./proof.ts";
import { Revocations } from "./revocations.ts";
import { RightsWatch } from "./rights-watch.ts";
import { SecondFactor } from "./second-factor.ts";
import { Sessions } from "./sessions.ts";
import { SignIn } from "./sign-in.ts";
import { partOf } from "./tables/issued.ts";

/** What the part is built from. */
export interface AccessOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hubKey: HubKey;
  readonly recordFeedItem: RecordFeedItem;
  /** The initial values of a new household. */
  readonly newSite: { readonly name: string; readonly timeZone: string };
  readonly sessionIdleDays: number;
  readonly sessionMaxDays: number;
  readonly claimFromAnywhere: boolean;
  /** Whether this hub had an owner, although its database may have no record of one. */
  readonly hadOwner: () => boolean;
  /** The claim code that the host was given before its first start; without one it is derived from the hub's key. */
  readonly givenClaimCode?: string | null;
  /** Folder for the copy of the revocations; null: none. */
  readonly dataFolder: string | null;
  /** Cost of password hashes; the real one unless given (tests take a cheap one). */
  readonly passwordCost?: ScryptCost;
}

/**
 * Rights: its parts, joined. `keys.start()` and `watch.start()` must run once the database is open, before the first
 * check.
 */
export class Access {
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
  readonly ends: PersonEnds;
  readonly limits: PersonLimits;
  readonly authenticator: Authenticator;
  readonly appPairing: AppPairing;
  /**
   * Lets a caller pass whose person has just proved who they are; `passkeyHost`: host name of the page if passkeys may
   * work there; `age`: `fresh` unless given.
   * @throws Problem `fresh_proof_required`
   */
  readonly checkProof: (caller: Caller, passkeyHost: string | null, age?: ProofAge) => void;
  readonly watch: RightsWatch;
  readonly revocations: Revocations;

  constructor(options: AccessOptions) {
    const { database, clock, logger, hubKey, recordFeedItem } = options;
    const audit = new Audit(database);
    const accounts = new Accounts({ database, clock, audit, newSite: options.newSite });
    const watch = new RightsWatch(database, { clock, accounts });
    const keys = new Keys({ database, clock, logger, accounts, audit, watch, recordFeedItem });
    const proofs = new Proofs(clock);
    const sessions = new Sessions({
      database,
      clock,
      logger,
      audit,
      proofs,
      watch,
      isEnded: accounts.isEnded,
      idleDays: options.sessionIdleDays,
      maxDays: options.sessionMaxDays,
    });
    const passwords = new Passwords(options.passwordCost ?? PASSWORD_COST);
    const secondFactor = new SecondFactor({ database, clock, accounts, audit, hubKey });
    const passkeys = new Passkeys({ database, clock, accounts, audit, hubKey, recordFeedItem });
    const devices = new DeviceCookies(hubKey);
    const grants = new Grants({ database, clock, audit, accounts, recordFeedItem, logger });
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
      proofs,
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
    const persons = new Persons({
      database,
      clock,
      accounts,
      sessions,
      passwords,
      signIn,
      audit,
      proofs,
      grants,
      keys,
    });
    const ends = new PersonEnds({ database, clock, logger, accounts, sessions, proofs, grants, keys, audit, watch });
    const authenticator = new Authenticator({ accounts, keys, sessions });
    const appPairing = new AppPairing({
      clock,
      authenticator,
      roleAt: (accountId) => accounts.find(accountId)?.roleAt ?? null,
      // A member's or a gatekeeper's app is the person's own: it ends with them. An owner's is the household's, as every key.
      makeKey: async (caller, key) =>
        (await keys.create(caller.role === "owner" ? caller.householdId : caller.accountId, key, caller)).secret,
    });
    const checkProof = (caller: Caller, passkeyHost: string | null, age?: ProofAge): void =>
      proofs.check(
        caller,
        sessionIdOf(caller),
        () => ({
          secondFactor: accounts.get(caller.accountId).totpSecret !== null,
          passkey: passkeyHost !== null && passkeys.has(caller.accountId, passkeyHost),
        }),
        age,
      );
    grants.endsBy("api_key", ({ row }, by) => keys.end(row, by));
    grants.endsBy("invitation", ({ row }) => persons.end(row));
    grants.endsBy("owner", ({ row }, by) => persons.stepDown(row, "owner", by));
    grants.endsBy("gatekeeper", ({ row }, by) => persons.stepDown(row, "gatekeeper", by));
    grants.endsBy("member", ({ row }, by) => persons.takeOut(row, by));
    grants.endsBy("key_scope", ({ id }, by) => keys.narrow(partOf(id), by));
    this.audit = audit;
    this.accounts = accounts;
    this.keys = keys;
    this.sessions = sessions;
    this.proofs = proofs;
    this.passkeys = passkeys;
    this.passwords = passwords;
    this.secondFactor = secondFactor;
    this.signIn = signIn;
    this.claim = claim;
    this.hubKey = hubKey;
    this.persons = persons;
    this.grants = grants;
    this.ends = ends;
    this.limits = new PersonLimits({ accounts, sessions, grants, clock });
    this.authenticator = authenticator;
    this.appPairing = appPairing;
    this.checkProof = checkProof;
    this.watch = watch;
    this.revocations = revocations;
  }
}
