import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import t, { type Test } from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { Backups } from "../../src/features/backups/backups.ts";
import type { BackupsOptions } from "../../src/features/backups/backups-options.ts";
import {
  type ProbeFolder,
  probeBeside,
  probeFolder,
  probeFolderInThread,
} from "../../src/features/backups/folder-probe.ts";
import type { DoWork } from "../../src/features/backups/thread.ts";
import { doWork } from "../../src/features/backups/work.ts";
import { backupOptions } from "../support/backup-options.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const LOOK_MS = 5_000;
const HALF_HOUR = 30 * 60_000;

/** Backups to a share at `nas`, to a stick at `stick`, and to the hub's own disk, named in this order. */
async function backupsIn(t: Test, changes: (places: { nas: string; clock: FakeClock }) => Partial<BackupsOptions>) {
  const dataFolder = testFolder(t, { labels: { STICK: t.fixture("symlink", "../../sda1") }, nas: {}, stick: {} });
  writeFileSync(join(dataFolder, "hub.key"), "key");
  const [nas, stick] = [join(dataFolder, "nas"), join(dataFolder, "stick")];
  const database = await openDatabase(dataFolder);
  t.teardown(() => database.stop());
  const clock = new FakeClock();
  const mountInfo = `30 1 8:1 / ${stick} rw - ext4 /dev/sda1 rw\n31 1 0:40 / ${nas} rw - nfs4 nas:/x rw\n`;
  const settings = {
    scheduled: true,
    time: "03:15",
    keepDaily: 2,
    keepWeekly: 1,
    destinations: [`mount:${nas}`, "usb:STICK", "local"],
  };
  const mounts = { mountInfo: () => mountInfo, labelFolder: join(dataFolder, "labels") };
  const backups = new Backups(
    backupOptions(database, dataFolder, { settings: () => settings, mounts, clock, ...changes({ nas, clock }) }),
  );
  return { backups, clock, nas, stick, dataFolder };
}

const outcomes = (rows: readonly { destination: string; problem: string | null }[]) =>
  Object.fromEntries(rows.map(({ destination, problem }) => [destination.split(":")[0], problem]));

t.test("the hub waits for its own disk, however busy the board is", async (t) => {
  const { backups } = await backupsIn(t, ({ clock }) => ({
    probe: async (folder) => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(LOOK_MS);
      return probeFolder(folder);
    },
  }));
  const ready = Object.fromEntries((await backups.destinations()).map(({ kind, ready }) => [kind, ready]));
  t.match(ready, { local: true, mount: false });
});

t.test("a share that does not answer is offline, costs the others nothing, and is probed once", async (t) => {
  let dead = false;
  let answer: () => void = () => {};
  const asked: string[] = [];
  const { backups, nas, clock } = await backupsIn(t, ({ nas, clock }) => ({
    probe: (folder) => {
      if (!dead || folder !== nas) return Promise.resolve(probeFolder(folder));
      asked.push(folder);
      setImmediate(() => clock.advance(LOOK_MS));
      return new Promise((resolve) => {
        answer = () => resolve(probeFolder(folder));
      });
    },
  }));
  await backups.make(null, "person");
  t.equal((await backups.list()).filter(({ present }) => present).length, 3);
  dead = true;
  const [share, stick, local] = await backups.destinations();
  t.match(share, { ready: false, freeBytes: null, text: `The share at ${nas} does not answer.` });
  t.match([stick, local], [{ ready: true }, { ready: true }]);
  const listed = await backups.list();
  t.same(listed.map(({ destination, present }) => [destination.split(":")[0], present]).sort(), [
    ["local", true],
    ["mount", false],
    ["usb", true],
  ]);
  clock.advance(1_000);
  const rows = await backups.make(null, "person");
  t.same(outcomes(rows), { local: null, mount: `The share at ${nas} does not answer.`, usb: null });
  const id = listed.find(({ destination }) => destination.startsWith("mount"))?.id ?? 0;
  await t.rejects(backups.file(id), { code: /^not_found$/ });
  await t.rejects(backups.remove(id), { code: /^conflict$/, message: /is away/ });
  t.same(asked, [nas], "one probe is open, however often the list is requested");
  dead = false;
  answer();
  await turn();
  t.match((await backups.destinations())[0], { ready: true }, "it came back");
  await backups.remove(id);
});

t.test(
  "a share that hangs during a backup is abandoned after half an hour; the next backup may start and skips it",
  async (t) => {
    let orders = 0;
    const { backups, nas, clock } = await backupsIn(t, ({ nas, clock }) => {
      const hanging: DoWork = (order, signal) => {
        if (order.kind !== "place" || !order.file.startsWith(nas)) return doWork(order);
        orders++;
        setImmediate(() => clock.advance(HALF_HOUR));
        return new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => orders > 1 && reject(new Error("ended"))),
        ); // the first hangs forever
      };
      return { doWork: hanging };
    });
    const away = `The place ${nas} does not answer.`;
    t.same(outcomes(await backups.make(null, "person")), { local: null, mount: away, usb: null });
    t.notOk(backups.running);
    t.match((await backups.destinations())[0], { ready: false, text: `The share at ${nas} does not answer.` });
    clock.advance(1_000);
    t.same(outcomes(await backups.make(null, "person")), {
      local: null,
      mount: `The share at ${nas} does not answer.`,
      usb: null,
    });
    t.equal(orders, 1, "a hung destination gets no second order");
  },
);

t.test("on a stick backups go into the hub's own folder, if it has one", async (t) => {
  const { backups, clock, stick } = await backupsIn(t, () => ({}));
  t.match(await backups.make("usb:STICK", "person"), [{ problem: null, file: new RegExp(`^${stick}/gatehouse-`) }]);
  mkdirSync(join(stick, "gatehouse"));
  t.match((await backups.destinations())[1], { path: join(stick, "gatehouse"), ready: true });
  clock.advance(1_000);
  t.match(await backups.make("usb:STICK", "person"), [
    { problem: null, file: new RegExp(`^${stick}/gatehouse/gatehouse-`) },
  ]);
  t.equal((await backups.list()).filter(({ present }) => present).length, 2, "the earlier one is still found");
});

t.test("drafts of interrupted backups are deleted, those of another hub that is writing stay", async (t) => {
  const { backups, nas } = await backupsIn(t, () => ({}));
  writeFileSync(join(nas, "gatehouse-20250101-031500.db.gz.part"), "half");
  utimesSync(join(nas, "gatehouse-20250101-031500.db.gz.part"), 0, 0);
  writeFileSync(join(nas, "gatehouse-20260301-031500.db.gz.part"), "half");
  writeFileSync(join(nas, "photo.part"), "mine");
  await backups.make(null, "person");
  t.same(
    readdirSync(nas)
      .filter((name) => name.endsWith(".part"))
      .sort(),
    ["gatehouse-20260301-031500.db.gz.part", "photo.part"],
  );
});

t.test("the hub's own folder is reported like any other", async (t) => {
  const folder = testFolder(t, { gatehouse: {}, "gatehouse-20260301-031500.db.gz": "backup", "photo.jpg": "photo" });
  const { signal } = new AbortController();
  const files = [{ name: "gatehouse-20260301-031500.db.gz", bytes: 6 }];
  t.match(await probeBeside(folder)(folder, signal), { files, hasOwn: true });
  t.match(await probeBeside("/elsewhere")(folder, signal), { files, hasOwn: true });
  for (const missing of [join(folder, "none"), join(folder, "photo.jpg")])
    for (const own of [missing, "/elsewhere"]) t.equal(await probeBeside(own)(missing, signal), null);
});

t.test("a file system that really hangs delays neither the list nor the other places", async (t) => {
  const hang = await mountThatHangs(t);
  if (hang === null) {
    t.pass("not tried: no right to mount a file system here");
    return;
  }
  let looks = 0;
  const look: ProbeFolder = (folder, signal) => {
    if (folder === hang.path) looks++;
    return probeFolderInThread(folder, signal);
  };
  const mounts = { mountInfo: () => readFileSync("/proc/self/mountinfo", "utf8"), labelFolder: "/dev/disk/by-label" };
  const destinations = [`mount:${hang.path}`, "local"];
  const { backups, dataFolder } = await backupsIn(t, () => ({
    probe: look,
    mounts,
    clock: systemClock,
    settings: () => ({ scheduled: true, time: "03:15", keepDaily: 2, keepWeekly: 1, destinations }),
  }));
  t.match(await backups.destinations(), [
    { ready: false, text: `The share at ${hang.path} does not answer.` },
    { ready: true },
  ]);
  t.same(outcomes(await backups.make(null, "person")), {
    local: null,
    mount: `The share at ${hang.path} does not answer.`,
  });
  t.ok(existsSync(join(dataFolder, "backups")));
  t.equal((await backups.list()).filter(({ present }) => present).length, 1);
  t.equal(looks, 1, "one thread hangs, not one for each probe");
  hang.end(); // processes hanging in it get an error
  let text = "";
  while (!/cannot be read/.test(text)) text = (await backups.destinations())[0]?.text ?? "";
  t.match(text, /cannot be read \(ENOTCONN/);
});

/**
 * A mounted file system whose server never answers, like a share whose host was switched off; null if mounting is not
 * allowed. The server is a process of its own that ends by itself after a minute, and with it everything that hangs in
 * its file system.
 */
async function mountThatHangs(t: Test): Promise<{ readonly path: string; readonly end: () => void } | null> {
  const path = mkdtempSync(join(tmpdir(), "gatehouse-hang-"));
  const options = "fd=3,rootmode=40000,user_id=0,group_id=0";
  const script = `exec 3<>/dev/fuse && mount -i -t fuse gatehouse-test "$1" -o ${options} && echo mounted && exec sleep 60`;
  const server = spawn("sh", ["-c", script, "sh", path], { stdio: ["ignore", "pipe", "ignore"] });
  const mounted = await new Promise<boolean>((resolve) => {
    server.stdout.on("data", () => resolve(true));
    server.on("exit", () => resolve(false));
  });
  t.teardown(async () => {
    const ended = server.exitCode !== null || server.signalCode !== null || once(server, "exit");
    server.kill("SIGKILL");
    await ended;
    if (mounted) spawnSync("umount", ["-l", path]);
    rmdirSync(path);
  });
  return mounted ? { path, end: () => void server.kill("SIGKILL") } : null;
}
