/** Pictures open gates: only what a person has made a camera may send them, and no device makes itself one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MqttClient } from "mqtt";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import { eventually } from "../support/hub-process.ts";

t.setTimeout(60_000); // a hub that starts, and loads its models
const house = await HouseholdProcess.start(t, { GATEHOUSE_RECOGNITION: "true" });
const { owner } = house;
const picture = readFileSync(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-UP32JE3626.jpg"));
const passwords = {
  gate: await house.device("gate"),
  plug: await house.device("plug", "smart-plug"),
  camera: await house.device("camera", "camera"),
};
const heardByGate: string[] = [];
const gate = await house.connect(t, "gate", passwords.gate, { heard: heardByGate });
await gate.subscribeAsync("gatehouse/gate/command", { qos: 1 });
const plug = await house.connect(t, "plug", passwords.plug);
const camera = await house.connect(t, "camera", passwords.camera);
await owner.call("POST", "/v1/plate-rules", { plate: "UP32JE3626", kind: "allow" });
await owner.call("POST", "/v1/automations", {
  name: "open",
  trigger: { type: "plate", decision: "allow" },
  action: { type: "command", deviceId: "gate", command: { open: true } },
});

interface Device {
  readonly type: string;
}
const typeOf = async (id: string): Promise<string> =>
  (await owner.call<{ device: Device }>("GET", `/v1/devices/${id}`)).body.device.type;
async function show(from: MqttClient, id: string, capture: string): Promise<void> {
  await from.publishAsync(`gatehouse/${id}/capture/${capture}/0`, picture, { qos: 1 });
  await from.publishAsync(
    `gatehouse/${id}/capture/${capture}/done`,
    '{"trigger":"motion","frames":1,"direction":"in"}',
    { qos: 1 },
  );
}

t.test("a device does not make itself a camera or a barrier, nor a barrier something harmless", async (t) => {
  for (const type of ["camera", "gate", "lock", "garage-door", "door"]) {
    await plug.publishAsync("gatehouse/plug/info", JSON.stringify({ type }), { qos: 1, retain: true });
    await plug.publishAsync("gatehouse/plug/status", JSON.stringify({ status: "online", type }), {
      qos: 1,
      retain: true,
    });
    t.equal(await typeOf("plug"), "smart-plug", type);
  }
  await gate.publishAsync("gatehouse/gate/info", '{"type":"switch"}', { qos: 1, retain: true });
  t.equal(await typeOf("gate"), "gate");
  await plug.publishAsync("gatehouse/plug/info", '{"type":"dimmer"}', { qos: 1, retain: true });
  t.equal(await typeOf("plug"), "dimmer", "what gives no right is the device's to say");
});

t.test("a plug that shows an allowed plate opens nothing, and the register knows nothing of it", async (t) => {
  await show(plug, "plug", "1");
  await show(camera, "camera", "1"); // by the time that this has opened the gate, the plug's would have
  await eventually(() => (heardByGate.length > 0 ? true : undefined), 20_000);
  const { plates } = (await owner.call<{ plates: { deviceId: string }[] }>("GET", "/v1/plates")).body;
  t.same(
    plates.map(({ deviceId }) => deviceId),
    ["camera"],
  );
  t.same(heardByGate, ['{"open":true}']);
  const { refusals } = (
    await owner.call<{ refusals: { reason: string; count: number }[] }>("GET", "/api/devices/plug/refusals")
  ).body;
  t.hasStrict(refusals, [{ reason: "not_a_camera", count: 2 }], "and the console says so");
});

t.test("whoever may set cameras makes one of it", async (t) => {
  t.equal((await owner.call("PATCH", "/api/cameras/plug", { direction: "in" })).status, 200);
  await show(plug, "plug", "2");
  const plates = await eventually(async () => {
    const found = (await owner.call<{ plates: { deviceId: string }[] }>("GET", "/v1/plates?deviceId=plug")).body.plates;
    return found.length > 0 ? found : undefined;
  }, 20_000);
  t.equal(plates.length, 1);
});
