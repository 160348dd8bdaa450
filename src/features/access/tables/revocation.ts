import { Table } from "../../../core/storage/table.ts";

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
export class RevocationTable extends Table {
  readonly #purge = this.sql.statement<[number]>("DELETE FROM revocation WHERE until <= ?");
  readonly #trim = this.sql.statement<[number]>(`DELETE FROM revocation WHERE (kind, credential) IN
         (SELECT kind, credential FROM revocation ORDER BY at DESC, kind, credential LIMIT -1 OFFSET ?)`);
  readonly #marks = this.sql.statement<
    [],
    { name: string; last: number }
  >(`SELECT name, seq AS last FROM sqlite_sequence WHERE name <> '${OWN_RANGE}'
       UNION ALL SELECT key, CAST(value AS INTEGER) FROM hub WHERE key IN ('last_account', 'last_api_key', 'last_session', 'last_bridge_client', 'last_command')`);
  readonly #raiseCounter = this.sql.statement<[string, string, number]>(
    "UPDATE hub SET value = ? WHERE key = ? AND CAST(value AS INTEGER) < ?",
  );
  readonly #raiseSequence = this.sql.statement<[number, string]>(
    "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?",
  );
  readonly #addSequence = this.sql.statement<
    [string, number, string]
  >(`INSERT INTO sqlite_sequence (name, seq) SELECT ?, ?
        WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE '%AUTOINCREMENT%')`);
  readonly #endAccounts = this.sql.statement<[]>(
    `DELETE FROM account WHERE household_of IS NOT NULL AND ${revoked("account", "uid")}`,
  );
  readonly #endOwners = this.sql.statement<
    []
  >(`UPDATE account SET role = 'member', role_at = (SELECT at FROM revocation WHERE kind = 'owner' AND credential = uid)
        WHERE household_of IS NOT NULL AND role = 'owner'
          AND role_at < (SELECT at FROM revocation WHERE kind = 'owner' AND credential = uid)`);
  readonly #endKeys = this.sql.statement<[number]>(
    `UPDATE api_key SET revoked_at = ? WHERE revoked_at IS NULL AND ${revoked("api_key", "key_hash")}`,
  );
  readonly #endInvitations = this.sql.statement<[]>(
    `DELETE FROM invitation WHERE ${revoked("invitation", "code_hash")}`,
  );
  readonly #endPassRules = this.sql.statement<[]>(`DELETE FROM plate_rule WHERE master = 'guest' AND id IN
         (SELECT rule_id FROM guest_pass WHERE ${revoked("guest_pass", "CAST(guest_pass.id AS TEXT)")})`);
  readonly #endPasses = this.sql.statement<[]>(
    `DELETE FROM guest_pass WHERE ${revoked("guest_pass", "CAST(id AS TEXT)")}`,
  );
  readonly #endLinks = this.sql.statement<[]>(
    `UPDATE guest_pass SET token_hash = 'revoked ' || lower(hex(randomblob(32))) WHERE ${revoked("guest_link", "token_hash")}`,
  );
  readonly #endPasskeys = this.sql.statement<[]>(`DELETE FROM passkey WHERE ${revoked("passkey", "credential_id")}`);
  readonly #endClients = this.sql.statement<[]>(
    `UPDATE bridge_client SET status = 'refused' WHERE status = 'accepted' AND ${revoked("bridge_client", "username || ' ' || password_hash")}`,
  );
  readonly #endDevices = this.sql.statement<[]>(
    `UPDATE device SET password_hash = NULL WHERE ${revoked("device", "id || ' ' || password_hash")}`,
  );
  readonly #endWebhooks = this.sql.statement<[number]>(
    `UPDATE webhook SET active = 0, disabled_at = ?, disabled_reason = 'owner' WHERE active = 1 AND ${revoked("webhook", "CAST(id AS TEXT)")}`,
  );
  readonly #keepPersons = this.sql.statement<[string]>(
    "DELETE FROM account WHERE household_of IS NOT NULL AND uid NOT IN (SELECT value FROM json_each(?))",
  );
  readonly #putPerson = this.sql.statement<
    [PersonCredentialsRow]
  >(`UPDATE account SET password_hash = @passwordHash, totp_secret = @totpSecret, totp_step = @totpStep, generation = @generation,
         role = @role, role_at = @roleAt WHERE uid = @uid`);
  readonly #forgetCodes = this.sql.statement<[string]>(
    "DELETE FROM recovery_code WHERE account_id = (SELECT id FROM account WHERE uid = ?)",
  );

  /** All that still matter at `at`, oldest first. */
  readonly all = this.sql.all<[at: number], RevocationRow>(
    `SELECT ${COLUMNS} FROM revocation WHERE until IS NULL OR until > ? ORDER BY at, kind, credential`,
  );

  /** Adds one that is known from elsewhere; true when it was new. Of two the later time stands. */
  readonly add = this.sql.changed<
    [row: RevocationRow]
  >(`INSERT INTO revocation (kind, credential, at, until) VALUES (@kind, @credential, @at, @until)
       ON CONFLICT (kind, credential) DO UPDATE SET at = excluded.at WHERE excluded.at > at`);

  /** Forgets what would have ended by `at` anyway, and all but the newest `most`. */
  trim(at: number, most: number): void {
    this.#purge.run(at);
    this.#trim.run(most);
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
    return Object.fromEntries(this.#marks.all().map(({ name, last }) => [name, last]));
  }

  /** Has ids go on above these. */
  raise(marks: IdMarks): void {
    for (const [name, last] of Object.entries(marks)) {
      if (name.startsWith(COUNTER)) this.#raiseCounter.run(String(last), name, last);
      else if (this.#raiseSequence.run(last, name).changes === 0) this.#addSequence.run(name, last, name);
    }
  }

  /** Ends every session; answers how many. */
  readonly endSessions = this.sql.changes<[]>("DELETE FROM session");

  /** Has every revocation take effect on what came back; answers how many did, by kind. */
  enforce(at: number): Record<string, number> {
    const ended: Record<string, number> = {};
    const count = (kind: string, changes: number): void => {
      if (changes > 0) ended[kind] = (ended[kind] ?? 0) + changes;
    };
    count("account", this.#endAccounts.run().changes);
    count("owner", this.#endOwners.run().changes);
    count("api_key", this.#endKeys.run(at).changes);
    count("invitation", this.#endInvitations.run().changes);
    this.#endPassRules.run();
    count("guest_pass", this.#endPasses.run().changes);
    count("guest_pass", this.#endLinks.run().changes);
    count("passkey", this.#endPasskeys.run().changes);
    count("bridge_client", this.#endClients.run().changes);
    count("device", this.#endDevices.run().changes);
    count("webhook", this.#endWebhooks.run(at).changes);
    return ended;
  }

  /** Credentials of the persons of this file. */
  readonly persons = this.sql.all<
    [],
    PersonCredentialsRow
  >(`SELECT uid, password_hash AS passwordHash, totp_secret AS totpSecret, totp_step AS totpStep, generation, role, role_at AS roleAt
         FROM account`);

  /** Removes persons who are not among `uids`, but never a household's head; answers how many. */
  keepPersons(uids: readonly string[]): number {
    return this.#keepPersons.run(JSON.stringify(uids)).changes;
  }

  /** The person who has the household; null without one. */
  readonly headUid = this.sql.value<[], string | null>(
    "SELECT uid FROM account WHERE household_of IS NULL ORDER BY id LIMIT 1",
    null,
  );

  /** Recovery codes of the persons of this file, by the person. */
  readonly recoveryCodes = this.sql.all<[], { uid: string; codeHash: string; usedAt: number | null }>(
    "SELECT uid, code_hash AS codeHash, used_at AS usedAt FROM recovery_code JOIN account ON account.id = account_id",
  );

  /** Passwords of the devices of this file. */
  readonly devices = this.sql.all<[], MachineCredentialRow>(
    "SELECT id AS name, password_hash AS passwordHash FROM device",
  );

  /** Gives a person who is here the credentials that they have elsewhere; true when the person is here. */
  putPerson(row: PersonCredentialsRow): boolean {
    if (this.#putPerson.run(row).changes === 0) return false;
    this.#forgetCodes.run(row.uid);
    return true;
  }

  /** Gives a person who is here a recovery code. */
  readonly putCode = this.sql.run<
    [row: { readonly uid: string; readonly codeHash: string; readonly usedAt: number | null }]
  >(
    "INSERT OR REPLACE INTO recovery_code (account_id, code_hash, used_at) SELECT id, @codeHash, @usedAt FROM account WHERE uid = @uid",
  );

  /** Gives a device that is here the password that it has elsewhere. */
  readonly putDevice = this.sql.run<[row: MachineCredentialRow]>(
    "UPDATE device SET password_hash = @passwordHash WHERE id = @name",
  );
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
