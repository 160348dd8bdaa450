/** Somebody whose limits rest, as an owner for an hour: they free nobody who would stay so. */
import t from "tap";
import type { Role } from "../../src/core/api/roles.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { Person } from "../support/hub-process.ts";

t.setTimeout(90_000);
const weekday = (ahead: number): number => new Date(Date.now() + ahead * 86_400_000).getUTCDay() || 7;
const NEVER = { times: [{ days: [weekday(3)], from: "00:00", to: "00:00" }], gates: null };
interface Refusal {
  readonly error?: { readonly words?: { readonly code: string } };
}
const password = "a quiet sentence about rain";

t.test("an hour as an owner", async (t) => {
  const house = await HouseholdProcess.start(t);
  const { owner, hub } = house;
  await house.device("front", "gate");
  const arrive = async (by: Person, name: string, role: Role, limits: unknown = null) => {
    const invited = await by.call<{ code: string }>("POST", "/api/persons/invitations", { name, role, limits });
    const person = new Person(hub.url);
    const json = { code: invited.body.code, name, email: `${name.toLowerCase()}@example.org`, password };
    const { body } = await person.call<{ account: { id: number } }>("POST", "/api/join", json);
    return { person, id: body.account.id };
  };
  const opens = async ({ person }: { person: Person }) =>
    (await person.call("POST", "/v1/devices/front/commands", { open: true })).status;
  const meena = await arrive(owner, "Meena", "member", NEVER);
  const ravi = await arrive(owner, "Ravi", "member", NEVER);
  t.same([await opens(meena), await opens(ravi)], [403, 403]);
  // an intruder at the owner's open page, for a moment
  t.equal((await owner.call("PATCH", `/api/persons/${meena.id}`, { role: "owner" })).status, 200);
  await meena.person.call("POST", "/api/session/proof", { password });
  const refused = await meena.person.call<Refusal>("PATCH", `/api/persons/${ravi.id}`, { limits: null });
  t.same([refused.status, refused.body.error?.words?.code], [403, "forbidden.limitsRest"]);
  for (const role of ["member", "gatekeeper", "owner"])
    for (const limits of [null, { ...NEVER, times: [], gates: ["front"] }]) {
      const free = { name: "Second", role, limits };
      t.equal((await meena.person.call("POST", "/api/persons/invitations", free)).status, 403, role);
    }
  const second = await arrive(meena.person, "Second", "member", NEVER);
  const third = await arrive(meena.person, "Third", "owner", NEVER);
  await third.person.call("POST", "/api/session/proof", { password });
  t.equal((await third.person.call("PATCH", `/api/persons/${ravi.id}`, { limits: null })).status, 403, "nor by others");
  const friend = await arrive(owner, "Friend", "member"); // without limits, and made an owner by her
  t.equal((await meena.person.call("PATCH", `/api/persons/${friend.id}`, { role: "owner" })).status, 200);
  await friend.person.call("POST", "/api/session/proof", { password });
  t.equal((await friend.person.call("PATCH", `/api/persons/${ravi.id}`, { limits: null })).status, 403);
  const free = { name: "Fourth", role: "member" };
  t.equal((await friend.person.call("POST", "/api/persons/invitations", free)).status, 403);
  t.equal((await owner.call("PATCH", `/api/persons/${meena.id}`, { role: "member" })).status, 200);
  t.equal(await opens(meena), 403, "their own bind again");
  t.equal(await opens(ravi), 403, "those of others were never lifted");
  t.not(await opens(second), 202, "and whom they let in opens no more than they do");
  t.not(await opens(third), 202, "also as an owner of theirs");
  t.equal(
    (await owner.call("PATCH", `/api/persons/${ravi.id}`, { limits: null })).status,
    200,
    "an owner without any can",
  );
});
