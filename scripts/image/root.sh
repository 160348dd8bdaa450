#!/bin/sh
# root.sh BASE.tar HUB-FOLDER KERNEL-FOLDER|- OUTPUT-FOLDER: joins the Debian base, the kernel's modules, the hub and the
# image's own files into one tree, the same for the boards and for the container that tests use (KERNEL-FOLDER "-").
set -eu
BASE=$1
HUB=$2
KERNEL=$3
OUT=$4
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
VERSION=${VERSION:-$(node -p "require('$ROOT/package.json').version")}

rm -rf "$OUT"
mkdir -p "$OUT"
tar -xf "$BASE" -C "$OUT" --numeric-owner
if [ "$KERNEL" != - ]; then cp -a "$KERNEL/modules/usr/." "$OUT/usr/"; fi

# --- The hub, its units and its small helpers.
mkdir -p "$OUT/opt/gatehouse/$VERSION"
cp -a "$HUB/." "$OUT/opt/gatehouse/$VERSION/"
sed -i 's/^  "version": ".*",$/  "version": "'"$VERSION"'",/' "$OUT/opt/gatehouse/$VERSION/package.json"
cp -a "$ROOT/systemd" "$OUT/opt/gatehouse/$VERSION/systemd"
chmod -R u+rw,go-w,a+rX "$OUT/opt/gatehouse/$VERSION/systemd"
# The key whose updates this image accepts. Without a key it accepts none.
[ -z "${RELEASE_PUBLIC_KEY:-}" ] || install -m 644 "$RELEASE_PUBLIC_KEY" "$OUT/opt/gatehouse/$VERSION/release.pub"
ln -s "$VERSION" "$OUT/opt/gatehouse/current"
ln -sf /opt/gatehouse/current/bin/node "$OUT/usr/bin/node"
printf '#!/bin/sh\nexec /opt/gatehouse/current/bin/node /opt/gatehouse/current/scripts/gatehouse.mjs "$@"\n' > "$OUT/usr/bin/gatehouse"
chmod 755 "$OUT/usr/bin/gatehouse"
cp "$ROOT"/systemd/*.service "$ROOT"/systemd/*.path "$OUT/etc/systemd/system/"
for timer in "$ROOT"/systemd/*.timer; do [ ! -e "$timer" ] || cp "$timer" "$OUT/etc/systemd/system/"; done
install -D -m 644 "$ROOT/systemd/conf/journald.conf" "$OUT/etc/systemd/journald.conf.d/50-gatehouse.conf"
install -D -m 644 "$ROOT/systemd/conf/sysctl.conf" "$OUT/etc/sysctl.d/50-gatehouse.conf"
install -D -m 644 "$ROOT/systemd/conf/watchdog.conf" "$OUT/etc/systemd/system.conf.d/50-gatehouse.conf"
install -D -m 644 "$ROOT/systemd/conf/zram-generator.conf" "$OUT/etc/systemd/zram-generator.conf"
for rules in "$ROOT"/systemd/*.rules; do install -D -m 644 "$rules" "$OUT/etc/udev/rules.d/$(basename "$rules")"; done

# --- The image's own files.
# Fixed permissions, whatever the checkout has: sshd refuses every key below a group-writable folder.
tar -cf - -C "$HERE/root-files" --mode=u+rw,go-w,a+rX --owner=0 --group=0 . | tar -xpf - -C "$OUT"
cp "$HERE"/box/*.mjs "$HERE"/box/*.ts "$OUT/usr/lib/gatehouse/" # the .ts is a link to the hub's own source; node runs it directly
chown -R 0:0 "$OUT/opt/gatehouse" "$OUT/etc" "$OUT/usr/lib/gatehouse" "$OUT/usr/lib/sysusers.d" "$OUT/usr/lib/tmpfiles.d" 2> /dev/null || true
chmod 440 "$OUT/etc/sudoers.d/installer"
systemd-sysusers --root="$OUT" 2> /dev/null
for user in gatehouse:480:480 installer:481:481; do
  grep -q "^${user%%:*}:x:${user#*:}:" "$OUT/etc/passwd" || { echo "the user $user has another number in this root: the next image could not read its data" >&2; exit 1; }
done
chgrp shadow "$OUT/etc/shadow" "$OUT/etc/gshadow" 2> /dev/null || chown 0:42 "$OUT/etc/shadow" "$OUT/etc/gshadow"

enable() { for unit in "$@"; do mkdir -p "$OUT/etc/systemd/system/multi-user.target.wants"; ln -sf "/etc/systemd/system/$unit" "$OUT/etc/systemd/system/multi-user.target.wants/$unit"; done; }
enable gatehouse.service gatehouse-boot.service gatehouse-update.path gatehouse-update-resume.service gatehouse-clock.path
enable gatehouse-provision.service gatehouse-screen.service gatehouse-slots.service gatehouse-trial.service
enable_vendor() { mkdir -p "$OUT/etc/systemd/system/$1.wants"; ln -sf "/usr/lib/systemd/system/$2" "$OUT/etc/systemd/system/$1.wants/$2"; }
enable_vendor multi-user.target systemd-networkd.service
enable_vendor sockets.target systemd-networkd.socket
enable_vendor sysinit.target systemd-resolved.service
enable_vendor sysinit.target systemd-timesyncd.service
enable_vendor sysinit.target nftables.service
enable_vendor multi-user.target ssh.service
mask() { for unit in "$@"; do rm -f "$OUT"/etc/systemd/system/*.wants/"$unit"; ln -sf /dev/null "$OUT/etc/systemd/system/$unit"; done; }
# No automatic updates, no console logins, and no units that would write to the read-only root.
mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer getty@tty1.service \
  systemd-networkd-wait-online.service systemd-firstboot.service systemd-machine-id-commit.service systemd-pcrlock-make-policy.service \
  ldconfig.service systemd-hwdb-update.service wpa_supplicant.service systemd-remount-fs.service regenerate_ssh_host_keys.service ssh.socket systemd-logind.service systemd-networkd-persistent-storage.service
mkdir -p "$OUT/etc/systemd/system-generators"
ln -sf /dev/null "$OUT/etc/systemd/system-generators/systemd-ssh-generator"
ln -sf /usr/lib/systemd/system/multi-user.target "$OUT/etc/systemd/system/default.target"

# --- What differs from box to box is not in the root.
: > "$OUT/etc/machine-id"
rm -f "$OUT/var/lib/dbus/machine-id" "$OUT"/etc/ssh/ssh_host_*
echo gatehouse > "$OUT/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 gatehouse\n::1 localhost ip6-localhost ip6-loopback\n' > "$OUT/etc/hosts"
ln -sf ../run/systemd/resolve/stub-resolv.conf "$OUT/etc/resolv.conf"
ln -sf /usr/share/zoneinfo/UTC "$OUT/etc/localtime"
# Sticks and shares are mounted below the last two; the root itself is read-only.
{
  printf 'tmpfs /tmp tmpfs mode=1777,nosuid,nodev,size=25%% 0 0\n'
  printf 'tmpfs /%s/gatehouse tmpfs mode=755,nosuid,nodev,noexec,size=1m 0 0\n' media mnt
} > "$OUT/etc/fstab"
mkdir -p "$OUT/data" "$OUT/boot/gatehouse" "$OUT/var/lib/gatehouse" "$OUT/var/lib/gatehouse-update" "$OUT/media/gatehouse" "$OUT/mnt/gatehouse"
# Debian's public addresses, whatever mirror the packages came from here.
rm -rf "$OUT"/etc/apt/sources.list.d "$OUT"/etc/apt/apt.conf.d/*proxy* "$OUT"/etc/apt/apt.conf.d/*mmdebstrap*
cat > "$OUT/etc/apt/sources.list" <<'SOURCES'
deb http://deb.debian.org/debian trixie main non-free-firmware
deb http://deb.debian.org/debian trixie-updates main non-free-firmware
deb http://deb.debian.org/debian-security trixie-security main non-free-firmware
deb http://deb.debian.org/debian trixie-backports main non-free-firmware
SOURCES
printf 'NAME="Gatehouse"\nID=gatehouse\nID_LIKE=debian\nVERSION_ID="%s"\nPRETTY_NAME="Gatehouse %s (Debian 13)"\n' "$VERSION" "$VERSION" > "$OUT/usr/lib/os-release"
rm -rf "$OUT"/var/cache/* "$OUT"/var/log/* "$OUT"/var/lib/apt/lists/* "$OUT"/var/lib/dpkg/*-old "$OUT"/tmp/* "$OUT"/root/.[a-z]* "$OUT"/dev/* "$OUT"/usr/share/bash-completion "$OUT"/usr/share/zsh "$OUT"/usr/lib/*/gconv "$OUT"/boot/*.old 2> /dev/null || true
mkdir -p "$OUT/var/log" "$OUT/var/cache"
