/** The first hour of a hub, with stock tools only: the same steps as in README.md. */
import { execFile, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import Stripe from "stripe";
import t from "tap";
import { eventually, Person, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const run = promisify(execFile);

interface Received {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** A receiver that knows nothing of Gatehouse. */
async function startReceiver(): Promise<{ url: string; received: Received[]; stop: () => void }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    stop: () => server.close(),
  }; // listening on TCP
}

const hasMosquitto = await run("mosquitto_pub", ["--help"]).then(
  () => true,
  (error) => error.code !== "ENOENT",
);
const skip = hasMosquitto ? false : "mosquitto_pub is not installed (Debian: mosquitto-clients)";

t.test("claim, device, key, state, telemetry, command, webhook", { skip }, async (t) => {
  const hub = await startHubProcess(testFolder(t), { GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true" });
  const receiver = await startReceiver();
  const person = new Person(hub.url);

  t.match(hub.output(), /ok {3}Storage/);
  t.match(hub.claimCode, /^[0-9A-Z]{5}-[0-9A-Z]{5}$/);
  t.equal((await fetch(`${hub.url}/v1/devices`)).status, 401, "nothing is answered before the claim");
  await person.claim(hub.claimCode ?? "");
  const second = await new Person(hub.url).call("POST", "/api/claim", {
    code: hub.claimCode,
    name: "x",
    email: "x@example.org",
    password: "another long password",
  });
  t.equal(second.status, 409, "it can be claimed once");

  const made = await person.call<{ password: string }>("POST", "/api/devices", {
    id: "plug-1",
    name: "Kitchen plug",
    type: "smart-plug",
    room: "Kitchen",
  });
  t.equal(made.status, 201);
  const key = await person.call<{ secret: string }>("POST", "/api/keys", {
    name: "App",
    env: "live",
    scopes: ["devices:read", "devices:control", "telemetry:read"],
  });
  t.equal(key.status, 201);
  const webhook = await person.call<{ secret: string }>("POST", "/api/webhooks", {
    url: receiver.url,
    events: ["device.state", "device.telemetry"],
  });
  t.equal(webhook.status, 201, JSON.stringify(webhook.body));

  const broker = ["-h", "127.0.0.1", "-p", String(hub.mqttPort), "-u", "plug-1", "-P", made.body.password];
  const publish = (topic: string, payload: object) =>
    run("mosquitto_pub", [
      ...broker,
      "-i",
      "plug-1:pub",
      "-q",
      "1",
      "-t",
      `gatehouse/plug-1/${topic}`,
      "-m",
      JSON.stringify(payload),
    ]);
  const curl = async (...args: string[]): Promise<{ devices?: unknown[] }> =>
    JSON.parse((await run("curl", ["-s", "-H", `Authorization: Bearer ${key.body.secret}`, ...args])).stdout);

  await publish("state", { power: true });
  await publish("telemetry", { watts: 12.5 });
  t.match(await curl(`${hub.url}/v1/devices/plug-1`), {
    device: { id: /^plug-1$/, name: /^Kitchen plug$/, room: "Kitchen", state: { power: true } },
  });
  t.hasStrict(await curl(`${hub.url}/v1/devices/plug-1/telemetry`), {
    deviceId: "plug-1",
    telemetry: [{ data: { watts: 12.5 } }],
  });

  const subscriber = spawn("mosquitto_sub", [
    ...broker,
    "-i",
    "plug-1",
    "-q",
    "1",
    "-C",
    "1",
    "-W",
    "15",
    "-t",
    "gatehouse/plug-1/command",
  ]);
  let heard = "";
  subscriber.stdout.on("data", (chunk) => (heard += String(chunk)));
  await eventually(async () => (await curl(`${hub.url}/v1/devices?online=true`)).devices?.[0]);
  const command = '{"power": false,  "note":"ünïcode"}';
  t.hasStrict(
    await curl(
      "-X",
      "POST",
      "-H",
      "Content-Type: application/json",
      "-d",
      command,
      `${hub.url}/v1/devices/plug-1/commands`,
    ),
    {
      accepted: true,
      deviceId: "plug-1",
      command: { power: false },
    },
  );
  t.equal(await eventually(() => (heard.includes("\n") ? heard.trimEnd() : undefined)), command, "byte for byte");

  const delivery = await eventually(() => receiver.received.find(({ body }) => body.includes("device.state")));
  const stripe = new Stripe("sk_test_unused");
  const event = stripe.webhooks.constructEvent(
    delivery.body,
    String(delivery.headers["x-service-signature"]),
    webhook.body.secret,
  );
  t.hasStrict(event, { event: "device.state", deviceId: "plug-1", data: { state: { power: true } } });
  t.throws(() =>
    stripe.webhooks.constructEvent(
      `${delivery.body} `,
      String(delivery.headers["x-service-signature"]),
      webhook.body.secret,
    ),
  );

  receiver.stop();
  t.equal(await hub.stop(), 0, "it stops cleanly");
});

t.test("a wrong setting is a clear message and exit 78", async (t) => {
  await t.rejects(
    startHubProcess(testFolder(t), { GATEHOUSE_HTTP_PORT: "eighty" }),
    /ended with 78[\s\S]*GATEHOUSE_HTTP_PORT/,
  );
});

t.test("it restarts on its data, claimed, and answers as before", async (t) => {
  const folder = testFolder(t);
  const first = await startHubProcess(folder);
  const person = new Person(first.url);
  await person.claim(first.claimCode ?? "");
  await person.call("POST", "/api/devices", { id: "lamp", name: "Lamp", type: "light" });
  await first.kill();
  const second = await startHubProcess(folder);
  t.equal(second.claimCode, null);
  const again = new Person(second.url);
  t.equal(
    (await again.call("POST", "/api/session", { email: "asha@example.org", password: "correct horse battery staple" }))
      .status,
    200,
  );
  t.hasStrict((await again.call("GET", "/v1/devices")).body, { devices: [{ id: "lamp" }] });
  t.equal(await second.stop(), 0);
});
