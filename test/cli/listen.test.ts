import { spawn } from "node:child_process";
import { join } from "node:path";
import { Stripe } from "stripe";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { compileCache, eventually, Person, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { Receiver } from "../webhooks/setup.ts";

t.setTimeout(60_000);
const folder = testFolder(t);
const hub = await startHubProcess(folder);
t.teardown(() => hub.kill());
const person = new Person(hub.url);
await person.claim(hub.claimCode ?? "");

/** `gatehouse …` in its own process. */
function gatehouse(...args: string[]) {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, "scripts/gatehouse.mjs"), ...args], {
    env: { PATH: process.env.PATH ?? "", GATEHOUSE_DATA: folder, ...compileCache },
  });
  t.teardown(() => child.kill());
  const shown = { text: "", code: null as number | null };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (shown.text += String(chunk)));
  const done = new Promise<typeof shown>((resolve) =>
    child.on("close", (code) => resolve(Object.assign(shown, { code }))),
  );
  return { shown, done, kill: () => child.kill() };
}

t.test("listen posts real and triggered events to a receiver on this machine, signed", async (t) => {
  const receiver = new Receiver();
  await receiver.start();
  t.teardown(() => receiver.stop());
  const listening = gatehouse("listen", "--forward-to", receiver.url);
  const secret = await eventually(() => /(whsec_\S+)/.exec(listening.shown.text)?.[1], 20_000);
  await new Promise((resolve) => setTimeout(resolve, 300)); // the stream opens after the line
  const triggered = await eventually(async () => {
    const run = await gatehouse("trigger", "device.state", "--device", "plug-9").done;
    return run.code === 0 ? run.text : undefined;
  }, 20_000);
  t.match(triggered, /pending for 0 webhooks/);
  const delivery = await eventually(() => receiver.received.find(({ body }) => body.includes("plug-9")), 15_000);
  new Stripe("sk_test_unused").webhooks.constructEvent(
    delivery.body,
    String(delivery.headers["x-service-signature"]),
    secret,
  );
  t.match(JSON.parse(delivery.body), {
    id: /^dlv_/,
    event: /^device\.state$/,
    deviceId: /^plug-9$/,
    data: { state: { power: true }, changed: ["power"], test: true },
  });
  t.match(
    await eventually(() => (/plug-9 {2}dlv_\w+\n<--/.test(listening.shown.text) ? listening.shown.text : undefined)),
    /--> device\.state {2}plug-9 {2}dlv_\w+\n<-- 204/,
  );

  const rule = {
    name: "x",
    trigger: { type: "time", at: "22:00" },
    action: { type: "notify", title: "Door", body: "" },
  };
  const made = await person.call<{ automation: { id: number } }>("POST", "/v1/automations", rule);
  t.equal((await person.call("POST", `/api/automations/${made.body.automation.id}/run`, {})).status, 202);
  const real = await eventually(
    () => receiver.bodies.find(({ event, data }) => event === "automation.notify" && data.title === "Door"),
    15_000,
  );
  t.match(real, { deviceId: null, data: { title: "Door" } });
  t.notOk("test" in real.data, "real events are not marked as tests");
  receiver.respond = (response) => response.writeHead(500).end();
  await gatehouse("trigger", "plate.read").done;
  await eventually(() => (/<-- 500/.test(listening.shown.text) ? true : undefined), 15_000);
  listening.kill();
  await listening.done;
});

t.test("impossible requests are reported", async (t) => {
  t.match(await gatehouse("listen", "--forward-to", "nowhere").done, { code: 2, text: /needs a URL/ });
  t.match(await gatehouse("listen", "--events", "device.stat").done, { code: 1, text: /There is no event/ });
  t.match(await gatehouse("trigger", "device.stat").done, { code: 2, text: /There is no event/ });
  t.match(await person.call("POST", "/api/webhooks/trigger", { event: "x" }), { status: 400 });
  await hub.stop();
  t.match(await gatehouse("listen").done, { code: 2, text: /needs a hub that runs/ });
  t.match(await gatehouse("trigger", "device.state").done, { code: 2, text: /needs a hub that runs/ });
});
