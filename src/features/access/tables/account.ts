import type { Role } from "../../../core/api/roles.ts";
import { nextId, Table } from "../../../core/storage/table.ts";

/** A row of `account`. Times are epoch milliseconds. */
export interface AccountRow {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  /** PHC string. */
  readonly passwordHash: string;
  /** Sealed with the hub's key; null = no second factor. */
  readonly totpSecret: Buffer | null;
  /** Last 30 s step whose code was used. */
  readonly totpStep: number;
  readonly role: Role;
  /** The account whose household it belongs to; null for one that has its own. */
  readonly householdOf: number | null;
  /** Identifies the person forever, also across restores. */
  readonly uid: string;
  /** Of the credentials: grows with every new password. */
  readonly generation: number;
  /** When the role was given. */
  readonly roleAt: number;
  /** From when on the person may not act; null: never. */
  readonly endsAt: number | null;
  /** When that came: from then on it stands, whatever the clock says, until an owner gives another end. */
  readonly endedAt: number | null;
  /** When and what they may open while they are a member (`rules/limits.ts`); null: without limits. */
  readonly limits: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The members of a new account. */
export interface NewAccountRow
  extends Pick<AccountRow, "email" | "name" | "passwordHash" | "role" | "householdOf" | "uid" | "endsAt" | "limits"> {
  readonly at: number;
}

const COLUMNS = `id, email, name, password_hash AS passwordHash, totp_secret AS totpSecret, totp_step AS totpStep, role,
  household_of AS householdOf, uid, generation, role_at AS roleAt, ends_at AS endsAt, ended_at AS endedAt, limits, created_at AS createdAt, updated_at AS updatedAt`;

/** All SQL of the table `account`. Writing methods belong inside a write job. */
export class AccountTable extends Table {
  readonly #find = this.sql.statement<[number], AccountRow>(`SELECT ${COLUMNS} FROM account WHERE id = ?`);
  readonly #byEmail = this.sql.statement<[string], AccountRow>(`SELECT ${COLUMNS} FROM account WHERE email = ?`);
  readonly #nextId = this.sql.statement<[], { id: number }>(nextId("account"));
  readonly #insert = this.sql.statement<
    [NewAccountRow & { readonly id: number }]
  >(`INSERT INTO account (id, email, name, password_hash, role, household_of, uid, ends_at, limits, role_at, created_at, updated_at)
       VALUES (@id, @email, @name, @passwordHash, @role, @householdOf, @uid, @endsAt, @limits, @at, @at, @at)`);
  readonly #ofHousehold = this.sql.statement<[number, number], AccountRow>(
    `SELECT ${COLUMNS} FROM account WHERE id = ? UNION ALL SELECT ${COLUMNS} FROM (SELECT * FROM account WHERE household_of = ? ORDER BY id)`,
  );
  readonly #setRole = this.sql.statement<[Pick<AccountRow, "id" | "role"> & { readonly at: number }]>(
    "UPDATE account SET role = @role, role_at = max(@at, role_at + 1), updated_at = @at WHERE id = @id",
  );
  readonly #edit = this.sql.statement<[string, string, number, number]>(
    "UPDATE account SET email = ?, name = ?, updated_at = ? WHERE id = ?",
  );
  readonly #setHash = this.sql.statement<[string, number, number]>(
    "UPDATE account SET password_hash = ?, updated_at = ? WHERE id = ?",
  );
  readonly #setPassword = this.sql.statement<[string, number, number]>(
    "UPDATE account SET password_hash = ?, generation = generation + 1, updated_at = ? WHERE id = ?",
  );
  readonly #setTotp = this.sql.statement<[Buffer | null, number, number]>(
    "UPDATE account SET totp_secret = ?, totp_step = 0, updated_at = ? WHERE id = ?",
  );
  readonly #useTotpStep = this.sql.statement<[number, number, number]>(
    "UPDATE account SET totp_step = ? WHERE id = ? AND totp_step < ?",
  );

  /** All accounts, oldest first. */
  readonly all = this.sql.all<[], AccountRow>(`SELECT ${COLUMNS} FROM account ORDER BY id`);

  /** One account; undefined when there is none. */
  find(id: number): AccountRow | undefined {
    return this.#find.get(id);
  }

  /** The account of an e-mail address, compared without case. */
  byEmail(email: string): AccountRow | undefined {
    return this.#byEmail.get(email);
  }

  /** Whether anybody owns the hub. */
  readonly any = this.sql.any<[]>("SELECT id FROM account LIMIT 1");

  /**
   * Stores a new person and returns its id, which no account had before: cookies, rows and the audit list reference
   * accounts by it.
   */
  insert(row: NewAccountRow): number {
    const id = this.#nextId.get()?.id ?? 1;
    this.#insert.run({ ...row, id });
    return id;
  }

  /** The owner of the household, then its other accounts, oldest first. */
  ofHousehold(householdId: number): AccountRow[] {
    return this.#ofHousehold.all(householdId, householdId);
  }

  /** Gives the account another role; each time is later than the one before. */
  setRole(id: number, role: AccountRow["role"], at: number): void {
    this.#setRole.run({ id, role, at });
  }

  /** Persons whose end has come by `at` and is not noted yet, in that order. */
  readonly due = this.sql.all<[at: number], { readonly id: number; readonly endsAt: number }>(
    "SELECT id, ends_at AS endsAt FROM account WHERE ended_at IS NULL AND ends_at <= ? ORDER BY ends_at, id",
  );

  /** The earliest end that is not noted yet; null without one. */
  readonly nextEnd = this.sql.value<[], number | null>("SELECT min(ends_at) FROM account WHERE ended_at IS NULL", null);

  /** Gives the account another end, null for none: it has not ended. */
  readonly setEnd = this.sql.run<[end: { readonly id: number; readonly endsAt: number | null; readonly at: number }]>(
    "UPDATE account SET ends_at = @endsAt, ended_at = NULL, updated_at = @at WHERE id = @id",
  );

  /** Whether the limits of anybody count at present. */
  readonly anyLimits = this.sql.any<[]>("SELECT id FROM account WHERE limits IS NOT NULL AND role = 'member' LIMIT 1");

  /** Gives the account other limits, null for none. */
  readonly setLimits = this.sql.run<
    [limits: { readonly id: number; readonly limits: string | null; readonly at: number }]
  >("UPDATE account SET limits = @limits, updated_at = @at WHERE id = @id");

  /** Gives the account another beginning. */
  readonly setCreated = this.sql.run<[at: number, id: number]>("UPDATE account SET created_at = ? WHERE id = ?");

  /** Notes that the end has come. */
  readonly putEnded = this.sql.run<[end: { readonly id: number; readonly at: number }]>(
    "UPDATE account SET ended_at = @at, updated_at = @at WHERE id = @id AND ended_at IS NULL AND ends_at IS NOT NULL",
  );

  /** Removes a person who is not the head of a household, with sessions and codes. */
  readonly removePerson = this.sql.run<[id: number]>("DELETE FROM account WHERE id = ? AND household_of IS NOT NULL");

  /** Changes name and e-mail address. */
  edit(id: number, email: string, name: string, at: number): void {
    this.#edit.run(email, name, at, id);
  }

  /** Stores another hash of the same password. */
  setHash(id: number, hash: string, at: number): void {
    this.#setHash.run(hash, at, id);
  }

  /** Sets the hash of a new password: a new generation of the account's credentials. */
  setPassword(id: number, hash: string, at: number): void {
    this.#setPassword.run(hash, at, id);
  }

  /** Sets or removes the second factor. */
  setTotp(id: number, secret: Buffer | null, at: number): void {
    this.#setTotp.run(secret, at, id);
  }

  /** Notes a used code; false when it or a later one was used before. */
  useTotpStep(id: number, step: number): boolean {
    return this.#useTotpStep.run(step, id, step).changes > 0;
  }
}
