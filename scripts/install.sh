#!/bin/sh
# install.sh: installs Gatehouse on a Debian or Raspberry Pi OS (arm64, amd64), from the folder that a release was unpacked in.
# Needs no internet: Node and every module are in the release.
#
#   sudo ./install.sh                  install, or bring an installation to this version; settings and data stay
#   sudo ./install.sh --upgrade        the same, but only where Gatehouse is installed already
#   sudo ./install.sh --uninstall      remove the program; settings and data stay
#   sudo ./install.sh --uninstall --purge   remove settings and data too
#   options:  --appliance   this box does nothing else: journal and swap in memory, hardware watchdog
#             --port N --https-port N     ports of a new installation (80 and 443, else 8080 and 8443 where those are taken)
#             --no-start    do not start the hub
#             --root FOLDER install into a folder that is not the running system (an image, a test)
#
# What goes where: program /opt/gatehouse/versions/VERSION with the link /opt/gatehouse/current; data /var/lib/gatehouse;
# settings /etc/gatehouse and /var/lib/gatehouse/gatehouse.json; units /etc/systemd/system/gatehouse*; the command gatehouse.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
action=install appliance= start=yes root= purge= port= https_port=
while [ $# -gt 0 ]; do
  case $1 in
    --upgrade) action=upgrade ;;
    --uninstall) action=uninstall ;;
    --purge) purge=yes ;;
    --appliance) appliance=yes ;;
    --no-start) start= ;;
    --root) root=${2%/}; shift ;;
    --port) port=$2; shift ;;
    --https-port) https_port=$2; shift ;;
    -h|--help) sed -n '2,18s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "Unknown option $1; --help says more." >&2; exit 2 ;;
  esac
  shift
done

opt=$root/opt/gatehouse units=$root/etc/systemd/system etc=$root/etc/gatehouse data=$root/var/lib/gatehouse
live=; [ -z "$root" ] && live=yes

say() { echo "  $*"; }
die() { echo "Gatehouse was not installed: $*" >&2; exit 1; }
[ -z "$live" ] || [ "$(id -u)" = 0 ] || die "this needs root: sudo $0"
running_system() { [ -n "$live" ] && [ -d /run/systemd/system ]; }
ours() { (cd "$opt/current/systemd" && ls | grep -E '\.(service|path|timer)$'); }

# --- Taking it away -----------------------------------------------------------------------------------------------
if [ "$action" = uninstall ]; then
  [ -e "$opt" ] || [ -e "$units/gatehouse.service" ] || { echo "Gatehouse is not installed."; exit 0; }
  echo "Removing Gatehouse:"
  if running_system; then
    for unit in gatehouse.service gatehouse-nats.service gatehouse-update.path gatehouse-clock.path gatehouse-boot.service gatehouse-update-resume.service; do
      systemctl disable --now "$unit" > /dev/null 2>&1 || true
    done
  fi
  find "$units" -maxdepth 2 \( -name 'gatehouse.service' -o -name 'gatehouse-*.service' -o -name 'gatehouse-*.path' -o -name 'gatehouse-usb@.service' \) -delete
  rm -f "$root/etc/udev/rules.d/80-gatehouse-usb.rules" "$root/etc/systemd/journald.conf.d/50-gatehouse.conf" "$root/etc/sysctl.d/50-gatehouse.conf" \
    "$root/etc/systemd/system.conf.d/50-gatehouse.conf" "$root/usr/lib/sysusers.d/gatehouse.conf" "$root/usr/local/bin/gatehouse"
  if grep -q gatehouse "$root/etc/systemd/zram-generator.conf" 2> /dev/null; then rm -f "$root/etc/systemd/zram-generator.conf"; fi
  rm -rf "$opt"
  say "program and units are gone"
  running_system && systemctl daemon-reload
  if [ -n "$purge" ]; then
    rm -rf "$data" "$etc" "$root/var/lib/gatehouse-update"
    if [ -n "$live" ] && id gatehouse > /dev/null 2>&1; then userdel gatehouse 2> /dev/null || true; fi
    say "settings, data and backups on this box are gone"
  else
    say "kept: $data (data, backups) and $etc (settings); --purge removes them too"
  fi
  exit 0
fi

# --- What this is, and whether it fits ----------------------------------------------------------------------------
[ -f "$here/manifest.json" ] && [ -f "$here/payload.tar.gz" ] || die "run it in the folder that the release was unpacked in"
field() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$here/manifest.json" | head -n 1; }
hash_of() { sed -n "s/.*\"name\": \"$1\".*\"sha256\": \"\([0-9a-f]*\)\".*/\1/p" "$here/manifest.json" | head -n 1; }
version=$(field version) arch=$(field arch)
case $version in ""|*[!0-9A-Za-z.+-]*) die "the manifest names no version" ;; esac
case $(uname -m) in x86_64) machine=amd64 ;; aarch64|arm64) machine=arm64 ;; *) machine=$(uname -m) ;; esac
if command -v dpkg > /dev/null; then machine=$(dpkg --print-architecture); fi
[ "$arch" = "$machine" ] || [ -z "$live" ] || die "this release is for $arch, the system is $machine"
[ "$(field kind)" = versions ] || die "this is an update for a card image; give it to the hub's updates page"
if running_system && [ "$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')" -lt 247 ]; then die "systemd is older than 247 (Debian 11)"; fi

installed=; [ -L "$opt/current" ] && installed=$(basename "$(readlink "$opt/current")")
[ "$action" = install ] || [ -n "$installed" ] || die "there is nothing to upgrade; leave --upgrade away"
if [ -e "$root/usr/lib/gatehouse/slots" ]; then die "this is a card image; it is updated on the hub's updates page, slot by slot"; fi

echo "Gatehouse $version for $arch$([ -n "$installed" ] && echo " (installed: $installed)"):"
[ "$(sha256sum < "$here/payload.tar.gz" | cut -d' ' -f1)" = "$(hash_of payload.tar.gz)" ] || die "payload.tar.gz is damaged: unpack the release again"
if [ -n "$installed" ] && [ -f "$opt/current/release.pub" ] && [ -x "$opt/current/bin/node" ] && [ "$machine" = "$arch" ]; then
  "$opt/current/bin/node" -e '
    const { createPublicKey, verify } = require("node:crypto"), { readFileSync, existsSync } = require("node:fs"), [, manifest, signature, key] = process.argv;
    const ok = existsSync(signature) && verify(null, readFileSync(manifest), createPublicKey(readFileSync(key)), Buffer.from(readFileSync(signature, "utf8"), "base64"));
    process.exit(ok ? 0 : 1);
  ' "$here/manifest.json" "$here/manifest.sig" "$opt/current/release.pub" || die "it is not signed by the key of the installed version"
  say "signed by the same key as the installed version"
fi
free=$(df -Pk "${root:-/}" | awk 'NR == 2 { print $4 }')
[ "$free" -gt 500000 ] || die "500 MB must be free on the disk"

# --- The program --------------------------------------------------------------------------------------------------
target=$opt/versions/$version
wanted=$(hash_of payload.tar.gz)
if [ "$(cat "$target/.payload" 2> /dev/null)" = "$wanted" ]; then
  say "the files of this version are there already"
else
  mkdir -p "$opt/versions"
  rm -rf "$target.partial"
  mkdir "$target.partial"
  tar -xzf "$here/payload.tar.gz" -C "$target.partial" --no-same-owner
  cp "$here/install.sh" "$target.partial/scripts/install.sh"
  echo "$wanted" > "$target.partial/.payload"
  chmod -R u=rwX,go=rX "$target.partial"
  [ ! -e "$target" ] || mv "$target" "$target.replaced"
  mv "$target.partial" "$target"
  rm -rf "$target.replaced"
  say "program: $target"
fi

# --- Its user and folders -----------------------------------------------------------------------------------------
mkdir -p "$root/usr/lib/sysusers.d" "$root/usr/local/bin" "$etc" "$units" "$root/media/gatehouse" "$root/mnt/gatehouse"
cp "$target/systemd/conf/sysusers.conf" "$root/usr/lib/sysusers.d/gatehouse.conf"
if [ -n "$live" ] && ! id gatehouse > /dev/null 2>&1; then
  systemd-sysusers gatehouse.conf 2> /dev/null || useradd --system --home-dir /var/lib/gatehouse --shell /usr/sbin/nologin gatehouse
  id gatehouse > /dev/null 2>&1 || die "the user gatehouse could not be made"
  say "user: gatehouse"
elif [ -z "$live" ] && [ "$(id -u)" = 0 ] && [ -f "$root/etc/passwd" ]; then
  systemd-sysusers --root="$root" gatehouse.conf 2> /dev/null || true
fi
owner=$(grep '^gatehouse:' "$root/etc/passwd" 2> /dev/null | cut -d: -f3,4 || true)
mkdir -p "$data"
chmod 700 "$data"
if [ -n "$owner" ] && [ "$(id -u)" = 0 ]; then chown "$owner" "$data"; fi
taken() { command -v ss > /dev/null && running_system && ss -Hltn "sport = :$1" 2> /dev/null | grep -q .; }
# Ports belong to the host, not to the owner's data: a factory reset and a backup of another hub do not change them.
if [ ! -e "$etc/gatehouse.env" ]; then
  if [ -z "$port" ]; then port=80; if taken 80; then port=8080; fi; fi
  if [ -z "$https_port" ]; then https_port=443; if taken 443; then https_port=8443; fi; fi
  {
    echo "# Settings by environment variable (docs/settings.md); what stands here cannot be changed in the console."
    echo "GATEHOUSE_HTTP_PORT=$port"
    echo "GATEHOUSE_TLS=auto"
    echo "GATEHOUSE_HTTPS_PORT=$https_port"
  } > "$etc/gatehouse.env"
  say "settings: ports $port and $https_port in $etc/gatehouse.env"
fi

# --- The switch, the units ----------------------------------------------------------------------------------------
ln -sfn "versions/$version" "$opt/current.new"
mv -T "$opt/current.new" "$opt/current"
sync -f "$opt" 2> /dev/null || true
for unit in $(ours); do cp "$target/systemd/$unit" "$units/$unit"; done
mkdir -p "$root/etc/udev/rules.d"
cp "$target/systemd/80-gatehouse-usb.rules" "$root/etc/udev/rules.d/"
ln -sfn /opt/gatehouse/current/bin/gatehouse "$root/usr/local/bin/gatehouse"
say "command: gatehouse; units: $(ours | tr '\n' ' ')"

if [ -n "$appliance" ]; then
  mkdir -p "$root/etc/systemd/journald.conf.d" "$root/etc/sysctl.d" "$root/etc/systemd/system.conf.d"
  cp "$target/systemd/conf/journald.conf" "$root/etc/systemd/journald.conf.d/50-gatehouse.conf"
  cp "$target/systemd/conf/sysctl.conf" "$root/etc/sysctl.d/50-gatehouse.conf"
  cp "$target/systemd/conf/watchdog.conf" "$root/etc/systemd/system.conf.d/50-gatehouse.conf"
  [ -e "$root/etc/systemd/zram-generator.conf" ] || cp "$target/systemd/conf/zram-generator.conf" "$root/etc/systemd/zram-generator.conf"
  say "appliance: journal and swap in memory, hardware watchdog (from the next start of the host)"
fi

enabled="gatehouse.service gatehouse-boot.service gatehouse-update.path gatehouse-update-resume.service gatehouse-clock.path"
if running_system; then
  systemctl daemon-reload
  udevadm control --reload 2> /dev/null || true
  systemctl enable --quiet $enabled
  systemctl start gatehouse-update.path gatehouse-clock.path
else
  mkdir -p "$units/multi-user.target.wants"
  for unit in $enabled; do ln -sfn "/etc/systemd/system/$unit" "$units/multi-user.target.wants/$unit"; done
fi

# --- Old versions: this one, the one before, and one more stay ----------------------------------------------------
keep=" $version ${installed:-} "
ls -1t "$opt/versions" 2> /dev/null | grep -v '\.\(partial\|replaced\)$' | tail -n +4 | while read -r old; do
  case $keep in *" $old "*) ;; *) rm -rf "$opt/versions/$old"; say "removed the old version $old" ;; esac
done

if [ -n "$start" ] && running_system; then
  systemctl restart gatehouse.service || { journalctl -q -u gatehouse.service -n 20 --no-pager >&2 || true
    die "the hub did not start; see above, and: journalctl -u gatehouse"; }
  say "the hub runs"
  journalctl -q -u gatehouse.service -b --no-pager -o cat 2> /dev/null | grep -E 'Gatehouse is ready|Claim code|Trust it once' | tail -n 3 | sed 's/^/  /' || true
fi
echo "Done."
