/**
 * A member who may open at some times, or some gates: whatever they send, by whatever session or app, the house stays
 * shut to them outside that, also after a restore, and by the hand of an accomplice.
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
const weekday = (ahead: number): number => new Date(Date.now() + ahead * 86_400_000).getUTCDay() || 7;
const whole = { from: "00:00", to: "00:00" };
const NOW = [{ days: [1, 2, 3, 4, 5, 6, 7], ...whole }];
const NEVER = [{ days: [weekday(3)], ...whole }];

interface Refusal {
  readonly error?: { readonly code: string; readonly message: string; readonly words?: { readonly code: string } };
}
const twice = <One>(one: One): One[] => [one, one];
const arrive = async (hub: HubProcess, owner: Person, name: string, role: Role, limits: unknown = null) => {
  const invited = await owner.call<{ code: string }>("POST", "/api/persons/invitations", { name, role, limits });
  const person = new Person(hub.url);
  const joined = await person.call<{ account: { id: number } }>("POST", "/api/join", {
    code: invited.body.code,
    name,
    email: `${name.toLowerCase()}@example.org`,
    password: PASSWORD,
  });
  return { person, id: joined.body.account.id };
};
const limit = async (owner: Person, id: number, limits: unknown) => {
  const { status, body } = await owner.call<Refusal>("PATCH", `/api/persons/${id}`, { limits });
  return [status, body.error?.words?.code];
};
const pairApp = async (hub: HubProcess, by: Person): Promise<string> => {
  const scopes = ["devices:control", "devices:read", "scenes:run", "scenes:read"];
  const app = new Person(hub.url);
  const { body } = await app.call<{ user_code: string; device_code: string }>("POST", "/v1/pairing", {
    client_name: "Phone",
    scope: scopes.join(" "),
  });
  await by.call("POST", "/api/pairing/approve", { userCode: body.user_code, name: "Phone", scopes });
  const fetched = await app.call<{ access_token: string }>("POST", "/v1/pairing/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: body.device_code,
  });
  return fetched.body.access_token;
};

t.test("nothing opens outside the limits, at whatever door they knock", async (t) => {
  const house = await HouseholdProcess.start(t);
  const { owner, hub } = house;
  const heard: string[] = [];
  for (const [id, type] of [
    ["front", "gate"],
    ["back", "gate"],
    ["door", "lock"],
    ["alarm", "sentinel"],
    ["lamp", "light"],
  ] as const) {
    const password = await house.device(id, type);
    const client = await house.connect(t, id, password);
    client.on("message", (topic, payload) => heard.push(`${topic.split("/")[1]} ${String(payload)}`));
    await client.subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
    if (id === "lamp") await client.publishAsync("gatehouse/lamp/state", '{"power":false}', { qos: 1 });
    if (id === "lamp")
      client.on("message", () => {
        // at the end of the test it may be cut off
        client.publishAsync("gatehouse/lamp/state", '{"power":true}', { qos: 1 }).catch(() => {});
      });
  }
  const scene = await owner.call<{ scene: { id: number } }>("POST", "/api/scenes", {
    name: "Coming home",
    actions: [
      { deviceId: "lamp", command: { n: 7 } },
      { deviceId: "front", command: { open: true } },
    ],
  });
  const open = { type: "command", deviceId: "front", command: { open: "by a rule" } };
  for (const trigger of [
    { type: "house", becomes: "night" },
    { type: "presence", event: "arrives" },
    { type: "state", deviceId: "lamp", field: "power", op: "truthy" },
  ])
    t.equal((await owner.call("POST", "/v1/automations", { name: "r", trigger, action: open })).status, 201);
  const { person, id } = await arrive(hub, owner, "Meena", "member", { times: NEVER, gates: null });
  const app = await pairApp(hub, person);
  const byApp = async (path: string, body: unknown) => {
    const answer = await fetch(hub.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${app}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Refusal };
  };
  const knock = async () => {
    const answers: (readonly [number, string | undefined])[] = [];
    const take = ({ status, body }: { status: number; body: Refusal }) =>
      answers.push([status, body.error?.words?.code]);
    for (const [deviceId, command] of [
      ["front", { open: true }],
      ["back", { open: true }],
      ["door", { locked: false }],
      ["alarm", { armed: false }],
    ] as const) {
      take(await person.call<Refusal>("POST", `/v1/devices/${deviceId}/commands`, command));
      take(await byApp(`/v1/devices/${deviceId}/commands`, command));
    }
    take(await person.call<Refusal>("POST", `/v1/scenes/${scene.body.scene.id}/activate`, {}));
    take(await byApp(`/v1/scenes/${scene.body.scene.id}/activate`, {}));
    return answers;
  };
  const refused = Array.from({ length: 8 }, () => [403, "forbidden.outsideTimes"]);
  t.same(await knock(), [...refused, ...twice([403, "forbidden.lever"])], "rules open by the lamp of the scene");
  t.equal((await person.call("PUT", "/api/house/mode", { mode: "night" })).status, 403);
  t.equal((await person.call("PUT", "/api/house/presence", { is: "home" })).status, 403);
  t.equal((await person.call("POST", "/v1/devices/lamp/commands", { power: true })).status, 403);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  t.same(
    heard.filter((text) => !text.startsWith("lamp")),
    [],
    "no rule opened for them",
  );
  const stream = await house.stream(t, person);
  t.same(await limit(owner, id, { times: NOW, gates: ["back"] }), [200, undefined]);
  await new Promise((resolve) => setTimeout(resolve, 500));
  t.ok(stream.hasEnded, "their pages begin again");
  t.same(
    (await knock()).map(([status, code]) => code ?? status),
    [
      ...twice("forbidden.otherGate"),
      ...twice(202),
      ...twice("forbidden.otherGate"),
      ...twice("forbidden.otherGate"),
    ].concat(twice("forbidden.lever")),
  );
  t.same(await limit(owner, id, null), [200, undefined]);
  t.same(
    (await knock()).map(([status]) => status),
    Array.from({ length: 10 }, () => 202),
  );
});

t.test("nobody moves their own limits, by themselves or with an accomplice", async (t) => {
  const { owner, hub } = await HouseholdProcess.start(t);
  const limits = { times: NEVER, gates: null };
  const me = (await owner.call<{ account: { id: number } }>("GET", "/api/me")).body.account.id;
  t.same(await limit(owner, me, limits), [409, "conflict.firstOwnerStays"]);
  const meena = await arrive(hub, owner, "Meena", "member", limits);
  t.same(await limit(meena.person, meena.id, null), [403, "forbidden.ownersOnly"]);
  t.equal((await owner.call("PATCH", `/api/persons/${meena.id}`, { role: "owner" })).status, 200);
  await meena.person.call("POST", "/api/session/proof", { password: PASSWORD }); // proofs of a member do not count
  t.same(await limit(meena.person, meena.id, null), [403, "forbidden.ownLimits"], "while they rest");
  const free = { name: "Friend", role: "owner" };
  t.equal((await meena.person.call("POST", "/api/persons/invitations", free)).status, 403, "nor frees anybody else");
  const friend = await arrive(hub, owner, "Friend", "member");
  t.equal((await meena.person.call("PATCH", `/api/persons/${friend.id}`, { role: "owner" })).status, 200);
  await friend.person.call("POST", "/api/session/proof", { password: PASSWORD });
  t.same(await limit(friend.person, meena.id, null), [403, "forbidden.ownLimits"], "by whom they made an owner");
  t.same(await limit(friend.person, meena.id, { times: NEVER, gates: ["front"] }), [400, undefined], "no such gate");
  t.equal((await owner.call("PATCH", `/api/persons/${meena.id}`, { role: "member" })).status, 200);
  const { body } = await owner.call<{ persons: { id: number; role: string; limits: unknown }[] }>(
    "GET",
    "/api/persons",
  );
  t.hasStrict(
    body.persons.find((one) => one.id === meena.id),
    { role: "member", limits },
    "they bind again",
  );
  t.equal(body.persons.find((one) => one.id === friend.id)?.role, "member");
});

for (const isLost of [false, true])
  t.test(`an older backup widens nothing${isLost ? ", also where the database is lost" : ""}`, async (t) => {
    const folder = testFolder(t);
    const { hub, owner } = await startOwnedHub(folder, { GATEHOUSE_RECOGNITION: "false" });
    t.teardown(() => hub.kill());
    const wide = { times: NOW, gates: null };
    const [given, narrowed, freed] = [
      await arrive(hub, owner, "Given", "member"),
      await arrive(hub, owner, "Narrowed", "member", wide),
      await arrive(hub, owner, "Freed", "member", wide),
    ];
    const file = await backUp(owner, folder);
    const limits = { times: NEVER, gates: null };
    t.same(await limit(owner, given.id, limits), [200, undefined]);
    t.same(await limit(owner, narrowed.id, limits), [200, undefined]);
    t.same(await limit(owner, freed.id, null), [200, undefined]);
    await hub.stop();
    if (isLost) for (const name of readdirSync(folder)) if (name.startsWith("gatehouse.db")) rmSync(join(folder, name));
    const { code, err } = await gatehouse(folder, ["restore", file]);
    t.equal(code, 0, err);
    const next = await startHubProcess(folder, { GATEHOUSE_RECOGNITION: "false" });
    t.teardown(() => next.kill());
    const again = new Person(next.url);
    await again.call("POST", "/api/session", { email: OWNER.email, password: OWNER.password });
    const { body } = await again.call<{ persons: { id: number; limits: unknown }[] }>("GET", "/api/persons");
    const of = (id: number) => body.persons.find((one) => one.id === id)?.limits;
    t.same(of(given.id), limits);
    t.same(of(narrowed.id), limits);
    t.same(of(freed.id), isLost ? wide : null, "that they were lifted is known to the lost database alone");
  });

async function backUp(owner: Person, folder: string): Promise<string> {
  await owner.call("POST", "/api/backups", {});
  const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) =>
    /gatehouse-[^/]*\.db\.gz$/.test(name),
  );
  if (file === undefined) throw new Error("no backup");
  return join(folder, file);
}
