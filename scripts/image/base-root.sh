#!/bin/sh
# base-root.sh ARCH OUTPUT.tar: the bare Debian root of the image, the slow step that is cached.
#
# In: packages.list beside this file, SOURCE_DATE_EPOCH, MIRROR (default: Debian's public address).
# Out: a tar without documents, locales and logs, and OUTPUT.tar.packages with every package and its version.
# For a foreign architecture a qemu-user interpreter has to be registered (qemu-user.sh does it).
set -eu
ARCH=$1
OUT=$2
HERE=$(cd "$(dirname "$0")" && pwd)
MIRROR=${MIRROR:-http://deb.debian.org}
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
LIST=$(sed 's/#.*//' "$HERE/packages.list" | tr -s '\n ' ',' | sed 's/^,//; s/,$//')

# systemd-hwdb and the initramfs hooks are the slow part under emulation and are not needed in a fixed root.
export SYSTEMD_HWDB_UPDATE_BYPASS=1 INITRD=No
mmdebstrap --arch="$ARCH" --mode="${MMDEBSTRAP_MODE:-auto}" --variant=minbase --format=tar \
  --include="$LIST" \
  --aptopt='APT::Install-Recommends "false"' \
  --aptopt='Acquire::Languages "none"' \
  --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='path-exclude=/usr/share/lintian/*' \
  --dpkgopt='path-exclude=/usr/lib/udev/hwdb.d/*' \
  --customize-hook='chroot "$1" dpkg-query -W -f "\${Package} \${Version} \${Architecture}\n" | sort > "'"$OUT"'.packages"' \
  --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/* "$1"/var/log/* "$1"/etc/ssh/ssh_host_*' \
  trixie "$OUT.new.tar" \
  "deb [signed-by=$KEYRING] $MIRROR/debian trixie main" \
  "deb [signed-by=$KEYRING] $MIRROR/debian trixie-updates main" \
  "deb [signed-by=$KEYRING] $MIRROR/debian-security trixie-security main"
mv "$OUT.new.tar" "$OUT"
