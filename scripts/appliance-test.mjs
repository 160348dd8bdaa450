// @ts-check
/**
 * node scripts/appliance-test.mjs [--build FOLDER] [--cache FOLDER] [--base TAR] [--release TAR --key PEM] [--keep]
 *
 * Installs a release into a Debian that systemd has booted in a container, and tests the life cycle of a hub: an
 * upgrade by a signed bundle, by one that crashes, one with a wrong signature and a truncated one, a manual rollback,
 * backup, owner reset and factory reset by files on the boot partition, uninstall. Prints a table. Root,
 * systemd-container and mmdebstrap are needed; leaves nothing outside CACHE.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { check as wanted } from "./image/trial/report.mjs";
import { prepare, root } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    build: { type: "string" },
    cache: {
      type: "string",
      default: join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "gatehouse-image"),
    },
    keep: { type: "boolean", default: false },
    release: { type: "string" },
    base: { type: "string" },
    key: { type: "string" },
  },
});
await prepare({ isBuilt: true }); // the release is built by its own script
const cache = resolve(values.cache);
const work = mkdtempSync(join(tmpdir(), "gatehouse-appliance-"));
const machine = join(work, "machine");
const keyFile = values.key === undefined ? join(work, "key.pem") : resolve(values.key);
/** Seconds of each step. @type {number[]} */
const took = [];
let leader = 0;
/** @type {import("node:child_process").ChildProcess | null} */
let container = null;

const sh = (/** @type {string} */ command) =>
  execFileSync("sh", ["-ec", command], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
/** Runs a command in the booted machine; answers what it printed, with its status. @param {string} command */
const inside = (command, input = "") => {
  // A clean environment: with some variables Node prints into the middle of an answer.
  const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" };
  const result = spawnSync("/usr/bin/nsenter", ["-t", String(leader), "-a", "sh", "-c", command], {
    encoding: "utf8",
    input,
    env,
  });
  return { status: result.status, out: `${result.stdout}${result.stderr}`.trim() };
};

/** @param {string} what @param {() => boolean} probe */
async function until(what, probe, limitMs = 240_000) {
  const begun = Date.now();
  for (;;) {
    if (probe()) return;
    if (Date.now() - begun > limitMs)
      throw new Error(
        `${what}: not within ${limitMs / 1000} s\n${inside("journalctl -q --no-pager -n 40 -u 'gatehouse*'; systemctl --no-pager status gatehouse gatehouse-update.service | head -30; cat /var/lib/gatehouse-update/state.json").out}`,
      );
    await sleep(500);
  }
}

/** @param {string} name @param {() => Promise<string | void> | string | void} task */
async function step(name, task) {
  const begun = Date.now();
  const note = (await task()) ?? "";
  const seconds = (Date.now() - begun) / 1000;
  took.push(seconds);
  console.log(`ok  ${name.padEnd(46)} ${seconds.toFixed(1).padStart(7)} s  ${note}`);
}

/**
 * A request to the hub's own address inside; the machine may have no curl. @param {string} path @param {object} [json]
 */
const http = (path, json) =>
  spawnSync(
    "ip",
    [
      "netns",
      "exec",
      "gh-test",
      "curl",
      "-s",
      "-m",
      "10",
      ...(json === undefined ? [] : ["-X", "POST", "-H", "content-type: application/json", "-d", JSON.stringify(json)]),
      `http://127.0.0.1${path}`,
    ],
    { encoding: "utf8" },
  ).stdout ?? "";
const claim = () => http("/api/claim");
const updateState = () => JSON.parse(readFileSync(join(machine, "var/lib/gatehouse-update/state.json"), "utf8"));

/** A Debian with systemd, once. */
function makeBase() {
  if (values.base !== undefined) return resolve(values.base);
  const base = join(cache, "appliance-base-amd64.tar");
  if (existsSync(base)) return base;
  mkdirSync(cache, { recursive: true });
  const draft = join(cache, "new-appliance-base-amd64.tar"); // mmdebstrap decides by the suffix
  const mirror =
    process.env.MIRROR ??
    /^(?:deb .*?(https?:\S+)|URIs: (\S+))/m
      .exec(
        ["/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"]
          .filter(existsSync)
          .map((file) => readFileSync(file, "utf8"))
          .join("\n"),
      )
      ?.slice(1)
      .find(Boolean) ??
    "http://deb.debian.org/debian";
  execFileSync(
    "mmdebstrap",
    [
      "--variant=minbase",
      "--include=systemd,systemd-sysv,dbus,udev,iproute2,procps,util-linux",
      "--dpkgopt=path-exclude=/usr/share/man/*",
      "--dpkgopt=path-exclude=/usr/share/doc/*",
      "bookworm",
      draft,
      mirror,
    ],
    { stdio: "inherit" },
  );
  sh(`mv "${draft}" "${base}"`);
  return base;
}

async function boot() {
  sh(`ip netns add gh-test 2>/dev/null || true; ip netns exec gh-test ip link set lo up`);
  const script = `umount -R /sys/fs/cgroup 2>/dev/null; mount -t cgroup2 cgroup2 /sys/fs/cgroup; exec systemd-nspawn --register=no --keep-unit --network-namespace-path=/run/netns/gh-test --resolv-conf=off --console=pipe -q -D "${machine}" -b`;
  const env = { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1", SYSTEMD_NSPAWN_LOCK: "0" };
  const started = spawn("unshare", ["-m", "sh", "-c", script], { stdio: ["ignore", "pipe", "pipe"], env });
  let output = "";
  container = started;
  for (const stream of [started.stdout, started.stderr]) stream.on("data", (chunk) => (output += chunk));
  await until("boot", () => {
    if (started.exitCode !== null) throw new Error(`the container ended: ${output.slice(-2000)}`);
    const children = spawnSync("pgrep", ["-P", String(started.pid)], { encoding: "utf8" })
      .stdout.trim()
      .split("\n");
    leader = Number(children[0]) || 0;
    return leader > 0 && /running|degraded/.test(inside("systemctl is-system-running").out);
  });
}

async function shutdown() {
  const running = container;
  if (running === null || leader === 0) return;
  spawnSync("kill", ["-s", "RTMIN+4", String(leader)]);
  await Promise.race([new Promise((done) => running.on("exit", done)), sleep(30_000)]);
  if (running.exitCode === null) spawnSync("kill", ["-9", String(leader)]);
  leader = 0;
}

/**
 * A release of a version, made from the first one. `breakIt` changes its tree; without it only the manifest is new.
 * @param {string} first
 * @param {string} version
 * @param {{ breakIt?: (tree: string) => void, key?: string }} [wishes]
 */
function variant(first, version, { breakIt, key = keyFile } = {}) {
  const folder = join(work, `variant-${version}`);
  mkdirSync(folder);
  sh(`tar -xf "${first}" -C "${folder}"`);
  const payload = join(folder, "payload.tar.gz");
  if (breakIt !== undefined) {
    const tree = join(folder, "tree");
    mkdirSync(tree);
    sh(`tar -xzf "${payload}" -C "${tree}"`);
    const own = JSON.parse(readFileSync(join(tree, "package.json"), "utf8"));
    writeFileSync(join(tree, "package.json"), JSON.stringify({ ...own, version }));
    breakIt(tree);
    // Stored, not compressed: the size does not matter here.
    const store =
      'const{createGzip}=require("node:zlib");process.stdin.pipe(createGzip({level:0})).pipe(process.stdout)';
    sh(`tar -cf - -C "${tree}" . | "${process.execPath}" -e '${store}' > "${payload}"`);
  }
  const out = join(work, `gatehouse-${version}-linux-amd64.tar`);
  const files = ["install.sh", "payload.tar.gz"].map((name) => ({ name, path: join(folder, name) }));
  const wishes = {
    out,
    keyFile: key,
    kind: "versions",
    version,
    arch: "amd64",
    builtAt: Date.now(),
    databaseVersion: 99,
    files,
  };
  execFileSync(process.execPath, [
    "--input-type=module",
    "-e",
    `import { writeBundle } from ${JSON.stringify(join(root, "scripts/lib/bundle.mjs"))}; await writeBundle(${JSON.stringify(wishes)});`,
  ]);
  rmSync(folder, { recursive: true });
  return out;
}

/** Adds a migration, so that the database of this version cannot be read by the one before. */
const withMigration = (/** @type {string} */ tree) => {
  const folder = join(tree, "src/core/storage/migrations");
  const next = String(readdirSync(folder).length + 1).padStart(4, "0");
  writeFileSync(join(folder, `${next}-appliance-test.sql`), "CREATE TABLE appliance_test (x INTEGER) STRICT;\n");
};

try {
  for (const name of ["key.pem", "other.pem"]) sh(`openssl genpkey -algorithm ed25519 -out "${join(work, name)}"`);
  let first = values.release ?? "";
  await step("release", () => {
    if (first === "") {
      const args = [
        "scripts/release.mjs",
        "--arch",
        "amd64",
        "--out",
        join(work, "release"),
        "--cache",
        cache,
        "--key",
        keyFile,
        ...(values.build ? ["--build", values.build] : []),
      ];
      execFileSync(process.execPath, args, {
        cwd: root,
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, LEVEL: "1" },
      });
      const release = readdirSync(join(work, "release")).find((name) => name.endsWith(".tar"));
      wanted(release !== undefined, "no release was made");
      first = join(work, "release", release);
    }
    return `${Math.round(Number(sh(`stat -c %s "${first}"`)) / 1e6)} MB`;
  });
  await step("Debian", () => {
    mkdirSync(machine);
    sh(
      `tar -xf "${makeBase()}" -C "${machine}" --numeric-owner && : > "${machine}/etc/machine-id" && mkdir -p "${machine}/boot/firmware" "${machine}/root/release"`,
    );
  });
  await step("boot", boot);
  sh(`tar -xf "${first}" -C "${machine}/root/release"`);
  await step("install", async () => {
    const { status, out } = inside("/root/release/install.sh");
    wanted(status === 0, out);
    await until("the hub answers", () => claim().includes("claimed"));
    return /Claim code: (\S+)/.exec(out)?.[1] ?? "";
  });
  await step("sandbox as the units say", () => {
    const pid = inside("systemctl show -p MainPID --value gatehouse").out;
    const status = inside(`cat /proc/${pid}/status`).out;
    wanted(/NoNewPrivs:\s1/.test(status) && /Seccomp:\s2/.test(status) && !/Uid:\s0/.test(status), status);
    const view = (/** @type {string} */ command) =>
      inside(`nsenter -t ${pid} -m setpriv --reuid gatehouse --regid gatehouse --clear-groups sh -c '${command}'`)
        .status;
    wanted(
      view("echo x > /etc/x") !== 0 &&
        view("echo x > /usr/x") !== 0 &&
        view("echo x > /var/lib/gatehouse/x && rm /var/lib/gatehouse/x") === 0,
      "the file system is not as it should be",
    );
    return `exposure ${/level for gatehouse.service: ([0-9.]+)/.exec(inside("systemd-analyze security gatehouse --no-pager | tail -n 1").out)?.[1]}`;
  });
  await step("installed again: nothing changes", () => {
    const before = inside("sha256sum /var/lib/gatehouse/hub.key /etc/gatehouse/gatehouse.env").out;
    const { status, out } = inside("/root/release/install.sh --upgrade");
    wanted(status === 0 && out.includes("there already"), out);
    wanted(inside("sha256sum /var/lib/gatehouse/hub.key /etc/gatehouse/gatehouse.env").out === before, "data changed");
  });
  const codeOf = () =>
    /Claim code: (\S+)/.exec(inside("journalctl -q -u gatehouse -o cat --no-pager | tail -n 200").out)?.[1];
  const owner = { name: "Asha", email: "asha@example.org", password: "violin-gravel-47-otter" };
  await step("claim", async () => {
    await until("the hub answers", () => claim().includes("claimed"));
    const out = http("/api/claim", { ...owner, code: codeOf() });
    wanted(out.includes('"account"'), out);
  });
  await step("crash and hang", async () => {
    const pid = () => inside("systemctl show -p MainPID --value gatehouse").out;
    const before = pid();
    inside(`kill -9 ${before}`);
    await until("back after a crash", () => pid() !== "0" && pid() !== before && claim().includes("true"));
    const second = pid();
    inside(`kill -STOP ${second}`);
    await until("back after a hang (watchdog)", () => pid() !== "0" && pid() !== second && claim().includes("true"));
  });
  const send = async (/** @type {string} */ file, /** @type {string | undefined} */ wait = undefined) => {
    cpSync(file, join(machine, "root/update.tar"));
    const { status, out } = inside("gatehouse update /root/update.tar");
    if (!wait) return { status, out };
    wanted(status === 0, out);
    await until(
      `phase ${wait}`,
      () => existsSync(join(machine, "var/lib/gatehouse-update/state.json")) && updateState().phase === wait,
      600_000,
    );
    await until("the hub answers", () => claim().includes("true"));
    return { status, out: updateState().text };
  };
  const version = () => inside("gatehouse --version").out;
  const original = version();
  await step("update: wrong signature", async () => {
    const { status, out } = await send(variant(first, "9.0.1", { key: join(work, "other.pem") }));
    wanted(status === 1 && /not signed/.test(out), out);
  });
  await step("update: cut off halfway", async () => {
    const file = variant(first, "9.0.2");
    truncateSync(file, 20_000_000);
    const { status, out } = await send(file);
    wanted(status === 1 && /cut off/.test(out), out);
  });
  await step("update: crashes at start, database migrated", async () => {
    const breakIt = (/** @type {string} */ tree) => {
      withMigration(tree);
      const main = join(tree, "build/src/main.js");
      writeFileSync(main, `${readFileSync(main, "utf8")}\nsetTimeout(() => process.exit(1), 4000);\n`);
    };
    const { out } = await send(variant(first, "9.0.3", { breakIt }), "rolled-back");
    wanted(version() === original && claim().includes("true"), out);
    return out;
  });
  await step("update: good, healthy for two minutes", async () => {
    const { out } = await send(variant(first, "9.1.0", { breakIt: withMigration }), "committed");
    wanted(version() === "9.1.0" && claim().includes("true"), out);
    return out;
  });
  await step("back by hand", async () => {
    wanted(inside("gatehouse update rollback").status === 0, "refused");
    await until("rolled back", () => updateState().phase === "rolled-back");
    await until("the hub answers", () => claim().includes("true"));
    wanted(version() === original, version());
    return updateState().text;
  });
  await step("backup", () => {
    const { status, out } = inside(
      "cd /var/lib/gatehouse && gatehouse backup /var/lib/gatehouse/kept.db.gz && mv kept.db.gz /root/",
    );
    wanted(status === 0, out);
  });
  await step("the clock, asked for by the hub", async () => {
    const { out } = inside("systemctl start gatehouse-clock.path; systemctl is-active gatehouse-clock.path");
    wanted(out === "active", out);
  });
  await step("owner reset by a file", async () => {
    inside(
      "printf 'a-new-pass-phrase-93\\n' > /boot/firmware/GATEHOUSE-RESET-OWNER.TXT; systemctl stop gatehouse; systemctl restart gatehouse-boot; systemctl start gatehouse",
    );
    await until("the hub answers", () => claim().includes("true"));
    const out = http("/api/session", { email: owner.email, password: "a-new-pass-phrase-93" });
    wanted(out.includes('"account"'), out);
    wanted(!existsSync(join(machine, "boot/firmware/GATEHOUSE-RESET-OWNER.TXT")), "the file is still there");
  });
  await step("factory reset by a file", async () => {
    inside(
      "touch /boot/firmware/gatehouse-factory-reset.txt; systemctl stop gatehouse; systemctl restart gatehouse-boot; systemctl start gatehouse",
    );
    await until("the hub answers", () => claim().includes("false"));
  });
  await step("restore by a file", async () => {
    inside(
      "cp /root/kept.db.gz /boot/firmware/gatehouse-restore.db.gz; systemctl stop gatehouse; systemctl restart gatehouse-boot; systemctl start gatehouse",
    );
    await until("the hub answers", () => claim().includes("true"));
    return readFileSync(join(machine, "boot/firmware/gatehouse-restore-result.txt"), "utf8").trim().split("\n")[0];
  });
  await step("uninstall: data stays", () => {
    const { status, out } = inside("/root/release/install.sh --uninstall");
    wanted(
      status === 0 &&
        existsSync(join(machine, "var/lib/gatehouse/gatehouse.db")) &&
        !existsSync(join(machine, "opt/gatehouse")),
      out,
    );
    wanted(inside("systemctl --failed --no-legend --plain | grep -i gatehouse").out === "", "a unit has failed");
  });
  console.log(`\n${took.length} steps, ${took.reduce((sum, seconds) => sum + seconds, 0).toFixed(0)} s`);
} finally {
  await shutdown();
  spawnSync("ip", ["netns", "del", "gh-test"]);
  if (!values.keep) rmSync(work, { recursive: true, force: true });
  else console.log(work);
}
