/**
 * Faults of the disk and the database under a real hub: it starts, reports what is wrong, opens the gate, lets its
 * owner in, and cannot be claimed by anyone else.
 */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import mqtt from "mqtt";
import t, { type Test } from "tap";
import { gatehouse } from "../support/cli.ts";
import { eventually, type HubProcess, Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { testFolder } from "../support/test-folder.ts";

const OWNER = { email: "asha@example.org", password: "correct horse battery staple" };

interface Home {
  readonly folder: string;
  /** Of the MQTT device `gate-1`. */
  readonly password: string;
}

const model = makeHome(testFolder(t));

/** An owner with a gate and some rooms; the hub is stopped again. */
async function makeHome(folder: string): Promise<Home> {
  const { hub, owner } = await startOwnedHub(folder);
  const { body } = await owner.call<{ password: string }>("POST", "/api/devices", {
    id: "gate-1",
    name: "Gate",
    type: "gate",
  });
  for (let n = 0; n < 40; n++) await owner.call("POST", "/api/rooms", { name: `Room ${n} ${"x".repeat(60)}` });
  await hub.stop();
  return { folder, password: body.password };
}

/** A copy of that home; `hasBackup`: with a backup in it. */
async function furnish(folder: string, { hasBackup = false } = {}): Promise<Home> {
  const { folder: from, password } = await model;
  cpSync(from, folder, { recursive: true });
  if (hasBackup) {
    const hub = await startHubProcess(folder);
    const person = new Person(hub.url);
    t.equal((await person.call("POST", "/api/session", OWNER)).status, 200);
    t.equal((await person.call("POST", "/api/backups", {})).status, 201);
    await hub.stop();
  }
  return { folder, password };
}

function sql(file: string, statement: string): void {
  execFileSync(process.execPath, [
    "-e",
    `const D=require("better-sqlite3");const d=new D(process.argv[1]);d.exec(process.argv[2]);d.close()`,
    file,
    statement,
  ]);
}

function overwrite(file: string, at: number, bytes: number): void {
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(bytes, 0x5a), 0, bytes, at);
  closeSync(handle);
}

async function storageOf(hub: HubProcess): Promise<{ level: string; text: string } | undefined> {
  const { checks } = (await (await fetch(`${hub.url}/healthz`)).json()) as {
    checks: { code: string; level: string; text: string }[];
  };
  return checks.find((check) => check.code === "storage");
}

/** Signs in, sends the gate a command, and resolves when the gate has it. */
async function entersAndOpens(t: Test, hub: HubProcess, { password }: Home): Promise<Person> {
  const person = new Person(hub.url);
  t.equal((await person.call("POST", "/api/session", OWNER)).status, 200, "the owner signs in");
  t.match(
    (await person.call("GET", "/api/standing")).body,
    { claimed: true, account: { email: OWNER.email } },
    "and stays signed in",
  );
  const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: "gate-1",
    password,
    clientId: "gate-1",
    reconnectPeriod: 0,
  });
  const heard: string[] = [];
  device.on("message", (_, payload) => heard.push(payload.toString()));
  await device.subscribeAsync("gatehouse/gate-1/command", { qos: 1 });
  t.equal((await person.call("POST", "/v1/devices/gate-1/commands", { open: true })).status, 202);
  await eventually(() => (heard.includes('{"open":true}') ? true : undefined));
  t.pass("the gate got its command");
  device.end(true);
  return person;
}

t.test(
  "a truncated database, and one without its header: the hub starts, opens the gate, and its owner restores a backup",
  async (t) => {
    const base = testFolder(t, { home: {} });
    const home = await furnish(join(base, "home"), { hasBackup: true });
    const whole = join(base, "copy");
    cpSync(home.folder, whole, { recursive: true });
    const faults: [string, (file: string) => void][] = [
      ["cut in half", (file) => truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096)],
      ["header overwritten", (file) => overwrite(file, 0, 100)],
    ];
    for (const [name, spoil] of faults) {
      await t.test(name, async (t) => {
        const folder = join(testFolder(t, {}), "data");
        cpSync(whole, folder, { recursive: true });
        spoil(join(folder, "gatehouse.db"));
        const hub = await startHubProcess(folder);
        t.teardown(() => hub.kill());
        t.match(await storageOf(hub), { level: "failed", text: /damaged/ });
        t.equal(hub.claimCode, null);
        const person = await entersAndOpens(t, hub, home);
        const { body } = await person.call<{ backups: { id: number; present: boolean }[] }>("GET", "/api/backups");
        const backup = body.backups.find(({ present }) => present);
        t.ok(backup, "the backup on the disk is listed");
        t.equal((await person.call("POST", `/api/backups/${backup?.id}/restore`, {})).status, 202);
        t.equal(await hub.stop(), 0);
        const again = await startHubProcess(folder);
        t.teardown(() => again.kill());
        t.match(await storageOf(again), { level: "ok" });
        t.equal((await new Person(again.url).call("POST", "/api/session", OWNER)).status, 200);
        await again.stop();
      });
    }
  },
);

t.test("a claimed hub whose database is empty or missing cannot be claimed by a passer-by", async (t) => {
  const home = await furnish(testFolder(t));
  for (const name of ["gatehouse.db-wal", "gatehouse.db-shm"]) rmSync(join(home.folder, name), { force: true });
  renameSync(join(home.folder, "gatehouse.db"), join(home.folder, "kept"));
  for (const how of ["missing", "empty"]) {
    await t.test(how, async (t) => {
      if (how === "empty") writeFileSync(join(home.folder, "gatehouse.db"), "");
      const hub = await startHubProcess(home.folder);
      t.teardown(() => hub.kill());
      t.equal(hub.claimCode, null, "no claim code");
      t.match(hub.output(), /had an owner, and its accounts are lost/);
      t.match(await storageOf(hub), { level: "failed", text: new RegExp(how) });
      const passerBy = new Person(hub.url);
      t.match((await passerBy.call("GET", "/api/claim")).body, { claimed: true });
      t.equal((await passerBy.call("POST", "/api/claim", { code: "AAAAA-AAAAA", name: "Eve", ...OWNER })).status, 409);
      await hub.stop();
    });
  }
  await t.test("with a copy from before an update, its owner gets in with the password of that time", async (t) => {
    renameSync(join(home.folder, "kept"), join(home.folder, "gatehouse.db.before-v99"));
    rmSync(join(home.folder, "gatehouse.db"), { force: true });
    const hub = await startHubProcess(home.folder);
    t.teardown(() => hub.kill());
    t.equal(hub.claimCode, null);
    t.equal(
      (await new Person(hub.url).call("POST", "/api/session", { ...OWNER, password: "something else entirely" }))
        .status,
      401,
    );
    await entersAndOpens(t, hub, home);
    await hub.stop();
  });
});

t.test("a page that a read finds damaged is reported within a second, once, and in the feed", async (t) => {
  const home = await furnish(testFolder(t));
  const file = join(home.folder, "gatehouse.db");
  sql(
    file,
    `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 200)
     INSERT INTO feed_item (site_id, kind, title, body, at) SELECT 1, 'system.started', 'Needle ' || value, hex(zeroblob(400)), value FROM n`,
  );
  const at = readFileSync(file).indexOf("Needle 111"); // its body begins with zeros: "Needle 100" would be found in the first
  overwrite(file, Math.floor(at / 4096) * 4096, 4096);
  const hub = await startHubProcess(home.folder);
  t.teardown(() => hub.kill());
  const person = new Person(hub.url);
  await person.call("POST", "/api/session", OWNER);
  t.match(await storageOf(hub), { level: "ok" }, "a clean stop: nothing was checked");
  const { body } = await person.call<{ keys?: unknown; secret: string }>("POST", "/api/keys", {
    name: "App",
    env: "live",
    scopes: ["events:read"],
  });
  const read = (): Promise<Response> =>
    fetch(`${hub.url}/v1/events?limit=200`, { headers: { authorization: `Bearer ${body.secret}` } });
  await eventually(async () => ((await read()).status >= 500 ? true : undefined));
  await eventually(async () => ((await storageOf(hub))?.level === "failed" ? true : undefined), 1_000);
  t.match(await storageOf(hub), { text: /damaged/ });
  await read();
  t.equal(hub.output().match(/the database cannot be written/g)?.length, 1, "reported once");
  await eventually(async () => {
    const newest = await fetch(`${hub.url}/v1/events?limit=1`, { headers: { authorization: `Bearer ${body.secret}` } });
    return ((await newest.json()) as { events: { kind: string }[] }).events[0]?.kind === "system.storage"
      ? true
      : undefined; // its contract
  });
  t.equal((await new Person(hub.url).call("POST", "/api/session", OWNER)).status, 200, "the owner still signs in");
  await hub.stop();
});

t.test("malformed cells are set aside one by one, named, and the hub runs", async (t) => {
  const home = await furnish(testFolder(t));
  const file = join(home.folder, "gatehouse.db");
  const rule =
    "INSERT INTO automation (id, site_id, name, enabled, trigger, conditions, action, mode, cooldown_seconds, created_at, updated_at) VALUES";
  sql(
    file,
    `UPDATE device SET state = '{"open":tru' WHERE id = 'gate-1';
     ${rule} (71, 1, 'Broken', 1, '{"type":', '[]', '{"type":"notify","title":"x"}', 'single', 0, 1, 1);
     ${rule} (72, 1, 'Not a rule', 1, 'null', '[]', '{}', 'single', 0, 1, 1);
     INSERT INTO scene (id, site_id, name, actions, created_at) VALUES (73, 1, 'Broken', '[{"deviceId":7}]', 1);
     INSERT INTO camera (device_id, site_id, source, updated_at) VALUES ('gate-1', 1, '}', 1);`,
  );
  const doctor = async (): Promise<string> => (await gatehouse(home.folder, ["doctor"])).out;
  t.match(await doctor(), /device gate-1 \(state\)/, "doctor finds them before a start");
  const hub = await startHubProcess(home.folder);
  t.teardown(() => hub.kill());
  const storage = await storageOf(hub);
  for (const name of [
    "device gate-1 (state)",
    "automation 71 (trigger)",
    "automation 72 (trigger)",
    "scene 73 (actions)",
    "camera gate-1 (source)",
  ])
    t.ok(storage?.text.includes(name), name);
  t.equal(storage?.level, "degraded");
  await entersAndOpens(t, hub, home);
  await hub.stop();
  t.match(await doctor(), /set aside.*automation 71/, "and names what was set aside");
});

t.test("the folder is deleted under the hub: nothing is acknowledged any more, and health reports it", async (t) => {
  const folder = join(testFolder(t, {}), "data");
  mkdirSync(folder);
  const home = await furnish(folder);
  const hub = await startHubProcess(folder);
  t.teardown(() => hub.kill());
  const person = new Person(hub.url);
  await person.call("POST", "/api/session", OWNER);
  const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: "gate-1",
    password: home.password,
    clientId: "gate-1",
    reconnectPeriod: 0,
  });
  const aside = `${folder}-moved`;
  renameSync(folder, aside);
  let acknowledged = false;
  device.publish("gatehouse/gate-1/telemetry", '{"watts":3}', { qos: 1 }, (error) => {
    acknowledged = !error;
  });
  t.equal(
    (await person.call("PATCH", "/v1/devices/gate-1", { name: "Lost" })).status,
    503,
    "not even the first write is answered as stored",
  );
  await eventually(async () => ((await storageOf(hub))?.level === "failed" ? true : undefined), 2_500);
  t.match(await storageOf(hub), { text: /moved or deleted/ });
  t.notOk(acknowledged, "no PUBACK");
  renameSync(aside, folder);
  await eventually(async () => ((await storageOf(hub))?.level === "ok" ? true : undefined), 4_000);
  t.equal((await person.call("PATCH", "/v1/devices/gate-1", { name: "Found" })).status, 200, "restored, it continues");
  rmSync(folder, { recursive: true });
  await eventually(async () => ((await storageOf(hub))?.level === "failed" ? true : undefined), 2_500);
  device.end(true);
  await hub.stop();
});

t.test("a full disk: the owner signs in, deletes a backup, and the hub recovers; a read-only one starts", async (t) => {
  const folder = smallDisk(t, 24);
  if (folder === null) {
    t.pass("skipped: this user may not mount a file system");
    return;
  }
  const home = await furnish(folder, { hasBackup: true });
  const hub = await startHubProcess(folder);
  t.teardown(() => hub.kill());
  fillDisk(join(folder, "filler"), 0);
  const person = await eventually(async () => {
    const candidate = new Person(hub.url);
    t.equal((await candidate.call("POST", "/api/session", OWNER)).status, 200);
    await candidate.call("POST", "/api/rooms", { name: "y".repeat(100) });
    return (await storageOf(hub))?.level === "failed" ? candidate : undefined;
  });
  const late = new Person(hub.url);
  t.equal((await late.call("POST", "/api/session", OWNER)).status, 200, "signs in while the disk is full");
  const { body } = await late.call<{ backups: { id: number; present: boolean }[] }>("GET", "/api/backups");
  const backup = body.backups.find(({ present }) => present);
  t.equal((await late.call("DELETE", `/api/backups/${backup?.id}`)).status, 200, "and frees space");
  await eventually(
    async () =>
      (await person.call("PATCH", "/v1/devices/gate-1", { name: "Main gate" })).status === 200 ? true : undefined,
    9_000,
  );
  await hub.stop();
  rmSync(join(folder, "filler"));
  execFileSync("mount", ["-o", "remount,ro", folder]);
  const readOnly = await startHubProcess(folder);
  t.teardown(() => readOnly.kill());
  t.match(await storageOf(readOnly), { level: "failed", text: /takes no writes/ });
  await entersAndOpens(t, readOnly, home);
  await readOnly.stop();
});
