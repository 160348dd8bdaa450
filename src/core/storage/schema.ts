/**
 * Whether a database file has the tables that the migrations make. SQLite trusts its schema table: one flipped bit
 * there renames a column or lowers the version, and no page check notices.
 */
import { createHash } from "node:crypto";
import SqliteDatabase from "better-sqlite3";
import { corrupt } from "./log-file.ts";
import { addFunctions, type Migration } from "./migrate.ts";

/** A row of SQLite's table of tables. */
interface SchemaRow {
  readonly rowid: number;
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly rootpage: number;
  readonly sql: string | null;
}

const KEY = "schema";
/** A failing card changes few bits of a text, and never its length. */
const MOST_CHANGED_BYTES = 8;

/** The changes that would make a file's tables those of `version`. */
interface Comparison {
  readonly from: number;
  readonly version: number;
  readonly changes: readonly SchemaRow[];
}

/**
 * Compares the tables with those of the file's version, and repairs what a flipped bit explains: the version itself, or
 * a few characters of a definition. Returns a description of the repair; null if none was needed. Costs one small read
 * if the tables are those of the last start.
 * @throws Error `SQLITE_CORRUPT` when they match no version
 */
export function settleSchema(raw: SqliteDatabase.Database, migrations: readonly Migration[]): string | null {
  const found = compared(raw, migrations);
  if (found === null) return null;
  if (found.changes.length > 0) rewrite(raw, found.changes);
  raw.pragma(`user_version = ${found.version}`);
  return inWords(found);
}

/** What {@link settleSchema} would repair, in words; null if nothing. Writes nothing. @throws like it */
export function schemaTrouble(raw: SqliteDatabase.Database, migrations: readonly Migration[]): string | null {
  const found = compared(raw, migrations);
  return found === null ? null : inWords(found);
}

function inWords({ from, version, changes }: Comparison): string {
  return changes.length === 0
    ? `the version was ${from} and is ${version}`
    : `the definition of ${changes.map(({ name }) => name).join(", ")}`;
}

/** Null if nothing has to be done. @throws Error `SQLITE_CORRUPT` */
function compared(raw: SqliteDatabase.Database, migrations: readonly Migration[]): Comparison | null {
  const from = versionOf(raw);
  const rows = rowsOf(raw);
  const kept = keptProof(raw);
  if (rows.length === 0 || kept === proofOf(rows, from)) return null;
  const newest = migrations.length;
  const keptVersion = Number(kept?.split(":")[0]);
  if (from > newest && keptVersion !== newest) return null; // a newer Gatehouse's: the migrations refuse it
  // the latest first: an earlier version ignores what a later one only adds
  const candidates = [...new Set([from, keptVersion, newest])]
    .filter((one) => one >= 1 && one <= newest)
    .sort((a, b) => b - a);
  const found = candidates.flatMap((version) => {
    const changes = changesFrom(raw, rows, migrations, version);
    return changes === null ? [] : [{ from, version, changes }];
  });
  const best = found.find(({ changes }) => changes.length === 0) ?? found[0];
  if (best === undefined) throw corrupt(`the tables are not those of version ${from}`);
  return best.changes.length === 0 && best.version === from ? null : best;
}

/** Call inside a transaction once the file is sound: records what the next start compares with. */
export function proveSchema(raw: SqliteDatabase.Database): void {
  const proof = proofOf(rowsOf(raw), versionOf(raw));
  if (keptProof(raw) !== proof) raw.prepare("INSERT OR REPLACE INTO hub (key, value) VALUES (?, ?)").run(KEY, proof);
}

function versionOf(raw: SqliteDatabase.Database): number {
  return raw.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
}

/** Also those of a schema that SQLite refuses to parse. */
function rowsOf(raw: SqliteDatabase.Database): SchemaRow[] {
  return withSchemaOpen(raw, () =>
    raw
      .prepare<[], SchemaRow>(
        "SELECT rowid, type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name, rowid",
      )
      .all(),
  );
}

/** The proof covers where each table begins: VACUUM moves that, and then everything is compared once. */
function proofOf(rows: readonly SchemaRow[], version: number): string {
  const hash = createHash("sha256");
  for (const { type, name, tbl_name: table, rootpage, sql } of rows)
    hash.update(JSON.stringify([type, name, table, rootpage, sql]));
  return `${version}:${hash.digest("hex").slice(0, 32)}`;
}

function keptProof(raw: SqliteDatabase.Database): string | null {
  try {
    const value = raw.prepare<[string]>("SELECT value FROM hub WHERE key = ?").pluck().get(KEY);
    return typeof value === "string" ? value : null;
  } catch {
    return null; // this very table is changed, or not there yet
  }
}

/**
 * What would have to be written for the tables to be those of `version`: empty if they are; null if that is more than
 * a few flipped bits.
 */
function changesFrom(
  raw: SqliteDatabase.Database,
  rows: readonly SchemaRow[],
  migrations: readonly Migration[],
  version: number,
): SchemaRow[] | null {
  const fresh = new SqliteDatabase(":memory:");
  try {
    fresh.pragma("foreign_keys = OFF");
    addFunctions(fresh);
    for (const { sql } of migrations.slice(0, version)) fresh.exec(sql);
    const wanted = rowsOf(fresh);
    const shapes = { found: shapesOf(raw), wanted: shapesOf(fresh) };
    const isTaken = new Set<number>();
    const changes: SchemaRow[] = [];
    for (const want of wanted) {
      const own = rows.find(
        ({ type, name, tbl_name: table }) => type === want.type && name === want.name && table === want.tbl_name,
      );
      if (own !== undefined && own.sql === want.sql) {
        isTaken.add(own.rowid);
        continue;
      }
      // the same table in other words, as another version of SQLite rewrites a definition
      if (own !== undefined && shapes.wanted.get(want.name) === shapes.found.get(want.name) && !isFlipped(own, want)) {
        isTaken.add(own.rowid);
        continue;
      }
      const flipped = own ?? rows.find((row) => !isTaken.has(row.rowid) && isFlipped(row, want));
      if (flipped === undefined || !isFlipped(flipped, want)) return null;
      isTaken.add(flipped.rowid);
      changes.push({ ...want, rowid: flipped.rowid });
    }
    const foreign = rows.find(({ rowid, type }) => !isTaken.has(rowid) && (type === "trigger" || type === "view"));
    return foreign === undefined ? changes : null; // unknown tables do no harm
  } finally {
    fresh.close();
  }
}

/** Whether two rows have the same length and differ in so few bytes that a failing medium explains it. */
function isFlipped(found: SchemaRow, want: SchemaRow): boolean {
  const [a, b] = [found, want].map(({ type, name, tbl_name: table, sql }) =>
    Buffer.from([type, name, table, sql ?? ""].join("\0"), "utf8"),
  );
  const [c, d] = [found, want].map(({ type, name, tbl_name: table, sql }) => [type, name, table, sql ?? ""].join("\0"));
  if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
  // a flipped top bit makes invalid UTF-8, which decodes to a character of another length
  const [x, y] = a.length === b.length ? [a, b] : [c, d];
  if (x.length !== y.length) return false;
  let changed = 0;
  for (let i = 0; i < x.length && changed <= MOST_CHANGED_BYTES; i++) if (x[i] !== y[i]) changed += 1;
  return changed > 0 && changed <= MOST_CHANGED_BYTES;
}

/** SQLite's interpretation of each table and index: columns with types, defaults and keys, references, order. */
function shapesOf(raw: SqliteDatabase.Database): ReadonlyMap<string, string> {
  return withSchemaOpen(raw, () => {
    const query = (sql: string): [string, string][] =>
      raw.prepare<[], [string, string]>(sql).raw().all() as [string, string][]; // two columns
    const parts = [
      ...query(
        "SELECT t.name, json_array(t.type, t.wr, t.strict) FROM pragma_table_list AS t WHERE t.schema = 'main' ORDER BY t.name",
      ),
      ...query(
        "SELECT t.name, json_array(c.name, c.type, c.\"notnull\", c.dflt_value, c.pk, c.hidden) FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c WHERE t.type = 'table' ORDER BY t.name, c.cid",
      ),
      ...query(
        'SELECT t.name, json_array(f."table", f."from", f."to", f.on_delete, f.on_update) FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f WHERE t.type = \'table\' ORDER BY t.name, f."from", f.id',
      ),
      ...query(
        'SELECT i.name, json_array(t.name, i."unique", i.origin, i.partial, c.name, c."desc", c.coll, c."key") FROM sqlite_schema AS t, pragma_index_list(t.name) AS i, pragma_index_xinfo(i.name) AS c WHERE t.type = \'table\' ORDER BY i.name, c.seqno',
      ),
    ];
    const shapes = new Map<string, string>();
    for (const [name, part] of parts) shapes.set(name, `${shapes.get(name) ?? ""}${part}`);
    return shapes;
  });
}

function rewrite(raw: SqliteDatabase.Database, rows: readonly SchemaRow[]): void {
  withSchemaOpen(raw, () => {
    const put = raw.prepare(
      "UPDATE sqlite_schema SET type = @type, name = @name, tbl_name = @tbl_name, sql = @sql WHERE rowid = @rowid",
    );
    raw.transaction(() => {
      for (const { type, name, tbl_name, sql, rowid } of rows) put.run({ type, name, tbl_name, sql, rowid });
    })();
  });
  raw.pragma("writable_schema = RESET"); // earlier reads are discarded
}

/** Lets SQLite read and write a schema table that it cannot parse. */
function withSchemaOpen<Result>(raw: SqliteDatabase.Database, use: () => Result): Result {
  raw.unsafeMode(true);
  raw.pragma("writable_schema = ON");
  try {
    return use();
  } finally {
    raw.pragma("writable_schema = OFF");
    raw.unsafeMode(false);
  }
}
