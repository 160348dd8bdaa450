/** "It has left": what follows from it opens nothing, and a member may not say it. */
import t from "tap";
import { askingHub, signInAs } from "../support/gate-questions.ts";

t.setTimeout(60_000);
const weekday = (ahead: number): number => new Date(Date.now() + ahead * 86_400_000).getUTCDay() || 7;
const NEVER = { times: [{ days: [weekday(3)], from: "00:00", to: "00:00" }], gates: null };
const PLATE = "MH12AB1234";
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

t.test("rules that wait for the count of cars", async (t) => {
  const p = await askingHub(t, "open");
  const headers = { Cookie: p.cookie };
  const opensAt = async (value: number): Promise<void> => {
    const trigger = { type: "occupancy", op: "eq", value };
    const action = { type: "command", deviceId: "gate", command: { open: true, by: `rule ${value}` } };
    const made = await p.v1.post("/v1/automations", { headers, json: { name: `rule ${value}`, trigger, action } });
    t.equal(made.status, 201, JSON.stringify(made.body));
  };
  const byRule = (value: number) => p.opened().filter((command) => command.includes(`rule ${value}`)).length;
  for (const value of [0, 1]) await opensAt(value);
  const member = await signInAs(p, "member");
  t.equal((await p.call("PATCH", `/api/persons/${member.id}`, { limits: NEVER })).status, 200);
  await p.arrives(PLATE);
  await p.until(() => byRule(1) === 1);
  t.pass("a car that a camera sees counts for a rule that opens");
  const before = p.opened().length;
  const left = `/api/vehicles/${PLATE}/left`;
  t.equal((await p.api.call("POST", left, { headers: member.headers })).status, 403, "a member does not say it");
  t.equal((await p.api.call("POST", left, { headers })).status, 200);
  await wait(1_500);
  t.equal(p.opened().length, before, "who keeps the gate says it, and nothing opens");
  const { automations } = (await p.v1.get("/v1/automations", { headers })).body;
  const rule = automations.find(({ name }: { name: string }) => name === "rule 0");
  const { traces } = (await p.call("GET", `/api/automations/${rule.id}/traces`)).body as {
    traces: { trigger: object; steps: { result: string }[] }[];
  }; // its contract
  t.match(traces, [{ trigger: { opensNothing: true }, steps: [{ result: "failed" }] }], "its line says why");
});
