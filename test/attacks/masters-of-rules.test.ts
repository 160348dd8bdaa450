/**
 * Guests and the rules of a household: a link controls the rule that its pass made, but not what anyone else has made
 * of it since.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { Premises } from "../gate/premises.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const OPEN = { deviceId: "gate", command: { open: true } };
const OWNER = "session:1";
const [FIRST, SECOND, THIRD] = ["MH12AB1234", "KA05MK7777", "DL8CAF5031"] as const;

/** Premises with a guest who comes with {@link FIRST} and may still change it. */
async function premises(folder: string) {
  const p = await Premises.open(folder);
  await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
  const { pass, token } = await p.passes.create(
    p.siteId,
    {
      label: "Ravi",
      plate: FIRST,
      deviceId: null,
      validFrom: null,
      validTo: p.clock.now() + HOUR,
      windows: [],
      guestMayTellPlate: true,
    },
    OWNER,
  );
  const ruleId = pass.ruleId ?? 0;
  const tell = (plate: string) =>
    p.passes.tellPlate(token, plate, "192.168.1.9").then(
      () => "taken",
      () => "refused",
    );
  const listed = () => p.rules.list(p.siteId).map(({ plate, kind }) => `${kind} ${plate}`);
  const opens = async (plate: string) => {
    const before = p.commands.length;
    p.clock.advance(60_000);
    await p.capture({ plates: [plate] });
    return p.commands.length > before;
  };
  return { p, pass, token, ruleId, tell, listed, opens };
}

t.test("a guest's rule that an owner turned into a ban cannot be moved", async (t) => {
  const { p, pass, token, ruleId, tell, listed } = await premises(testFolder(t));
  await p.rules.edit(p.siteId, ruleId, { kind: "deny" }, OWNER);
  t.equal(await tell(SECOND), "refused");
  t.same(listed(), [`deny ${FIRST}`], "not moved to another plate, which would lift the ban");
  await t.rejects(p.passes.look(token, "192.168.1.9"), { code: /^not_found$/ }, "the link has ended with it");
  await p.passes.revoke(p.siteId, pass.id, OWNER);
  t.same(listed(), [`deny ${FIRST}`], "revoking the pass does not lift it");
  await p.close();
});

t.test("a ban outlives the pass it was made from", async (t) => {
  const { p, ruleId, listed } = await premises(testFolder(t));
  await p.rules.edit(p.siteId, ruleId, { kind: "deny", validTo: null }, "api_key:1");
  p.clock.advance(9 * DAY);
  t.equal(await p.passes.sweep(), 1);
  t.same(listed(), [`deny ${FIRST}`]);
  await p.close();
});

t.test("a rule that an owner made permanent opens only for the plate the owner saw", async (t) => {
  const { p, ruleId, tell, opens } = await premises(testFolder(t));
  await p.rules.edit(p.siteId, ruleId, { validTo: null }, OWNER);
  t.equal(await tell(SECOND), "refused");
  p.clock.advance(2 * HOUR);
  t.notOk(await opens(SECOND), "another plate, after the pass has ended");
  t.ok(await opens(FIRST));
  await p.close();
});

t.test("neither the previous nor the last plate opens after the end of the pass", async (t) => {
  const { p, tell, opens, listed } = await premises(testFolder(t));
  t.equal(await tell(SECOND), "taken");
  t.notOk(await opens(FIRST), "the guest now comes with another one");
  t.ok(await opens(SECOND));
  p.clock.advance(HOUR);
  for (const plate of [FIRST, SECOND]) t.notOk(await opens(plate));
  t.equal(await tell(THIRD), "refused");
  t.same(listed(), [`allow ${SECOND}`]);
  await p.close();
});

t.test("a guest cannot take over an existing rule, whoever made it", async (t) => {
  const { p, tell, listed } = await premises(testFolder(t));
  await p.rules.create(p.siteId, { plate: SECOND, kind: "deny" }, OWNER);
  await p.rules.create(p.siteId, { plate: THIRD, kind: "watch" }, "api_key:1");
  for (const plate of [SECOND, THIRD]) t.equal(await tell(plate), "refused");
  t.same(listed(), [`allow ${FIRST}`, `deny ${SECOND}`, `watch ${THIRD}`]);
  await p.close();
});

t.test("the link cannot bring back a rule that was removed from its list", async (t) => {
  const { p, ruleId, tell, listed } = await premises(testFolder(t));
  await p.rules.remove(p.siteId, ruleId, OWNER);
  t.equal(await tell(SECOND), "refused");
  t.same(listed(), []);
  await p.close();
});

t.test("one class writes the table of rules, and it checks who acts", (t) => {
  const writes = /(INSERT (OR \w+ )?INTO|UPDATE( OR \w+)?|DELETE FROM|REPLACE INTO) plate_rule\b/;
  const found = readdirSync(join(PROJECT_ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .filter((name) => writes.test(readFileSync(join(PROJECT_ROOT, "src", name), "utf8")));
  // After a restore the rules of revoked passes end in one statement, and only those that still belong to their passes.
  t.same(found.sort(), ["features/access/tables/revocation.ts", "features/gate/tables/plate-rule.ts"]);
  const revocations = readFileSync(join(PROJECT_ROOT, "src/features/access/tables/revocation.ts"), "utf8");
  t.equal(revocations.match(new RegExp(writes, "g"))?.length, 1);
  t.match(revocations, /DELETE FROM plate_rule WHERE master = 'guest' AND/);
  const text = readFileSync(join(PROJECT_ROOT, "src/features/gate/tables/plate-rule.ts"), "utf8");
  const methods = [...text.matchAll(/^ {2}(\w+)\([^)]*\): [^{]*\{(.*?)^ {2}\}/gms)];
  const writing = methods.filter(([, , body]) => /this\.#(insert|update|remove)\./.test(body ?? ""));
  t.same(
    writing.map(([, name]) => name),
    ["insert", "update", "remove"],
  );
  for (const [, name = "", body] of writing) t.match(body, /this\.#refuseUnlessMaster\(/, name);
  t.end();
});
