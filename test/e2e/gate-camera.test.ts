/** A car at the gate, from a camera's MQTT messages to the gate's, with a real photograph and the hub as it is shipped. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import mqtt from "mqtt";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { silentLogger } from "../../src/kernel/logger.js";
import { Recogniser } from "../../src/recognition/recogniser.js";
import { PROJECT_ROOT } from "../support/database.js";
import { eventually, Person, startHubProcess } from "../support/hub-process.js";
import { findCars, MODELS, PHOTOGRAPHS } from "../support/photographs.js";

t.setTimeout(180_000);
const recogniser = new Recogniser({
  enabled: true,
  modelsFolder: MODELS,
  threads: 1,
  budgetMs: 60_000,
  queuedBursts: 2,
  clock: systemClock,
  logger: silentLogger,
});
await recogniser.start();
const [car] = await findCars(recogniser, 1);
await recogniser.stop();

interface Read {
  readonly id: number;
  readonly plate: string | null;
  readonly decision: string;
  readonly reason: string | null;
  readonly imageUrl: string | null;
}

/** Claims a hub and makes a camera at the entry, a gate, and a key that may read plates. */
async function furnish(folder: string, env: Record<string, string> = {}) {
  const hub = await startHubProcess(folder, env);
  const person = new Person(hub.url);
  await person.claim(hub.claimCode ?? "");
  const passwords = new Map<string, string>();
  for (const [id, type] of [
    ["camera-1", "camera"],
    ["gate-1", "gate"],
  ] as const) {
    const { body } = await person.call<{ password: string }>("POST", "/api/devices", { id, name: id, type });
    passwords.set(id, body.password);
  }
  const setUp = await person.call("PATCH", "/api/cameras/camera-1", { gate: { deviceId: "gate-1", command: { relays: [true, false, false, false] } } });
  if (setUp.status !== 200) throw new Error(`camera: ${JSON.stringify(setUp.body)}`);
  const key = await person.call<{ secret: string }>("POST", "/api/keys", { name: "App", env: "live", scopes: ["plates:read", "plates:write", "events:read"] });
  const api = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const headers = { authorization: `Bearer ${key.body.secret}`, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const answer = await fetch(hub.url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    return (await answer.json()) as Body; // the caller names the shape it expects
  };
  const connect = (id: string) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { username: id, password: passwords.get(id) ?? "", clientId: id, reconnectPeriod: 0 });
  return { hub, api, connect, image: (url: string) => fetch(url, { headers: { authorization: `Bearer ${key.body.secret}` } }) };
}

async function sendCapture(camera: mqtt.MqttClient, id: number, frames: readonly Buffer[], direction: "in" | "out"): Promise<void> {
  const topic = `gatehouse/camera-1/capture/${id}`;
  for (const [n, jpeg] of frames.entries()) await camera.publishAsync(`${topic}/${n}`, jpeg, { qos: 1 });
  await camera.publishAsync(`${topic}/done`, JSON.stringify({ trigger: "loop", frames: frames.length, direction }), { qos: 1 });
}

t.test(
  "an allowed car opens the gate and stands in every list",
  { skip: car ? false : `no models, or no labelled photograph in ${PHOTOGRAPHS} is read` },
  async (t) => {
    if (car === undefined) return;
    const { hub, api, connect, image } = await furnish(t.testdir());
    const { rule } = await api<{ rule: { plate: string } }>("POST", "/v1/plate-rules", { plate: car.plate.toLowerCase(), label: "Asha" });
    t.equal(rule.plate, car.plate);
    const gate = await connect("gate-1");
    const commands: string[] = [];
    gate.on("message", (_topic, payload) => commands.push(String(payload)));
    await gate.subscribeAsync("gatehouse/gate-1/command", { qos: 1 });
    const camera = await connect("camera-1");
    await sendCapture(camera, 71, [car.jpeg, car.jpeg], "in");
    await eventually(() => commands[0], 30_000);
    t.same(commands, ['{"relays":[true,false,false,false]}']);
    const read = await eventually(async () => (await api<{ plates: Read[] }>("GET", `/v1/plates?plate=${car.plate}`)).plates[0]);
    t.match(read, {
      plate: car.plate,
      decision: "allow",
      direction: "in",
      trigger: "loop",
      captureId: 71,
      votes: 2,
      samples: 2,
      hasImage: true,
      status: "recognised",
    });
    const picture = await image(read.imageUrl ?? "");
    t.match([picture.status, picture.headers.get("content-type")], [200, "image/jpeg"]);
    t.match(await api("GET", "/v1/occupancy"), { inside: 1 });
    t.match(await api("GET", "/v1/vehicles"), {
      insideNow: 1,
      vehicles: [{ plate: car.plate, inside: true, list: "allow", label: "Asha", cameras: ["camera-1"] }],
    });
    t.match(await api("GET", "/v1/events"), { events: [{ kind: "plate.allowed", deviceId: "camera-1" }] });
    await sendCapture(camera, 72, [car.jpeg], "out");
    const profile = await eventually(async () => {
      const vehicle = await api<{ inside: boolean }>("GET", `/v1/vehicles/${car.plate}`);
      return vehicle.inside ? undefined : vehicle;
    }, 30_000);
    t.match(profile, { plate: car.plate, passes: 2, inside: false, visits: [{ status: "closed", entryCamera: "camera-1", exitCamera: "camera-1" }] });
    await Promise.all([camera.endAsync(), gate.endAsync()]);
    t.equal(await hub.stop(), 0);
  },
);

t.test("a capture that was acknowledged is read after a crash, and opens no gate then", async (t) => {
  const folder = t.testdir();
  const { hub, connect } = await furnish(folder, { GATEHOUSE_MODELS: join(folder, "no-models") });
  const camera = await connect("camera-1");
  const frame = await readFile(join(PROJECT_ROOT, "test/fixtures/plates/dashcam.jpg"));
  await camera.publishAsync("gatehouse/camera-1/capture/9/0", frame, { qos: 1 });
  await hub.kill();
  camera.end(true);
  const again = await startHubProcess(folder, { GATEHOUSE_MODELS: join(folder, "no-models") });
  const person = new Person(again.url);
  await person.call("POST", "/api/session", { email: "asha@example.org", password: "correct horse battery staple" });
  const { plates } = await eventually(async () => {
    const { body } = await person.call<{ plates: Read[] }>("GET", "/v1/plates");
    return body.plates.length > 0 ? body : undefined;
  }, 20_000);
  t.match(plates, [{ plate: null, status: "unrecognised", reason: "no_recogniser", captureId: 9, hasImage: true, decision: "unknown" }]);
  t.equal(await again.stop(), 0);
});
