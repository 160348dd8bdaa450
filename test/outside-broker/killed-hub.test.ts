/** The hub is killed under messages, twice: the broker's messages for it are there afterwards, each sample once. */
import { connectAsync } from "mqtt";
import t from "tap";
import { eventually, Person, startHubProcess } from "../support/hub-process.ts";
import { Mosquitto, NO_MOSQUITTO } from "../support/mosquitto.ts";
import { testFolder } from "../support/test-folder.ts";

const SAMPLES = 400;
const KILLS: ReadonlySet<number> = new Set([120, 260]);
const TIMEOUT_MS = 40_000;

t.setTimeout(240_000);

t.test("a hub that is killed under messages of the outside broker loses none", { skip: NO_MOSQUITTO }, async (t) => {
  const folder = testFolder(t, { broker: {}, hub: {} });
  const mosquitto = await Mosquitto.start(t, `${folder}/broker`);
  const env = { GATEHOUSE_OUTSIDE_BROKER_URL: `mqtt://127.0.0.1:${mosquitto.port}`, GATEHOUSE_RECOGNITION: "false" };
  const start = () => startHubProcess(`${folder}/hub`, env);
  let hub = await start();
  t.teardown(() => hub.kill());
  const owner = new Person(hub.url);
  await owner.claim(hub.claimCode ?? "");
  await owner.call("POST", "/api/devices", { id: "meter-1", name: "Meter", type: "energy-meter", room: null });
  const key = await owner.call<{ secret: string }>("POST", "/api/keys", {
    name: "Test",
    env: "live",
    scopes: ["devices:read", "telemetry:read"],
  });
  await eventually(() => (/joined the outside broker/.test(hub.output()) ? true : undefined), TIMEOUT_MS);

  const meter = await connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, { clientId: "meter-1", clean: false });
  t.teardown(() => meter.end(true));
  const base = Date.now() - 7_200_000;
  for (let n = 0; n < SAMPLES; n++) {
    await meter.publishAsync(
      "gatehouse/meter-1/telemetry",
      JSON.stringify({ at: base + n * 1_000, data: { watts: n } }),
      { qos: 1 },
    );
    if (!KILLS.has(n)) continue;
    await hub.kill();
    if (n === 260) continue; // this time it stays away until everything is published
    hub = await start();
  }
  hub = await start();
  const samples = await eventually(async () => {
    const answer = await fetch(`${hub.url}/v1/devices/meter-1/telemetry?limit=1000`, {
      headers: { authorization: `Bearer ${key.body.secret}` },
    });
    // checked by what follows
    const { telemetry = [] } = (await answer.json()) as { telemetry?: { data: { watts: number } }[] };
    return telemetry.length >= SAMPLES ? telemetry : undefined;
  }, TIMEOUT_MS);
  t.equal(samples.length, SAMPLES, "none twice");
  t.equal(new Set(samples.map(({ data }) => data.watts)).size, SAMPLES, "none lost");
  if (!t.equal(await hub.stop(), 0, "and it ends in order")) t.comment(hub.output().slice(-3_000));
});
