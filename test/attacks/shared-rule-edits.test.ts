/** Two who edit a rule of an estate at once: who renames it does not take back what another has just switched off. */
import t from "tap";
import { Premises } from "../gate/premises.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(180_000);

t.test("a name that was changed while somebody switched the rule off", async (t) => {
  const home = await Premises.open(testFolder(t));
  t.teardown(() => home.close());
  const { siteId, rules, tables, database } = home;
  const { id } = await rules.create(siteId, { plate: "MH12AB1234", label: "Rao" }, "cli");
  rules.share(
    {
      isReached: true,
      create: () => Promise.reject(new Error("nothing is created")),
      // the other hubs take what they are given
      update: async (rule, master) => {
        await database.write(() => tables.rules.update(rule, { master, passId: null }));
        return true;
      },
      remove: () => Promise.reject(new Error("nothing is removed")),
    },
    () => siteId,
  );
  const renamed = rules.edit(siteId, id, { label: "Rao's brother" }, "session:1");
  await database.write(() => rules.end(siteId, id, "cli")); // who answered for it has fallen
  await renamed;
  t.hasStrict(rules.get(siteId, id), { label: "Rao's brother", enabled: false });
});
