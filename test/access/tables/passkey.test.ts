import t from "tap";
import { PasskeyTable } from "../../../src/features/access/tables/passkey.ts";
import { openDatabase, seedAccount } from "../../support/database.ts";
import { testFolder } from "../../support/test-folder.ts";

t.test("passkeys belong to a person, and their counter never decreases", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { accountId } = seedAccount(database, "owner@example.org");
  const other = seedAccount(database, "stranger@example.org").accountId;
  const table = new PasskeyTable(database);
  const row = {
    accountId,
    publicKey: Buffer.from("key"),
    rpId: "hub.local",
    transports: "[]",
    name: "Phone",
    createdAt: 1,
  };
  const [counting, still] = await database.write(() => [
    table.insert({ ...row, credentialId: "a", counter: 5 }),
    table.insert({ ...row, credentialId: "b", counter: 0 }),
  ]);
  await database.write(() => {
    t.notOk(table.use(counting ?? 0, 5, 2));
    t.notOk(table.use(counting ?? 0, 0, 2), "a passkey that counts cannot stop counting");
    t.ok(table.use(counting ?? 0, 6, 2));
    t.ok(table.use(still ?? 0, 0, 3));
    t.ok(table.use(still ?? 0, 0, 4));
    t.notOk(table.rename(other, counting ?? 0, "Mine"), "another person's");
    t.notOk(table.remove(other, counting ?? 0));
    t.ok(table.rename(accountId, counting ?? 0, "Old phone"));
  });
  t.hasStrict(table.ofAccount(accountId), [
    { credentialId: "a", counter: 6, lastUsedAt: 2, name: "Old phone" },
    { credentialId: "b", counter: 0, lastUsedAt: 4 },
  ]);
  t.throws(() => table.insert({ ...row, credentialId: "a", counter: 0 }), /UNIQUE/);
  t.ok(table.anyFor("hub.local"));
  t.notOk(table.anyFor("other.local"));
  await database.write(() => database.raw.prepare("DELETE FROM account WHERE id = ?").run(accountId));
  t.equal(table.byCredential("a"), undefined, "they are removed with their person");
  for (const where of ["account_id = 1", "credential_id = 'a'", "rp_id = 'hub.local'"]) {
    const plan = database.raw.prepare(`EXPLAIN QUERY PLAN SELECT * FROM passkey WHERE ${where}`).all();
    t.match(JSON.stringify(plan), /SEARCH passkey USING INDEX/, where);
  }
});
