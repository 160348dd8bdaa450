/**
 * A device's samples are stored once, however many of them a failing disk has left without an acknowledgement when the
 * connection breaks: a real hub, a real client that sends them again, and the database afterwards.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import mqtt from "mqtt";
import t, { type Test } from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually, type HubProcess, type Person, startOwnedHub } from "../support/hub-process.ts";
import { type SlowDisk, slowDisk } from "../support/slow-disk.ts";
import { testFolder } from "../support/test-folder.ts";

const { eachStoredSample, sampleFormats } = (await import(
  pathToFileURL(join(PROJECT_ROOT, "scripts/lib/stored-samples.mjs")).href
)) as {
  sampleFormats: () => Promise<object>;
  eachStoredSample: (
    database: Database.Database,
    formats: object,
    take: (deviceId: string, data: Record<string, unknown>) => void,
  ) => void;
}; // plain JavaScript
const formats = await sampleFormats();
const PATIENCE_MS = 60_000;

/** A meter that counts its samples, and how often each is stored. */
class Meter {
  sent = 0;
  acknowledged = 0;
  readonly client: mqtt.MqttClient;
  readonly #place: { readonly folder: string; readonly hub: HubProcess };

  constructor(client: mqtt.MqttClient, place: { readonly folder: string; readonly hub: HubProcess }) {
    this.client = client;
    this.#place = place;
  }

  send(count: number): void {
    for (let n = 0; n < count; n++)
      this.client.publish("gatehouse/meter/telemetry", `{"n":${this.sent++}}`, { qos: 1 }, (error) => {
        if (!error) this.acknowledged += 1;
      });
  }

  /** Resolves when so many samples can be read, acknowledged or not. */
  async stored(count: number): Promise<void> {
    await eventually(() => (this.counts().size >= count ? true : undefined), PATIENCE_MS);
  }

  async allAcknowledged(): Promise<void> {
    await eventually(() => (this.acknowledged === this.sent ? true : undefined), PATIENCE_MS);
  }

  /** How often each sample is in the database. */
  counts(): Map<number, number> {
    const counts = new Map<number, number>();
    const database = new Database(join(this.#place.folder, "gatehouse.db"), { readonly: true });
    eachStoredSample(database, formats, (deviceId, { n }) => {
      if (deviceId === "meter") counts.set(Number(n), (counts.get(Number(n)) ?? 0) + 1);
    });
    database.close();
    return counts;
  }

  isStoredOnce(t: Test): void {
    const counts = this.counts();
    t.equal(counts.size, this.sent, "every sample is stored");
    t.same(
      [...counts].filter(([, count]) => count > 1).map(([n]) => n),
      [],
      "none is stored twice",
    );
  }
}

async function meterOn(t: Test, disk: SlowDisk): Promise<{ meter: Meter; person: Person; pid: number }> {
  const folder = testFolder(t);
  const { hub, owner: person } = await startOwnedHub(folder, disk.env);
  t.teardown(async () => {
    disk.fail(null);
    disk.hang(null);
    await hub.stop();
  });
  const { body } = await person.call<{ password: string }>("POST", "/api/devices", {
    id: "meter",
    name: "Meter",
    type: "energy-meter",
  });
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: "meter",
    password: body.password,
    clientId: "meter",
    clean: false,
    reconnectPeriod: 100,
  });
  t.teardown(() => client.end(true));
  return { meter: new Meter(client, { folder, hub }), person, pid: hub.pid };
}

const room = async (person: Person): Promise<number> =>
  (await person.call("POST", "/api/rooms", { name: `Room ${Math.random()}` })).status;

t.test("more samples than the hub takes at once, while the disk confirms nothing", async (t) => {
  const disk = slowDisk(t);
  if (disk === null) return;
  const { meter, pid } = await meterOn(t, disk);
  disk.hang("gatehouse.db");
  process.kill(pid, "SIGSTOP"); // all come in one piece, of which the hub could take all
  meter.send(600);
  await new Promise((done) => setTimeout(done, 1_000));
  process.kill(pid, "SIGCONT");
  await new Promise((done) => setTimeout(done, 10_000)); // what the hub takes: 200, and 50 a second
  const before = meter.counts().size;
  t.equal(meter.acknowledged, 0);
  t.ok(before < 512, `${before} are stored without an acknowledgement`);
  meter.client.stream.destroy();
  disk.hang(null);
  await meter.allAcknowledged();
  meter.isStoredOnce(t);
});

t.test("some samples could not be stored before others that were not acknowledged", async (t) => {
  const disk = slowDisk(t);
  if (disk === null) return;
  const { meter, person } = await meterOn(t, disk);
  disk.fail("gatehouse.db");
  meter.send(1);
  await eventually(async () => ((await room(person)) === 503 ? true : undefined));
  meter.send(40); // refused
  await new Promise((done) => setTimeout(done, 500));
  const known = meter.counts().size;
  t.ok(known < 41, `${known} of 41 are stored`);
  disk.fail(null);
  await eventually(async () => ((await room(person)) === 201 ? true : undefined), 15_000);
  disk.hang("gatehouse.db");
  meter.send(40);
  await meter.stored(known + 40);
  meter.client.stream.destroy();
  disk.hang(null);
  await meter.allAcknowledged();
  meter.isStoredOnce(t);
});

t.test("many samples are stored and acknowledged after one whose outcome is not known", async (t) => {
  const disk = slowDisk(t);
  if (disk === null) return;
  const { meter, person } = await meterOn(t, disk);
  disk.fail("gatehouse.db");
  meter.send(30);
  await eventually(async () => ((await room(person)) === 503 ? true : undefined));
  await new Promise((done) => setTimeout(done, 500));
  disk.fail(null);
  await eventually(async () => ((await room(person)) === 201 ? true : undefined), 15_000);
  meter.send(900); // until the hub closes the connection
  await meter.allAcknowledged();
  meter.isStoredOnce(t);
});
