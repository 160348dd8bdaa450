/**
 * Owns the passkeys of all persons (WebAuthn): registers them, and identifies the person behind a browser's response. A
 * passkey counts as both factors: it must verify its user. It works only on pages of the host name that it was created
 * on. Must never know HTTP.
 */

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from "@simplewebauthn/server";
import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Accounts } from "./accounts.ts";
import type { Audit } from "./audit.ts";
import { Challenges } from "./challenges.ts";
import type { Actor } from "./ports.ts";
import { type PasskeyRow, PasskeyTable } from "./tables/passkey.ts";

/** The page that asks for a passkey: one of the hub's own names, over TLS. */
export interface PasskeyPage {
  /** Host name. */
  readonly rpId: string;
  /** `https://gatehouse.local:8443`. */
  readonly origin: string;
}

/** The purpose of a response, which is valid for nothing else. */
export type PasskeyUse =
  | { readonly kind: "sign-in" }
  | { readonly kind: "proof"; readonly accountId: number; readonly sessionId: number };

/** A passkey as its person sees it. Times are epoch milliseconds. */
export interface PasskeyInfo {
  readonly id: number;
  readonly name: string;
  /** Host name of the pages that it works on. */
  readonly host: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** Passkeys of one person. */
const MAX_PASSKEYS = 20;
/** What browsers show as the name of the site. */
const SITE_NAME = "Gatehouse";

/** All passkeys of the hub. */
export class Passkeys {
  readonly #options: ConstructorParameters<typeof Passkeys>[0];
  readonly #table: PasskeyTable;
  readonly #challenges: Challenges;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly accounts: Accounts;
    readonly audit: Audit;
    readonly hubKey: HubKey;
    readonly recordFeedItem: RecordFeedItem;
  }) {
    this.#options = options;
    this.#table = new PasskeyTable(options.database);
    this.#challenges = new Challenges(options.clock);
  }

  /** Passkeys of a person, oldest first. */
  list(accountId: number): PasskeyInfo[] {
    return this.#table.ofAccount(accountId).map(shown);
  }

  /** Whether a person has a passkey for this host name. */
  has(accountId: number, rpId: string): boolean {
    return this.#table.ofAccount(accountId).some((row) => row.rpId === rpId);
  }

  /** Whether anybody has a passkey for this host name. */
  anyFor(rpId: string): boolean {
    return this.#table.anyFor(rpId);
  }

  /** The browser's input for creating a passkey (WebAuthn's creation options). @throws Problem `limit_reached` */
  async creationOptions(
    accountId: number,
    sessionId: number,
    page: PasskeyPage,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { accounts } = this.#options;
    const { email, name } = accounts.get(accountId);
    const known = this.#table.ofAccount(accountId);
    checkRoom(known.length);
    const { generateRegistrationOptions } = await import("@simplewebauthn/server"); // most sign-ins need none of it
    return generateRegistrationOptions({
      rpName: SITE_NAME,
      rpID: page.rpId,
      userName: email,
      userDisplayName: name,
      userID: new Uint8Array(this.#userHandle(accountId)),
      challenge: new Uint8Array(this.#challenges.issue(creation(accountId, sessionId, page))),
      attestationType: "none",
      excludeCredentials: known.filter((row) => row.rpId === page.rpId).map(described),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
  }

  /**
   * Keeps a passkey that a browser has made.
   * @throws Problem `passkey_refused`, `limit_reached`, `conflict` when it is known
   */
  async add(
    made: { readonly accountId: number; readonly sessionId: number; readonly name: string; readonly response: object },
    page: PasskeyPage,
    by: Actor,
  ): Promise<PasskeyInfo> {
    const { database, clock, audit } = this.#options;
    const { accountId, name } = made;
    const purpose = creation(accountId, made.sessionId, page);
    const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
    let challenge = "";
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: made.response as RegistrationResponseJSON, // the library looks at every member, and throws
      expectedChallenge: (given) => {
        challenge = given;
        return this.#challenges.isOpen(given, purpose);
      },
      expectedOrigin: page.origin,
      expectedRPID: page.rpId,
      requireUserVerification: true,
    }).catch(refuse);
    if (!verified || !this.#challenges.spend(challenge)) throw refused();
    const { id: credentialId, publicKey, counter, transports = [] } = registrationInfo.credential;
    return database.write(() => {
      checkRoom(this.#table.ofAccount(accountId).length);
      if (this.#table.byCredential(credentialId) !== undefined)
        throw new Problem("conflict", { code: "conflict.passkeyKnown" });
      const at = clock.now();
      const row = {
        accountId,
        credentialId,
        publicKey: Buffer.from(publicKey),
        counter,
        rpId: page.rpId,
        transports: JSON.stringify(transports),
        name,
        createdAt: at,
      };
      const id = this.#table.insert(row);
      audit.record({
        accountId,
        actor: by.actor,
        action: "passkey.added",
        target: name,
        detail: { id, host: page.rpId },
        at,
      });
      this.#tell(accountId, "security.passkey_added", name, at);
      return shown({ ...row, id, lastUsedAt: null });
    });
  }

  /**
   * The browser's input for requesting a passkey (WebAuthn's request options); for a sign-in the person is not known
   * yet.
   */
  async requestOptions(use: PasskeyUse, page: PasskeyPage): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
    const known =
      use.kind === "proof" ? this.#table.ofAccount(use.accountId).filter((row) => row.rpId === page.rpId) : [];
    return generateAuthenticationOptions({
      rpID: page.rpId,
      allowCredentials: known.map(described),
      challenge: new Uint8Array(this.#challenges.issue(request(use, page))),
      userVerification: "required",
    });
  }

  /** Determines whose answer it is. Each is accepted once. @throws Problem `passkey_refused` */
  async verify(response: object, use: PasskeyUse, page: PasskeyPage): Promise<number> {
    const { database, clock } = this.#options;
    const answer = response as AuthenticationResponseJSON; // the library looks at every member, and throws
    const row = this.#table.byCredential(answer.id);
    if (row === undefined || row.rpId !== page.rpId || (use.kind === "proof" && row.accountId !== use.accountId))
      throw refused();
    const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
    const purpose = request(use, page);
    let challenge = "";
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer,
      expectedChallenge: (given) => {
        challenge = given;
        return this.#challenges.isOpen(given, purpose);
      },
      expectedOrigin: page.origin,
      expectedRPID: page.rpId,
      requireUserVerification: true,
      // The counter is compared below, where it is written: of two simultaneous responses one must lose.
      credential: {
        ...described(row),
        publicKey: new Uint8Array(row.publicKey),
        counter: 0,
      } satisfies WebAuthnCredential,
    }).catch(refuse);
    const handle = answer.response.userHandle;
    if (!verified || (handle !== undefined && handle !== this.#userHandle(row.accountId).toString("base64url")))
      throw refused();
    if (!this.#challenges.spend(challenge)) throw refused();
    const { newCounter } = authenticationInfo;
    const isNext =
      (await database.writeIfPossible(() => this.#table.use(row.id, newCounter, clock.now()))) ??
      (newCounter > row.counter || (newCounter === 0 && row.counter === 0));
    if (isNext) return row.accountId;
    if (this.#table.byCredential(row.credentialId) !== undefined) await this.#tellOfCopy(row);
    throw refused();
  }

  /** Gives a passkey another name. @throws Problem `not_found` */
  async rename(accountId: number, id: number, name: string): Promise<PasskeyInfo> {
    return this.#options.database.write(() => {
      if (!this.#table.rename(accountId, id, name)) throw unknown();
      return shown(this.#find(accountId, id));
    });
  }

  /** Removes a passkey. @throws Problem `not_found` */
  async remove(accountId: number, id: number, by: Actor): Promise<void> {
    const { database, clock, audit } = this.#options;
    await database.write(() => {
      const { name } = this.#find(accountId, id);
      this.#table.remove(accountId, id);
      const at = clock.now();
      audit.record({ accountId, actor: by.actor, action: "passkey.removed", target: name, detail: { id }, at });
      this.#tell(accountId, "security.passkey_removed", name, at);
    });
  }

  /**
   * Removes all passkeys of an account, inside a write job: a person who lost their password may have lost these too.
   * Returns how many.
   */
  removeAll(accountId: number): number {
    return this.#table.removeAll(accountId);
  }

  #find(accountId: number, id: number): PasskeyRow {
    const row = this.#table.ofAccount(accountId).find((known) => known.id === id);
    if (row === undefined) throw unknown();
    return row;
  }

  /** Under which authenticators know a person: the same for all their passkeys, and no name. */
  #userHandle(accountId: number): Buffer {
    return this.#options.hubKey.derive(`passkey user ${accountId}`);
  }

  #tell(
    accountId: number,
    kind: "security.passkey_added" | "security.passkey_removed",
    name: string,
    at: number,
  ): void {
    const { accounts, recordFeedItem } = this.#options;
    const person = accounts.get(accountId).name;
    recordFeedItem({
      siteId: accounts.siteIdOf(accountId, "live"),
      kind,
      deviceId: null,
      text: { code: kind, name: person, passkey: name },
      at,
    });
  }

  /** The counter went back: a copy of the key is in use. */
  async #tellOfCopy(row: PasskeyRow): Promise<void> {
    const { database, clock, audit } = this.#options;
    const { accountId, id, name } = row;
    await database.write(() =>
      audit.record({
        accountId,
        actor: "hub",
        action: "passkey.copied",
        target: name,
        detail: { id },
        at: clock.now(),
      }),
    );
  }
}

function creation(accountId: number, sessionId: number, { rpId }: PasskeyPage): string {
  return JSON.stringify(["create", accountId, sessionId, rpId]);
}

function request(use: PasskeyUse, { rpId }: PasskeyPage): string {
  return JSON.stringify(use.kind === "sign-in" ? [use.kind, rpId] : [use.kind, use.accountId, use.sessionId, rpId]);
}

function described(row: PasskeyRow): { id: string; transports: string[] } {
  return { id: row.credentialId, transports: JSON.parse(row.transports) as string[] }; // written by add()
}

function shown({ id, name, rpId, createdAt, lastUsedAt }: PasskeyRow): PasskeyInfo {
  return { id, name, host: rpId, createdAt, lastUsedAt };
}

function checkRoom(count: number): void {
  if (count >= MAX_PASSKEYS)
    throw new Problem(
      "limit_reached",
      { code: "refusal.most.passkeys", limit: MAX_PASSKEYS },
      {
        fields: { limit: MAX_PASSKEYS },
      },
    );
}

function refuse(cause: unknown): never {
  throw refused(cause);
}

function refused(cause?: unknown): Problem {
  return new Problem(
    "passkey_refused",
    "The passkey was not accepted. Try again, or use the password.",
    cause === undefined ? {} : { cause },
  );
}

function unknown(): Problem {
  return new Problem("not_found", "There is no such passkey.");
}
