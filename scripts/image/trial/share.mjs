// @ts-check
/**
 * Row of a share: the settings file names a folder on another machine, backups go there too, and while that machine
 * does not answer, the hub still does. The other machine is a Samba server on this one.
 */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { writeFat } from "../emulator.mjs";
import { check } from "./report.mjs";

/** @typedef {import("./box.mjs").Box} Box */

/** Where the guest finds it. */
export const NEIGHBOUR = { address: "10.0.2.9", port: 445 };
const PLACE = "mount:/mnt/gatehouse/share";
const USER = "root";
const PASSWORD = "what the NAS wants";
const SETTINGS = `[backup]
share = "//${NEIGHBOUR.address}/backups"
share_user = "${USER}"
share_password = "${PASSWORD}"
`;
/** The hub's own work while the share hangs: well under what a person or a watchdog would notice. */
const ANSWER_WITHIN_MS = 10_000;

/** A Samba with one folder, on a port of the loopback address. */
class Samba {
  #folder;
  #port;
  /** The process group that it leads; null while it does not run. @type {number | null} */
  #group = null;

  /** @param {{ folder: string, port: number }} place */
  constructor({ folder, port }) {
    this.#folder = join(folder, "samba");
    this.#port = port;
  }

  get shared() {
    return join(this.#folder, "backups");
  }

  start() {
    rmSync(this.#folder, { recursive: true, force: true });
    for (const name of ["backups", "private", "state", "lock", "ncalrpc"])
      mkdirSync(join(this.#folder, name), { recursive: true });
    chmodSync(join(this.#folder, "ncalrpc"), 0o755);
    const at = (/** @type {string} */ name) => join(this.#folder, name);
    const global = {
      "server role": "standalone server",
      interfaces: "lo",
      "bind interfaces only": "yes",
      "smb ports": this.#port,
      "disable netbios": "yes",
      "server min protocol": "SMB3_00",
      "passdb backend": `tdbsam:${at("private/passdb.tdb")}`,
      "private dir": at("private"),
      "state directory": at("state"),
      "cache directory": at("state"),
      "lock directory": at("lock"),
      "pid directory": at("lock"),
      "ncalrpc dir": at("ncalrpc"),
      "log file": at("log"),
      "load printers": "no",
    };
    const text = Object.entries(global).map(([name, value]) => `${name} = ${value}`);
    writeFileSync(at("smb.conf"), `[global]\n${text.join("\n")}\n[backups]\npath = ${this.shared}\nread only = no\n`);
    execFileSync("smbpasswd", ["-c", at("smb.conf"), "-s", "-a", USER], {
      input: `${PASSWORD}\n${PASSWORD}\n`,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const server = spawn("smbd", ["--foreground", "--no-process-group", "--configfile", at("smb.conf")], {
      stdio: "ignore",
      detached: true,
    });
    this.#group = server.pid ?? null;
  }

  /** The machine is there and does not answer; or answers again. @param {boolean} hangs */
  hang(hangs) {
    if (this.#group !== null) process.kill(-this.#group, hangs ? "SIGSTOP" : "SIGCONT");
  }

  stop() {
    if (this.#group === null) return;
    this.hang(false);
    process.kill(-this.#group, "SIGTERM");
    this.#group = null;
  }
}

/** The share as the hub sees it, once it is as wanted. @param {Box} box @param {boolean} ready */
async function shareIs(box, ready) {
  const deadline = performance.now() + box.limit(60);
  for (;;) {
    const { body } = await box.owner.call("GET", "/api/backups");
    const share = body.destinations.find(({ name }) => name === PLACE);
    if (share?.ready === ready) return share;
    const why = await box.inside(
      "systemctl status mnt-gatehouse-share.mount | tail -5; dmesg | grep -i cifs | tail -5",
    );
    check(performance.now() < deadline, `the share: ${JSON.stringify(share)}; ${why.out}`);
    await pause(2_000);
  }
}

/** @param {{ box: Box, samba: Samba }} trial */
async function useShare({ box, samba }) {
  await box.board.cut();
  samba.start();
  try {
    writeFat(box.image, 1, "gatehouse.toml", SETTINGS);
    await box.boot();
    await box.signIn();
    await shareIs(box, true);
    const made = await box.owner.call("POST", "/api/backups", {});
    const [here, there] = ["local", PLACE].map((name) =>
      made.body.backups?.find(({ destination }) => destination === name),
    );
    check(
      made.status === 201 && here?.problem === null && there?.problem === null,
      `backup: ${JSON.stringify(made.body).slice(0, 300)}`,
    );
    const file = join(samba.shared, basename(there.file));
    check(
      existsSync(file) && createHash("sha256").update(readFileSync(file)).digest("hex") === there.sha256,
      "what lies on the share is not what was confirmed",
    );

    samba.hang(true);
    const again = box.owner.call("POST", "/api/backups", {});
    const client = await box.client("meter");
    const slowest = { confirmed: 0, page: 0 };
    for (let n = 0; n < 30; n++) {
      const sent = performance.now();
      await client.publishAsync("gatehouse/meter/telemetry", JSON.stringify({ n: 900_000 + n, watts: 5 }), { qos: 1 });
      const asked = performance.now();
      check((await box.owner.call("GET", "/api/backups")).status === 200, "the page of backups does not answer");
      slowest.confirmed = Math.max(slowest.confirmed, asked - sent);
      slowest.page = Math.max(slowest.page, performance.now() - asked);
      await pause(500);
    }
    const [confirmed, page] = [slowest.confirmed, slowest.page].map((ms) => (ms / 1000).toFixed(1));
    await client.endAsync();
    check(
      Math.max(slowest.confirmed, slowest.page) < ANSWER_WITHIN_MS,
      `while the share hung a PUBACK took ${confirmed} s, the page of backups ${page} s`,
    );
    samba.hang(false);
    const rows = (await again).body.backups ?? [];
    check(
      rows.find(({ destination }) => destination === "local")?.problem === null,
      `the hub's own backup meanwhile: ${JSON.stringify(rows).slice(0, 300)}`,
    );
    await box.householdIsThere();
    return `backup there with the reported hash; while it hung, a PUBACK took ${confirmed} s at most, the page of backups ${page} s, and the local backup was made`;
  } finally {
    samba.stop();
  }
}

/**
 * One row.
 * @param {{ box: Box, folder: string, port: number }} trial `port`: of this machine's loopback address, as the board's
 *   neighbour is registered
 * @returns {import("./report.mjs").Row[]}
 */
export function shareRows({ box, folder, port }) {
  const samba = new Samba({ folder, port });
  return [
    { name: "share", title: "a share on the network: backed up to, then silent", work: () => useShare({ box, samba }) },
  ];
}
