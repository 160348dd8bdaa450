/**
 * A lamp that was without power when a limited member switched it: what the hub delivers later, and takes for the answer
 * to their command, opens nothing, however late it comes and whatever the hub has been through.
 */

import { connect } from "mqtt";
import t from "tap";
import { OWNER, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(180_000); // one of them waits for more than a minute
const weekday = (ahead: number): number => new Date(Date.now() + ahead * 86_400_000).getUTCDay() || 7;
const NEVER = { times: [{ days: [weekday(3)], from: "00:00", to: "00:00" }], gates: null };
const ENV = { GATEHOUSE_RECOGNITION: "false", COMMAND_TTL: "120" };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

for (const isRestarted of [true, false])
  t.test(isRestarted ? "after a power cut of the hub" : "more than a minute later", async (t) => {
    const folder = testFolder(t);
    let { hub, owner } = await startOwnedHub(folder, ENV);
    t.teardown(() => hub.kill());
    const device = async (id: string, type: string) => {
      const made = await owner.call<{ password: string }>("POST", "/api/devices", { id, name: id, type });
      const heard: string[] = [];
      const plug = async () => {
        const client = connect(`mqtt://127.0.0.1:${hub.mqttPort}`, {
          username: id,
          password: made.body.password,
          clientId: id,
          clean: false,
          reconnectPeriod: 0,
          protocolVersion: 4,
        });
        client.on("error", () => {});
        t.teardown(() => client.end(true));
        client.on("message", (_topic, payload) => heard.push(String(payload)));
        await new Promise((resolve) => client.once("connect", resolve));
        await client.subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
        return client;
      };
      return { heard, plug };
    };
    const [front, lamp] = [await device("front", "gate"), await device("lamp", "light")];
    await front.plug();
    const first = await lamp.plug();
    await first.publishAsync("gatehouse/lamp/state", '{"power":false}', { qos: 1 });
    const invited = await owner.call<{ code: string }>("POST", "/api/persons/invitations", {
      name: "Meena",
      role: "member",
      limits: NEVER,
    });
    const person = new Person(hub.url);
    const account = { name: "Meena", email: "meena@example.org", password: "a quiet sentence about rain" };
    await person.call("POST", "/api/join", { code: invited.body.code, ...account });
    await first.endAsync();
    await wait(300);
    t.equal(
      (await person.call("POST", "/v1/devices/lamp/commands", { power: true })).status,
      202,
      "nothing opens by it",
    );
    const trigger = { type: "state", deviceId: "lamp", field: "power", op: "truthy" };
    const action = { type: "command", deviceId: "front", command: { open: true } };
    t.equal((await owner.call("POST", "/v1/automations", { name: "r", trigger, action })).status, 201, "until now");
    await wait(300);
    if (isRestarted) {
      await hub.stop();
      hub = await startHubProcess(folder, ENV);
      owner = new Person(hub.url);
      await owner.call("POST", "/api/session", { email: OWNER.email, password: OWNER.password });
      await front.plug();
    } else await wait(62_000);
    const again = await lamp.plug();
    await wait(1_000);
    t.same(lamp.heard, ['{"power":true}'], "the hub delivers it");
    await again.publishAsync("gatehouse/lamp/state", '{"power":true}', { qos: 1 });
    await wait(2_000);
    t.same(front.heard, [], "and opens nothing for it");
  });
