/** Plates of another box that come late: they waited at a broker while the hub was away, or tell of a car that stands. */
import mqtt from "mqtt";
import t from "tap";
import { HouseholdProcess } from "../support/household-process.js";
import { eventually } from "../support/hub-process.js";

t.setTimeout(60_000); // a hub that starts
const PLATE = "MH12AB1234";

t.test("a plate that Frigate read long ago opens no gate", async (t) => {
  const house = await HouseholdProcess.start(t, { GATEHOUSE_GATE_PASS_SECONDS: "0" });
  const { owner, hub } = house;
  const heard: string[] = [];
  const gate = await house.connect(t, "gate", await house.device("gate"), { heard });
  await gate.subscribeAsync("gatehouse/gate/command", { qos: 1 });
  await owner.call("POST", "/v1/plate-rules", { plate: PLATE, kind: "allow" });
  const { body } = await owner.call<{ username: string; password: string }>("POST", "/api/bridge/clients", {
    family: "frigate",
    name: "Frigate",
  });
  const frigate = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: body.username,
    password: body.password,
    clientId: "",
    reconnectPeriod: 0,
  });
  t.teardown(() => frigate.end(true));
  const say = (topic: string, payload: object) =>
    frigate.publishAsync(`frigate/${topic}`, JSON.stringify(payload), { qos: 1 });
  const secondsAgo = (seconds: number): number => Date.now() / 1_000 - seconds;
  const read = (id: string, ago: number) =>
    say("tracked_object_update", {
      type: "lpr",
      id,
      plate: PLATE,
      score: 0.95,
      camera: "drive",
      timestamp: secondsAgo(ago),
    });
  await say("camera_activity", { drive: { config: { enabled: true, detect: true }, motion: false, objects: [] } });
  const isThere = async () =>
    (await owner.call("PATCH", "/api/cameras/frigate-drive", { gate: { deviceId: "gate", command: { open: true } } }))
      .status === 200 || undefined;
  await eventually(isThere);

  for (const ago of [60, 301, 7_200]) await read(`ago ${ago}`, ago);
  await say("events", {
    type: "end",
    before: {},
    after: {
      id: "ended",
      camera: "drive",
      label: "car",
      frame_time: secondsAgo(3_600),
      recognized_license_plate: PLATE,
      recognized_license_plate_score: 0.95,
    },
  });
  await eventually(async () => {
    const { plates } = (await owner.call<{ plates: unknown[] }>("GET", "/v1/plates")).body;
    return plates.length === 4 || undefined;
  });
  t.same(heard, [], "they are recorded");
  await read("now", 0);
  await eventually(() => heard.length > 0 || undefined);
  t.same(heard, ['{"open":true}'], "one that was just read opens");
});
