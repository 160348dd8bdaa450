import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `revocation`. Times are epoch milliseconds. */
export interface RevocationRow {
  readonly kind: string;
  /** By what the revoked row is found again. */
  readonly credential: string;
  readonly at: number;
  /** When it would have ended anyway; null: never. */
  readonly until: number | null;
}

/** Ids that were given, by the name of their counter. */
export type IdMarks = Readonly<Record<string, number>>;

/** A person's own credentials, as another file of the same hub has them. */
export interface PersonCredentialsRow {
  readonly uid: string;
  readonly passwordHash: string;
  readonly totpSecret: Buffer | null;
  readonly totpStep: number;
  readonly generation: number;
  readonly role: "owner" | "member";
  readonly roleAt: number;
}

/** A device's or a client's password, as another file of the same hub has it. */
export interface MachineCredentialRow {
  /** Id of the device, user name of the client. */
  readonly name: string;
  readonly passwordHash: string | null;
}

const COLUMNS = "kind, credential, at, until";

/** All SQL of the table `revocation`, and of putting it into force again. Writing methods belong inside a write job. */
export class RevocationTable extends tableOf(prepare) {
  /** All that still matter at `at`, oldest first. */
  all(at: number): RevocationRow[] {
    return this.sql.all.all(at);
  }

  /** Adds one that is known from elsewhere; true when it was new. Of two the later time stands. */
  add(row: RevocationRow): boolean {
    return this.sql.add.run(row).changes > 0;
  }

  /** Forgets what would have ended by `at` anyway, and all but the newest `most`. */
  trim(at: number, most: number): void {
    this.sql.purge.run(at);
    this.sql.trim.run(most);
  }

  /** Notes from now on what ends, by whatever path, and calls `noted` inside the job. */
  watch(noted: () => void): void {
    const { raw } = this.database;
    raw.function("revocation_noted", () => {
      noted();
      return null;
    });
    for (const [name, event, body] of NOTES) raw.exec(`CREATE TEMP TRIGGER ${name} ${event} BEGIN ${body} END`);
    raw.exec("CREATE TEMP TRIGGER revocation_noted AFTER INSERT ON revocation BEGIN SELECT revocation_noted(); END");
  }

  /** The last id of every counter. */
  marks(): IdMarks {
    return Object.fromEntries(this.sql.marks.all().map(({ name, last }) => [name, last]));
  }

  /** Has ids go on above these. */
  raise(marks: IdMarks): void {
    for (const [name, last] of Object.entries(marks)) {
      if (name.startsWith(COUNTER)) this.sql.raiseCounter.run(String(last), name, last);
      else if (this.sql.raiseSequence.run(last, name).changes === 0) this.sql.addSequence.run(name, last, name);
    }
  }

  /** Ends every session; answers how many. */
  endSessions(): number {
    return this.sql.endSessions.run().changes;
  }

  /** Has every revocation take effect on what came back; answers how many did, by kind. */
  enforce(at: number): Record<string, number> {
    const ended: Record<string, number> = {};
    const count = (kind: string, changes: number): void => {
      if (changes > 0) ended[kind] = (ended[kind] ?? 0) + changes;
    };
    count("account", this.sql.endAccounts.run().changes);
    count("owner", this.sql.endOwners.run().changes);
    count("api_key", this.sql.endKeys.run(at).changes);
    count("invitation", this.sql.endInvitations.run().changes);
    this.sql.endPassRules.run();
    count("guest_pass", this.sql.endPasses.run().changes);
    count("guest_pass", this.sql.endLinks.run().changes);
    count("passkey", this.sql.endPasskeys.run().changes);
    count("bridge_client", this.sql.endClients.run().changes);
    count("device", this.sql.endDevices.run().changes);
    count("webhook", this.sql.endWebhooks.run(at).changes);
    return ended;
  }

  /** Credentials of the persons of this file. */
  persons(): PersonCredentialsRow[] {
    return this.sql.persons.all();
  }

  /** Removes persons who are not among `uids`, but never a household's head; answers how many. */
  keepPersons(uids: readonly string[]): number {
    return this.sql.keepPersons.run(JSON.stringify(uids)).changes;
  }

  /** The person who has the household; null without one. */
  headUid(): string | null {
    return this.sql.head.get()?.uid ?? null;
  }

  /** Recovery codes of the persons of this file, by the person. */
  recoveryCodes(): { readonly uid: string; readonly codeHash: string; readonly usedAt: number | null }[] {
    return this.sql.recoveryCodes.all();
  }

  /** Passwords of the devices of this file. */
  devices(): MachineCredentialRow[] {
    return this.sql.devices.all();
  }

  /** Gives a person who is here the credentials that they have elsewhere; true when the person is here. */
  putPerson(row: PersonCredentialsRow): boolean {
    if (this.sql.putPerson.run(row).changes === 0) return false;
    this.sql.forgetCodes.run(row.uid);
    return true;
  }

  /** Gives a person who is here a recovery code. */
  putCode(row: { readonly uid: string; readonly codeHash: string; readonly usedAt: number | null }): void {
    this.sql.putCode.run(row);
  }

  /** Gives a device that is here the password that it has elsewhere. */
  putDevice(row: MachineCredentialRow): void {
    this.sql.putDevice.run(row);
  }
}

/**
 * What notes that something ended: triggers of this connection, kept in no file, since those of a database from elsewhere are
 * refused. A client's row is replaced whole, which is neither an update nor a removal to SQLite.
 */
const NOTES: readonly (readonly [name: string, event: string, body: string])[] = [
  [
    "revoked_account",
    "AFTER DELETE ON account",
    `INSERT OR REPLACE INTO revocation VALUES ('account', OLD.uid, unixepoch() * 1000, NULL);`,
  ],
  [
    "revoked_owner",
    "AFTER UPDATE OF role ON account WHEN OLD.role = 'owner' AND NEW.role = 'member'",
    `INSERT OR REPLACE INTO revocation VALUES ('owner', NEW.uid, NEW.role_at, NULL);`,
  ],
  [
    "revoked_key",
    "AFTER UPDATE OF revoked_at ON api_key WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL",
    `INSERT OR REPLACE INTO revocation VALUES ('api_key', NEW.key_hash, unixepoch() * 1000, NEW.expires_at);`,
  ],
  [
    "revoked_invitation",
    "AFTER DELETE ON invitation",
    `INSERT OR REPLACE INTO revocation VALUES ('invitation', OLD.code_hash, unixepoch() * 1000, OLD.expires_at);`,
  ],
  [
    "revoked_pass",
    "AFTER DELETE ON guest_pass",
    `INSERT OR REPLACE INTO revocation VALUES ('guest_pass', CAST(OLD.id AS TEXT), unixepoch() * 1000, OLD.valid_to);`,
  ],
  [
    "revoked_link",
    "AFTER UPDATE OF token_hash ON guest_pass WHEN OLD.token_hash <> NEW.token_hash",
    `INSERT OR REPLACE INTO revocation VALUES ('guest_link', OLD.token_hash, unixepoch() * 1000, OLD.valid_to);`,
  ],
  [
    "revoked_passkey",
    "AFTER DELETE ON passkey",
    `INSERT OR REPLACE INTO revocation VALUES ('passkey', OLD.credential_id, unixepoch() * 1000, NULL);`,
  ],
  [
    "revoked_client",
    "AFTER DELETE ON bridge_client WHEN OLD.status = 'accepted'",
    `INSERT OR REPLACE INTO revocation VALUES ('bridge_client', OLD.username || ' ' || OLD.password_hash, unixepoch() * 1000, NULL);`,
  ],
  [
    "revoked_client_changed",
    "BEFORE INSERT ON bridge_client",
    `INSERT OR REPLACE INTO revocation SELECT 'bridge_client', username || ' ' || password_hash, unixepoch() * 1000, NULL FROM bridge_client WHERE id = NEW.id AND status = 'accepted' AND (NEW.status <> 'accepted' OR NEW.password_hash <> password_hash); DELETE FROM revocation WHERE NEW.status = 'accepted' AND kind = 'bridge_client' AND credential = NEW.username || ' ' || NEW.password_hash;`,
  ],
  [
    "revoked_device",
    "AFTER DELETE ON device WHEN OLD.password_hash IS NOT NULL",
    `INSERT OR REPLACE INTO revocation VALUES ('device', OLD.id || ' ' || OLD.password_hash, unixepoch() * 1000, NULL);`,
  ],
  [
    "revoked_device_password",
    "AFTER UPDATE OF password_hash ON device WHEN OLD.password_hash IS NOT NEW.password_hash AND OLD.password_hash IS NOT NULL",
    `INSERT OR REPLACE INTO revocation VALUES ('device', OLD.id || ' ' || OLD.password_hash, unixepoch() * 1000, NULL); DELETE FROM revocation WHERE kind = 'device' AND credential = NEW.id || ' ' || NEW.password_hash;`,
  ],
  [
    "revoked_webhook",
    "AFTER DELETE ON webhook",
    `INSERT OR REPLACE INTO revocation VALUES ('webhook', CAST(OLD.id AS TEXT), unixepoch() * 1000, NULL);`,
  ],
];

/** Counters of the table `hub`; every other name is a table's own sequence. */
const COUNTER = "last_";
/** Its numbers end: matter_endpoint has room for 65,533. */
const OWN_RANGE = "matter_endpoint";

const revoked = (kind: string, column: string): string =>
  `${column} IN (SELECT credential FROM revocation WHERE kind = '${kind}')`;

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[number], RevocationRow>(
      `SELECT ${COLUMNS} FROM revocation WHERE until IS NULL OR until > ? ORDER BY at, kind, credential`,
    ),
    add: raw.prepare<[RevocationRow]>(
      `INSERT INTO revocation (kind, credential, at, until) VALUES (@kind, @credential, @at, @until)
       ON CONFLICT (kind, credential) DO UPDATE SET at = excluded.at WHERE excluded.at > at`,
    ),
    purge: raw.prepare<[number]>("DELETE FROM revocation WHERE until <= ?"),
    trim: raw.prepare<[number]>(
      `DELETE FROM revocation WHERE (kind, credential) IN
         (SELECT kind, credential FROM revocation ORDER BY at DESC, kind, credential LIMIT -1 OFFSET ?)`,
    ),
    marks: raw.prepare<[], { name: string; last: number }>(
      `SELECT name, seq AS last FROM sqlite_sequence WHERE name <> '${OWN_RANGE}'
       UNION ALL SELECT key, CAST(value AS INTEGER) FROM hub WHERE key IN ('last_account', 'last_api_key', 'last_session', 'last_bridge_client', 'last_command')`,
    ),
    raiseCounter: raw.prepare<[string, string, number]>(
      "UPDATE hub SET value = ? WHERE key = ? AND CAST(value AS INTEGER) < ?",
    ),
    raiseSequence: raw.prepare<[number, string]>("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"),
    addSequence: raw.prepare<[string, number, string]>(
      `INSERT INTO sqlite_sequence (name, seq) SELECT ?, ?
        WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE '%AUTOINCREMENT%')`,
    ),
    endSessions: raw.prepare<[]>("DELETE FROM session"),
    endAccounts: raw.prepare<[]>(`DELETE FROM account WHERE household_of IS NOT NULL AND ${revoked("account", "uid")}`),
    endOwners: raw.prepare<[]>(
      `UPDATE account SET role = 'member', role_at = (SELECT at FROM revocation WHERE kind = 'owner' AND credential = uid)
        WHERE household_of IS NOT NULL AND role = 'owner'
          AND role_at < (SELECT at FROM revocation WHERE kind = 'owner' AND credential = uid)`,
    ),
    endKeys: raw.prepare<[number]>(
      `UPDATE api_key SET revoked_at = ? WHERE revoked_at IS NULL AND ${revoked("api_key", "key_hash")}`,
    ),
    endInvitations: raw.prepare<[]>(`DELETE FROM invitation WHERE ${revoked("invitation", "code_hash")}`),
    endPassRules: raw.prepare<[]>(
      `DELETE FROM plate_rule WHERE master = 'guest' AND id IN
         (SELECT rule_id FROM guest_pass WHERE ${revoked("guest_pass", "CAST(guest_pass.id AS TEXT)")})`,
    ),
    endPasses: raw.prepare<[]>(`DELETE FROM guest_pass WHERE ${revoked("guest_pass", "CAST(id AS TEXT)")}`),
    endLinks: raw.prepare<[]>(
      `UPDATE guest_pass SET token_hash = 'revoked ' || lower(hex(randomblob(32))) WHERE ${revoked("guest_link", "token_hash")}`,
    ),
    endPasskeys: raw.prepare<[]>(`DELETE FROM passkey WHERE ${revoked("passkey", "credential_id")}`),
    endClients: raw.prepare<[]>(
      `UPDATE bridge_client SET status = 'refused' WHERE status = 'accepted' AND ${revoked("bridge_client", "username || ' ' || password_hash")}`,
    ),
    endDevices: raw.prepare<[]>(
      `UPDATE device SET password_hash = NULL WHERE ${revoked("device", "id || ' ' || password_hash")}`,
    ),
    endWebhooks: raw.prepare<[number]>(
      `UPDATE webhook SET active = 0, disabled_at = ?, disabled_reason = 'owner' WHERE active = 1 AND ${revoked("webhook", "CAST(id AS TEXT)")}`,
    ),
    persons: raw.prepare<[], PersonCredentialsRow>(
      `SELECT uid, password_hash AS passwordHash, totp_secret AS totpSecret, totp_step AS totpStep, generation, role, role_at AS roleAt
         FROM account`,
    ),
    keepPersons: raw.prepare<[string]>(
      "DELETE FROM account WHERE household_of IS NOT NULL AND uid NOT IN (SELECT value FROM json_each(?))",
    ),
    head: raw.prepare<[], { uid: string }>("SELECT uid FROM account WHERE household_of IS NULL ORDER BY id LIMIT 1"),
    recoveryCodes: raw.prepare<[], { uid: string; codeHash: string; usedAt: number | null }>(
      "SELECT uid, code_hash AS codeHash, used_at AS usedAt FROM recovery_code JOIN account ON account.id = account_id",
    ),
    devices: raw.prepare<[], MachineCredentialRow>("SELECT id AS name, password_hash AS passwordHash FROM device"),
    putPerson: raw.prepare<[PersonCredentialsRow]>(
      `UPDATE account SET password_hash = @passwordHash, totp_secret = @totpSecret, totp_step = @totpStep, generation = @generation,
         role = @role, role_at = @roleAt WHERE uid = @uid`,
    ),
    forgetCodes: raw.prepare<[string]>(
      "DELETE FROM recovery_code WHERE account_id = (SELECT id FROM account WHERE uid = ?)",
    ),
    putCode: raw.prepare<[{ uid: string; codeHash: string; usedAt: number | null }]>(
      "INSERT OR REPLACE INTO recovery_code (account_id, code_hash, used_at) SELECT id, @codeHash, @usedAt FROM account WHERE uid = @uid",
    ),
    putDevice: raw.prepare<[MachineCredentialRow]>("UPDATE device SET password_hash = @passwordHash WHERE id = @name"),
  };
}
