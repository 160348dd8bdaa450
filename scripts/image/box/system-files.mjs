// @ts-check
/**
 * The settings file's wishes as system files: what goes where below /etc, with which permissions. Pure.
 */

/** @typedef {import("./settings-file.mjs").Wishes} Wishes */
/** @typedef {{ path: string, content?: string, link?: string, mode: number }} SystemFile a file, or a link */

/** A file that only root may read. */
const SECRET = 0o600;
const PUBLIC = 0o644;

/** Where the share is mounted; the hub knows it as `mount:` with this path. */
export const SHARE_FOLDER = "/mnt/gatehouse/share";
/** systemd's name for that path. */
export const SHARE = "mnt-gatehouse-share";
/** The hub's user; scripts/image/root-files/usr/lib/sysusers.d. */
const HUB_ID = 480;
/** The machine with the share may be off when this host starts. */
const SHARE_TIMER = `[Unit]
Description=Look for the share for backups

[Timer]
OnBootSec=20
OnUnitInactiveSec=10min
Unit=${SHARE}.mount
`;

/**
 * The files that implement the wishes.
 * @param {Wishes} wishes
 * @returns {SystemFile[]} paths without a leading slash
 */
export function systemFiles(wishes) {
  /** @type {SystemFile[]} */
  const files = [];
  /** @param {string} path @param {string} content @param {number} [mode] */
  const add = (path, content, mode = PUBLIC) => files.push({ path, content, mode });
  if (wishes.hostname !== undefined) {
    add("etc/hostname", `${wishes.hostname}\n`);
    add("etc/hosts", `127.0.0.1 localhost\n127.0.1.1 ${wishes.hostname}\n::1 localhost ip6-localhost ip6-loopback\n`);
  }
  if (wishes.timeZone !== undefined) {
    files.push({ path: "etc/localtime", link: `/usr/share/zoneinfo/${wishes.timeZone}`, mode: PUBLIC });
    add("etc/timezone", `${wishes.timeZone}\n`);
  }
  if (wishes.address !== undefined) add("etc/systemd/network/70-static.network", staticNetwork(wishes));
  if (wishes.ntp !== undefined)
    add("etc/systemd/timesyncd.conf.d/50-installer.conf", `[Time]\nNTP=${wishes.ntp.join(" ")}\n`);
  if (wishes.ssid !== undefined || wishes.ssidHex !== undefined) {
    add("etc/wpa_supplicant/wpa_supplicant-wlan0.conf", wireless(wishes), SECRET);
    const unit = "/usr/lib/systemd/system/wpa_supplicant@.service";
    // Wanted by the radio's device unit: this unit is ordered before network.target, and if anything else wanted it, a
    // host without a radio would wait five minutes at each start, and so would its hub and its screen.
    files.push({
      path: "etc/systemd/system/sys-subsystem-net-devices-wlan0.device.wants/wpa_supplicant@wlan0.service",
      link: unit,
      mode: PUBLIC,
    });
  }
  if (wishes.share !== undefined) {
    add(`etc/systemd/system/${SHARE}.mount`, share(wishes.share, wishes), SECRET);
    add(`etc/systemd/system/${SHARE}.timer`, SHARE_TIMER);
    files.push({
      path: `etc/systemd/system/timers.target.wants/${SHARE}.timer`,
      link: `/etc/systemd/system/${SHARE}.timer`,
      mode: PUBLIC,
    });
  }
  if (wishes.country !== undefined)
    add("etc/modprobe.d/regulatory.conf", `options cfg80211 ieee80211_regdom=${wishes.country}\n`);
  if (wishes.sshKeys !== undefined && wishes.sshKeys.length > 0)
    add("etc/ssh/authorized_keys.d/installer", `${wishes.sshKeys.join("\n")}\n`);
  return files;
}

/**
 * The kernel's own client: without its helper a password can only be among the options, so only root may read the file.
 * @param {string} what
 * @param {Wishes} wishes
 */
function share(what, { shareUser, sharePassword }) {
  const user = shareUser === undefined ? ["sec=none"] : [`username=${shareUser}`, `password=${sharePassword ?? ""}`];
  const options = [
    ...user,
    `uid=${HUB_ID}`,
    `gid=${HUB_ID}`,
    "file_mode=0600",
    "dir_mode=0700",
    "soft",
    "nosuid",
    "nodev",
    "noexec",
    "_netdev",
  ];
  /** @param {string} value */
  const escaped = (value) => value.replaceAll("%", "%%");
  return `[Unit]
Description=The share for backups

[Mount]
What=${escaped(what)}
Where=${SHARE_FOLDER}
Type=cifs
Options=${escaped(options.join(","))}
TimeoutSec=60
LazyUnmount=yes
`;
}

/** @param {Wishes} wishes */
function staticNetwork({ interface: name, address, gateway, dns = [], ssid, ssidHex }) {
  const wireless = ssid !== undefined || ssidHex !== undefined;
  const lines = [
    "[Match]",
    `Name=${name ?? (wireless ? "wl*" : "e*")}`,
    "",
    "[Network]",
    `Address=${address}`,
    ...(gateway === undefined ? [] : [`Gateway=${gateway}`]),
    ...dns.map((server) => `DNS=${server}`),
    "LinkLocalAddressing=yes",
  ];
  return `${lines.join("\n")}\n`;
}

/** The name goes in as hexadecimal digits: a quoted name has no way to say some characters. @param {Wishes} wishes */
function wireless({ ssid, ssidHex, wlanPassword, country, hidden }) {
  const name = ssidHex ?? Buffer.from(ssid ?? "", "utf8").toString("hex");
  const isKey = wlanPassword !== undefined && /^[0-9A-Fa-f]{64}$/.test(wlanPassword);
  const lines = [
    "ctrl_interface=/run/wpa_supplicant",
    ...(country === undefined ? [] : [`country=${country}`]),
    "network={",
    `  ssid=${name.toLowerCase()}`,
    ...(hidden === true ? ["  scan_ssid=1"] : []),
    ...(wlanPassword === undefined
      ? ["  key_mgmt=NONE"]
      : [
          `  psk=${isKey ? wlanPassword : `"${wlanPassword}"`}`,
          `  key_mgmt=${isKey ? "WPA-PSK WPA-PSK-SHA256" : "WPA-PSK WPA-PSK-SHA256 SAE"}`,
          "  ieee80211w=1",
        ]),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}
