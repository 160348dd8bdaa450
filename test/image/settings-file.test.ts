import { join } from "node:path";
import t from "tap";

/** The exports of these plain modules of the card image; they run on the host without a build. */
interface SettingsFile {
  readonly APPLIED: string;
  readSettingsFile(text: string): { wishes: Record<string, unknown>; problems: string[] };
  readImagerFile(text: string): { wishes: Record<string, unknown>; problems: string[] };
  withoutSecrets(text: string): string;
}
interface SystemFiles {
  systemFiles(wishes: Record<string, unknown>): { path: string; content?: string; link?: string; mode: number }[];
}

const BOX = join(import.meta.dirname, "../../scripts/image/box");
const { readSettingsFile, readImagerFile, withoutSecrets, APPLIED } = (await import(
  join(BOX, "settings-file.mjs")
)) as SettingsFile; // its exports, above
const { systemFiles } = (await import(join(BOX, "system-files.mjs"))) as SystemFiles; // its exports, above

for (const [text, wishes, why] of [
  ['[system]\nhostname = "Hill-House"', { hostname: "hill-house" }, "names are lower case"],
  ["[system]\r\nhostname = 'hub' # comment\r\n", { hostname: "hub" }, "a file from Windows, single quotes, a comment"],
  ['\uFEFF[system]\nhostname = "hub"', { hostname: "hub" }, "a byte order mark from an editor"],
  [
    '[wlan]\nssid = "Café # 1"\npassword = "pass\\"word"\ncountry = "in"',
    { ssid: "Café # 1", wlanPassword: 'pass"word', country: "IN" },
    "what a Wi-Fi may be called",
  ],
  [
    '[network]\naddress = "192.168.1.20/24"\ngateway = "192.168.1.1"\ndns = ["192.168.1.1",\n  "9.9.9.9", ]',
    { address: "192.168.1.20/24", gateway: "192.168.1.1", dns: ["192.168.1.1", "9.9.9.9"] },
    "an array over two lines",
  ],
  ['[hub]\nclaim_code = "abcde-fghjk"', { claimCode: "ABCDEFGHJK" }, "a code as typed"],
  [`[hub]\nclaim_code = "${APPLIED}"`, {}, "a file that was applied before"],
  [
    '[backup]\nshare = "//192.168.1.5/my backups"\nshare_user = "hub"\nshare_password = "50% \\"off\\""',
    { share: "//192.168.1.5/my backups", shareUser: "hub", sharePassword: '50% "off"' },
    "a share for backups",
  ],
] as const) {
  t.test(`the settings file: ${why}`, async (t) => {
    const { wishes: found, problems } = readSettingsFile(text);
    t.same(found, wishes);
    t.same(problems, []);
  });
}

for (const [text, problem] of [
  ["[system]\nhostname = hub", /line 4.*quotes/],
  ['[system]\nhostname = "my hub"', /system\.hostname must be a name/],
  ['[system]\nhostname = "-hub"', /system\.hostname/],
  ['[system]\ntimezone = "Mars/Olympus"', /time zone such as/],
  ['[system]\ntimezone = "../../etc/passwd"', /time zone such as/],
  ['[wlan]\nssid = "x"', /country is missing/],
  ['[wlan]\nssid = "x"\ncountry = "IN"\npassword = "short"', /8 to 63/],
  ['[wlan]\nssid = "a name that is too long for any access point"\ncountry = "IN"', /at most 32 bytes/],
  ['[network]\naddress = "192.168.1.20"', /with its prefix/],
  ['[network]\naddress = "192.168.1.20/33"\ngateway = "192.168.1.1"', /with its prefix/],
  ['[network]\ngateway = "192.168.1.1"', /only together/],
  ['[ssh]\nauthorized_keys = ["-----BEGIN OPENSSH PRIVATE KEY-----"]', /public keys/],
  ['[ssh]\nauthorized_keys = ["ssh-ed25519 AAAA\\ncommand=\\"x\\" ssh-rsa BBBB"]', /public keys/],
  ['[hub]\nclaim_code = "ABC"', /8 to 20/],
  ['[hub]\nrestore = "../../etc/shadow"', /name of a backup file/],
  ['[backup]\nshare = "//nas/backups"', /192\.168\.1\.5/],
  ['[backup]\nshare = "//10.0.0.9/x,exec"', /shares \(SMB\)/],
  ['[backup]\nshare = "//10.0.0.9/x"\nshare_password = "a,dev"', /without a comma/],
  ['[backup]\nshare_user = "hub"', /share is missing/],
  ["[hub]\ncolour = 3", /not a setting/],
  ["hello", /neither/],
] as const) {
  t.test(`an error is reported: ${text.split("\n").at(-1)}`, async (t) => {
    const { problems, wishes } = readSettingsFile(`[system]\ntimezone = "Asia/Kolkata"\n${text}`);
    t.match(problems.join("\n"), problem);
    t.ok("timeZone" in wishes || /timezone/.test(text), "the rest of the file still counts");
  });
}

t.test("Raspberry Pi Imager's file is read, and unsupported parts are reported", async (t) => {
  const { wishes, problems } = readImagerFile(`config_version = "1.0"
[system]
hostname = "hub"
[user]
name = "admin"
password = "$y$j9T$abc"
password_encrypted = true
groups = ["sudo"]
[ssh]
enabled = true
password_authentication = false
authorized_keys = [
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk me@laptop",
]
[wlan]
ssid = "HomeNet"
password = "${"ab".repeat(32)}"
password_encrypted = true
hidden = false
country = "IN"
[locale]
keymap = "us"
timezone = "Asia/Kolkata"
`);
  t.same(wishes, {
    hostname: "hub",
    sshKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk me@laptop"],
    ssid: "HomeNet",
    wlanPassword: "ab".repeat(32),
    hidden: false,
    country: "IN",
    timeZone: "Asia/Kolkata",
  });
  t.match(problems, [/no accounts with passwords/]);
  t.equal(problems.length, 1);
});

t.test("secrets are removed from the file that stays on the card, and nothing else", async (t) => {
  const text =
    '# mine\r\n[wlan]\r\nssid = "Net"\r\npassword = "secret123"\r\n[hub]\r\nclaim_code="ABCDEFGHJK" # on the label\r\nrestore_passphrase = \'x y\'\r\n';
  const left = withoutSecrets(text);
  t.notMatch(left, /secret123|ABCDEFGHJK|x y/);
  t.match(left, /# mine\r\n\[wlan\]\r\nssid = "Net"\r\n/);
  t.same(readSettingsFile(left).wishes, { ssid: "Net" });
});

t.test("settings become files that the system reads", async (t) => {
  const files = new Map(
    systemFiles({
      ssid: "Café",
      wlanPassword: "secret123",
      country: "IN",
      hidden: true,
      address: "10.0.0.2/24",
      gateway: "10.0.0.1",
      dns: ["10.0.0.1"],
    }).map((file) => [file.path, file]),
  );
  const wireless = files.get("etc/wpa_supplicant/wpa_supplicant-wlan0.conf");
  t.match(wireless?.content, /country=IN\nnetwork=\{\n {2}ssid=436166c3a9\n {2}scan_ssid=1\n {2}psk="secret123"/);
  t.equal(wireless?.mode, 0o600, "the password is root's");
  t.match(
    files.get("etc/systemd/network/70-static.network")?.content,
    /Name=wl\*\n\n\[Network\]\nAddress=10\.0\.0\.2\/24\nGateway=10\.0\.0\.1\nDNS=10\.0\.0\.1\n/,
  );
  t.equal(
    files.get("etc/systemd/system/sys-subsystem-net-devices-wlan0.device.wants/wpa_supplicant@wlan0.service")?.link,
    "/usr/lib/systemd/system/wpa_supplicant@.service",
  );
  const share = new Map(
    systemFiles({ share: "//10.0.0.9/my backups", shareUser: "hub", sharePassword: "50%" }).map((file) => [
      file.path,
      file,
    ]),
  );
  const mount = share.get("etc/systemd/system/mnt-gatehouse-share.mount");
  t.match(
    mount?.content,
    /What=\/\/10\.0\.0\.9\/my backups\nWhere=\/mnt\/gatehouse\/share\nType=cifs\nOptions=username=hub,password=50%%,/,
  );
  t.equal(mount?.mode, 0o600, "the password is root's");
  t.equal(
    share.get("etc/systemd/system/timers.target.wants/mnt-gatehouse-share.timer")?.link,
    "/etc/systemd/system/mnt-gatehouse-share.timer",
  );
  t.same(systemFiles({}), [], "nothing set, nothing written");
  const hashed = systemFiles({ ssidHex: "00FF", wlanPassword: "ab".repeat(32) })[0]?.content;
  t.match(
    hashed,
    new RegExp(`ssid=00ff\\n {2}psk=${"ab".repeat(32)}\\n`),
    "a key of 64 digits is written without quotes",
  );
});
