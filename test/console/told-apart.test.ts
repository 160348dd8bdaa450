/** Things of one name are told apart in lists, and only those. */
import t from "tap";
import { toldApart } from "../../src/console/components/told-apart.ts";

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
