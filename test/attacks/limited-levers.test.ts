/**
 * What decides whom the house lets in is not for a limited member to move: neither to open by it, nor to keep it from
 * opening for others. What no opening goes by stays theirs.
 */
import type { MqttClient } from "mqtt";
import t, { type Test } from "tap";
import { askingHub, signInAs } from "../support/gate-questions.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { Person } from "../support/hub-process.ts";

t.setTimeout(120_000);
const weekday = (ahead: number): number => new Date(Date.now() + ahead * 86_400_000).getUTCDay() || 7;
const NEVER = { times: [{ days: [weekday(3)], from: "00:00", to: "00:00" }], gates: null };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Answer {
  readonly error?: { readonly words?: { readonly code: string } };
}
interface Standing {
  readonly opening: {
    readonly levers: { readonly devices: readonly string[]; readonly mode: boolean; readonly presence: boolean };
  } | null;
}

async function limitedHouse(t: Test) {
  const house = await HouseholdProcess.start(t);
  const { owner, hub } = house;
  const arrives = async (name: string, limits: unknown) => {
    const invited = await owner.call<{ code: string }>("POST", "/api/persons/invitations", {
      name,
      role: "member",
      limits,
    });
    const person = new Person(hub.url);
    const account = { name, email: `${name}@example.org`, password: "a quiet sentence about rain" };
    const { body } = await person.call<{ account: { id: number } }>("POST", "/api/join", {
      code: invited.body.code,
      ...account,
    });
    return { person, id: body.account.id };
  };
  const { person, id: personId } = await arrives("Meena", NEVER);
  const device = async (id: string, type: string, state: object | null = null) => {
    const heard: string[] = [];
    const client: MqttClient = await house.connect(t, id, await house.device(id, type));
    client.on("message", (_topic, payload) => heard.push(String(payload)));
    await client.subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
    const says = (what: object) => client.publishAsync(`gatehouse/${id}/state`, JSON.stringify(what), { qos: 1 });
    if (state !== null) await says(state);
    return { heard, says };
  };
  const rule = async (trigger: object, action: object, conditions: readonly object[] = []) => {
    const { status, body } = await owner.call<{ automation: { id: number } }>("POST", "/v1/automations", {
      ...{ name: "r", trigger, conditions, action },
    });
    t.equal(status, 201);
    return body.automation.id;
  };
  const may = async (by: Person, method: "POST" | "PUT", path: string, body: object) => {
    const answer = await by.call<Answer>(method, path, body);
    return answer.status === 403 ? answer.body.error?.words?.code : answer.status;
  };
  const tells = (id: string, command: object, by = person) => may(by, "POST", `/v1/devices/${id}/commands`, command);
  const levers = async () => (await person.call<Standing>("GET", "/api/standing")).body.opening?.levers;
  return { ...house, house, owner, hub, person, personId, arrives, device, rule, may, tells, levers };
}
const REFUSED = "forbidden.lever";
const on = (deviceId: string, field = "power") => ({ type: "state", deviceId, field, op: "truthy" });
const OPEN = { type: "command", deviceId: "front", command: { open: true } };
const nightly = { type: "time", at: "03:00" };

t.test("a sensor of the house's exit cannot be kept from opening it", async (t) => {
  const { device, rule, tells, levers, arrives, owner } = await limitedHouse(t);
  const front = await device("front", "gate");
  const exit = await device("exit", "sensor", { motion: false });
  await device("lamp", "light", { power: false });
  await device("fan", "fan", { power: false });
  const id = await rule(on("exit", "motion"), OPEN);
  for (let n = 0; n < 3; n++) t.equal(await tells("exit", { identify: n }), REFUSED);
  t.equal(await tells("lamp", { power: true }), 202, "a lamp that nothing opens by is free");
  t.equal(await tells("fan", { power: true }), 202);
  t.hasStrict(await levers(), { devices: ["exit"], mode: false, presence: false }, "their pages know it");
  await exit.says({ motion: true });
  await wait(1_500);
  t.same(front.heard, ['{"open":true}'], "the person at the exit gets out");
  const all = [1, 2, 3, 4, 5, 6, 7];
  const free = await arrives("Ravi", { times: [{ days: all, from: "00:00", to: "00:00" }], gates: null });
  t.equal(await tells("exit", { identify: 1 }, free.person), 202, "within their times it is theirs, too");
  const limits = { times: [], gates: ["front"] };
  t.equal((await owner.call("PATCH", `/api/persons/${free.id}`, { limits })).status, 200);
  t.equal(await tells("exit", { identify: 1 }, free.person), REFUSED, "with a list of gates it never is");
  t.equal(await tells("exit", { identify: 1 }, owner), 202);
  t.equal((await owner.call("PATCH", `/v1/automations/${id}`, { enabled: false })).status, 200);
  t.equal(await tells("exit", { identify: 1 }), 202, "a rule that is off opens nothing");
});

t.test("conditions, and what other rules and scenes make of something", async (t) => {
  const { device, rule, tells, levers, may, person, owner } = await limitedHouse(t);
  await device("front", "gate");
  await device("alarm", "sentinel", { armed: true });
  for (const id of ["a", "b", "c", "d", "e", "g"]) await device(id, "switch", { power: false });
  await device("smoke", "sensor", { smoke: false });
  await device("quiet", "sensor");
  const scene = async (name: string, actions: readonly object[], houseMode: string | null = null) => {
    const made = await owner.call<{ scene: { id: number } }>("POST", "/api/scenes", { name, actions, houseMode });
    t.equal(made.status, 201);
    return made.body.scene.id;
  };
  const is = (deviceId: string) => ({ type: "state", deviceId, field: "power", op: "truthy" });
  // a → b → the front gate, by a condition within conditions; c by a scene that disarms; g moves nothing
  await rule(nightly, OPEN, [{ type: "any", conditions: [{ type: "not", condition: is("b") }] }]);
  await rule(on("a"), { type: "sequence", actions: [{ type: "command", deviceId: "b", command: { power: true } }] });
  const disarming = await scene("Home", [{ deviceId: "alarm", command: { armed: false } }]);
  await rule(on("c"), {
    type: "either",
    do: { type: "notify", title: "t", body: "b" },
    otherwise: { type: "scene", sceneId: disarming },
  });
  const lit = await scene("Lit", [{ deviceId: "c", command: { power: true } }]);
  await rule(on("d"), { type: "scene", sceneId: lit });
  await rule(on("g"), { type: "command", deviceId: "alarm", command: { armed: true } });
  await rule({ type: "any_state", field: "smoke", op: "truthy" }, OPEN);
  for (const id of ["a", "b", "c", "d", "smoke", "quiet"])
    t.equal(await tells(id, { power: true }), REFUSED, `${id} leads to what opens`);
  for (const id of ["e", "g"]) t.equal(await tells(id, { power: true }), 202, `${id} does not`);
  t.equal(await tells("alarm", { armed: true }), 202, "and everybody may arm");
  t.equal(await may(person, "POST", `/v1/scenes/${lit}/activate`, {}), REFUSED, "a scene is refused whole");
  t.same((await levers())?.devices.toSorted(), ["a", "b", "c", "d", "quiet", "smoke"]);
});

t.test("the mode, and where they are", async (t) => {
  const { device, rule, tells, may, person, personId, levers, owner } = await limitedHouse(t);
  await device("front", "gate");
  await device("phone", "sensor", { presence: false });
  await device("lamp", "light", { power: false });
  const say = (is: string) => may(person, "PUT", "/api/house/presence", { is });
  const set = (mode: string) => may(person, "PUT", "/api/house/mode", { mode });
  t.equal(await set("night"), 200);
  t.equal(await say("home"), 200);
  t.equal(await tells("phone", { ring: true }), 202);
  await rule(nightly, OPEN, [{ type: "house", is: "home" }]);
  await rule(on("lamp"), { type: "house", mode: "home" });
  const scene = await owner.call<{ scene: { id: number } }>("POST", "/api/scenes", {
    ...{ name: "Home", actions: [{ deviceId: "front", command: { open: false } }], houseMode: "home" },
  });
  t.equal(await set("home"), REFUSED);
  t.equal(await set("night"), 200, "as it is already");
  t.equal(await may(person, "POST", `/v1/scenes/${scene.body.scene.id}/activate`, {}), REFUSED);
  t.equal(await tells("lamp", { power: true }), REFUSED, "a rule sets the mode by it");
  t.equal(await say("away"), 200);
  const sources = { plate: null, deviceId: "phone" };
  t.equal((await owner.call("PUT", `/api/house/persons/${personId}`, sources)).status, 200);
  await rule(nightly, OPEN, [{ type: "presence", is: "home" }]);
  t.equal(await say("home"), REFUSED);
  t.equal(await tells("phone", { ring: true }), REFUSED, "what follows them says where they are");
  const all = await levers();
  t.same([all?.devices.toSorted(), all?.mode, all?.presence], [["lamp", "phone"], true, true]);
});

t.test("what the gate asks, and what its cameras see", async (t) => {
  const p = await askingHub(t, "open");
  for (const [id, type] of [
    ["away", "switch"],
    ["tag", "sensor"],
    ["bell", "sensor"],
    ["lamp", "light"],
  ])
    await p.call("POST", "/api/devices", { id, name: id, type });
  const before = (await p.call("GET", "/api/gate-choices")).body.choices;
  const choices = {
    ...before,
    defaults: [{ earns: "ask", deviceId: null, windows: [], away: true }],
    away: { deviceId: "away", field: "power", value: true },
    confirmedBy: [{ kind: "event", cameraId: null, deviceId: "tag", event: "read" }],
  };
  t.equal((await p.call("PUT", "/api/gate-choices", choices)).status, 200);
  const source = {
    kind: "snapshot",
    url: "http://127.0.0.1:9/",
    watch: { kind: "loop", deviceId: "bell", field: "on" },
  };
  await p.call("POST", "/api/devices", { id: "yard", name: "Yard", type: "camera" });
  t.equal((await p.call("PATCH", "/api/cameras/yard", { source })).status, 200);
  const member = await signInAs(p, "member");
  t.equal((await p.call("PATCH", `/api/persons/${member.id}`, { limits: NEVER })).status, 200);
  const tells = async (id: string, json: object) =>
    (await p.v1.post(`/v1/devices/${id}/commands`, { headers: member.headers, json })).status;
  for (const id of ["away", "tag", "bell", "camera", "yard"]) t.equal(await tells(id, { power: false }), 403, id);
  t.equal(await tells("lamp", { power: true }), 202);
});

t.test("to set the mode that it has already takes nothing back that somebody sets just then", async (t) => {
  const { hub, call } = await askingHub(t, "open");
  await call("POST", "/api/devices", { id: "bell", name: "Bell", type: "sensor" });
  const rule = {
    ...{ name: "r", trigger: on("bell", "pressed"), conditions: [{ type: "house", is: "home" }] },
    action: { type: "command", deviceId: "gate", command: { open: true } },
  };
  await hub.automations.automations.create(hub.access.accounts.household()?.id ?? 0, rule);
  const member = await signInAs({ hub }, "member");
  t.equal((await call("PATCH", `/api/persons/${member.id}`, { limits: NEVER })).status, 200);
  const { access, house, base } = hub;
  const siteId = access.accounts.household()?.id ?? 0;
  const { id } = await base.database.write(() =>
    access.sessions.open(member.id, { address: "192.168.1.20", userAgent: "phone" }),
  );
  // both are asked while the house is still home
  const [byOwner, byMember] = await Promise.allSettled([
    house.modes.set(siteId, "away", { actor: "cli", name: null }),
    house.modes.set(siteId, "home", { actor: `session:${id}`, name: "Mina" }),
  ]);
  t.match(byOwner, { status: "fulfilled" });
  t.match(byMember, { status: "rejected", reason: { words: { code: REFUSED } } });
  t.equal(house.modes.now(siteId).mode, "away");
});
