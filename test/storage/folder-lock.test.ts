import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { globalAgent } from "node:http";
import { join } from "node:path";
import t from "tap";
import { controlSocketFile } from "../../src/core/platform/control-socket-file.ts";
import { startFailure } from "../../src/core/start/start-failure.ts";
import { FolderLock, FolderTaken, FolderUnlockable } from "../../src/core/storage/folder-lock.ts";
import { gatehouse } from "../support/cli.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { startHubProcess, startOwnedHub, testEnvironment } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const take = (dataFolder: string, what = "hub"): Promise<FolderLock> =>
  FolderLock.take({ dataFolder, pid: process.pid, what, nowMs: Date.UTC(2026, 0, 1), patienceMs: 0 });

t.test("a folder has one owner, whose name the second one gets", async (t) => {
  const folder = testFolder(t);
  const lock = await take(folder);
  t.ok(lock.isHeld);
  lock.reachedAt("http://192.168.1.2:8080");
  const refused = await take(folder).catch((error: unknown) => error);
  t.type(refused, FolderTaken);
  t.match(refused, { message: new RegExp(`a hub \\(process ${process.pid}, since 2026-01-01.*192\\.168\\.1\\.2`) });
  t.equal(statSync(join(folder, "gatehouse.lock")).size, 0, "its file contains nothing that could be damaged");
  t.same(readdirSync(folder).sort(), ["gatehouse.lock", "gatehouse.lock.holder"], "and taking it wrote no other file");
  lock.release();
  const next = await take(folder, "gatehouse restore");
  t.match(await take(folder).catch((error: unknown) => error), { message: /gatehouse restore/ });
  next.release();
  t.same(readdirSync(folder), ["gatehouse.lock"]);
});

t.test("a share whose locks other machines cannot see is refused, in words", async (t) => {
  const dataFolder = testFolder(t, { data: {} });
  const wishes = { dataFolder, pid: process.pid, what: "hub", nowMs: 0, patienceMs: 0 };
  const line = (options: string): string =>
    `36 25 0:45 / ${realpathSync(dataFolder)} rw,noatime shared:1 - nfs4 nas:/gatehouse rw,vers=4.2,${options}\n`;
  const root = "25 1 8:1 / / rw - ext4 /dev/sda1 rw,nolock\n";
  const taken = async (type: number, options: string): Promise<unknown> => {
    const mounts = { typeOf: () => type, all: () => root + line(options) };
    return FolderLock.take({ ...wishes, mounts }).then(
      (lock) => lock.release(),
      (error: unknown) => error,
    );
  };
  const [nfs, cifs, ext4] = [0x6969, 0xff534d42, 0xef53];
  for (const [type, options] of [
    [nfs, "nolock,proto=tcp"],
    [nfs, "proto=tcp,local_lock=all"],
    [nfs, "local_lock=posix"],
    [cifs, "nobrl,uid=0"],
  ] as const) {
    const refused = await taken(type, options);
    t.type(refused, FolderUnlockable);
    t.match(refused, { message: /keeps no locks/, hint: /Mount it with locks/ });
    t.match(startFailure(refused, null), { exitCode: 78 }, "no other start is tried");
  }
  t.equal(await taken(nfs, "proto=tcp,local_lock=none"), undefined, "the server keeps the lock");
  t.equal(await taken(nfs, "proto=tcp,local_lock=flock"), undefined, "another kind of lock");
  t.equal(await taken(ext4, "nolock"), undefined);
});

t.test("the lock of a killed process is released", async (t) => {
  const folder = testFolder(t);
  const hub = await startHubProcess(folder);
  t.match(await take(folder).catch((error: unknown) => error), { message: new RegExp(`process ${hub.pid}`) });
  await hub.kill();
  const lock = await take(folder);
  t.ok(lock.isHeld);
  lock.release();
});

t.test("with anything in the place of the lock file, only one process gets the folder", async (t) => {
  const harms: Record<string, (file: string) => void> = {
    empty: (file) => writeFileSync(file, ""),
    garbage: (file) => writeFileSync(file, Buffer.alloc(8_192, 7)),
    folder: (file) => mkdirSync(file),
    pipe: (file) => execFileSync("mkfifo", [file]),
    "a link to itself": (file) => symlinkSync(file, file),
    "a dangling link": (file) => symlinkSync(`${file}-nowhere`, file),
  };
  for (const [name, harm] of Object.entries(harms)) {
    const folder = testFolder(t);
    for (const file of ["gatehouse.lock", "gatehouse.lock.holder"]) harm(join(folder, file));
    const lock = await take(folder);
    t.ok(lock.isHeld, name);
    t.type(await take(folder).catch((error: unknown) => error), FolderTaken, name);
    lock.release();
  }
  const folder = testFolder(t);
  const lock = await take(folder);
  writeFileSync(join(folder, "gatehouse.lock.holder"), "garbage");
  t.match(await take(folder).catch((error: unknown) => error), { message: /it has not said which/ });
  lock.release();
});

t.test("a second hub and the commands leave the folder of a running hub alone", async (t) => {
  const folder = testFolder(t, { data: {} });
  const data = join(folder, "data");
  const { hub, owner } = await startOwnedHub(data);
  t.teardown(() => hub.kill());
  const refused = await startHubProcess(data).catch((error: unknown) => error);
  t.match(refused, { message: new RegExp(`ended with 78[^]*process ${hub.pid}`) });
  t.ok(existsSync(controlSocketFile(data)), "its control socket stays");

  const backup = join(folder, "one.backup");
  t.equal((await gatehouse(data, ["backup", backup])).code, 0);
  globalAgent.destroy(); // its connection to the socket stays otherwise
  rmSync(controlSocketFile(data)); // as the second hub once did: nothing shows any more that a hub is running
  const before = readFileSync(join(data, "hub.key"));
  for (const words of [["restore", backup], ["reset-owner"], ["keys", "list"]]) {
    const { code, err } = await gatehouse(data, words);
    t.not(code, 0, words.join(" "));
    t.match(err, `process ${hub.pid}`);
  }
  t.same(readFileSync(join(data, "hub.key")), before);
  t.equal((await owner.call("GET", "/api/health")).status, 200, "it keeps serving");
  t.equal(await hub.stop(), 0);
  t.equal((await gatehouse(data, ["restore", backup])).code, 0, "a stopped hub's folder can be restored");
});

t.test("a hub whose log cannot be written ends on request", async (t) => {
  const folder = testFolder(t);
  const main = join(PROJECT_ROOT, "build-hub/src/main.js");
  const child = spawn("sh", ["-c", `exec "${process.execPath}" "${main}" > /dev/full`], {
    env: { PATH: process.env.PATH ?? "", ...testEnvironment(folder) },
    stdio: "ignore",
  });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const deadline = Date.now() + 60_000;
  while (!existsSync(controlSocketFile(folder)) && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // before its handler is registered, a signal would end it anyway
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
  t.equal(await ended, 0);
  clearTimeout(late);
});
