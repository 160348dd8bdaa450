/**
 * What a limited member sets off opens nothing, whatever lies between their hand and the rule: a device that takes its
 * time, one that says something in two messages, and what a command says beside "arm".
 */
import type { MqttClient } from "mqtt";
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";
import { Person } from "../support/hub-process.ts";

t.setTimeout(180_000);
const weekday = (ahead: number): number => new Date(Date.now() + ahead * 86_400_000).getUTCDay() || 7;
const NEVER = { times: [{ days: [weekday(3)], from: "00:00", to: "00:00" }], gates: null };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function limitedHouse(t: Parameters<typeof HouseholdProcess.start>[0]) {
  const house = await HouseholdProcess.start(t);
  const { owner, hub } = house;
  const invited = await owner.call<{ code: string }>("POST", "/api/persons/invitations", {
    name: "Meena",
    role: "member",
    limits: NEVER,
  });
  const person = new Person(hub.url);
  await person.call("POST", "/api/join", {
    code: invited.body.code,
    name: "Meena",
    email: "meena@example.org",
    password: "a quiet sentence about rain",
  });
  /** What a device was told; `reports`: what it then says, each after its ms. */
  const device = async (
    id: string,
    type: string,
    reports: (command: Record<string, unknown>) => readonly (readonly [number, object])[] = () => [],
    state: object | null = null,
  ) => {
    const heard: string[] = [];
    const password = await house.device(id, type);
    const says = (client: MqttClient, what: object) =>
      client.publishAsync(`gatehouse/${id}/state`, JSON.stringify(what), { qos: 1 });
    const plug = async (): Promise<MqttClient> => {
      const client = await house.connect(t, id, password, { clean: false });
      client.on("message", (_topic, payload) => {
        heard.push(String(payload));
        for (const [ms, what] of reports(JSON.parse(String(payload)))) setTimeout(() => void says(client, what), ms);
      });
      await client.subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
      return client;
    };
    const client = await plug();
    if (state !== null) await says(client, state);
    return { heard, client, plug, password, says };
  };
  const rule = async (trigger: object, action: object) => {
    const { status } = await owner.call("POST", "/v1/automations", { name: "r", trigger, action });
    t.equal(status, 201);
  };
  const tells = (id: string, command: object) => person.call("POST", `/v1/devices/${id}/commands`, command);
  return { ...house, house, owner, hub, person, device, rule, tells };
}
const on = (deviceId: string, field = "power") => ({ type: "state", deviceId, field, op: "truthy" });
const OPEN = { type: "command", deviceId: "front", command: { open: true } };

t.test("a device between that takes six seconds", async (t) => {
  const { device, rule, tells } = await limitedHouse(t);
  const front = await device("front", "gate");
  const lamp = await device("lamp", "light", () => [], { power: false });
  const blind = await device("blind", "smart-plug", () => [[6_000, { power: true }]], { power: false });
  t.equal((await tells("lamp", { power: true })).status, 202);
  await rule(on("lamp"), { type: "command", deviceId: "blind", command: { power: true } });
  await rule(on("blind"), OPEN);
  await lamp.says(lamp.client, { power: true }); // what they might do before there was a rule
  await wait(8_500);
  t.equal(blind.heard.length, 1);
  t.same(front.heard, []);
});

t.test("a device between that says what follows in a second message", async (t) => {
  const { device, rule, tells } = await limitedHouse(t);
  const front = await device("front", "gate");
  const lamp = await device("lamp", "light", () => [], { power: false });
  const plug = await device(
    "plug",
    "smart-plug",
    () => [
      [0, { power: true, watts: 0 }],
      [500, { power: true, watts: 60 }],
    ],
    { power: false, watts: 0 },
  );
  t.equal((await tells("lamp", { power: true })).status, 202);
  await rule(on("lamp"), { type: "command", deviceId: "plug", command: { power: true } });
  await rule({ type: "state", deviceId: "plug", field: "watts", op: "gt", value: 5 }, OPEN);
  await lamp.says(lamp.client, { power: true });
  await wait(4_000);
  t.equal(plug.heard.length, 1);
  t.same(front.heard, []);
});

t.test("beside the words that need no leave", async (t) => {
  const { device, tells } = await limitedHouse(t);
  const alarm = await device("alarm", "sentinel", () => [], { armed: true });
  for (const command of [
    { armed: true, mode: "disarmed" },
    { armed: true, disarm: true },
    { armed: true, bypass: ["hall"] },
  ])
    t.equal((await tells("alarm", command)).status, 403, JSON.stringify(command));
  await wait(500);
  t.same(alarm.heard, []);
});
