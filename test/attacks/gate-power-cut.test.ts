/**
 * The power goes while somebody is asked: a hub in its own process is killed between the read and the answer. A real
 * camera's pictures and a gate over MQTT, the recogniser, the file on disk.
 */
import mqtt, { type MqttClient } from "mqtt";
import t from "tap";
import { eventually, type HubProcess, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { anotherFrame, photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(240_000);
const [ASHA] = await photographs();

t.test("the gate stays shut, and the read says why", { skip: withoutModels }, async (t) => {
  const folder = testFolder(t);
  const { hub, owner } = await startOwnedHub(folder);
  let running: HubProcess = hub;
  const clients: MqttClient[] = [];
  t.teardown(async () => {
    for (const client of clients) client.end(true);
    await running.kill();
  });
  const passwords: Record<string, string> = {};
  for (const [id, type] of [
    ["cam", "camera"],
    ["gate", "gate"],
  ] as const)
    passwords[id] = (
      await owner.call<{ password: string }>("POST", "/api/devices", { id, name: id, type })
    ).body.password;
  const commands: string[] = [];
  const connect = async (id: string): Promise<MqttClient> => {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${running.mqttPort}`, {
      ...{ clientId: id, username: id, password: passwords[id] ?? "", clean: false, reconnectPeriod: 0 },
    });
    clients.push(client);
    client.on("message", (_topic, payload) => commands.push(String(payload)));
    await client.subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
    return client;
  };
  await owner.call("PATCH", "/api/cameras/cam", { gate: { deviceId: "gate", command: { open: true } } });
  await owner.call("POST", "/v1/plate-rules", { plate: ASHA.plate, label: "Asha", earns: "confirm" });
  await connect("gate");
  const camera = await connect("cam");
  await camera.publishAsync("gatehouse/cam/capture/1/0", anotherFrame(ASHA.jpeg), { qos: 1 });
  await camera.publishAsync("gatehouse/cam/capture/1/done", JSON.stringify({ trigger: "motion", frames: 1 }), {
    qos: 1,
  });
  type Asked = { questions: { id: string; readId: number }[] };
  const question = await eventually(
    async () => (await owner.call<Asked>("GET", "/v1/gate-questions")).body.questions[0],
    60_000,
  );
  type Read = { plate?: { gate: { reason?: string } } };
  const reasonBy = async (person: Person) =>
    (await person.call<Read>("GET", `/api/plates/${question.readId}`)).body.plate?.gate.reason;
  await eventually(async () => (await reasonBy(owner)) === "asked" || undefined, 60_000); // it is on disk

  await hub.kill();
  running = await startHubProcess(folder);
  const again = new Person(running.url, owner.cookie);
  await connect("gate");
  const late = await again.call("POST", `/v1/gate-questions/${question.id}/answer`, { open: true });
  t.equal(late.status, 404, "an answer to what nobody asks any more");
  t.equal(await reasonBy(again), "interrupted");
  t.same((await again.call<Asked>("GET", "/v1/gate-questions")).body.questions, []);
  t.same(commands, [], "shut");
});
