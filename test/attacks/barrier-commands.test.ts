/** Somebody who may open a gate looks for a command that opens it and leaves no opening behind. */
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually, type Person } from "../support/hub-process.ts";

t.setTimeout(120_000);
const house = await HouseholdProcess.start(t, { GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS: "0" });
const { owner, hub } = house;
const { person } = await house.join("member");

async function barrier(id: string, state: object, schema?: object) {
  const password = await house.device(id, "gate");
  const heard: string[] = [];
  const client = await house.connect(t, id, password, { heard });
  await client.subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
  if (schema !== undefined)
    await client.publishAsync(`gatehouse/${id}/info`, JSON.stringify({ commands: schema }), { qos: 1 });
  await client.publishAsync(`gatehouse/${id}/state`, JSON.stringify(state), { qos: 1 });
  await eventually(async () => {
    const { body } = await owner.call<{ device: { state: object } }>("GET", `/v1/devices/${id}`);
    return Object.keys(body.device.state).length === Object.keys(state).length || undefined;
  });
  return { id, heard };
}

const send = async (by: Person, id: string, body: string) => {
  const response = await fetch(`${hub.url}/v1/devices/${id}/commands`, {
    method: "POST",
    headers: { cookie: by.cookie, origin: hub.url, "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
};

const openings = async (id: string) => {
  const { body } = await owner.call<{ openings: { deviceId: string; by: object; result: string }[] }>(
    "GET",
    "/api/openings",
  );
  return body.openings.filter(({ deviceId }) => deviceId === id);
};

const recorded = (id: string, count: number) =>
  eventually(async () => {
    const all = await openings(id);
    return all.length >= count ? all : undefined;
  });

const TRICKS = [
  '{"power":true}',
  '{"power":true,"x":1}',
  '{"power":1}',
  '{"power":"close"}',
  '{"toggle":true}',
  '{"power":true,"close":true}',
  '{"open":true,"open":false,"power":true}',
  '{"open":false,"Power":true}',
  '{"stop":true,"power":true}',
  '{"power":false,"x":1}',
];

t.test("whatever reaches the relay of a gate and does not only close it is an opening", async (t) => {
  const relay = await barrier("relay", { power: false });
  for (const [at, command] of TRICKS.entries()) {
    t.equal((await send(person, relay.id, command)).status, 202, command);
    const all = await recorded(relay.id, at + 1);
    t.equal(all.length, at + 1, `${command} is recorded once`);
    t.match(all[0]?.by, { kind: "person", name: "Ravi" });
  }
  const acts = await owner.call<{ audit: { action: string }[] }>("GET", "/api/audit");
  t.equal(acts.body.audit.filter(({ action }) => action === "gate.open").length, TRICKS.length);
  for (const command of ['{"open":false}', '{"stop":true}', "{}", '{"power":false}'])
    t.equal((await send(person, relay.id, command)).status, 202, command);
  await eventually(() => relay.heard.length >= TRICKS.length + 4 || undefined);
  await send(person, relay.id, '{"open":true}');
  t.equal((await recorded(relay.id, TRICKS.length + 1)).length, TRICKS.length + 1, "what only closes is none");
});

t.test("a gate that does not say how it stands may be opened by any word that it alone knows", async (t) => {
  const gate = await barrier("gate1", {});
  for (const [at, command] of ['{"gate":1}', '{"open":1}', '{"pulse":500}', '{"Open":true}'].entries()) {
    await send(person, gate.id, command);
    t.equal((await recorded(gate.id, at + 1)).length, at + 1, command);
  }
});

t.test("a gate gets the one meaning that is recorded of a key that is named twice", async (t) => {
  const gate = await barrier("gate2", {});
  const shut = await send(person, gate.id, '{"open":true,"open":false}');
  t.equal(shut.status, 202);
  t.ok(shut.text.includes('"command":{"open":false},'), "the answer says what was sent");
  const open = await send(person, gate.id, '{"open":false, "\\u006fpen":true}');
  t.equal(open.status, 202);
  t.equal((await recorded(gate.id, 1)).length, 1);
  await send(person, gate.id, '{"do":{"open":true,"open":false}}');
  await send(person, gate.id, '{ "open" : true }');
  await eventually(() => gate.heard.length >= 4 || undefined);
  t.same(gate.heard, ['{"open":false}', '{"open":true}', '{"do":{"open":false}}', '{ "open" : true }']);
});

t.test("a gate that says it is shut is not said to be opened by its lamp, but by what opens it", async (t) => {
  const password = await house.device("gate3", "gate");
  const client = await house.connect(t, "gate3", password);
  await client.subscribeAsync("gatehouse/gate3/command", { qos: 1 });
  const says = (gate: string) => client.publishAsync("gatehouse/gate3/state", JSON.stringify({ gate }), { qos: 1 });
  await says("closed");
  await eventually(async () => {
    const { body } = await owner.call<{ device: { state: { gate?: string } } }>("GET", "/v1/devices/gate3");
    return body.device.state.gate === "closed" || undefined;
  });
  await send(person, "gate3", '{"light":true}');
  t.same(await openings("gate3"), []);
  await send(person, "gate3", '{"toggle":true}');
  await says("open");
  t.hasStrict(await recorded("gate3", 1), [{ result: "opened" }]);
  t.match((await openings("gate3"))[0]?.by, { kind: "person", name: "Ravi" });
});
