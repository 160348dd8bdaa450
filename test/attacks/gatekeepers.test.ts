/**
 * Gatekeepers: what they hand out ends with their role, the person who made it answers for it, and nothing that is
 * an owner's comes within reach by an app, an open stream, or an act in the moment of a demotion.
 */
import t, { type Test } from "tap";
import { startConsoleHub } from "../support/console-hub.ts";
import { HouseholdProcess, type MadeKey } from "../support/household-process.ts";
import { Person } from "../support/hub-process.ts";

t.setTimeout(90_000); // a hub that starts
const house = await HouseholdProcess.start(t, { GATEHOUSE_RATE_FAILED_CREDENTIALS_PER_MINUTE: "0" });
const { owner } = house;
await house.device("gate");
let nth = 0;

interface Rule {
  readonly id: number;
  readonly plate: string;
  readonly kind: string;
  readonly enabled: boolean;
}
const newPlate = (): string => {
  nth += 1;
  return `MH12AB${1000 + nth}`;
};
const list = async (by: Person, kind: string) => {
  const plate = newPlate();
  const { status, body } = await by.call<{ rule: Rule }>("POST", "/v1/plate-rules", { plate, kind });
  return { status, id: body.rule?.id ?? 0 };
};
const ruleOf = async (id: number): Promise<Rule | undefined> =>
  (await owner.call<{ rules: Rule[] }>("GET", "/v1/plate-rules")).body.rules.find((rule) => rule.id === id);
const givePass = async (by: Person) => {
  const { status, body } = await by.call<{ token: string; pass: { id: number } }>("POST", "/api/passes", {
    label: "A guest",
    plate: newPlate(),
    deviceId: null,
    validTo: new Date(Date.now() + 86_400_000).toISOString(),
    guestMayTellPlate: true,
  });
  return { status, token: body.token, id: body.pass?.id ?? 0 };
};
const look = async (token: string): Promise<number> =>
  (await new Person(house.hub.url).call("POST", "/api/guest/look", { token })).status;
/** Pairs an app; resolves with its key and the scopes that were withheld from it. */
const pair = async (by: Person, scopes: readonly string[]) => {
  const app = new Person(house.hub.url);
  const { body } = await app.call<{ user_code: string; device_code: string }>("POST", "/v1/pairing", {
    client_name: "Panel",
    scope: scopes.join(" "),
  });
  const userCode = body.user_code;
  const looked = await by.call<{ pairing: { scopes: string[]; withheld: string[] } }>("POST", "/api/pairing/look", {
    userCode,
  });
  const whole = await by.call("POST", "/api/pairing/approve", { userCode, name: "Panel", scopes });
  const granted = looked.body.pairing.scopes;
  if (whole.status === 403) await by.call("POST", "/api/pairing/approve", { userCode, name: "Panel", scopes: granted });
  const fetched = await app.call<{ access_token: string }>("POST", "/v1/pairing/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: body.device_code,
  });
  const key: MadeKey = { id: 0, secret: fetched.body.access_token };
  return { key, withheld: looked.body.pairing.withheld, whole: whole.status };
};
const kindsOf = async (id: number): Promise<Record<string, number>> => {
  const { body } = await owner.call<{ grants: { kind: string; count: number }[] }>("GET", `/api/persons/${id}/grants`);
  return Object.fromEntries((body.grants ?? []).map(({ kind, count }) => [kind, count]));
};
const roleOf = async (id: number): Promise<string | undefined> =>
  (await owner.call<{ persons: { id: number; role: string }[] }>("GET", "/api/persons")).body.persons.find(
    (person) => person.id === id,
  )?.role;

t.test("a gatekeeper keeps the gate, and nothing else", async (t) => {
  const { person } = await house.join("gatekeeper");
  for (const kind of ["allow", "deny", "watch"]) t.equal((await list(person, kind)).status, 201, kind);
  const ban = await list(owner, "deny");
  t.equal((await person.call("PATCH", `/api/plate-rules/${ban.id}`, { kind: "allow" })).status, 200);
  const { body } = await owner.call<{ audit: { action: string; person: string; detail: { id: number } }[] }>(
    "GET",
    "/api/audit?limit=20",
  );
  t.match(
    body.audit.find(({ action, detail }) => action === "plate_rule.edited" && detail.id === ban.id),
    { person: /^Ravi/ },
    "a ban that was lifted is in the audit list with the name",
  );
  t.equal((await person.call("DELETE", `/v1/plate-rules/${ban.id}`)).status, 200);
  t.equal((await person.call("POST", "/api/plates/999999/correct", { plate: "MH12AB1234" })).status, 404, "none such");
  t.equal((await person.call("POST", "/v1/devices/gate/commands", { open: true })).status, 202, "opens the gate");
  const pass = await givePass(person);
  t.equal(await look(pass.token), 200);
  t.equal((await person.call("DELETE", `/api/passes/${pass.id}`)).status, 200);
  const code = { status: 403, body: { error: { words: { code: "forbidden.ownersOnly" } } } };
  t.match(await person.call("POST", "/api/persons/invitations", { name: "Friend", role: "member" }), code);
  const { person: member } = await house.join("member");
  t.match(await member.call("GET", "/api/passes"), {
    status: 403,
    body: { error: { words: { code: "forbidden.gatekeepersOnly" } } },
  });
  t.equal((await list(member, "allow")).status, 403);
});

t.test("an app of a gatekeeper has at most the gatekeeper's scopes", async (t) => {
  const { person, id } = await house.join("gatekeeper");
  const { key, withheld, whole } = await pair(person, ["plates:read", "plates:write", "automations:write"]);
  t.same([withheld, whole], [["automations:write"], 403]);
  const made = await house.ask(key, "POST", "/v1/plate-rules", { plate: newPlate(), kind: "allow" });
  t.equal(made.status, 201);
  t.equal((await kindsOf(id)).plate_rule, 1, "its person answers for what it lists");
  const { body } = await owner.call<{ keys: { id: number; person: string | null }[] }>("GET", "/api/keys");
  const app = body.keys.filter((one) => one.person !== null).at(-1);
  const scopes = (all: string[]) => owner.call("PATCH", `/api/keys/${app?.id}`, { scopes: all });
  t.equal((await scopes(["plates:read", "plates:write", "webhooks:write"])).status, 400);
  t.equal((await scopes(["plates:read", "plates:write", "devices:write"])).status, 400, "nor by an owner's edit");
});

for (const fate of ["removed", "demoted"] as const)
  t.test(`what a gatekeeper handed out ends when they are ${fate}`, async (t) => {
    const { person, id } = await house.join("gatekeeper");
    const [allowed, banned, pass] = [await list(person, "allow"), await list(person, "deny"), await givePass(person)];
    const [writing, reading] = [
      await pair(person, ["plates:read", "plates:write"]),
      await pair(person, ["plates:read"]),
    ];
    const byApp = await house.ask(writing.key, "POST", "/v1/plate-rules", { plate: newPlate(), kind: "allow" });
    const { body } = await owner.call<{ grants: { kind: string; count: number }[] }>(
      "GET",
      `/api/persons/${id}/grants?remaining=member`,
    );
    t.strictSame(
      body.grants.map(({ kind, count }) => [kind, count]),
      [
        ["api_key", 1],
        ["guest_pass", 1],
        ["plate_rule", 2],
      ],
      "what a member may have as well is not asked about",
    );
    const stream = await house.stream(t, person);
    t.same(await kindsOf(id), { api_key: 2, guest_pass: 1, plate_rule: 2 }, "the household is asked");
    const settled =
      fate === "removed"
        ? await owner.call("DELETE", `/api/persons/${id}`)
        : await owner.call("PATCH", `/api/persons/${id}`, { role: "member" });
    t.equal(settled.status, 200);
    t.ok(await stream.endsWithin(1_000), "the stream ends at once");
    t.equal((await list(person, "allow")).status, fate === "removed" ? 401 : 403, "and the session lists nothing");
    t.equal((await person.call("GET", "/api/passes")).status, fate === "removed" ? 401 : 403);
    t.equal(await look(pass.token), 404, "the guest's link has ended");
    t.equal((await ruleOf(allowed.id))?.enabled, false, "the allowed plate is off");
    t.equal((await ruleOf(byApp.body.rule.id))?.enabled, false, "and the one by the app");
    t.hasStrict(await ruleOf(banned.id), { kind: "deny", enabled: true }, "a ban opens nothing and stays");
    t.equal((await house.ask(writing.key, "GET", "/v1/plate-rules")).status, 401, "the app that writes plates ends");
    t.equal(
      (await house.ask(reading.key, "GET", "/v1/plate-rules")).status,
      fate === "removed" ? 401 : 200,
      "one that a member may have as well ends only with the person",
    );
    if (fate === "removed") return;
    t.same(await kindsOf(id), { api_key: 1 });
    t.equal((await owner.call("PATCH", `/api/persons/${id}`, { role: "gatekeeper" })).status, 200);
    t.equal(await look(pass.token), 404, "nothing comes back with the role");
    t.equal((await house.ask(writing.key, "GET", "/v1/plate-rules")).status, 401);
  });

t.test("what the person who decides keeps goes on, but never the app", async (t) => {
  const { person, id } = await house.join("gatekeeper");
  const [allowed, pass] = [await list(person, "allow"), await givePass(person)];
  const app = await pair(person, ["plates:read", "plates:write"]);
  const grants = { plate_rule: "keep", guest_pass: "keep", api_key: "keep" };
  t.match(await owner.call("POST", `/api/persons/${id}/grants`, { person: "member", grants }), {
    status: 200,
    body: { ended: { api_key: 1 }, kept: { plate_rule: 1, guest_pass: 1 } },
  });
  t.equal(await look(pass.token), 200);
  t.equal((await ruleOf(allowed.id))?.enabled, true);
  t.equal((await house.ask(app.key, "GET", "/v1/plate-rules")).status, 401);
});

t.test("a scope that an owner added to an app goes with the role that it needs", async (t) => {
  const { person, id } = await house.join("gatekeeper");
  const app = await pair(person, ["plates:read"]);
  const { body } = await owner.call<{ keys: { id: number; person: string | null }[] }>("GET", "/api/keys");
  const keyId = body.keys.filter((one) => one.person !== null).at(-1)?.id;
  await owner.call("PATCH", `/api/keys/${keyId}`, { scopes: ["plates:read", "plates:write"] });
  const listPlate = () => house.ask(app.key, "POST", "/v1/plate-rules", { plate: newPlate(), kind: "allow" });
  t.equal((await listPlate()).status, 201);
  t.equal((await owner.call("PATCH", `/api/persons/${id}`, { role: "member" })).status, 200);
  t.equal((await listPlate()).status, 403);
  t.equal((await house.ask(app.key, "GET", "/v1/plate-rules")).status, 200, "the rest goes on");
});

t.test("a promotion to owner ends nothing, and stepping back to gatekeeper ends only what an owner gave", async (t) => {
  const { person, id } = await house.join("gatekeeper");
  const [pass, app] = [await givePass(person), await pair(person, ["plates:read", "plates:write"])];
  t.equal((await owner.call("PATCH", `/api/persons/${id}`, { role: "owner" })).status, 200);
  t.equal(await look(pass.token), 200);
  await person.call("POST", "/api/session/proof", { password: "a quiet sentence about rain" });
  const { body } = await person.call<{ secret: string }>("POST", "/api/keys", {
    name: "owner's",
    env: "live",
    scopes: ["devices:read"],
  });
  const asOwner = await givePass(person);
  t.match(await owner.call("POST", `/api/persons/${id}/grants`, { person: "gatekeeper" }), {
    status: 200,
    body: { ended: { api_key: 1, guest_pass: 1 } },
  });
  t.equal(await roleOf(id), "gatekeeper");
  t.equal((await house.ask({ id: 0, secret: body.secret }, "GET", "/v1/devices")).status, 401, "an owner's key");
  t.equal(await look(asOwner.token), 404, "an owner's pass, unless somebody keeps it");
  t.equal(await look(pass.token), 200, "what they gave as a gatekeeper stands");
  t.equal((await house.ask(app.key, "GET", "/v1/plate-rules")).status, 200, "their app too");
});

t.test("what a gatekeeper does in the moment of the demotion does not stay", async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const { person, id } = await house.join("gatekeeper");
    const acts = Array.from({ length: 6 }, () => [list(person, "allow"), givePass(person)]).flat();
    await new Promise((resolve) => setTimeout(resolve, round * 4));
    t.equal((await owner.call("PATCH", `/api/persons/${id}`, { role: "member" })).status, 200);
    await Promise.all(acts);
    t.same(await kindsOf(id), {}, "nothing is left that needs more than the remaining role");
  }
});

t.test("a gatekeeper answers to the owner who made them", async (t) => {
  const { person: thief, id } = await house.join("owner");
  const { id: raised } = await house.join("member");
  t.equal((await thief.call("PATCH", `/api/persons/${raised}`, { role: "gatekeeper" })).status, 200);
  const { person: kept, id: keptId } = await house.join("gatekeeper");
  t.same(await kindsOf(id), { gatekeeper: 1 });
  const pass = await givePass(kept);
  t.equal((await owner.call("DELETE", `/api/persons/${id}`)).status, 200);
  t.equal(await roleOf(raised), "member", "who falls with the owner");
  t.equal(await roleOf(keptId), "gatekeeper", "and not who was let in by another");
  t.equal(await look(pass.token), 200);
  const { person: second, id: secondId } = await house.join("owner");
  await second.call("PATCH", `/api/persons/${raised}`, { role: "gatekeeper" });
  t.match(
    await owner.call("POST", `/api/persons/${secondId}/grants`, { person: "remove", grants: { gatekeeper: "keep" } }),
    {
      status: 200,
      body: { kept: { gatekeeper: 1 } },
    },
  );
  t.equal(await roleOf(raised), "gatekeeper", "kept by the person who decides");
});

t.test("an edit that widens nothing leaves a rule to who answers for it", async (t) => {
  const { person, id } = await house.join("gatekeeper");
  const edit = async (by: Person, rule: number, change: object) =>
    t.equal((await by.call("PATCH", `/api/plate-rules/${rule}`, change)).status, 200, JSON.stringify(change));
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const nights = [{ days: [1, 2, 3], from: "20:00", to: "22:00" }];
  const kept: number[] = [];
  for (const change of [
    { label: "" },
    { enabled: true },
    { label: "Grandma" },
    { validTo: until },
    { windows: nights },
    { earns: "note" },
    { kind: "deny" },
  ]) {
    const { id: rule } = await list(owner, "allow");
    await edit(person, rule, change);
    if (!("kind" in change)) kept.push(rule);
  }
  const off = await list(owner, "allow");
  await edit(person, off.id, { enabled: false });
  t.same(await kindsOf(id), {}, "a gatekeeper answers for none of them");
  const own: number[] = [];
  for (const change of [{ label: "" }, { enabled: true }, { label: "Theirs" }, { validTo: until }]) {
    const { id: rule } = await list(person, "allow");
    await edit(owner, rule, change);
    own.push(rule);
  }
  t.same(await kindsOf(id), { plate_rule: 4 }, "and an owner takes none of theirs");
  const { body } = await owner.call<{ audit: { action: string; detail: { id: number } }[] }>("GET", "/api/audit");
  const lines = body.audit.filter(({ action, detail }) => action === "plate_rule.edited" && detail.id === own[1]);
  t.same(lines, [], "an edit that changes nothing is none");

  const widened: number[] = [];
  for (const [before, change] of [
    [{ kind: "deny" }, { kind: "allow" }],
    [{ kind: "watch" }, { kind: "allow" }],
    [{ enabled: false }, { enabled: true }],
    [{ validTo: until }, { validTo: null }],
    [{ windows: nights }, { windows: [{ days: [1, 2, 3, 4], from: "20:00", to: "22:00" }] }],
    [{ windows: nights }, { windows: [] }],
    [{ earns: "ask" }, { earns: "open" }],
  ] as const) {
    const { id: rule } = await list(owner, "allow");
    await edit(owner, rule, before);
    await edit(person, rule, change);
    widened.push(rule);
  }
  t.same(await kindsOf(id), { plate_rule: 4 + widened.length }, "who lets in more answers for it");
  t.equal((await owner.call("PATCH", `/api/persons/${id}`, { role: "member" })).status, 200);
  for (const rule of kept) t.equal((await ruleOf(rule))?.enabled, true, "the family's plates stay");
  for (const rule of [...own, ...widened]) t.equal((await ruleOf(rule))?.enabled, false);
});

t.test(
  "a guest's rule that is only named anew stays its host's, as does a link that puts nothing on the list",
  async (t) => {
    const { person, id } = await house.join("gatekeeper");
    const give = async (by: Person, guestMayTellPlate: boolean) => {
      const { body } = await by.call<{ token: string; pass: { id: number; ruleId: number } }>("POST", "/api/passes", {
        label: "Gran",
        plate: newPlate(),
        deviceId: null,
        validTo: new Date(Date.now() + 86_400_000).toISOString(),
        guestMayTellPlate,
      });
      return body.pass;
    };
    const [shown, telling, named] = [await give(owner, false), await give(owner, true), await give(owner, false)];
    const theirs = await give(person, false);
    for (const pass of [shown, telling])
      t.equal((await person.call("POST", `/api/passes/${pass.id}/link`, {})).status, 200);
    t.same(await kindsOf(id), { guest_pass: 2 }, "their own, and the one whose new link may name a plate");
    await person.call("PATCH", `/api/plate-rules/${named.ruleId}`, { label: "Grandma" });
    await owner.call("PATCH", `/api/plate-rules/${theirs.ruleId}`, { label: "A guest of theirs" });
    t.same(await kindsOf(id), { guest_pass: 2, plate_rule: 1 });
    await owner.call("DELETE", `/api/persons/${id}`);
    t.equal((await ruleOf(shown.ruleId))?.enabled, true);
    t.equal((await ruleOf(named.ruleId))?.enabled, true);
    t.equal(await ruleOf(telling.ruleId), undefined);
    t.equal((await ruleOf(theirs.ruleId))?.enabled, false, "what an owner only named anew");
  },
);

for (const fate of ["remove", "member"] as const)
  t.test(`an app that an owner gave a new secret is still its person's (${fate})`, async (t) => {
    const { person, id } = await house.join("gatekeeper");
    await pair(person, ["plates:read", "plates:write"]);
    const { body } = await owner.call<{ keys: { id: number; person: string | null }[] }>("GET", "/api/keys");
    const app = body.keys.filter((one) => one.person !== null).at(-1);
    const rotated = await owner.call<MadeKey>("POST", `/api/keys/${app?.id}/rotate`, {});
    const made = await house.ask(rotated.body, "POST", "/v1/plate-rules", { plate: newPlate(), kind: "allow" });
    t.equal(made.status, 201);
    t.same(await kindsOf(id), { api_key: 2, plate_rule: 1 }, "their person answers for both secrets and the plate");
    t.match(await owner.call("POST", `/api/persons/${id}/grants`, { person: fate }), {
      status: 200,
      body: { ended: { api_key: 2, plate_rule: 1 } },
    });
    t.equal((await house.ask(rotated.body, "GET", "/v1/plate-rules")).status, 401);
    t.equal((await ruleOf(made.body.rule.id))?.enabled, false);
  });

/** A hub in this process, at which somebody falls after their request was let pass and before its job runs. */
const fallingAt = async (t: Test, role: "gatekeeper" | "owner") => {
  const hub = await startConsoleHub(t, {});
  const join = async (name: string, as: string) => {
    const { body } = await hub.call("POST", "/api/persons/invitations", { name, role: as });
    const person = new Person(`http://127.0.0.1:${hub.port}`);
    const email = `${name.toLowerCase()}@example.org`;
    const joined = { code: body.code, name, email, password: "a quiet sentence about rain" };
    const { body: answer } = await person.call<{ account: { id: number } }>("POST", "/api/join", joined);
    return { person, id: answer.account.id };
  };
  const fallen = await join("Ravi", role);
  const { database } = hub.hub.base;
  const write = database.write.bind(database);
  const during = async (act: () => Promise<{ status: number }>): Promise<number> => {
    const { persons, accounts } = hub.hub.access;
    const head = accounts.owner()?.id ?? 0;
    database.write = async (job) => {
      database.write = write;
      await persons.setRole(head, fallen.id, "member", { accountId: head, actor: "cli" });
      return write(job);
    };
    const { status } = await act();
    database.write = write;
    await persons.setRole(head, fallen.id, role, { accountId: head, actor: "cli" });
    return status;
  };
  return { hub, join, fallen, during };
};

t.test("what a gatekeeper who fell had on its way is refused", async (t) => {
  const { hub, fallen, during } = await fallingAt(t, "gatekeeper");
  const head = new Person(`http://127.0.0.1:${hub.port}`, hub.cookie);
  const made = async (kind: string) =>
    (await head.call<{ rule: Rule }>("POST", "/v1/plate-rules", { plate: newPlate(), kind })).body.rule;
  const [ban, allowed] = [await made("deny"), await made("allow")];
  const pass = await hub.call("POST", "/api/passes", {
    label: "Gran",
    plate: newPlate(),
    deviceId: null,
    validTo: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const { person } = fallen;
  const acts: [string, string, object | undefined][] = [
    ["PATCH", `/api/plate-rules/${ban.id}`, { kind: "watch" }],
    ["PATCH", `/api/plate-rules/${allowed.id}`, { kind: "deny" }],
    ["DELETE", `/v1/plate-rules/${ban.id}`, undefined],
    ["POST", "/v1/plate-rules", { plate: newPlate(), kind: "deny" }],
    ["POST", "/api/plate-rules/import", { rules: [{ plate: newPlate(), kind: "deny" }] }],
    ["POST", "/api/passes", { label: "B", plate: null, validTo: new Date(Date.now() + 86_400_000).toISOString() }],
    ["POST", `/api/passes/${pass.body.pass.id}/link`, {}],
    ["DELETE", `/api/passes/${pass.body.pass.id}`, undefined],
  ];
  const state = async () => [
    (await head.call("GET", "/v1/plate-rules")).body,
    (await head.call("GET", "/api/passes")).body,
  ];
  const before = await state();
  for (const [method, path, body] of acts)
    t.equal(await during(() => person.call(method, path, body)), 403, `${method} ${path}`);
  t.same(await state(), before);
});

t.test("what an owner who fell had on its way makes and unmakes nobody", async (t) => {
  const { hub, join, fallen, during } = await fallingAt(t, "owner");
  const [guard, child] = [await join("Gopal", "gatekeeper"), await join("Asma", "member")];
  const acts: [string, string, object | undefined][] = [
    ["PATCH", `/api/persons/${guard.id}`, { role: "member" }],
    ["PATCH", `/api/persons/${child.id}`, { role: "gatekeeper" }],
    ["PATCH", `/api/persons/${fallen.id}`, { role: "owner" }],
    ["POST", `/api/persons/${child.id}/grants`, { person: "remove" }],
    ["POST", `/api/persons/${guard.id}/grants`, { person: "stay" }],
    ["DELETE", `/api/persons/${child.id}`, undefined],
    ["POST", "/api/persons/invitations", { name: "Friend", role: "owner" }],
  ];
  for (const [method, path, body] of acts) {
    await fallen.person.call("POST", "/api/session/proof", { password: "a quiet sentence about rain" });
    t.equal(await during(() => fallen.person.call(method, path, body)), 403, `${method} ${path}`);
  }
  const { body } = await hub.call("GET", "/api/persons", undefined);
  const roles = body.persons.map(({ id, role }: { id: number; role: string }) => [id, role]);
  t.same(new Map(roles).get(guard.id), "gatekeeper");
  t.same(new Map(roles).get(child.id), "member");
  t.same(body.invitations, []);
});

t.test("an approval of an app is void once its person was lowered, also when they are raised again", async (t) => {
  const { person, id } = await house.join("gatekeeper");
  const app = new Person(house.hub.url);
  const scopes = ["plates:read", "plates:write"];
  const { body } = await app.call<{ user_code: string; device_code: string }>("POST", "/v1/pairing", {
    client_name: "Panel",
    scope: scopes.join(" "),
  });
  const approval = { userCode: body.user_code, name: "Panel", scopes };
  t.equal((await person.call("POST", "/api/pairing/approve", approval)).status, 200);
  for (const role of ["member", "gatekeeper"]) await owner.call("PATCH", `/api/persons/${id}`, { role });
  const fetched = await app.call("POST", "/v1/pairing/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: body.device_code,
  });
  t.equal(fetched.status, 400);
  t.same(await kindsOf(id), {});
});
