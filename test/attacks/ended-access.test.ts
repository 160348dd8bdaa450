/**
 * A person whose access has an end: nothing that is open, under way, handed out or kept aside lets them in after it, nor
 * does a start, an older backup or an old invitation.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Role } from "../../src/core/api/roles.ts";
import { gatehouse } from "../support/cli.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { type HubProcess, OWNER, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(180_000); // several hubs that start
const PASSWORD = "a quiet sentence about rain";
const ENDED = { status: 403, body: { error: { words: { code: "forbidden.accessEnded" } } } };
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const passed = (until: string) => new Promise((resolve) => setTimeout(resolve, Date.parse(until) - Date.now() + 300));

interface Arrived {
  readonly person: Person;
  readonly id: number;
  readonly email: string;
  readonly code: string;
}
const arrive = async (hub: HubProcess, owner: Person, name: string, role: Role, until?: string): Promise<Arrived> => {
  const { body } = await owner.call<{ code: string }>("POST", "/api/persons/invitations", {
    name,
    role,
    ...(until === undefined ? {} : { until }),
  });
  const person = new Person(hub.url);
  const email = `${name.toLowerCase()}@example.org`;
  const joined = await person.call<{ account: { id: number } }>("POST", "/api/join", {
    code: body.code,
    name,
    email,
    password: PASSWORD,
  });
  return { person, id: joined.body.account.id, email, code: body.code };
};
const signIn = (hub: HubProcess, email: string, password = PASSWORD) =>
  new Person(hub.url).call<{ error?: { message: string } }>("POST", "/api/session", { email, password });
const end = async (owner: Person, id: number, until: string | null): Promise<number> =>
  (await owner.call("PATCH", `/api/persons/${id}`, { until })).status;
const pairApp = async (hub: HubProcess, by: Person, scopes: readonly string[]): Promise<string> => {
  const app = new Person(hub.url);
  const { body } = await app.call<{ user_code: string; device_code: string }>("POST", "/v1/pairing", {
    client_name: "Panel",
    scope: scopes.join(" "),
  });
  await by.call("POST", "/api/pairing/approve", { userCode: body.user_code, name: "Panel", scopes });
  const fetched = await app.call<{ access_token: string }>("POST", "/v1/pairing/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: body.device_code,
  });
  return fetched.body.access_token;
};
const withKey = async (hub: HubProcess, secret: string): Promise<number> =>
  (await fetch(`${hub.url}/v1/devices`, { headers: { authorization: `Bearer ${secret}` } })).status;

t.test("at the end everything that is open or under way stops, in that moment", async (t) => {
  const house = await HouseholdProcess.start(t);
  const { owner, hub } = house;
  const until = inMs(6_000);
  const { person, id, email, code } = await arrive(hub, owner, "Gopal", "gatekeeper", until);
  const app = await pairApp(hub, person, ["devices:read"]);
  const plate = await person.call<{ rule: { id: number } }>("POST", "/v1/plate-rules", {
    plate: "MH12AB1234",
    kind: "allow",
  });
  const pass = await person.call<{ token: string }>("POST", "/api/passes", {
    label: "A guest",
    plate: "MH12AB1235",
    deviceId: null,
    validTo: inMs(86_400_000),
    guestMayTellPlate: true,
  });
  const look = async (): Promise<number> =>
    (await new Person(hub.url).call("POST", "/api/guest/look", { token: pass.body.token })).status;
  const stream = await house.stream(t, person);
  const half = await house.halfSent(
    { method: "POST", path: "/v1/plate-rules", headers: { Cookie: person.cookie, Origin: hub.url } },
    JSON.stringify({ plate: "MH12AB9999", kind: "allow" }),
  );
  t.same([await withKey(hub, app), await look(), (await person.call("GET", "/v1/devices")).status], [200, 200, 200]);
  await passed(until);
  t.ok(stream.hasEnded, "the stream ended by itself");
  t.ok([401, 403].includes(await half.finish()), "a body that came late");
  t.equal((await person.call("GET", "/v1/devices")).status, 401);
  t.equal(await withKey(hub, app), 401);
  t.equal(await look(), 404);
  const { body } = await owner.call<{ rules: { id: number; plate: string; enabled: boolean }[] }>(
    "GET",
    "/v1/plate-rules",
  );
  t.same(
    body.rules.map((rule) => [rule.id, rule.enabled]),
    [[plate.body.rule.id, false]],
    "the plate that they allowed is off, the late one was never listed",
  );
  const refused = await signIn(hub, email);
  t.match(refused, ENDED);
  t.match(refused.body.error?.message, /^Your access to this house ended on /);
  t.match(await signIn(hub, email, "not the password"), { status: 401 }, "nobody else learns of it");
  const joinAgain = (used: string) =>
    new Person(hub.url).call("POST", "/api/join", {
      code: used,
      name: "Other",
      email: "o@example.org",
      password: PASSWORD,
    });
  t.equal((await joinAgain(code)).status, 400, "the invitation that they came by");
  const listed = await owner.call<{ persons: { id: number; ended: boolean; sessions: number }[] }>(
    "GET",
    "/api/persons",
  );
  t.hasStrict(
    listed.body.persons.find((one) => one.id === id),
    { ended: true, sessions: 0 },
  );
  t.equal(await end(owner, id, null), 200);
  t.equal((await signIn(hub, email)).status, 200, "with a new end they sign in as before");
  t.equal((await person.call("GET", "/v1/devices")).status, 401, "the old session stays out");
  t.same([await withKey(hub, app), await look()], [401, 404], "and so does what they handed out");
});

t.test("a hub that starts after the end lets nobody in", async (t) => {
  const folder = testFolder(t);
  const { hub, owner } = await startOwnedHub(folder, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => hub.kill());
  const until = inMs(4_000);
  const { person, email } = await arrive(hub, owner, "Ravi", "owner", until);
  const { body } = await person.call<{ secret: string }>("POST", "/api/keys", {
    name: "app",
    env: "live",
    scopes: ["devices:read"],
  });
  t.equal(await withKey(hub, body.secret), 200);
  await hub.kill();
  await passed(until);
  const next = await startHubProcess(folder, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => next.kill());
  const late = new Person(next.url, person.cookie);
  t.equal((await late.call("GET", "/v1/devices")).status, 401);
  t.equal(await withKey(next, body.secret), 401);
  t.match(await signIn(next, email), ENDED);
});

for (const isLost of [false, true])
  t.test(`an older backup gives no access back${isLost ? ", also where the database is lost" : ""}`, async (t) => {
    const folder = testFolder(t);
    const { hub, owner } = await startOwnedHub(folder, { GATEHOUSE_RECOGNITION: "false" });
    t.teardown(() => hub.kill());
    const [over, shortened, longer] = [
      await arrive(hub, owner, "Over", "gatekeeper"),
      await arrive(hub, owner, "Shortened", "member"),
      await arrive(hub, owner, "Longer", "member", inMs(86_400_000)),
    ];
    const app = await pairApp(hub, over.person, ["devices:read"]);
    const file = await backUp(owner, folder);
    const [soon, later] = [inMs(2_000), inMs(20 * 86_400_000)];
    t.same(
      [await end(owner, over.id, soon), await end(owner, shortened.id, later), await end(owner, longer.id, null)],
      [200, 200, 200],
    );
    await passed(soon);
    t.match(await signIn(hub, over.email), ENDED);
    await hub.stop();
    if (isLost) for (const name of readdirSync(folder)) if (name.startsWith("gatehouse.db")) rmSync(join(folder, name));
    const { code, err } = await gatehouse(folder, ["restore", file]);
    t.equal(code, 0, err);
    const next = await startHubProcess(folder, { GATEHOUSE_RECOGNITION: "false" });
    t.teardown(() => next.kill());
    t.match(await signIn(next, over.email), ENDED);
    t.equal(await withKey(next, app), 401);
    const again = new Person(next.url);
    await again.call("POST", "/api/session", { email: OWNER.email, password: OWNER.password });
    const { body } = await again.call<{ persons: { id: number; until: string | null; ended: boolean }[] }>(
      "GET",
      "/api/persons",
    );
    const of = (id: number) => body.persons.find((one) => one.id === id);
    t.hasStrict(of(over.id), { ended: true });
    t.hasStrict(of(shortened.id), { until: later, ended: false }, "the end that was given since the backup");
    const until = of(longer.id)?.until ?? null;
    t.equal(until !== null, isLost, "that one was made longer is known to the lost database alone");
  });

t.test("who may not", async (t) => {
  const house = await HouseholdProcess.start(t);
  const { owner, hub } = house;
  const me = (await owner.call<{ account: { id: number } }>("GET", "/api/me")).body.account.id;
  const refusal = async (by: Person, id: number, until: unknown) => {
    const { status, body } = await by.call<{ error: { details?: { field: string }[]; words?: { code: string } } }>(
      "PATCH",
      `/api/persons/${id}`,
      { until },
    );
    return [status, body.error?.words?.code ?? body.error?.details?.[0]?.field];
  };
  t.same(await refusal(owner, me, inMs(60_000)), [409, "conflict.firstOwnerStays"]);
  const second = await arrive(hub, owner, "Second", "owner", inMs(3_600_000));
  t.same(await refusal(second.person, second.id, null), [403, "forbidden.ownEnd"]);
  t.same(await refusal(second.person, me, inMs(60_000)), [409, "conflict.firstOwnerStays"]);
  t.same(await refusal(owner, second.id, inMs(-1_000)), [400, "/until"]);
  t.same(await refusal(owner, second.id, "soon"), [400, "/until"]);
  for (const role of ["gatekeeper", "member"] as const) {
    const { person } = await house.join(role);
    t.same(await refusal(person, second.id, null), [403, "forbidden.ownersOnly"]);
  }
  const key = await house.key(["devices:read"]);
  t.equal((await house.ask(key, "PATCH", `/api/persons/${second.id}`, { until: null })).status, 403);
});

t.test("an owner with an accomplice sheds no end", async (t) => {
  const house = await HouseholdProcess.start(t);
  const { owner, hub } = house;
  const refused = [403, "forbidden.boundByEnd"];
  const ask = async (by: Person, method: string, path: string, body?: unknown) => {
    const answer = await by.call<{ error?: { words?: { code: string } } }>(method, path, body);
    return [answer.status, answer.body?.error?.words?.code];
  };
  const patch = (by: Person, { id }: Arrived, edit: unknown) => ask(by, "PATCH", `/api/persons/${id}`, edit);
  const decide = (by: Person, { id }: Arrived, person: string, grants: unknown = {}) =>
    ask(by, "POST", `/api/persons/${id}/grants`, { person, grants });
  const keep = { api_key: "keep", plate_rule: "keep", owner: "keep" };
  const until = inMs(9_000);

  const dev = await arrive(hub, owner, "Dev", "owner", until);
  const xena = await arrive(hub, dev.person, "Xena", "owner");
  const zoya = await arrive(hub, xena.person, "Zoya", "owner");
  const key = await dev.person.call<{ secret: string }>("POST", "/api/keys", {
    name: "k",
    env: "live",
    scopes: ["devices:read"],
  });
  await dev.person.call("POST", "/v1/plate-rules", { plate: "MH12AB1234", kind: "allow" });
  for (const { person } of [xena, zoya]) {
    t.same(await patch(person, dev, { until: null }), [403, "forbidden.ownEnd"], "longer");
    for (const role of ["member", "gatekeeper", "owner"])
      t.same(await patch(person, dev, { role }), refused, `made ${role}`);
    t.same(await patch(person, dev, { role: "owner", until: null }), refused, "at once");
    for (const fate of ["member", "gatekeeper", "remove"])
      t.same(await decide(person, dev, fate, keep), refused, `${fate}, and what they handed out kept`);
    t.same(await ask(person, "DELETE", `/api/persons/${dev.id}`), refused, "removed");
  }

  const [bela, cara] = [
    await arrive(hub, owner, "Bela", "owner", until),
    await arrive(hub, owner, "Cara", "owner", until),
  ];
  t.same(
    await patch(cara.person, bela, { until: null }),
    [200, undefined],
    "one of two with an end lengthens the other",
  );
  t.same(await patch(bela.person, cara, { until: null }), [403, "forbidden.ownEnd"]);
  t.same(await patch(bela.person, cara, { role: "member" }), refused);
  t.same(await ask(bela.person, "DELETE", `/api/persons/${cara.id}`), refused);

  // the end is of somebody between: who decides about the one above would let both fall
  const pia = await arrive(hub, owner, "Pia", "owner");
  const quinn = await arrive(hub, pia.person, "Quinn", "owner", until);
  const zara = await arrive(hub, quinn.person, "Zara", "owner");
  t.same(await patch(zara.person, pia, { role: "member" }), refused, "by the fall of the one above");
  t.same(await decide(zara.person, pia, "stay"), refused, "by the end of what the one above handed out");
  t.same(await ask(zara.person, "DELETE", `/api/persons/${pia.id}`), refused);

  // without an end, the one who decides answers to the first above who stays
  const remo = await arrive(hub, dev.person, "Remo", "owner");
  const sami = await arrive(hub, remo.person, "Sami", "owner");
  const tara = await arrive(hub, sami.person, "Tara", "owner");
  t.same(await ask(tara.person, "DELETE", `/api/persons/${remo.id}`), [200, undefined]);
  t.same(await patch(tara.person, dev, { until: null }), [403, "forbidden.ownEnd"], "who answers to them still");

  await passed(until);
  const { body } = await owner.call<{ persons: { name: string; role: string; ended: boolean }[] }>(
    "GET",
    "/api/persons",
  );
  const now = Object.fromEntries(body.persons.map(({ name, role, ended }) => [name, ended ? "ended" : role]));
  t.hasStrict(now, {
    Dev: "ended",
    Xena: "member",
    Zoya: "member",
    Bela: "member",
    Cara: "ended",
    Pia: "owner",
    Quinn: "ended",
    Zara: "member",
    Sami: "member",
    Tara: "member",
  });
  t.equal(await withKey(hub, key.body.secret), 401);
  const { body: list } = await owner.call<{ rules: { enabled: boolean }[] }>("GET", "/v1/plate-rules");
  t.same(
    list.rules.map(({ enabled }) => enabled),
    [false],
  );
  t.match(await signIn(hub, dev.email), ENDED);
});

t.test("owners are told of the devices whose passwords an ended owner saw", async (t) => {
  const { owner, hub } = await HouseholdProcess.start(t);
  const until = inMs(3_000);
  const gita = await arrive(hub, owner, "Gita", "owner", until);
  for (const id of ["button", "lamp"])
    t.equal((await gita.person.call("POST", "/api/devices", { id, name: id, type: "sensor" })).status, 201);
  await passed(until);
  const { body } = await owner.call<{ events: { kind: string; title: string; body: string | null }[] }>(
    "GET",
    "/v1/events",
  );
  const told = body.events.filter(({ kind }) => kind === "security.grants_ended");
  t.same(
    told.map(({ title, body }) => [title, body]),
    [["The access of Gita has ended; they may know passwords of devices", "Renew the passwords of: button, lamp"]],
  );
});

t.test("who does not answer to somebody with an end decides about them", async (t) => {
  const { owner, hub } = await HouseholdProcess.start(t);
  const until = inMs(3_600_000);
  const dev = await arrive(hub, owner, "Dev", "owner", until);
  const xena = await arrive(hub, dev.person, "Xena", "owner");
  const yash = await arrive(hub, owner, "Yash", "owner");
  const edit = async (by: Person, id: number, body: unknown) =>
    (await by.call("PATCH", `/api/persons/${id}`, body)).status;
  t.equal(await edit(xena.person, dev.id, { until: inMs(1_800_000) }), 200, "shorter anybody may make it");
  t.equal(await edit(yash.person, dev.id, { role: "gatekeeper", until: null }), 200);
  const members = await owner.call<{ persons: { id: number; role: string }[] }>("GET", "/api/persons");
  t.equal(members.body.persons.find(({ id }) => id === xena.id)?.role, "member", "who fell with them");
  t.equal(await edit(owner, dev.id, { until }), 200);
  t.equal(await edit(owner, dev.id, { role: "owner" }), 200);
  await dev.person.call("POST", "/api/session", { email: dev.email, password: PASSWORD }); // a fresh proof
  t.equal(await edit(dev.person, dev.id, { role: "member" }), 200, "stepping down sheds nothing");
  t.equal((await owner.call("DELETE", `/api/persons/${dev.id}`)).status, 200, "the first owner");
});

async function backUp(owner: Person, folder: string): Promise<string> {
  await owner.call("POST", "/api/backups", {});
  const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) =>
    /gatehouse-[^/]*\.db\.gz$/.test(name),
  );
  if (file === undefined) throw new Error("no backup");
  return join(folder, file);
}
