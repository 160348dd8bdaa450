/** A rule that somebody has paused: nothing starts it, not even what stood in its queue. */
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";

t.setTimeout(60_000);
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

t.test("runs that waited in the queue when it was paused", async (t) => {
  const house = await HouseholdProcess.start(t);
  const { owner } = house;
  const heard: string[] = [];
  const front = await house.connect(t, "front", await house.device("front", "gate"), { heard });
  await front.subscribeAsync("gatehouse/front/command", { qos: 1 });
  const lamp = await house.connect(t, "lamp", await house.device("lamp", "light"));
  const says = (power: boolean) => lamp.publishAsync("gatehouse/lamp/state", JSON.stringify({ power }), { qos: 1 });
  await says(false);
  const made = await owner.call<{ automation: { id: number } }>("POST", "/v1/automations", {
    name: "r",
    trigger: { type: "state", deviceId: "lamp", field: "power", op: "truthy" },
    action: {
      type: "sequence",
      actions: [
        { type: "command", deviceId: "front", command: { open: true } },
        { type: "delay", seconds: 2 },
      ],
    },
    mode: "queued",
  });
  t.equal(made.status, 201, JSON.stringify(made.body));
  for (const power of [true, false, true]) {
    await says(power);
    await wait(150);
  }
  t.equal(heard.length, 1, "one has begun, one waits");
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const paused = await owner.call("POST", `/api/automations/${made.body.automation.id}/pause`, { until });
  t.equal(paused.status, 200);
  await wait(3_500);
  t.equal(heard.length, 1, "the gate stays shut while the rule is paused");
});
