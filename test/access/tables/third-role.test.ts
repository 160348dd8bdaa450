/** Migration 0048 gives roles a third value, and changes nothing else: also where foreign keys are on. */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { addFunctions, readMigrations } from "../../../src/core/storage/migrate.ts";
import { PROJECT_ROOT } from "../../support/database.ts";

const THIRD_ROLE = 48;

t.test("people, invitations and issuers keep their roles, and what hangs on them stays", async (t) => {
  const raw = new SqliteDatabase(":memory:");
  t.teardown(() => raw.close());
  addFunctions(raw);
  const migrations = readMigrations(join(PROJECT_ROOT, "src/core/storage/migrations"));
  raw.pragma("foreign_keys = ON");
  for (const { sql } of migrations.slice(0, THIRD_ROLE - 1)) raw.exec(sql);
  raw.exec(`
    INSERT INTO account (id, email, name, password_hash, role, household_of, uid, generation, role_at, created_at, updated_at)
      VALUES (1, 'a@x', 'A', 'hash', 'owner', NULL, 'u1', 3, 7, 5, 6), (2, 'b@x', 'B', 'hash', 'member', 1, 'u2', 0, 8, 5, 6);
    INSERT INTO site (id, account_id, env, name) VALUES (1, 1, 'live', 'Home');
    INSERT INTO session VALUES (1, 2, 'token', 0, 0, 9, '', '');
    INSERT INTO invitation (id, account_id, name, role, code_hash, created_at, expires_at)
      VALUES (7, 1, 'C', 'owner', 'c', 0, 9), (9, 1, 'D', 'member', 'd', 0, 9);
    DELETE FROM invitation WHERE id = 9;
    INSERT INTO issued (kind, id, issuer, role) VALUES ('invitation', '7', 1, 'owner'), ('api_key', '1', 2, 'member');
  `);
  const rows = (sql: string): unknown[] => raw.prepare(sql).all();
  const all = () => [
    rows(
      "SELECT id, email, name, password_hash, role, household_of, uid, generation, role_at, created_at FROM account",
    ),
    rows("SELECT id, account_id, name, role, code_hash FROM invitation"),
    rows("SELECT kind, id, issuer, role FROM issued"),
    rows("SELECT * FROM session"),
    rows("SELECT id, account_id FROM site"),
    rows("SELECT * FROM sqlite_sequence WHERE name = 'invitation'"),
  ];
  const before = all();
  raw.exec(migrations[THIRD_ROLE - 1]?.sql ?? "");
  t.strictSame(all(), before);
  t.strictSame(raw.pragma("foreign_key_check"), []);
  for (const table of ["account", "invitation", "issued"]) {
    raw.exec(`UPDATE ${table} SET role = 'gatekeeper'`);
    t.throws(() => raw.exec(`UPDATE ${table} SET role = 'janitor'`), /CHECK/, table);
  }
  raw.exec("DELETE FROM account WHERE id = 2");
  t.strictSame(rows("SELECT * FROM session"), [], "a session still goes with its person");
});
