import type { Role } from "../../../core/api/roles.ts";
import { Table } from "../../../core/storage/table.ts";
import { NOBODY } from "./issued.ts";

/** A row of `revocation`. Times are epoch milliseconds. */
export interface RevocationRow {
  readonly kind: string;
  /** The key by which the revoked row is found again. */
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
  readonly role: Role;
  readonly roleAt: number;
}

/** The person who gave somebody their role, as another file of the same hub records it. */
export interface MakerRow {
  readonly kind: "owner" | "gatekeeper" | "member";
  /** The person's account, whose number no other gets. */
  readonly id: string;
  readonly issuer: number;
  readonly role: Role;
}

/** The end of a person's access, as another file of the same hub has it. */
export interface PersonEndRow {
  readonly uid: string;
  readonly endsAt: number | null;
  readonly endedAt: number | null;
}

/** What a person may open and when, as another file of the same hub has it. */
export interface PersonLimitsRow {
  readonly uid: string;
  readonly limits: string | null;
}

/** A device's or a client's password, as another file of the same hub has it. */
export interface MachineCredentialRow {
  /** Id of the device, user name of the client. */
  readonly name: string;
  readonly passwordHash: string | null;
}

/** A revocation applied again after a restore. */
export interface EndedAgain {
  readonly kind: string;
  /** What people know it by. */
  readonly name: string;
}

const COLUMNS = "kind, credential, at, until";
/** Who was made a member: the name is from when there was only one other role. */
const MADE_MEMBER = "owner";
/** Which owner was made a gatekeeper. */
const MADE_GATEKEEPER = "made_gatekeeper";

/** An end that a person was given; the credential is their uid and the moment. */
const END = "end";
/** The limits that a person was given; the credential is their uid and the limits as they are stored. */
const LIMITS = "limits";
/** Until when a rule was paused; the credential is its id and the moment. */
const PAUSE = "automation_pause";
/** Whose end came. */
const ENDED = "ended";
/** Of a credential that begins with it, or with another id. */
const UID_OF = "substr(credential, 1, instr(credential, ' ') - 1)";

const madeAt = (kind: string): string => `(SELECT at FROM revocation WHERE kind = '${kind}' AND credential = uid)`;
/** Owners of an older file who were made gatekeepers since: who made them owners answers for that role as well. */
const LOWERED = `account.household_of IS NOT NULL AND account.role = 'owner' AND account.role_at < ${madeAt(MADE_GATEKEEPER)}`;

/** All SQL of the table `revocation`, and of putting it into force again. Writing methods belong inside a write job. */
export class RevocationTable extends Table {
  readonly #enforce = ENFORCED.map(
    ([kind, sql]) => [kind, this.sql.statement<[{ at: number }], { name: string | null }>(sql)] as const,
  );
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
  readonly #answerAsBefore = this.sql.statement<[]>(`INSERT OR REPLACE INTO issued (kind, id, issuer, role)
       SELECT 'gatekeeper', i.id, i.issuer, i.role FROM issued AS i JOIN account ON CAST(account.id AS TEXT) = i.id
        WHERE i.kind = 'owner' AND ${LOWERED}`);
  readonly #keepPersons = this.sql.statement<[string], { name: string }>(
    "DELETE FROM account WHERE household_of IS NOT NULL AND uid NOT IN (SELECT value FROM json_each(?)) RETURNING name",
  );
  readonly #forgetMakers = this.sql.statement<[]>("DELETE FROM issued WHERE kind IN ('owner', 'gatekeeper', 'member')");
  readonly #putMaker = this.sql.statement<
    [MakerRow]
  >(`INSERT INTO issued (kind, id, issuer, role) SELECT @kind, @id, @issuer, @role
        WHERE EXISTS (SELECT 1 FROM account WHERE CAST(id AS TEXT) = @id)`);
  readonly #putPerson = this.sql.statement<
    [PersonCredentialsRow]
  >(`UPDATE account SET password_hash = @passwordHash, totp_secret = @totpSecret, totp_step = @totpStep, generation = @generation,
         role = @role, role_at = @roleAt WHERE uid = @uid`);
  readonly #putEnd = this.sql.statement<[PersonEndRow]>(
    "UPDATE account SET ends_at = @endsAt, ended_at = @endedAt WHERE uid = @uid AND household_of IS NOT NULL",
  );
  readonly #putLimits = this.sql.statement<[PersonLimitsRow]>(
    "UPDATE account SET limits = @limits WHERE uid = @uid AND household_of IS NOT NULL",
  );
  readonly #forgetCodes = this.sql.statement<[string]>(
    "DELETE FROM recovery_code WHERE account_id = (SELECT id FROM account WHERE uid = ?)",
  );

  /** All that still matter at `at`, oldest first; a lifted one has `until` 0. */
  readonly all = this.sql.all<[at: number], RevocationRow>(
    `SELECT ${COLUMNS} FROM revocation WHERE until IS NULL OR until > ? ORDER BY at, kind, credential`,
  );

  /** Adds one known from elsewhere; true when it was new. Of two the later one stands. */
  readonly add = this.sql.changed<
    [row: RevocationRow]
  >(`INSERT INTO revocation (kind, credential, at, until) VALUES (@kind, @credential, @at, @until)
       ON CONFLICT (kind, credential) DO UPDATE SET at = excluded.at, until = excluded.until WHERE excluded.at > at`);

  /** Adds one from a later state of the same hub, which takes precedence. */
  readonly put = this.sql.run<[row: RevocationRow]>(
    "INSERT OR REPLACE INTO revocation VALUES (@kind, @credential, @at, @until)",
  );

  /** Forgets what would have ended by `at` anyway, and all but the newest `most`. */
  trim(at: number, most: number): void {
    this.#purge.run(at);
    this.#trim.run(most);
  }

  /** Records every end from now on, by whatever path, and calls `noted` inside the job. */
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

  /** Makes ids continue above these. */
  raise(marks: IdMarks): void {
    for (const [name, last] of Object.entries(marks)) {
      if (name.startsWith(COUNTER)) this.#raiseCounter.run(String(last), name, last);
      else if (this.#raiseSequence.run(last, name).changes === 0) this.#addSequence.run(name, last, name);
    }
  }

  /** Ends every session; returns how many. */
  readonly endSessions = this.sql.changes<[]>("DELETE FROM session");

  /** Applies every revocation to restored rows; returns what was ended, in order. */
  enforce(at: number): EndedAgain[] {
    this.#answerAsBefore.run();
    return this.#enforce.flatMap(([kind, statement]) =>
      statement.all({ at }).map(({ name }) => ({ kind, name: name ?? "" })),
    );
  }

  /** Credentials of the persons of this file. */
  readonly persons = this.sql.all<
    [],
    PersonCredentialsRow
  >(`SELECT uid, password_hash AS passwordHash, totp_secret AS totpSecret, totp_step AS totpStep, generation, role, role_at AS roleAt
         FROM account`);

  /** The ends of the persons of this file; the file of an earlier version has no such columns. */
  readonly ends = this.sql.all<[], PersonEndRow>("SELECT uid, ends_at AS endsAt, ended_at AS endedAt FROM account");

  /** Gives a person who is here the end that they have elsewhere. */
  putEnd(row: PersonEndRow): void {
    this.#putEnd.run(row);
  }

  /** The limits of the persons of this file; the file of an earlier version has no such column. */
  readonly limits = this.sql.all<[], PersonLimitsRow>("SELECT uid, limits FROM account");

  /** Gives a person who is here the limits that they have elsewhere. */
  putLimits(row: PersonLimitsRow): void {
    this.#putLimits.run(row);
  }

  /** The persons who invited, and promoted, the persons of this file. */
  readonly makers = this.sql.all<[], MakerRow>(
    "SELECT kind, id, issuer, role FROM issued WHERE kind IN ('owner', 'gatekeeper', 'member')",
  );

  /** Has the persons who are here answer to these. */
  putMakers(rows: readonly MakerRow[]): void {
    this.#forgetMakers.run();
    for (const row of rows) this.#putMaker.run(row);
  }

  /** Removes persons who are not among `uids`, but never a household's head; returns the removed ones. */
  keepPersons(uids: readonly string[]): EndedAgain[] {
    return this.#keepPersons.all(JSON.stringify(uids)).map(({ name }) => ({ kind: "account", name }));
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

const NOW = "unixepoch() * 1000";

/** Notes that something ended: a statement of a trigger. */
function noted(kind: string, credential: string, until = "NULL"): string {
  return `INSERT OR REPLACE INTO revocation VALUES ('${kind}', ${credential}, ${NOW}, ${until});`;
}

/**
 * Notes that it holds again: a statement of a trigger. The row stays as one that ran out long ago, since a row that the file
 * beside the database knows and the database does not means an older database.
 */
function lifted(kind: string, credential: string, where = "1"): string {
  return `INSERT OR REPLACE INTO revocation SELECT kind, credential, ${NOW}, 0 FROM revocation WHERE ${where} AND kind = '${kind}' AND credential = ${credential} AND until IS NOT 0;`;
}

/**
 * Kinds that can be switched off and on: a switched-off one stays off. `isOn`: of a row of the trigger. For a webhook
 * only a person's switch counts; a failing receiver switches it off too, and on again.
 */
const SWITCHES: readonly {
  readonly kind: string;
  readonly table: string;
  readonly id: string;
  readonly name: string;
  readonly isOn: (row: string) => string;
  readonly off: string;
  readonly byHand?: string;
}[] = [
  {
    kind: "webhook_off",
    table: "webhook",
    id: "id",
    name: "CASE label WHEN '' THEN url ELSE label END",
    isOn: (row) => `${row}active = 1`,
    off: "active = 0, disabled_at = @at, disabled_reason = 'owner'",
    byHand: "NEW.disabled_reason = 'owner'",
  },
  {
    kind: "automation_off",
    table: "automation",
    id: "id",
    name: "name",
    isOn: (row) => `${row}enabled = 1`,
    off: "enabled = 0",
  },
  {
    kind: "plate_rule_off",
    table: "plate_rule",
    id: "id",
    name: "trim(formatted || ' ' || label)",
    isOn: (row) => `(${row}kind = 'allow' AND ${row}enabled = 1)`,
    off: "enabled = 0",
  },
  {
    kind: "notification_channel_off",
    table: "notification_channel",
    id: "channel",
    name: "channel",
    isOn: (row) => `${row}enabled = 1`,
    off: "enabled = 0",
  },
];

/** Lists whose every member lets somebody do or learn something: a removed member stays removed. */
const LISTS: readonly {
  readonly kind: string;
  readonly table: string;
  readonly id: string;
  readonly list: string;
  readonly name: string;
  readonly until: string;
}[] = [
  { kind: "key_scope", table: "api_key", id: "key_hash", list: "scopes", name: "name", until: "OLD.expires_at" },
  {
    kind: "webhook_event",
    table: "webhook",
    id: "CAST(id AS TEXT)",
    list: "events",
    name: "CASE label WHEN '' THEN url ELSE label END",
    until: "NULL",
  },
];

const idOf = (row: string, id: string): string =>
  id.startsWith("CAST(") ? id.replace("(", `(${row}`) : `CAST(${row}${id} AS TEXT)`;

const SWITCH_NOTES = SWITCHES.flatMap(({ kind, table, id, isOn, byHand = "1" }): [string, string, string][] => [
  [
    `revoked_${kind}`,
    `AFTER UPDATE ON ${table} WHEN ${isOn("OLD.")} AND NOT ${isOn("NEW.")} AND ${byHand}`,
    noted(kind, idOf("NEW.", id)),
  ],
  [
    `lifted_${kind}`,
    `AFTER UPDATE ON ${table} WHEN NOT ${isOn("OLD.")} AND ${isOn("NEW.")}`,
    lifted(kind, idOf("NEW.", id)),
  ],
]);

const LIST_NOTES = LISTS.map(({ kind, table, id, list, until }): [string, string, string] => {
  const member = `${idOf("NEW.", id)} || ' ' || value`;
  const missing = (of: string, other: string) =>
    `FROM json_each(${of}.${list}) WHERE value NOT IN (SELECT value FROM json_each(${other}.${list}))`;
  return [
    `revoked_${kind}`,
    `AFTER UPDATE OF ${list} ON ${table} WHEN OLD.${list} <> NEW.${list}`,
    `INSERT OR REPLACE INTO revocation SELECT '${kind}', ${member}, ${NOW}, ${until} ${missing("OLD", "NEW")};
     INSERT OR REPLACE INTO revocation SELECT kind, credential, ${NOW}, 0 FROM revocation
       WHERE kind = '${kind}' AND credential IN (SELECT ${member} ${missing("NEW", "OLD")});`,
  ];
});

/**
 * The triggers that record an end: temporary ones of this connection, since triggers in a foreign database are refused.
 * A client's row is replaced whole, which SQLite treats as neither an update nor a deletion.
 */
const NOTES: readonly (readonly [name: string, event: string, body: string])[] = [
  [
    "revoked_account",
    "AFTER DELETE ON account",
    `INSERT OR REPLACE INTO revocation VALUES ('account', OLD.uid, unixepoch() * 1000, NULL);`,
  ],
  [
    "revoked_role",
    "AFTER UPDATE OF role ON account WHEN OLD.role <> 'member' AND NEW.role = 'member'",
    `INSERT OR REPLACE INTO revocation VALUES ('${MADE_MEMBER}', NEW.uid, NEW.role_at, NULL);`,
  ],
  [
    "revoked_ownership",
    "AFTER UPDATE OF role ON account WHEN OLD.role = 'owner' AND NEW.role = 'gatekeeper'",
    `INSERT OR REPLACE INTO revocation VALUES ('${MADE_GATEKEEPER}', NEW.uid, NEW.role_at, NULL);`,
  ],
  [
    "revoked_end",
    "AFTER UPDATE OF ends_at ON account WHEN OLD.ends_at IS NOT NEW.ends_at",
    `${lifted(END, "credential", `${UID_OF} = NEW.uid`)}
     INSERT OR REPLACE INTO revocation SELECT '${END}', NEW.uid || ' ' || NEW.ends_at, ${NOW}, NULL WHERE NEW.ends_at IS NOT NULL;`,
  ],
  [
    "revoked_limits",
    "AFTER UPDATE OF limits ON account WHEN OLD.limits IS NOT NEW.limits",
    `${lifted(LIMITS, "credential", `${UID_OF} = NEW.uid`)}
     INSERT OR REPLACE INTO revocation SELECT '${LIMITS}', NEW.uid || ' ' || NEW.limits, ${NOW}, NULL WHERE NEW.limits IS NOT NULL;`,
  ],
  [
    "revoked_access",
    "AFTER UPDATE OF ended_at ON account WHEN OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL",
    noted(ENDED, "NEW.uid"),
  ],
  [
    "lifted_access",
    "AFTER UPDATE OF ended_at ON account WHEN OLD.ended_at IS NOT NULL AND NEW.ended_at IS NULL",
    lifted(ENDED, "NEW.uid"),
  ],
  [
    "revoked_key",
    "AFTER UPDATE OF revoked_at ON api_key WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL",
    `INSERT OR REPLACE INTO revocation VALUES ('api_key', NEW.key_hash, unixepoch() * 1000, NEW.expires_at);`,
  ],
  [
    "revoked_key_rotated",
    "AFTER UPDATE OF rotated_to ON api_key WHEN OLD.rotated_to IS NULL AND NEW.rotated_to IS NOT NULL",
    noted("api_key", "OLD.key_hash", "OLD.expires_at"),
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
    `INSERT OR REPLACE INTO revocation SELECT 'bridge_client', username || ' ' || password_hash, unixepoch() * 1000, NULL FROM bridge_client WHERE id = NEW.id AND status = 'accepted' AND (NEW.status <> 'accepted' OR NEW.password_hash <> password_hash); ${lifted("bridge_client", "NEW.username || ' ' || NEW.password_hash", "NEW.status = 'accepted'")}`,
  ],
  [
    "revoked_device",
    "AFTER DELETE ON device WHEN OLD.password_hash IS NOT NULL",
    `INSERT OR REPLACE INTO revocation VALUES ('device', OLD.id || ' ' || OLD.password_hash, unixepoch() * 1000, NULL);`,
  ],
  [
    "revoked_device_password",
    "AFTER UPDATE OF password_hash ON device WHEN OLD.password_hash IS NOT NEW.password_hash AND OLD.password_hash IS NOT NULL",
    `INSERT OR REPLACE INTO revocation VALUES ('device', OLD.id || ' ' || OLD.password_hash, unixepoch() * 1000, NULL); ${lifted("device", "NEW.id || ' ' || NEW.password_hash")}`,
  ],
  ["revoked_webhook", "AFTER DELETE ON webhook", noted("webhook", "CAST(OLD.id AS TEXT)")],
  [
    "revoked_webhook_address",
    "AFTER UPDATE OF url ON webhook WHEN OLD.url <> NEW.url",
    `${noted("webhook_address", "OLD.id || ' ' || OLD.url")} ${lifted("webhook_address", "NEW.id || ' ' || NEW.url")}`,
  ],
  [
    "revoked_camera_source",
    "BEFORE INSERT ON camera",
    `INSERT OR REPLACE INTO revocation SELECT 'camera_off', device_id, ${NOW}, NULL FROM camera
       WHERE device_id = NEW.device_id AND enabled = 1 AND NEW.enabled = 0; ${lifted("camera_off", "NEW.device_id", "NEW.enabled = 1")}`,
  ],
  [
    "revoked_scene",
    `AFTER UPDATE OF issuer ON issued WHEN NEW.kind = 'scene' AND NEW.issuer = ${NOBODY} AND OLD.issuer <> ${NOBODY}`,
    noted("scene_off", "NEW.id"),
  ],
  [
    "lifted_scene",
    `AFTER INSERT ON issued WHEN NEW.kind = 'scene' AND NEW.issuer <> ${NOBODY}`,
    lifted("scene_off", "NEW.id"),
  ],
  [
    "revoked_pause",
    "AFTER UPDATE OF paused_until ON automation WHEN OLD.paused_until IS NOT NEW.paused_until",
    `${lifted(PAUSE, "credential", `${UID_OF} = CAST(NEW.id AS TEXT)`)}
     INSERT OR REPLACE INTO revocation SELECT '${PAUSE}', NEW.id || ' ' || NEW.paused_until, ${NOW}, NEW.paused_until WHERE NEW.paused_until IS NOT NULL;`,
  ],
  ...SWITCH_NOTES,
  ...LIST_NOTES,
];

/** Counters of the table `hub`; every other name is a table's own sequence. */
const COUNTER = "last_";
/** Its numbers end: matter_endpoint has room for 65,533. */
const OWN_RANGE = "matter_endpoint";

const revoked = (kind: string, column: string): string =>
  `${column} IN (SELECT credential FROM revocation WHERE kind = '${kind}' AND (until IS NULL OR until > @at))`;

/** Gives a role to those who have a higher one from before they were given that role. */
const demoted = (from: Role, kind: string, to: Role, where = "1"): string =>
  `UPDATE account SET role = '${to}', role_at = ${madeAt(kind)}
    WHERE household_of IS NOT NULL AND role = '${from}' AND role_at < ${madeAt(kind)} AND ${where} RETURNING name`;
const PASS_REVOKED = revoked("guest_pass", "CAST(guest_pass.id AS TEXT)");
const WEBHOOK_NAME = "CASE label WHEN '' THEN url ELSE label END";

/** The end that a person was given since, which a row of this file may lack; null where none still counts. */
const GIVEN_END = `(SELECT CAST(substr(credential, instr(credential, ' ') + 1) AS INTEGER) FROM revocation
  WHERE kind = '${END}' AND ${UID_OF} = uid AND (until IS NULL OR until > @at) ORDER BY at DESC LIMIT 1)`;

/** The limits that a person was given last, which a row of this file may lack; null where none still count. */
const GIVEN_LIMITS = `(SELECT substr(credential, instr(credential, ' ') + 1) FROM revocation
  WHERE kind = '${LIMITS}' AND ${UID_OF} = uid AND (until IS NULL OR until > @at) ORDER BY at DESC LIMIT 1)`;

/** Until when a rule was paused last; null where no pause still counts. */
const GIVEN_PAUSE = `(SELECT CAST(substr(credential, instr(credential, ' ') + 1) AS INTEGER) FROM revocation
  WHERE kind = '${PAUSE}' AND ${UID_OF} = CAST(automation.id AS TEXT) AND until > @at ORDER BY at DESC LIMIT 1)`;

/** The statements that apply the revocations, in this order; each returns the names of what it ended. */
const ENFORCED: readonly (readonly [kind: string, sql: string])[] = [
  ["account", `DELETE FROM account WHERE household_of IS NOT NULL AND ${revoked("account", "uid")} RETURNING name`],
  ["owner", demoted("owner", MADE_MEMBER, "member")],
  // nobody is known who would answer for the lesser role
  [
    "owner",
    demoted(
      "owner",
      MADE_GATEKEEPER,
      "member",
      "NOT EXISTS (SELECT 1 FROM issued WHERE kind = 'owner' AND issued.id = CAST(account.id AS TEXT))",
    ),
  ],
  ["owner", demoted("owner", MADE_GATEKEEPER, "gatekeeper")],
  ["gatekeeper", demoted("gatekeeper", MADE_MEMBER, "member")],
  // the earlier end counts
  [
    END,
    `UPDATE account SET ends_at = ${GIVEN_END}
      WHERE household_of IS NOT NULL AND ${GIVEN_END} < coalesce(ends_at, 9223372036854775807) RETURNING name`,
  ],
  [
    ENDED,
    `UPDATE account SET ends_at = min(coalesce(ends_at, @at), @at), ended_at = @at
      WHERE household_of IS NOT NULL AND ended_at IS NULL AND ${revoked(ENDED, "uid")} RETURNING name`,
  ],
  [
    LIMITS,
    `UPDATE account SET limits = ${GIVEN_LIMITS}
      WHERE household_of IS NOT NULL AND ${GIVEN_LIMITS} IS NOT NULL AND limits IS NOT ${GIVEN_LIMITS} RETURNING name`,
  ],
  [
    "api_key",
    `UPDATE api_key SET revoked_at = @at WHERE revoked_at IS NULL AND ${revoked("api_key", "key_hash")} RETURNING name`,
  ],
  ["invitation", `DELETE FROM invitation WHERE ${revoked("invitation", "code_hash")} RETURNING name`],
  [
    "plate_rule",
    `DELETE FROM plate_rule WHERE master = 'guest' AND id IN (SELECT rule_id FROM guest_pass WHERE ${PASS_REVOKED})
      RETURNING formatted AS name`,
  ],
  ["guest_pass", `DELETE FROM guest_pass WHERE ${PASS_REVOKED} RETURNING label AS name`],
  [
    "guest_pass",
    `UPDATE guest_pass SET token_hash = 'revoked ' || lower(hex(randomblob(32))) WHERE ${revoked("guest_link", "token_hash")}
      RETURNING label AS name`,
  ],
  ["passkey", `DELETE FROM passkey WHERE ${revoked("passkey", "credential_id")} RETURNING name`],
  [
    "bridge_client",
    `UPDATE bridge_client SET status = 'refused'
      WHERE status = 'accepted' AND ${revoked("bridge_client", "username || ' ' || password_hash")} RETURNING name`,
  ],
  [
    "device",
    `UPDATE device SET password_hash = NULL WHERE ${revoked("device", "id || ' ' || password_hash")} RETURNING name`,
  ],
  [
    "webhook",
    `UPDATE webhook SET active = 0, disabled_at = @at, disabled_reason = 'owner'
      WHERE active = 1 AND (${revoked("webhook", "CAST(id AS TEXT)")} OR ${revoked("webhook_address", "id || ' ' || url")})
      RETURNING ${WEBHOOK_NAME} AS name`,
  ],
  ...LISTS.map(({ kind, table, id, list, name }): [string, string] => {
    const own = id.startsWith("CAST(") ? id.replace("(", `(${table}.`) : `${table}.${id}`; // json_each has an id too
    const member = revoked(kind, `${own} || ' ' || value`);
    return [
      kind,
      `UPDATE ${table} SET ${list} = (SELECT json_group_array(value) FROM json_each(${list}) WHERE NOT ${member})
        WHERE EXISTS (SELECT 1 FROM json_each(${list}) WHERE ${member}) RETURNING ${name} AS name`,
    ];
  }),
  // a list that became empty
  ["api_key", "UPDATE api_key SET revoked_at = @at WHERE revoked_at IS NULL AND scopes = '[]' RETURNING name"],
  [
    "webhook",
    `UPDATE webhook SET active = 0, disabled_at = @at, disabled_reason = 'owner' WHERE active = 1 AND events = '[]'
      RETURNING ${WEBHOOK_NAME} AS name`,
  ],
  ...SWITCHES.map(({ kind, table, id, name, isOn, off }): [string, string] => [
    kind.replace("_off", ""),
    `UPDATE ${table} SET ${off} WHERE ${isOn("")} AND ${revoked(kind, `CAST(${id} AS TEXT)`)} RETURNING ${name} AS name`,
  ]),
  [
    "automation",
    `UPDATE automation SET paused_until = ${GIVEN_PAUSE}
      WHERE enabled = 1 AND ${GIVEN_PAUSE} > coalesce(paused_until, 0) RETURNING name`,
  ],
  [
    "camera_source",
    `UPDATE camera SET enabled = 0 WHERE enabled = 1 AND ${revoked("camera_off", "device_id")}
      RETURNING (SELECT name FROM device WHERE id = device_id) AS name`,
  ],
  [
    "scene",
    `UPDATE issued SET issuer = ${NOBODY} WHERE kind = 'scene' AND issuer <> ${NOBODY} AND ${revoked("scene_off", "id")}
      RETURNING (SELECT name FROM scene WHERE CAST(scene.id AS TEXT) = issued.id) AS name`,
  ],
];
