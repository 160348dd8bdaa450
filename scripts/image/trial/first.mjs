// @ts-check
/**
 * Rows of a new card: first boot with a settings file and without internet, the screen, claim, a device over MQTT, a
 * setting, the plate of a photograph, a backup. They set up the household that the later rows check.
 */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { readFat, writeFat } from "../emulator.mjs";
import { check } from "./report.mjs";

/**
 * @typedef {import("./box.mjs").Box} Box
 * @typedef {import("./box.mjs").OpenDatabase} OpenDatabase
 */

const CLAIM_CODE = "TESTS-12345";
const PHOTOGRAPH = { file: "two-wheeler-MP06MW4025.jpg", plate: "MP06MW4025" };
/** The longest that the settings allow; an emulated processor is many times slower than a Raspberry Pi's. */
const BUDGET_MS = 60_000;

/** What an installer writes onto the card. @param {string} publicKey */
export function settingsFile(publicKey) {
  return `[system]
hostname = "hill-house"
timezone = "Asia/Kolkata"
[network]
address = "10.0.2.15/24"
gateway = "10.0.2.2"
[ssh]
authorized_keys = ["${publicKey}"]
[hub]
claim_code = "${CLAIM_CODE}"
`;
}

/**
 * Checks the settings partition after the first boot, and the system that resulted from it.
 * @param {Box} box
 */
async function settingsObeyed(box) {
  await box.shell();
  const parts = {
    hostname: "hostname",
    zone: "readlink /etc/localtime",
    address: "ip -o -4 address show dev eth0",
    files: "ls /boot/gatehouse",
    applied: "cat /boot/gatehouse/gatehouse.applied.toml /boot/gatehouse/gatehouse.result.txt",
    failed: "systemctl --failed --no-legend --plain",
    state: "systemctl is-system-running",
    disk: "df -k /data | tail -1",
    memory: "free -m | sed -n 2p",
    names: "cat /var/lib/gatehouse/gatehouse.json",
    times: "systemd-analyze time; systemd-analyze blame --no-pager | head -12",
    writable: "touch /usr/x 2>&1; mount | grep -c squashfs",
  };
  /** @type {Partial<Record<keyof typeof parts, string>>} */
  const seen = {};
  const command = Object.entries(parts)
    .map(([name, line]) => `echo "== ${name}"; ${line}`)
    .join("; ");
  const { out } = await box.inside(command, { seconds: 60 });
  for (const block of out.split("== ").slice(1))
    seen[/** @type {keyof typeof parts} */ (block.slice(0, block.indexOf("\n")))] = block
      .slice(block.indexOf("\n") + 1)
      .trim();
  console.log(seen.times);
  check(seen.hostname === "hill-house", `hostname: ${seen.hostname}`);
  check(seen.zone?.endsWith("Asia/Kolkata"), `time zone: ${seen.zone}`);
  check(seen.address?.includes("10.0.2.15/24"), `address: ${seen.address}`);
  check(!seen.applied?.includes(CLAIM_CODE), "the claim code is still on the card");
  check(!/^gatehouse\.toml$/m.test(seen.files ?? ""), "gatehouse.toml is still on the card");
  check(seen.applied?.includes("Applied: "), `result: ${seen.applied}`);
  check(seen.writable?.includes("Read-only file system"), `the root can be written: ${seen.writable}`);
  check(seen.failed === "", `failed units: ${seen.failed}`);
  const [, total, used] = /Mem: +(\d+) +(\d+)/.exec(seen.memory ?? "") ?? [];
  const kib = Number(/\/dev\S+ +(\d+)/.exec(seen.disk ?? "")?.[1]);
  check(seen.names?.includes("hill-house"), `the hub's settings: ${seen.names}`);
  return `data partition ${(kib / 1048576).toFixed(2)} GiB of a 4 GiB card; memory used ${used} of ${total} MB; system ${seen.state}`;
}

/** @param {Box} box */
async function readPlate(box) {
  check(await box.set("recognition.budgetMs", BUDGET_MS), "the setting does not wait for a restart");
  const client = await box.client("camera");
  const jpeg = readFileSync(join(import.meta.dirname, "../../../test/fixtures/plates", PHOTOGRAPH.file));
  const started = performance.now();
  await client.publishAsync("gatehouse/camera/capture/1/0", jpeg, { qos: 1 });
  await client.publishAsync("gatehouse/camera/capture/1/done", JSON.stringify({ trigger: "motion", frames: 1 }), {
    qos: 1,
  });
  /** @type {import("./box.mjs").Body["plates"]} */
  let reads = [];
  while (reads.length === 0) {
    check(performance.now() - started < Math.max(BUDGET_MS * 2, box.limit(60)), "no read came");
    await pause(1_000);
    reads = (await box.owner.call("GET", "/v1/plates")).body.plates;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  await client.endAsync();
  const [read] = reads;
  check(read?.plate === PHOTOGRAPH.plate, `read as ${read?.plate} (${read?.status}, ${read?.reason})`);
  return `${read.plate}, ${read.confidence} %, ${seconds} s from the picture to the read on an emulated processor (recognition.budgetMs raised to ${BUDGET_MS})`;
}

/**
 * A packed backup, unpacked to `file`, is a database without damage.
 * @param {Buffer} packed
 * @param {string} file
 * @param {OpenDatabase} openDatabase
 */
export function opensSound(packed, file, openDatabase) {
  writeFileSync(file, gunzipSync(packed));
  const database = openDatabase(file);
  try {
    check(database.pragma("integrity_check", { simple: true }) === "ok", "the backup is damaged");
  } finally {
    database.close();
  }
}

/**
 * Makes a backup, has it rehearsed, downloads it, and inspects it on this machine.
 * @param {Box} box
 * @param {string} folder
 * @param {OpenDatabase} openDatabase
 */
async function backUp(box, folder, openDatabase) {
  const { status, body } = await box.owner.call("POST", "/api/backups", {});
  const [made] = body.backups ?? [];
  check(status === 201 && made !== undefined, `backup: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  const rehearsed = (await box.owner.call("POST", "/api/backups/rehearse", {})).body.rehearsal;
  check(rehearsed?.ok === true, `rehearsal: ${JSON.stringify(rehearsed)}`);
  await box.prove();
  const answer = await fetch(`${box.url}/api/backups/${made.id}/file`, { headers: { cookie: box.owner.cookie } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  check(
    answer.status === 200 && bytes.length === made.bytes,
    `download: ${answer.status}, ${bytes.length} of ${made.bytes} bytes`,
  );
  writeFileSync(join(folder, "backup.db.gz"), bytes);
  opensSound(bytes, join(folder, "backup.db"), openDatabase);
  return `${made.bytes} bytes, rehearsed in ${(rehearsed.tookMs / 1000).toFixed(1)} s, fetched, sound`;
}

/**
 * Waits until the screen shows these words, and takes its picture.
 * @param {Box} box
 * @param {string[]} wanted
 * @param {string} picture
 */
export async function screenShows(box, wanted, picture) {
  await box.shell();
  const deadline = performance.now() + box.limit(60);
  for (;;) {
    const { out } = await box.inside("cat /run/gatehouse/screen.txt");
    if (wanted.every((words) => out.includes(words))) break;
    check(performance.now() < deadline, `the screen says: ${out}`);
    await pause(2_000);
  }
  await pause(1_000);
  await box.picture(picture);
}

/**
 * Nothing depends on rows that are `aside`; after the last of the others the card is set up.
 * @param {{ box: Box, files: { root: string, boot: string }, sshPublicKey: string, openDatabase: OpenDatabase, folder:
 *   string }} trial
 * @returns {import("./report.mjs").Row[]}
 */
export function firstRows({ box, files, sshPublicKey, openDatabase, folder }) {
  return [
    {
      name: "boot",
      title: "first boot, no way out, to a served /v1",
      work: async () => {
        writeFat(box.image, 1, "gatehouse.toml", settingsFile(sshPublicKey));
        // The last picture before the hub answers is the one shown longest.
        const camera = setInterval(() => void box.picture("screen-starting.png").catch(() => {}), 4_000);
        const seconds = await box.boot().finally(() => clearInterval(camera));
        const size = (/** @type {string} */ file) => `${(statSync(file).size / 1e6).toFixed(1)} MB`;
        return `${seconds.toFixed(0)} s from power; root ${size(files.root)}, boot files ${size(files.boot)}`;
      },
    },
    { name: "settings", aside: true, title: "first-boot file obeyed, secrets gone", work: () => settingsObeyed(box) },
    {
      name: "screen",
      aside: true,
      title: "address and claim code on the HDMI console",
      work: async () => {
        await screenShows(
          box,
          ["http://hill-house.local", "http://10.0.2.15", `Claim code:  ${CLAIM_CODE}`, "hill-house"],
          "screen-claim.png",
        );
        check(
          !(readFat(box.image, 1, "gatehouse.applied.toml")?.toString() ?? "").includes(CLAIM_CODE),
          "the code is on the card",
        );
        return "the given name, 10.0.2.15, the given code";
      },
    },
    {
      name: "claim",
      title: "claim with the given code",
      work: async () => {
        const wrong = await box.visitor().call("POST", "/api/claim", {
          code: "TESTS-12346",
          name: "X",
          email: "x@example.org",
          password: "correct horse battery",
        });
        check(wrong.status >= 400 && wrong.status < 500, `a wrong code: ${wrong.status}`);
        box.owner = box.visitor();
        await box.owner.claim(CLAIM_CODE);
        await screenShows(box, ["Ready."], "screen-ready.png");
        return `a wrong code is refused (${wrong.status}); the screen says Ready`;
      },
    },
    {
      name: "mqtt",
      title: "devices over MQTT",
      work: async () => {
        await box.addDevice("meter", "energy-meter");
        await box.addDevice("camera", "camera");
        check((await box.owner.call("POST", "/api/rooms", { name: "Porch" })).status === 201, "room");
        const client = await box.client("meter");
        for (let n = 0; n < 20; n++)
          await client.publishAsync("gatehouse/meter/telemetry", JSON.stringify({ n, watts: 60 + n }), { qos: 1 });
        await client.endAsync();
        const { body } = await box.owner.call("GET", "/v1/devices/meter/telemetry?limit=50");
        check(body.telemetry.length === 20, `${body.telemetry.length} of 20 samples`);
        return "20 samples acknowledged and there";
      },
    },
    { name: "plate", aside: true, title: "number plate of a photograph", work: () => readPlate(box) },
    { name: "backup", title: "backup, rehearsed and downloaded", work: () => backUp(box, folder, openDatabase) },
  ];
}
