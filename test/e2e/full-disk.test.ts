/**
 * A hub whose disk is full, and one whose database is damaged: both report it, keep commands flowing, and lose nothing
 * they acknowledged.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import mqtt from "mqtt";
import t from "tap";
import { eventually, type HubProcess, type Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { testFolder } from "../support/test-folder.ts";

async function ownedHub(
  folder: string,
): Promise<{ hub: HubProcess; person: Person; device: mqtt.MqttClient; password: string }> {
  const { hub, owner: person } = await startOwnedHub(folder);
  const { body } = await person.call<{ password: string }>("POST", "/api/devices", {
    id: "gate-1",
    name: "Gate",
    type: "gate",
  });
  const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: "gate-1",
    password: body.password,
    clientId: "gate-1",
    reconnectPeriod: 0,
  });
  return { hub, person, device, password: body.password };
}

async function storageOf(hub: HubProcess): Promise<{ code: string; level: string; text: string } | undefined> {
  const { checks } = (await (await fetch(`${hub.url}/healthz`)).json()) as {
    checks: { code: string; level: string; text: string }[];
  };
  return checks.find((check) => check.code === "storage");
}

t.test(
  "a full disk: reported everywhere, commands still reach devices, acknowledged data is kept, and it recovers",
  async (t) => {
    const folder = smallDisk(t, 16);
    if (folder === null) {
      t.pass("skipped: this user may not mount a file system");
      return;
    }
    const { hub, person, device } = await ownedHub(folder);
    t.teardown(() => hub.kill());
    const heard: string[] = [];
    device.on("message", (_, payload) => heard.push(payload.toString()));
    await device.subscribeAsync("gatehouse/gate-1/command", { qos: 1 });
    await device.publishAsync("gatehouse/gate-1/telemetry", '{"watts":1}', { qos: 1 });

    fillDisk(join(folder, "filler"), 0);
    let acknowledged = false;
    device.publish(
      "gatehouse/gate-1/telemetry",
      JSON.stringify({ watts: 2, note: "x".repeat(50_000) }),
      { qos: 1 },
      () => {
        acknowledged = true;
      },
    );
    const warning = await eventually(async () => {
      await person.call("PATCH", "/v1/devices/gate-1", { name: `Gate ${Date.now()}` });
      const storage = await storageOf(hub);
      return storage?.level === "failed" ? storage : undefined;
    });
    t.match(warning.text, /disk is full/i);
    t.hasStrict((await person.call("PATCH", "/v1/devices/gate-1", { name: "Main gate" })).body, {
      error: { code: "storage_full" },
    });
    t.equal((await fetch(`${hub.url}/readyz`)).status, 503);
    t.hasStrict((await person.call("GET", "/api/health")).body, { status: "failed" }, "the console shows it too");
    t.match(hub.output(), /cannot be written/, "and so does the log");

    t.equal((await person.call("POST", "/v1/devices/gate-1/commands", { open: true })).status, 202);
    await eventually(() => (heard.includes('{"open":true}') ? true : undefined));
    t.pass("the gate got its command");
    t.notOk(acknowledged, "a message that could not be stored is not acknowledged");

    rmSync(join(folder, "filler"));
    await eventually(
      async () =>
        (await person.call("PATCH", "/v1/devices/gate-1", { name: "Main gate" })).status === 200 ? true : undefined,
      15_000,
    );
    t.equal((await storageOf(hub))?.level, "ok");
    t.match(
      (await person.call("GET", "/v1/devices/gate-1/telemetry")).body,
      { telemetry: [{ data: { watts: 1 } }] },
      "what was acknowledged before is there",
    );
    device.end(true);
    await hub.stop();
  },
);

t.test(
  "a disk without a free byte: the owner deletes a backup and a plate, in the right order, and has room",
  async (t) => {
    const folder = smallDisk(t, 16);
    if (folder === null) {
      t.pass("skipped: this user may not mount a file system");
      return;
    }
    const { hub, person, device } = await ownedHub(folder);
    t.teardown(() => hub.kill());
    t.equal(statSync(join(folder, "gatehouse.reserve")).size, 1_048_576, "room is reserved");
    for (let n = 0; n < 2; n++) t.equal((await person.call("POST", "/api/backups", {})).status, 201);
    const listed = async (): Promise<{ id: number; file: string; present: boolean }[]> =>
      (await person.call<{ backups: { id: number; file: string; present: boolean }[] }>("GET", "/api/backups")).body
        .backups;
    const [backup, kept] = await listed();
    fillDisk(join(folder, "filler"), 0);
    const note = (): void =>
      void device.publish(
        "gatehouse/gate-1/telemetry",
        JSON.stringify({ note: randomBytes(40_000).toString("base64") }),
        { qos: 1 },
      );
    const full = await eventually(async () => {
      note(); // the remaining room in the log
      const storage = await storageOf(hub);
      return storage?.level === "failed" ? storage : undefined;
    }, 20_000);
    t.match(full, { text: /disk is full/i });

    t.equal((await person.call("DELETE", `/api/backups/${backup?.id}`)).status, 200);
    t.notOk(existsSync(backup?.file ?? ""), "the file is gone");
    t.same(
      (await listed()).map(({ id, present }) => ({ id, present })),
      [{ id: kept?.id, present: true }],
      "and so is its line: nothing missing is listed",
    );
    t.equal((await person.call("DELETE", "/api/vehicles/KA01AB1234")).status, 200, "a plate can be deleted, too");
    rmSync(join(folder, "filler"));
    await eventually(
      async () =>
        (await person.call("PATCH", "/v1/devices/gate-1", { name: "Main gate" })).status === 200 ? true : undefined,
      20_000,
    );
    device.end(true);
    await hub.stop();
    const again = await startHubProcess(folder);
    t.teardown(() => again.kill());
    t.ok(existsSync(join(folder, "gatehouse.reserve")), "room is reserved again");
    await again.stop();
  },
);

t.test("a damaged database: detected after an unclean stop, reported, and commands still reach devices", async (t) => {
  const folder = testFolder(t);
  const first = await ownedHub(folder);
  for (let n = 0; n < 150; n++) await first.person.call("POST", "/api/rooms", { name: `Room ${n} ${"x".repeat(40)}` });
  const key = await first.person.call<{ secret: string }>("POST", "/api/keys", {
    name: "App",
    env: "live",
    scopes: ["devices:control"],
  });
  first.device.end(true);
  await first.hub.kill();
  const file = join(folder, "gatehouse.db");
  const wal = `${file}-wal`;
  // Moves the log into the file, as the next start would, then ruins the pages in its middle.
  execFileSync(process.execPath, [
    "-e",
    `const D=require("better-sqlite3");const d=new D(process.argv[1]);d.pragma("wal_checkpoint(TRUNCATE)");d.close()`,
    file,
  ]);
  const size = statSync(file).size;
  const handle = openSync(file, "r+");
  const rooms = readFileSync(file).indexOf("Room 75 ");
  const page = Math.floor((rooms > 0 ? rooms : size / 2) / 4096);
  writeSync(handle, Buffer.alloc(4096, 0x5a), 0, 4096, page * 4096);
  closeSync(handle);
  rmSync(wal, { force: true });

  const hub = await startHubProcess(folder);
  t.teardown(() => hub.kill());
  const storage = await storageOf(hub);
  t.match(storage, { level: "failed", text: /damaged/ });
  t.match(hub.output(), /FAIL Storage/);
  const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: "gate-1",
    password: first.password,
    clientId: "gate-1",
    reconnectPeriod: 0,
  });
  const heard: string[] = [];
  device.on("message", (_, payload) => heard.push(payload.toString()));
  await device.subscribeAsync("gatehouse/gate-1/command", { qos: 1 });
  const answer = await fetch(`${hub.url}/v1/devices/gate-1/commands`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.body.secret}`, "content-type": "application/json" },
    body: '{"open":true}',
  });
  t.equal(answer.status, 202);
  await eventually(() => (heard.includes('{"open":true}') ? true : undefined));
  t.pass("the gate got its command");
  device.end(true);
  await hub.stop();
});
