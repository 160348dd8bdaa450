/** A relay of which the household says that it moves a gate: by whatever words, it opens to nobody outside their limits. */
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";
import { OWNER, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(60_000);
const weekday = (ahead: number): number => new Date(Date.now() + ahead * 86_400_000).getUTCDay() || 7;
const NEVER = { times: [{ days: [weekday(3)], from: "00:00", to: "00:00" }], gates: null };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

for (const [what, state, command] of [
  ["the second of two contacts", { power1: false, power2: false }, { power2: true }],
  ["a pulse", { power: false }, { power: true, pulse: 500 }],
] as const)
  t.test(what, async (t) => {
    const house = await HouseholdProcess.start(t);
    const { owner, hub } = house;
    await house.device("camera", "camera");
    const password = await house.device("relay", "relay");
    const heard: string[] = [];
    const relay = await house.connect(t, "relay", password, { heard });
    await relay.subscribeAsync("gatehouse/relay/command", { qos: 1 });
    await relay.publishAsync("gatehouse/relay/state", JSON.stringify(state), { qos: 1 });
    const gate = { deviceId: "relay", command };
    t.equal((await owner.call("PATCH", "/api/cameras/camera", { gate })).status, 200, "it is what a plate opens");
    const invited = await owner.call<{ code: string }>("POST", "/api/persons/invitations", {
      name: "Meena",
      role: "member",
      limits: NEVER,
    });
    const person = new Person(hub.url);
    const account = { name: "Meena", email: "meena@example.org", password: "a quiet sentence about rain" };
    await person.call("POST", "/api/join", { code: invited.body.code, ...account });
    t.equal((await person.call("POST", "/v1/devices/relay/commands", command)).status, 403, "by hand");
    const trigger = { type: "house", becomes: "night" };
    const action = { type: "command", deviceId: "relay", command };
    await owner.call("POST", "/v1/automations", { name: "r", trigger, action });
    t.equal((await person.call("PUT", "/api/house/mode", { mode: "night" })).status, 403);
    await wait(1_000);
    t.same(heard, [], "nor by a rule");
    const limits = { times: [], gates: ["relay"] };
    const named = await owner.call("POST", "/api/persons/invitations", { name: "R", role: "member", limits });
    t.equal(named.status, 201, "and limits may name it");
    const barrier = async () =>
      (await owner.call<{ device: { capabilities: { barrier: boolean } } }>("GET", "/v1/devices/relay")).body.device
        .capabilities.barrier;
    t.equal(await barrier(), true, "everybody is told");
    await owner.call("PATCH", "/api/cameras/camera", { enabled: false });
    t.equal((await person.call("POST", "/v1/devices/relay/commands", command)).status, 403, "the camera is off");
    await owner.call("PATCH", "/api/cameras/camera", { gate: null });
    t.equal(await barrier(), false, "it opens something else");
    t.equal((await person.call("POST", "/v1/devices/relay/commands", command)).status, 202);
    await owner.call("PATCH", "/api/cameras/camera", { gate });
    t.equal(await barrier(), true);
    await owner.call("DELETE", "/api/devices/camera");
    t.equal(await barrier(), false, "the camera is gone");
  });

t.test("a restarted hub still knows what its cameras open", async (t) => {
  const folder = testFolder(t);
  const { hub, owner } = await startOwnedHub(folder, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => hub.kill());
  for (const [id, type] of [
    ["camera", "camera"],
    ["relay", "relay"],
  ])
    await owner.call("POST", "/api/devices", { id, name: id, type });
  const gate = { deviceId: "relay", command: { power2: true } };
  t.equal((await owner.call("PATCH", "/api/cameras/camera", { gate })).status, 200);
  await hub.stop();
  const next = await startHubProcess(folder, { GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => next.kill());
  const again = new Person(next.url);
  await again.call("POST", "/api/session", { email: OWNER.email, password: OWNER.password });
  const { body } = await again.call<{ device: { capabilities: object } }>("GET", "/v1/devices/relay");
  t.hasStrict(body.device.capabilities, { barrier: true });
});
