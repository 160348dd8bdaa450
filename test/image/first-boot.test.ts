import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { testFolder } from "../support/test-folder.ts";

const PROVISION = join(import.meta.dirname, "../../scripts/image/box/provision.mjs");

/** Runs the provisioner on folders of a test. */
function provision(t: Test, files: Record<string, string>) {
  const folder = testFolder(t, { boot: files, root: {}, kept: {}, hub: {} });
  const at = (path: string) => join(folder, path);
  const env = {
    PATH: process.env.PATH,
    GATEHOUSE_BOOT_FOLDER: at("boot"),
    GATEHOUSE_ROOT: at("root"),
    GATEHOUSE_KEPT: at("kept"),
    GATEHOUSE_DATA: at("hub"),
    GATEHOUSE_MESSAGE: at("message"),
  };
  const run = () => spawnSync(process.execPath, [PROVISION], { env, encoding: "utf8" });
  const result = run();
  t.equal(result.status, 0, result.stderr);
  return {
    at,
    read: (path: string) => readFileSync(at(path), "utf8"),
    boot: () => readdirSync(at("boot")).sort(),
    again: run,
  };
}

t.test("a settings file is applied once, and its secrets are gone afterwards", async (t) => {
  const box = provision(t, {
    "Gatehouse.TOML":
      '[system]\nhostname = "hill-house"\ntimezone = "Asia/Kolkata"\n[wlan]\nssid = "Net"\npassword = "very secret"\ncountry = "IN"\n[hub]\nclaim_code = "ABCDE-FGHJK"\n[ssh]\nauthorized_keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk me"]\n[backup]\nshare = "//10.0.0.9/backups"\nshare_user = "hub"\nshare_password = "also secret"\n',
  });
  for (const place of ["root", "kept"]) {
    t.equal(box.read(`${place}/etc/hostname`), "hill-house\n", `${place}: now and at the next starts`);
    t.equal(readlinkSync(box.at(`${place}/etc/localtime`)), "/usr/share/zoneinfo/Asia/Kolkata");
    t.equal(statSync(box.at(`${place}/etc/wpa_supplicant/wpa_supplicant-wlan0.conf`)).mode & 0o777, 0o600);
    t.match(box.read(`${place}/etc/ssh/authorized_keys.d/installer`), /^ssh-ed25519 /);
  }
  t.same(
    JSON.parse(box.read("hub/gatehouse.json")),
    {
      backups: { destinations: ["local", "mount:/mnt/gatehouse/share"] },
      discovery: { name: "hill-house" },
    },
    "the hub announces itself under the host's name, and its backups go to the share",
  );
  t.equal(box.read("hub/claim-code"), "ABCDEFGHJK\n");
  t.equal(statSync(box.at("hub/claim-code")).mode & 0o777, 0o600);
  t.same(box.boot(), ["gatehouse.applied.toml", "gatehouse.result.txt"]);
  t.notMatch(
    box
      .boot()
      .map((name) => box.read(`boot/${name}`))
      .join(""),
    /very secret|also secret|ABCDE/,
  );
  const wants = "kept/etc/systemd/system/sys-subsystem-net-devices-wlan0.device.wants";
  t.ok(
    lstatSync(box.at(`${wants}/wpa_supplicant@wlan0.service`)).isSymbolicLink(),
    "the start does not wait for a missing radio",
  );
  t.equal(box.again().status, 0, "a start without a file does nothing");
  t.equal(box.read("hub/claim-code"), "ABCDEFGHJK\n");
});

t.test("an error is reported on the card and on the screen, and the rest is done", async (t) => {
  const box = provision(t, {
    "gatehouse.toml": '[system]\nhostname = "two words"\ntimezone = "Asia/Kolkata"\n[hub]\nrestore = "not-there.ghb"\n',
  });
  t.equal(box.read("kept/etc/timezone"), "Asia/Kolkata\n");
  t.notOk(existsSync(box.at("kept/etc/hostname")));
  t.match(box.read("boot/gatehouse.result.txt"), /system\.hostname must be[\s\S]*there is no file not-there\.ghb/);
  t.match(box.read("message"), /system\.hostname must be/);
});

t.test("a name given later leaves the other settings of the hub alone", async (t) => {
  const box = provision(t, { "gatehouse.toml": '[system]\nhostname = "first"\n' });
  writeFileSync(box.at("hub/gatehouse.json"), '{"discovery":{"name":"first","mdns":true},"http":{"port":80}}');
  writeFileSync(box.at("boot/gatehouse.toml"), '[system]\nhostname = "second"\n');
  t.equal(box.again().status, 0);
  t.same(JSON.parse(box.read("hub/gatehouse.json")), { discovery: { name: "second", mdns: true }, http: { port: 80 } });
});

t.test("links in the hub's folder lead root nowhere", async (t) => {
  const pem =
    "-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nQg==\n-----END PRIVATE KEY-----\n";
  const box = provision(t, {});
  for (const name of ["passwd", "shadow"]) writeFileSync(box.at(`root/${name}`), "root's own");
  symlinkSync(box.at("root/passwd"), box.at("hub/gatehouse.json.new"));
  symlinkSync(box.at("root/shadow"), box.at("hub/claim-code.new"));
  symlinkSync(box.at("root"), box.at("hub/tls"));
  writeFileSync(box.at("boot/ca.pem"), pem);
  writeFileSync(
    box.at("boot/gatehouse.toml"),
    '[system]\nhostname = "hill-house"\n[hub]\nclaim_code = "ABCDE-FGHJK"\nca = "ca.pem"\n',
  );
  t.equal(box.again().status, 0);
  for (const name of ["passwd", "shadow"]) t.equal(box.read(`root/${name}`), "root's own");
  t.notOk(existsSync(box.at("root/authority.key")));
  t.match(box.read("hub/gatehouse.json"), /hill-house/);
  t.equal(box.read("hub/claim-code"), "ABCDEFGHJK\n");
  t.match(box.read("hub/tls/authority.key"), /Qg==/);
});

t.test("our own file overrides Raspberry Pi Imager's, and both are removed", async (t) => {
  const box = provision(t, {
    "rpi-preseed.toml":
      'config_version = "1.0"\n[system]\nhostname = "imager"\n[wlan]\nssid = "Net"\npassword = "imagersecret"\ncountry = "IN"\n',
    "gatehouse.toml": '[system]\nhostname = "ours"\n',
  });
  t.equal(box.read("kept/etc/hostname"), "ours\n");
  t.match(box.read("kept/etc/wpa_supplicant/wpa_supplicant-wlan0.conf"), /imagersecret/);
  t.same(box.boot(), ["gatehouse.applied.toml", "gatehouse.result.txt"]);
});

t.test("an authority is imported and its key leaves the card; a certificate alone is not enough", async (t) => {
  const pem =
    "-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nQg==\n-----END PRIVATE KEY-----\n";
  const box = provision(t, { "ca.pem": pem, "gatehouse.toml": '[hub]\nca = "ca.pem"\n' });
  t.match(box.read("hub/tls/authority.crt"), /QQ==/);
  t.match(box.read("hub/tls/authority.key"), /Qg==/);
  t.notOk(box.boot().includes("ca.pem"));
  t.test("without the key", async (t) => {
    const other = provision(t, { "ca.pem": pem.slice(0, 60), "gatehouse.toml": '[hub]\nca = "ca.pem"\n' });
    t.match(other.read("boot/gatehouse.result.txt"), /needs a certificate and its key/);
    t.ok(other.boot().includes("ca.pem"), "the file stays");
  });
});

t.test("a backup and an owner reset are left under the names that the next unit expects", async (t) => {
  const box = provision(t, {
    "home.ghb": "backup",
    "gatehouse.toml": '[hub]\nrestore = "home.ghb"\nrestore_passphrase = "open sesame"\n',
    "reset-owner.txt": "",
  });
  t.same(box.boot(), [
    "gatehouse-reset-owner.txt",
    "gatehouse-restore-passphrase.txt",
    "gatehouse-restore.ghb",
    "gatehouse.applied.toml",
    "gatehouse.result.txt",
  ]);
  t.equal(box.read("boot/gatehouse-restore.ghb"), "backup");
});

const SLOTS = join(import.meta.dirname, "../../scripts/image/box/slots.mjs");

t.test("the slot choice: each file keeps its size, so that a power cut leaves one text or the other", async (t) => {
  const folder = testFolder(t, { facts: "DISK=vda SLOT=b PREFIX=vda", boot: {} });
  mkdirSync(join(folder, "data"));
  const choice = join(folder, "boot/slots.txt");
  const autoboot = join(folder, "boot/autoboot.txt");
  writeFileSync(choice, "good=a\ntrial=b\ntries=0\nfailed=\n".padEnd(512, "\n"));
  writeFileSync(autoboot, "[all]\ntryboot_a_b=1\nboot_partition=3\n".padEnd(128, "\n"));
  const inode = statSync(choice).ino;
  const env = {
    PATH: process.env.PATH,
    GATEHOUSE_BOOT_FOLDER: join(folder, "boot"),
    GATEHOUSE_BOOT_FACTS: join(folder, "facts"),
    GATEHOUSE_DATA: join(folder, "data"),
  };
  const slots = (...args: string[]) => spawnSync(process.execPath, [SLOTS, ...args], { env, encoding: "utf8" });
  const status = () => JSON.parse(slots("status").stdout) as Record<string, unknown>; // what `status` prints

  t.same(status(), { booted: "b", good: "a", trial: "b", tries: 0, failed: null });
  t.match(slots("try").stderr, /holds nothing that was written completely/, "an unwritten slot cannot be tried");
  t.equal(slots("commit").status, 0);
  t.same(status(), { booted: "b", good: "b", trial: null, tries: 0, failed: null });
  t.match(
    readFileSync(autoboot, "utf8"),
    /^\[all\]\ntryboot_a_b=1\nboot_partition=3\n\[tryboot\]\nboot_partition=2\n\n+$/,
  );
  writeFileSync(choice, "good=a\ntrial=b\ntries=0\nfailed=\n".padEnd(512, "\n"));
  t.equal(slots("revert").status, 0);
  t.same(status(), { booted: "b", good: "a", trial: null, tries: 0, failed: "b" });
  t.match(readFileSync(autoboot, "utf8"), /boot_partition=2\n\[tryboot\]/);
  t.same(
    [statSync(choice).size, statSync(autoboot).size, statSync(choice).ino],
    [512, 128, inode],
    "overwritten in place",
  );
  t.equal(slots("fly").status, 1);
});

/** A database file as far as the slot tool reads it. */
const database = (schema: number, text: string): Buffer => {
  const file = Buffer.alloc(200);
  file.writeUInt32BE(schema, 60);
  file.write(text, 100);
  return file;
};

for (const [newSchema, text, why] of [
  [8, "old", "a form that the older version cannot read: its own copy comes back"],
  [7, "new", "the same form: what the newer version wrote stays"],
] as const) {
  t.test(`after a failed update, the database: ${why}`, async (t) => {
    const folder = testFolder(t, { facts: "DISK=vda SLOT=b PREFIX=vda", boot: {}, data: {} });
    const choice = (words: string) => writeFileSync(join(folder, "boot/slots.txt"), words.padEnd(512, "\n"));
    const file = join(folder, "data/gatehouse.db");
    const env = {
      PATH: process.env.PATH,
      GATEHOUSE_BOOT_FOLDER: join(folder, "boot"),
      GATEHOUSE_BOOT_FACTS: join(folder, "facts"),
      GATEHOUSE_DATA: join(folder, "data"),
    };
    const beforeHub = () => spawnSync(process.execPath, [SLOTS, "before-hub"], { env, encoding: "utf8" });

    choice("good=a\ntrial=b\ntries=0\nfailed=\n");
    writeFileSync(file, database(7, "old"));
    t.equal(beforeHub().status, 0);
    writeFileSync(file, database(newSchema, "new"));
    t.equal(beforeHub().status, 0, "a second start of the trial keeps the first copy");
    writeFileSync(join(folder, "facts"), "DISK=vda SLOT=a PREFIX=vda");
    choice("good=a\ntrial=\ntries=0\nfailed=b\n");
    t.equal(beforeHub().status, 0);
    t.equal(readFileSync(file).toString("utf8", 100, 103), text);
    t.equal(
      existsSync(join(folder, "data/after-failed-update/gatehouse.db")),
      newSchema === 8,
      "the newer version's data is set aside",
    );
    t.notOk(existsSync(join(folder, "data/before-update")));
  });
}
