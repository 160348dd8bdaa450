// @ts-check
/** The disk under the hub: full, read-only, gone, slow, failing. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const DISK_MB = 48;

/** @typedef {import("./household.mjs").Household} Household */

/** @returns {string | null} */
const cannotMount = () => {
  if (process.getuid?.() !== 0) return "only root may mount a disk";
  const tried = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
  return tried.status === 0 ? null : "mounting is not allowed here";
};

/** @returns {string | null} */
const withoutCompiler = () =>
  spawnSync("gcc", ["--version"], { stdio: "ignore" }).status === 0 ? null : "gcc is not installed";

const mount = (/** @type {Household} */ house) =>
  void execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", house.folder]);

/** Takes all of the disk that holds `file` but about `leaveBytes`. @param {string} file @param {number} leaveBytes */
function fill(file, leaveBytes) {
  const handle = openSync(file, "w");
  const free = () => {
    const { bavail, bsize } = statfsSync(file);
    return bavail * bsize;
  };
  try {
    while (free() > leaveBytes)
      writeSync(handle, Buffer.alloc(Math.max(4_096, Math.min(65_536, free() - leaveBytes)), 1));
  } catch {
    // Completely full.
  }
  closeSync(handle);
}

/** @param {Household} house */
async function serve(house) {
  await house.start();
  await house.signIn();
  await house.devices.connect();
  house.busy();
  await pause(300);
}

/**
 * While writes are refused: is it reported, and does the owner get in? @param {Household} house @param {RegExp} words
 */
async function refusing(house, words) {
  let storage = null;
  for (let n = 0; n < 40; n++) {
    await house.room().catch(() => {});
    storage = await house.hub.storage();
    if (storage?.level === "failed") break;
    await pause(100);
  }
  if (storage?.level !== "failed")
    house.find("health-lies", `writes fail for 4 s and storage reports ${storage?.level}: ${storage?.text}`);
  else if (!words.test(storage.text)) house.find("health-lies", `the words do not say what is so: ${storage.text}`);
  const answer = await house.signIn().catch((error) => ({ status: 0, bytes: Buffer.from(String(error)) }));
  if (answer.status !== 200)
    house.find("owner-locked-out", `while the disk is so, sign-in: ${answer.status} ${answer.bytes}`);
}

/** With the disk so: deletes a backup; file and line go together or stay together. @param {Household} house */
async function deleteBackup(house) {
  const [id, { file }] = [...house.ledger.backups][0] ?? [0, { file: "" }];
  const { status } = await house.call("DELETE", `/api/backups/${id}`).catch(() => ({ status: 0 }));
  if (status === 200) {
    house.ledger.backups.delete(id);
    house.ledger.goneBackups.set(id, file);
  } else if (!existsSync(file)) house.find("lost", `DELETE of backup ${id} answered ${status} and its file is gone`);
}

/**
 * Writes work again once the fault is over, or after a restart if the health page asks for one.
 * @param {Household} house
 */
async function recovers(house) {
  if (/restart the hub/i.test((await house.hub.storage())?.text ?? "")) {
    await house.hub.stop();
    await house.start();
    await house.signIn();
  }
  for (let n = 0; n < 80; n++) {
    if ((await house.room().catch(() => 0)) === 201) return;
    await pause(200);
  }
  const storage = await house.hub.storage();
  house.find(
    "not-recovered",
    `no write succeeds 16 s after the fault is over; storage: ${storage?.level} ${storage?.text}`,
  );
}

/** @type {import("./kinds.mjs").Fault[]} */
export const diskFaults = [
  {
    name: "disk-full",
    quick: true,
    lacks: cannotMount,
    mount,
    async run(house, random) {
      await serve(house);
      const leave = random.of([0, 8_192, 65_536, 400_000]);
      house.mayLosePictures = true; // the hub deletes the oldest ones to make room, and reports it
      const filler = join(house.folder, "filler");
      fill(filler, leave);
      const act = random.of(["delete a backup", "restore", "back up", "nothing"]);
      await pause(random.int(100, 800));
      if (leave < 65_536) await refusing(house, /full/i);
      if (act === "delete a backup") await deleteBackup(house);
      else if (act === "back up") {
        const { status, body } = await house.call("POST", "/api/backups", {});
        const problem = body.backups?.[0]?.problem ?? body.error?.message ?? "";
        if (!/space|full|room|no backup|storage/i.test(problem) && !(status === 201 && problem === ""))
          house.find("wrong-words", `a backup on a full disk: ${status} ${problem}`);
      } else if (act === "restore") {
        const id = [...house.ledger.backups.keys()][0];
        const answer = await house.call("POST", `/api/backups/${id}/restore`, {});
        if (/damaged/i.test(String(answer.bytes)))
          house.find("wrong-words", `a restore with too little room: ${answer.status} ${answer.bytes}`);
        if (answer.status < 300) rmSync(join(house.folder, "restore-ready"), { recursive: true, force: true });
      }
      const restarted = random.of(["", ", killed", ", stopped"]);
      if (restarted === ", killed") await house.hub.kill();
      if (restarted === ", stopped") await house.hub.stop();
      if (restarted !== "") {
        if (!(await house.start()))
          house.find("start-failed", `on a full disk: exit ${house.hub.exitCode}: ${house.hub.stderr.slice(0, 300)}`);
        else await house.signIn();
      }
      rmSync(filler);
      if (!house.runs) await house.start();
      await house.signIn();
      await recovers(house);
      return `${leave} bytes left, ${act}${restarted}`;
    },
  },
  {
    name: "disk-read-only",
    lacks: cannotMount,
    mount,
    async run(house) {
      house.mayLosePictures = true; // so small a disk never has the required room
      await serve(house);
      if ((await house.hub.stop()) === null) house.find("exit-code", "it did not stop in 20 s");
      execFileSync("mount", ["-o", "remount,ro", house.folder]);
      if (await house.start()) await refusing(house, /read-only|cannot be written|not be written/i);
      else if (house.hub.stackTrace() === null)
        house.find(
          "start-failed",
          `on a read-only folder: exit ${house.hub.exitCode}: ${house.hub.stderr.slice(0, 300)}`,
        );
      if (house.runs) await house.hub.stop();
      execFileSync("mount", ["-o", "remount,rw", house.folder]);
      return "read-only at the start";
    },
  },
  {
    name: "folder-gone",
    async run(house, random) {
      await serve(house);
      const how = random.of(["renamed", "deleted"]);
      const aside = `${house.folder}-aside`;
      rmSync(aside, { recursive: true, force: true });
      await house.calm();
      await house.devices.settled(5_000);
      const known = { samples: new Set(house.ledger.samples), rooms: new Set(house.ledger.rooms) };
      // deleted: by its name; a hub cannot tell the two apart, and the test can look into it
      renameSync(house.folder, aside);
      await pause(1_500);
      house.busy();
      await pause(1_500);
      const storage = await house.hub.storage();
      await house.calm();
      const accepted = house.ledger.rooms.size - known.rooms.size + (house.ledger.samples.size - known.samples.size);
      if (how === "deleted" && accepted > 0)
        house.find("lost", `${accepted} samples and rooms were acknowledged into a folder that is gone`);
      if (storage?.level !== "failed")
        house.find("health-lies", `the folder is ${how} and storage reports ${storage?.level}: ${storage?.text}`);
      await house.hub.kill();
      rmSync(house.folder, { recursive: true, force: true });
      renameSync(aside, house.folder);
      if (how === "deleted") Object.assign(house.ledger, known);
      return how;
    },
  },
  ...["eio", "erofs", "enospc", "slow 200", "read-eio"].map((mode) => ({
    name: `disk-${mode.split(" ")[0]}`,
    lacks: withoutCompiler,
    /** @type {import("./kinds.mjs").Fault["run"]} */
    async run(house, random, { scratch, faultyDisk }) {
      const [what = "", slow] = mode.split(" ");
      const disk = join(scratch, "disk");
      mkdirSync(disk, { recursive: true });
      const file = join(disk, slow === undefined ? "mode" : "delay"); // see faulty-disk.c
      rmSync(file, { force: true });
      house.env = { LD_PRELOAD: faultyDisk ?? "", FAULTY_DISK: disk, FAULTY_DISK_BELOW: house.folder };
      await serve(house);
      writeFileSync(file, slow ?? what);
      const ms = random.int(1_000, 3_000);
      if (mode.startsWith("slow")) await pause(ms);
      else if (mode === "read-eio") {
        await pause(ms);
        await house.call("GET", "/v1/plates?limit=10").catch(() => {});
      } else {
        await refusing(house, mode === "enospc" ? /full/i : /cannot be written|not be written|read-only|error|fails/i);
        if (random.of([true, false])) await deleteBackup(house);
      }
      const atStart = random.of([true, false]) && !mode.startsWith("slow");
      if (atStart) {
        await house.hub.kill();
        if (!(await house.start()) && house.hub.stackTrace() === null)
          house.find("start-failed", `exit ${house.hub.exitCode}: ${house.hub.stderr.slice(0, 300)}`);
      }
      rmSync(file);
      if (!house.runs) await house.start();
      await house.signIn().catch(() => {});
      await recovers(house);
      return `${mode}${atStart ? ", also at a start" : ""}`;
    },
  })),
];
