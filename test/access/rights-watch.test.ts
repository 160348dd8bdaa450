import t, { type Test } from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { Accounts } from "../../src/features/access/accounts.ts";
import { Audit } from "../../src/features/access/audit.ts";
import { Keys } from "../../src/features/access/keys.ts";
import { RightsWatch } from "../../src/features/access/rights-watch.ts";
import { IssuedTable } from "../../src/features/access/tables/issued.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const BY = { accountId: null, actor: "cli" };

/** A household with an owner (id 2) who has issued a key. */
async function householdIn(t: Test) {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { accountId } = seedAccount(database);
  const clock = new FakeClock();
  const audit = new Audit(database);
  const accounts = new Accounts({ database, clock, audit, newSite: { name: "Home", timeZone: "UTC" } });
  const watch = new RightsWatch(database, { clock, accounts });
  const keys = new Keys({
    database,
    clock,
    logger: silentLogger,
    accounts,
    audit,
    watch,
    recordFeedItem: () => {},
  });
  await keys.start();
  const { key, secret } = await keys.create(
    accountId,
    { name: "App", env: "live", scopes: ["devices:read"], origins: [], expiresAt: null },
    BY,
  );
  const write = (sql: string): void => void database.writeNow(() => database.raw.exec(sql));
  write(`INSERT INTO account (id, email, name, password_hash, role, household_of, created_at, updated_at)
           VALUES (20, 'other@example.org', 'Other', '', 'owner', ${accountId}, 0, 0);
         INSERT INTO issued (kind, id, issuer, role) VALUES ('api_key', '${key.id}', 20, 'owner')`);
  const count = (table: string): number =>
    database.raw.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  return { database, watch, keys, key, write, count, works: () => keys.match(secret).kind === "active" };
}

/** How often it has been asked for a fallen issuer since; begin before the first question. */
function questionsTo({ raw }: Database): () => number {
  let asked = 0;
  const prepare = raw.prepare.bind(raw);
  raw.prepare = ((sql: string) => {
    const statement = prepare<unknown[], unknown>(sql);
    if (!sql.startsWith(QUESTION)) return statement;
    const get = statement.get.bind(statement);
    statement.get = (...given) => {
      asked += 1;
      return get(...given);
    };
    return statement;
  }) as typeof raw.prepare;
  return () => asked;
}

const QUESTION = "SELECT issuer FROM issued WHERE";

/** What ends the rights of the key's issuer, in any table and by any path. */
const ENDINGS = {
  "the issuer is deleted": "DELETE FROM account WHERE id = 20",
  "all others are deleted": "DELETE FROM account WHERE household_of IS NOT NULL",
  "the issuer's end is moved to a time that has passed": "UPDATE account SET ends_at = 1 WHERE id = 20",
  "the issuer has ended": "UPDATE account SET ends_at = 9e15, ended_at = 1 WHERE id = 20",
  "the issuer becomes a member": "UPDATE account SET role = 'member' WHERE id = 20",
  "the issuer gets another id": "UPDATE account SET id = 30 WHERE id = 20",
  "the issuer is replaced": `INSERT OR REPLACE INTO account (id, email, name, password_hash, role, household_of, created_at, updated_at)
    SELECT 20, email, name, '', 'member', household_of, 0, 0 FROM account WHERE id = 20`,
  "the key gets an issuer who is gone": "UPDATE issued SET issuer = 99 WHERE kind = 'api_key'",
  "the key's issuer is replaced":
    "INSERT OR REPLACE INTO issued (kind, id, issuer, role) SELECT kind, id, 99, role FROM issued",
  "the row of another kind becomes the key's": `DELETE FROM issued;
    INSERT INTO issued (kind, id, issuer, role) SELECT 'webhook', id, 99, 'owner' FROM api_key;
    UPDATE issued SET kind = 'api_key'`,
};

for (const [what, sql] of Object.entries(ENDINGS))
  t.test(`a key ends at once when ${what}`, async (t) => {
    const { watch, works, write, database } = await householdIn(t);
    await watch.start();
    t.ok(works());
    database.writeNow(() => {
      database.raw.exec(sql);
      t.notOk(works(), "inside the job too");
    });
    t.notOk(works());
    t.notOk(works(), "and stays ended");
    write("DELETE FROM issued");
    t.ok(works(), "a household's key has no issuer who could fall");
  });

t.test("what a job saw before it was rolled back is not remembered", async (t) => {
  const { watch, works, database } = await householdIn(t);
  await watch.start();
  t.ok(works());
  for (const [what, sql, inside] of [
    ["removal", "DELETE FROM account WHERE id = 20", false],
    ["no issuer", "DELETE FROM issued", true],
  ] as const)
    await t.rejects(
      database.write(() => {
        database.raw.exec(sql);
        t.equal(works(), inside, `${what}: inside the job`);
        throw new Error("refused");
      }),
      { message: "refused" },
    );
  t.ok(works());
  await t.rejects(
    database.write(() => {
      database.raw.exec("UPDATE account SET role = 'member' WHERE id = 20");
      database.raw.exec("DELETE FROM issued");
      t.ok(works());
      throw new Error("refused");
    }),
    { message: "refused" },
  );
  database.writeNow(() => database.raw.exec("UPDATE account SET role = 'member' WHERE id = 20"));
  t.notOk(works());
});

t.test("the table is asked once while nothing changes, and each time where nothing watches", async (t) => {
  const { watch, works, database } = await householdIn(t);
  const asked = questionsTo(database);
  const per = (times: number): number => {
    const before = asked();
    for (let i = 0; i < times; i++) t.ok(works());
    return asked() - before;
  };
  t.equal(watch.epoch, null);
  t.equal(per(3), 3);
  await watch.start();
  t.equal(per(3), 1);
  t.equal(per(3), 0);
  database.writeNow(() => {
    t.equal(per(3), 0, "in a job that changes no rights neither");
    database.raw.exec("UPDATE account SET role = role WHERE id = 20");
    t.equal(watch.epoch, null);
    t.equal(per(3), 3);
  });
  t.equal(per(3), 1, "nothing of the job is kept");
});

t.test("after the database was opened again, no earlier answer counts", async (t) => {
  const { watch, works, database } = await householdIn(t);
  await watch.start();
  t.ok(works());
  await database.stop();
  await database.start();
  t.equal(watch.epoch, null, "the triggers went with the connection");
});

t.test("all that decides whether an issuer stands is watched", async (t) => {
  const { database, watch } = await householdIn(t);
  await watch.start();
  const { raw } = database;
  const question = new IssuedTable(database).statements.find((sql) => sql.startsWith(QUESTION));
  const tableAt = new Map(
    raw
      .prepare<[], { name: string; root: number }>("SELECT tbl_name AS name, rootpage AS root FROM sqlite_schema")
      .all()
      .map(({ name, root }) => [root, name]),
  );
  const read = raw
    .prepare<[object], { opcode: string; p2: number }>(`EXPLAIN ${question}`)
    .all({ kind: "", id: "", at: 0 })
    .filter(({ opcode }) => opcode === "OpenRead")
    .map(({ p2 }) => tableAt.get(p2));
  t.same([...new Set(read)].sort(), ["account", "issued"]);
});

t.test("a change of an issuer is told to those who wait for changes of rights, once a commit", async (t) => {
  const { watch, write } = await householdIn(t);
  await watch.start();
  let heard = 0;
  watch.onChange(() => {
    heard += 1;
  });
  write("UPDATE issued SET issuer = 99; UPDATE issued SET issuer = 20");
  await Promise.resolve();
  t.equal(heard, 1);
});
