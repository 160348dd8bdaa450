/** Things of one name are told apart in lists, and only those. */
import t from "tap";
import { toldApart } from "../../src/console/components/told-apart.ts";
import { testFolder } from "../support/test-folder.ts";
import { beyond, SCREENS } from "./layout.ts";
import { cannotBrowse, startOwnedStage, violations, visit } from "./stage.ts";

t.setTimeout(120_000);

t.test("what else is known stands beside names that several have", async (t) => {
  const persons = [
    { name: "Asha", email: "asha@example.org" },
    { name: "Ravi", email: "ravi@example.org" },
    { name: "Asha", email: "a.rao@example.org" },
  ];
  const nameOf = toldApart(
    persons,
    ({ name }) => name,
    ({ email }) => email,
  );
  t.same(persons.map(nameOf), ["Asha (asha@example.org)", "Ravi", "Asha (a.rao@example.org)"]);
});

t.test(
  "two invitations of one name differ in the list, and in what takes them back",
  { skip: cannotBrowse },
  async (t) => {
    const stage = await startOwnedStage(testFolder(t));
    t.teardown(stage.stop);
    const { phone } = stage.pages;
    await phone.setViewportSize(SCREENS[360]);
    for (const name of ["Asha", "Asha", "Ravi"]) {
      const { status } = await stage.owner.call("POST", "/api/persons/invitations", { name, role: "member" });
      t.equal(status, 201);
      await new Promise((done) => setTimeout(done, 1_100)); // it is said to the second
    }
    await visit(phone, "/system/persons");
    await phone.getByRole("button", { name: "Take back the invitation of Ravi", exact: true }).waitFor();
    const names = await phone.getByRole("button", { name: /^Take back the invitation of Asha \(made .+\)$/ }).all();
    const labels = await Promise.all(names.map((button) => button.getAttribute("aria-label")));
    t.equal(new Set(labels).size, 2);
    t.equal(await phone.getByText(/^Asha \(made /).count(), 2);
    t.equal(await beyond(phone), 0);
    t.same(await violations(phone), []);
  },
);
