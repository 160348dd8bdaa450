/**
 * Acts that write a row and a file, interrupted between the two: nothing acknowledged is lost, nothing deleted stays, and
 * leftovers are cleaned up by themselves. An interruption leaves what is listed here; it is either invisible or complete.
 *
 * - picture taken: file, row. Leaves a file without a row; the search for strays deletes it, at start and daily, and
 *   spares files that its own process has just written.
 * - picture or read too old, plate deleted: row, file. Leaves the same.
 * - picture makes room on a full disk: file, row, since no row could be changed before. Leaves a row without a file,
 *   answered as a missing image, until room is made again or its age ends it.
 * - capture read: row, frames in the spool. Leaves frames of a capture that is stored; at the next start the capture is
 *   recognized and its frames are deleted.
 * - backup made: draft, file, row. Leaves a file without a row; the list adopts it. Drafts a day old are deleted with the
 *   next backup.
 * - backup or plate deleted on a full disk: as with room, since src/core/storage/reserve.ts gives room for the row.
 * - backup deleted: row, file; the row comes back if the file cannot be deleted. Leaves a file without a row; the list
 *   adopts it, and it can be deleted again.
 * - backup makes room on a full disk: file, row. Leaves a row without a file, listed as missing, until it is deleted or
 *   rotated.
 * - restore: folder aside, list, moves. Leaves the moves still on the list; the next start continues.
 * - upload: row in memory, file. Leaves a file; the start and the hourly sweep delete abandoned ones.
 * - update handed over: file, request. Leaves a file without a request; the next update replaces it.
 * - device removed: row, its history and sessions. Leaves other parts' data about a removed id; the start and the daily
 *   sweep delete it, and only an id recorded as removed counts.
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Backups } from "../../src/features/backups/backups.ts";
import type { BackupsOptions } from "../../src/features/backups/backups-options.ts";
import { Uploads } from "../../src/features/backups/uploads.ts";
import { doWork } from "../../src/features/backups/work.ts";
import { Captures } from "../../src/features/cameras/captures.ts";
import { Spool } from "../../src/features/cameras/spool.ts";
import { finishRemovals } from "../../src/features/devices/removed.ts";
import { PlateImageFiles } from "../../src/features/gate/images.ts";
import { PlateRetention } from "../../src/features/gate/retention.ts";
import { gateTables } from "../../src/features/gate/tables.ts";
import { stageUpdate } from "../../src/features/updates/stage-update.ts";
import { requestsFolder } from "../../src/features/updates/state.ts";
import { Premises } from "../gate/premises.ts";
import { removeAllDue } from "../support/aged.ts";
import { ApiHub } from "../support/api-hub.ts";
import { backupOptions } from "../support/backup-options.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const DAY = 86_400_000;
const STOPPED = new Error("the process ends here");

/** The second step never comes: its callers wait forever, as after a kill. */
function stopsAt<Part extends object>(part: Part, step: keyof Part & string): Promise<void> {
  return new Promise((reached) => {
    Object.assign(part, {
      [step]: () => {
        reached();
        return new Promise(() => {});
      },
    });
  });
}

/** Pictures on the disk. */
function pictures(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".jpg"))
    : [];
}

/** A gate with one picture, and the picture cleanup of a start after the stop. */
async function gate(t: Test) {
  const p = await Premises.open(testFolder(t));
  t.teardown(() => p.close());
  const folder = join(t.testdirName, "images");
  const afterRestart = async (): Promise<number> => {
    const images = new PlateImageFiles(folder);
    return new PlateRetention(p.base, gateTables(p.base), images).removeStrays();
  };
  const [id = 0] = await p.capture({ plates: ["MH12AB1234"] }, { direction: "in" });
  return { p, id, folder, afterRestart };
}

t.test("a picture is taken: file, then row", async (t) => {
  const { p, folder, afterRestart } = await gate(t);
  const write = p.database.write.bind(p.database);
  const reached = stopsAt(p.database, "write");
  void p.capture({ plates: ["KA01AB2222"] });
  await reached;
  p.database.write = write;
  t.equal(pictures(folder).length, 2, "the file is there, its row is not");
  t.equal(await p.retention.removeStrays(), 0, "the process that wrote it waits for its row");
  t.equal(await afterRestart(), 1);
  t.equal(pictures(folder).length, 1, "the other one keeps its file");
});

for (const [what, act] of [
  ["a picture grows old", (p) => removeAllDue(p.retention.pictures)],
  ["a read grows old", (p) => removeAllDue(p.retention.visits).then(() => removeAllDue(p.retention.reads))],
  ["a plate is deleted", (p) => p.reads.forget(p.siteId, "MH12AB1234", "session:1")],
] as [string, (p: Premises) => Promise<unknown>][]) {
  t.test(`${what}: row, then file`, async (t) => {
    const { p, id, folder, afterRestart } = await gate(t);
    await p.capture({ plates: ["MH12AB1234"] }, { direction: "out", at: p.clock.now() + 1 });
    p.clock.advance(400 * DAY);
    const reached = stopsAt(p.images, "remove");
    void act(p);
    await reached;
    t.ok(pictures(folder).length > 0);
    await t.rejects(
      p.reads.image(p.siteId, id),
      /image_not_found|no such plate read|no image/,
      "it is no longer shown to anyone",
    );
    await afterRestart();
    t.same(pictures(folder), []);
  });
}

t.test("a picture makes room on a full disk: file, then row", async (t) => {
  const { p, id, folder } = await gate(t);
  const write = p.database.write.bind(p.database);
  p.database.write = () => Promise.reject(STOPPED);
  await t.rejects(p.retention.evictImages(10), STOPPED);
  p.database.write = write;
  t.same(pictures(folder), []);
  await t.rejects(p.reads.image(p.siteId, id), { code: /^image_not_found$/ });
  t.equal(await p.retention.evictImages(10), 1, "the row goes the next time");
  t.equal(p.reads.get(p.siteId, id).hasImage, false);
});

async function backupsIn(t: Test, changes: Partial<BackupsOptions> = {}) {
  const dataFolder = testFolder(t);
  writeFileSync(join(dataFolder, "hub.key"), "key");
  const database = await openDatabase(dataFolder);
  t.teardown(() => database.stop());
  const open = (more: Partial<BackupsOptions> = {}): Backups => new Backups(backupOptions(database, dataFolder, more));
  return { database, dataFolder, open, backups: open(changes), files: () => readdirSync(join(dataFolder, "backups")) };
}

t.test("a backup is made: file, then row", async (t) => {
  const { database, backups, open, files } = await backupsIn(t);
  const write = database.write.bind(database);
  const reached = stopsAt(database, "write");
  void backups.make(null, "person");
  await reached;
  database.write = write;
  t.equal(files().length, 1);
  const [listed] = await open().list();
  t.match(listed, { present: true, problem: null }, "after a restart it is in the list");
  t.equal((await open().file(listed?.id ?? 0)).file, listed?.file);
});

t.test("a backup is deleted: row, then file", async (t) => {
  const { open, files, backups } = await backupsIn(t);
  const [made] = await backups.make(null, "person");
  let reached = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const stopping = open({
    doWork: (order) => {
      if (order.kind !== "remove") return doWork(order);
      reached();
      return new Promise(() => {});
    },
  });
  stopping.remove(made?.id ?? 0).catch(() => {}); // it ends there, and may say so once the database has stopped
  await stopped;
  t.equal(files().length, 1);
  const [again] = await open().list();
  t.match(again, { file: made?.file, present: true }, "it is in the list again, and can be deleted again");
  await open().remove(again?.id ?? 0);
  t.same([files(), await open().list()], [[], []]);
});

t.test("a backup makes room on a full disk: file, then row", async (t) => {
  const { database, open, files } = await backupsIn(t);
  for (const at of [0, DAY]) await open({ clock: new FakeClock(systemClock.now() - at) }).make(null, "schedule");
  const write = database.write.bind(database);
  database.write = () => Promise.reject(STOPPED);
  await t.rejects(open().evictOldest(), STOPPED);
  database.write = write;
  t.equal(files().length, 1);
  const rows = await open().list();
  t.same(
    rows.map(({ present }) => present),
    [true, false],
    "the row reports that its file is missing",
  );
  t.equal(await open().evictOldest(), false, "the last one stays");
  await open().remove(rows[1]?.id ?? 0);
  t.equal((await open().list()).length, 1);
});

t.test("a file is uploaded: its row is in memory, and goes with the process", async (t) => {
  const folder = join(testFolder(t), "uploads");
  const before = new Uploads({ folder, clock: systemClock });
  const { id } = before.open("backup", 10);
  await before.add(id, 0, Buffer.from("01234"));
  const after = new Uploads({ folder, clock: systemClock });
  t.throws(() => after.get(id), { code: /^not_found$/ });
  after.sweep();
  t.same(readdirSync(folder), []);
});

t.test("an update is handed over: file, then request", async (t) => {
  const dataFolder = testFolder(t);
  const options = {
    dataFolder,
    stateFolder: t.testdirName,
    version: "1.1.0",
    arch: "amd64",
    kind: "versions" as const,
  };
  const { file, keys } = signedUpdate(join(dataFolder, "new.tar"), "1.2.0");
  const requests = requestsFolder(dataFolder);
  mkdirSync(join(requests, "update")); // the place of the request
  await t.rejects(stageUpdate(file, { ...options, keys: () => keys }, { phase: "none" }));
  t.ok(existsSync(join(requests, "bundle.tar")));
  rmSync(join(requests, "update"), { recursive: true });
  t.equal(existsSync(join(requests, "update")), false, "without a request root's part does nothing");
  await stageUpdate(file, { ...options, keys: () => keys }, { phase: "none" });
  t.same(readdirSync(requests).sort(), ["bundle.tar", "update"], "the next one takes its place");
});

/** A bundle without files, and the key that signed it. */
function signedUpdate(file: string, version: string): { file: string; keys: readonly string[] } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const about = {
    format: 1,
    product: "gatehouse",
    kind: "versions",
    version,
    arch: "amd64",
    builtAt: "2026-01-01T00:00:00Z",
    databaseVersion: 1,
    files: [],
  };
  const manifest = Buffer.from(JSON.stringify(about));
  const signature = Buffer.from(sign(null, manifest, privateKey).toString("base64"));
  const entries = [["manifest.json", manifest] as const, ["manifest.sig", signature] as const].flatMap(
    ([name, content]) => {
      const header = Buffer.alloc(512);
      header.write(name, 0, 100, "latin1");
      header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124, 12, "latin1");
      header.write("0", 156, "latin1");
      return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
    },
  );
  writeFileSync(file, Buffer.concat([...entries, Buffer.alloc(1024)]));
  return { file, keys: [publicKey.export({ type: "spki", format: "pem" }).toString()] };
}

t.test("a capture is read: row, then its frames leave the spool", async (t) => {
  const folder = join(testFolder(t), "spool");
  const stored = new Set<string>();
  const begin = (spool: Spool): Captures =>
    new Captures({
      spool,
      openReading: () => null,
      taker: () => ({
        gate: {
          take: async ({ burst, captureKey }) => {
            t.notOk(stored.has(`${burst.deviceId} ${captureKey}`), "it is stored once");
            stored.add(`${burst.deviceId} ${captureKey}`);
            return [stored.size];
          },
          takes: () => true,
          knows: (deviceId, captureKey) => stored.has(`${deviceId} ${captureKey}`),
          nextCaptureId: () => 1,
        },
        shownFrames: { claim: (_, frames) => frames.map(() => true) },
      }),
      maxFrameBytes: 100,
      clock: systemClock,
      logger: silentLogger,
    });
  const spool = new Spool(folder);
  const reached = stopsAt(spool, "remove");
  const before = begin(spool);
  await before.start();
  await before.frame("cam", "7", 0, Buffer.from("a frame"));
  await before.captureDone("cam", "7", { trigger: "loop", frames: 1, at: null, direction: null });
  await reached;
  t.same(readdirSync(join(folder, "cam")).length, 1);
  const after = begin(new Spool(folder));
  await after.start();
  await eventually(() => readdirSync(join(folder, "cam")).length === 0);
  t.equal(stored.size, 1);
  t.equal(after.figures().repeats, 1);
  await after.stop();
});

t.test("a device is removed: row, then its telemetry and sessions", async (t) => {
  const hub = await ApiHub.open(testFolder(t));
  t.teardown(() => hub.close());
  for (const id of ["gone", "stays", "unreadable"]) {
    await hub.device(id);
    await hub.samples(id, [{ at: hub.clock.now(), data: { watts: 1 } }]);
  }
  await hub.devices.state.apply("gone", { power: true }, { source: "device", at: hub.clock.now() });
  await hub.devices.registry.remove(hub.home.siteId, "gone"); // this process does not know of it: it ends before
  const samples = (id: string): number => hub.telemetry.recent(id, { limit: 5 }).length;
  t.same(["gone", "stays"].map(samples), [1, 1]);
  const forgotten: string[] = [];
  const forget = [(id: string) => hub.telemetry.removeDevice(id), async (id: string) => void forgotten.push(id)];
  await finishRemovals(hub.devices.registry, forget);
  t.same(["gone", "stays"].map(samples), [0, 1]);
  t.same(forgotten, ["gone"]);
});
