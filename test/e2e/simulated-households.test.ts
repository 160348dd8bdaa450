/** The two simulated households of a whole hub: the one behind test keys, and the demo. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { DEVICES } from "../../src/features/sandbox/household.ts";
import { eventually, Person, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

interface Device {
  readonly id: string;
  readonly type: string;
  readonly online: boolean;
  readonly simulated: boolean;
  readonly state: Record<string, unknown>;
}

/** One request with a key; resolves with the body. */
type Ask = <Body>(method: string, path: string, body?: unknown) => Promise<{ status: number; body: Body }>;

function asking(url: string, key: string): Ask {
  return async <Body>(method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body }; // the caller names the shape it expects
  };
}

const SCOPES = [
  "devices:read",
  "devices:control",
  "telemetry:read",
  "rooms:read",
  "scenes:read",
  "scenes:run",
  "automations:read",
  "events:read",
  "plates:read",
];

async function keyOf(person: Person, env: "live" | "test"): Promise<string> {
  const made = await person.call<{ secret: string }>("POST", "/api/keys", { name: env, env, scopes: SCOPES });
  return made.body.secret;
}

t.test("behind a test key lives a household where everything works, apart from the real one", async (t) => {
  const hub = await startHubProcess(testFolder(t), { GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true" });
  t.teardown(() => hub.kill());
  const person = new Person(hub.url);
  await person.claim(hub.claimCode ?? "");
  await person.call("POST", "/api/devices", { id: "real-plug", name: "Real plug", type: "smart-plug" });
  const test = asking(hub.url, await keyOf(person, "test"));
  const live = asking(hub.url, await keyOf(person, "live"));
  const received: { event: string; deviceId: string; data: { source?: string } }[] = [];
  const receiver = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      received.push(JSON.parse(text));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  t.teardown(() => receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`; // listening on TCP
  t.equal((await person.call("POST", "/api/webhooks", { url, events: ["device.state"], env: "test" })).status, 201);

  const devices = await eventually(async () => {
    const { body } = await test<{ devices: Device[] }>("GET", "/v1/devices");
    const scenes = await test<{ scenes: unknown[] }>("GET", "/v1/scenes");
    return body.devices.length === DEVICES.length &&
      scenes.body.scenes.length === 3 &&
      body.devices.every(({ state }) => Object.keys(state).length > 0)
      ? body.devices
      : undefined;
  }, 20_000);
  t.ok(devices.every(({ online, simulated }) => online && simulated));
  const idOf = (type: string): string => devices.find((device) => device.type === type)?.id ?? "";

  t.hasStrict((await live<{ devices: Device[] }>("GET", "/v1/devices")).body.devices, [
    { id: "real-plug", simulated: false },
  ]);
  t.equal((await test("GET", "/v1/devices/real-plug")).status, 404);
  t.equal((await live("POST", `/v1/devices/${idOf("light")}/commands`, {})).status, 404);

  const sent = await test("POST", `/v1/devices/${idOf("light")}/commands`, { power: true });
  t.equal(sent.status, 202);
  await eventually(async () =>
    (await test<{ device: Device }>("GET", `/v1/devices/${idOf("light")}`)).body.device.state.power === true
      ? true
      : undefined,
  );
  await eventually(() => received.find(({ deviceId, data }) => deviceId === idOf("light") && data.source === "api"));
  const { body: scenes } = await test<{ scenes: { id: number; name: string }[] }>("GET", "/v1/scenes");
  t.match((await test("POST", `/v1/scenes/${scenes.scenes[1]?.id}/activate`)).body, {
    scene: "Good night",
    sent: 7,
    skipped: [],
  });
  await eventually(async () =>
    (await test<{ device: Device }>("GET", `/v1/devices/${idOf("smart-plug")}`)).body.device.state.watts === 0
      ? true
      : undefined,
  );

  t.ok((await test<{ kwh: number }>("GET", `/v1/devices/${idOf("energy-meter")}/energy`)).body.kwh > 1);
  const before = (await test<{ plates: { id: number }[] }>("GET", "/v1/plates?limit=1")).body.plates[0]?.id ?? 0;
  t.equal((await test("POST", `/v1/devices/${idOf("camera")}/commands`, { capture: true })).status, 202);
  const read = await eventually(async () =>
    (await test<{ plates: { id: number; hasImage: boolean }[] }>("GET", "/v1/plates?limit=1")).body.plates.find(
      ({ id }) => id > before,
    ),
  );
  t.equal(read.hasImage, true);
  t.same((await live<{ plates: unknown[] }>("GET", "/v1/plates")).body.plates, []);
  t.equal((await live("GET", `/v1/plates/${read.id}/image`)).status, 404);
  t.ok(received.every(({ deviceId }) => deviceId.startsWith("test-")));
  t.equal(await hub.stop(), 0);
});

t.test("the demo waits for an owner, then lives over MQTT, and is back at once after a restart", async (t) => {
  const folder = testFolder(t);
  const env = { GATEHOUSE_DEMO: "true", GATEHOUSE_DEMO_SPEED: "60", GATEHOUSE_TIME_ZONE: "UTC" };
  const hub = await startHubProcess(folder, env);
  t.teardown(() => hub.kill());
  const person = new Person(hub.url);
  await person.claim(hub.claimCode ?? "");
  await eventually(() => (/the demo household is running/.test(hub.output()) ? true : undefined), 40_000);
  const { body } = await person.call<{ devices: Device[] }>("GET", "/v1/devices");
  t.equal(body.devices.length, DEVICES.length);
  t.ok(body.devices.every(({ online, simulated }) => online && !simulated));
  await person.call("POST", "/v1/devices/demo-gate/commands", { open: true });
  await eventually(async () =>
    (await person.call<{ device: Device }>("GET", "/v1/devices/demo-gate")).body.device.state.position === "open"
      ? true
      : undefined,
  );
  t.ok((await person.call<{ vehicles: unknown[] }>("GET", "/v1/vehicles")).body.vehicles.length >= 5);
  t.ok(
    (await person.call<{ series: unknown[] }>("GET", "/v1/devices/demo-meter/energy?hours=336")).body.series.length >=
      14,
  );
  const events = (await person.call<{ events: unknown[] }>("GET", "/v1/events?limit=500")).body.events.length;
  t.equal(await hub.stop(), 0);

  const again = await startHubProcess(folder, env);
  t.teardown(() => again.kill());
  const owner = new Person(again.url);
  await owner.call("POST", "/api/session", { email: "asha@example.org", password: "correct horse battery staple" });
  await eventually(() => (/the demo household is running/.test(again.output()) ? true : undefined), 20_000);
  t.equal((await owner.call<{ devices: unknown[] }>("GET", "/v1/devices")).body.devices.length, DEVICES.length);
  const now = (await owner.call<{ events: { kind: string }[] }>("GET", "/v1/events?limit=500")).body.events;
  t.same(
    now.slice(0, now.length - events).filter(({ kind }) => kind === "device.online" || kind === "device.added"),
    [],
    "no one is notified of returning devices",
  );
  t.equal(await again.stop(), 0);
});
