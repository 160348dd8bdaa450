/**
 * A gate that asks a tag, a button or a contact, and a limited member: they may not command that device, and what comes
 * of a command by anybody is nobody at the gate, in however many messages the device says it.
 */
import mqtt from "mqtt";
import t from "tap";
import { askingHub, signInAs } from "../support/gate-questions.ts";

t.setTimeout(60_000);
const weekday = (ahead: number): number => new Date(Date.now() + ahead * 86_400_000).getUTCDay() || 7;
const NEVER = { times: [{ days: [weekday(3)], from: "00:00", to: "00:00" }], gates: null };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

for (const [what, reports] of [
  ["in its first message", [{ power: true, watts: 0 }]],
  [
    "in its second message",
    [
      { power: false, watts: 1 },
      { power: true, watts: 60 },
    ],
  ],
] as const)
  t.test(`a device that confirms does what they command, ${what}`, async (t) => {
    const p = await askingHub(t);
    const made = await p.call("POST", "/api/devices", { id: "button", name: "Button", type: "smart-plug" });
    const button = await mqtt.connectAsync(`mqtt://127.0.0.1:${p.hub.mqtt.broker.port}`, {
      clientId: "button",
      username: "button",
      password: made.body.password,
    });
    t.teardown(() => button.endAsync(true));
    const says = (state: object) => button.publishAsync("gatehouse/button/state", JSON.stringify(state), { qos: 1 });
    button.on("message", async () => {
      for (const state of reports) {
        await says(state);
        await wait(300);
      }
    });
    await button.subscribeAsync("gatehouse/button/command", { qos: 1 });
    await says({ power: false, watts: 0 });
    const confirmedBy = [{ kind: "state", cameraId: null, deviceId: "button", field: "power", value: true }];
    const before = (await p.call("GET", "/api/gate-choices")).body.choices;
    t.equal((await p.call("PUT", "/api/gate-choices", { ...before, confirmedBy })).status, 200);
    const member = await signInAs(p, "member");
    t.equal((await p.call("PATCH", `/api/persons/${member.id}`, { limits: NEVER })).status, 200);
    const [question] = await p.arrives("MH12AB1234");
    const answered = await p.v1.post(`/v1/gate-questions/${question?.id}/answer`, {
      headers: member.headers,
      json: { open: true },
    });
    t.equal(answered.status, 403, "they may not answer");
    const json = { power: true };
    const press = async () =>
      (await p.v1.post("/v1/devices/button/commands", { headers: member.headers, json })).status;
    t.equal(await press(), 403, "nor move what confirms");
    t.equal((await p.call("PATCH", `/api/persons/${member.id}`, { limits: null })).status, 200);
    t.equal(await press(), 202);
    await wait(1_500);
    t.same(p.opened(), [], "and what anybody switches stands for nobody at the gate");
  });
