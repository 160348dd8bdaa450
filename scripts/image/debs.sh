#!/bin/sh
# debs.sh ARCH FOLDER PACKAGE[/SUITE] ...: fetches Debian packages (checked by apt's signatures) into FOLDER
# without installing them, with a separate apt under FOLDER/.apt: this machine's package lists do not change.
#
# trixie, its security and update suites and trixie-backports are known, with non-free-firmware for the boards.
set -eu
ARCH=$1
FOLDER=$2
shift 2
MIRROR=${MIRROR:-http://deb.debian.org}
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
APT=$FOLDER/.apt-$ARCH
mkdir -p "$APT/lists/partial" "$APT/cache/archives/partial" "$APT/etc/preferences.d" "$APT/etc/apt.conf.d" "$APT/etc/trusted.gpg.d"
: > "$APT/status"
for suite in trixie trixie-updates trixie-backports; do
  echo "deb [signed-by=$KEYRING] $MIRROR/debian $suite main non-free-firmware"
done > "$APT/etc/sources.list"
echo "deb [signed-by=$KEYRING] $MIRROR/debian-security trixie-security main non-free-firmware" >> "$APT/etc/sources.list"
set -- "$@"
OPTIONS="-o Dir::State=$APT -o Dir::State::status=$APT/status -o Dir::State::lists=$APT/lists -o Dir::Cache=$APT/cache -o Dir::Etc=$APT/etc -o APT::Architecture=$ARCH -o APT::Architectures=$ARCH -o Acquire::Languages=none -o APT::Sandbox::User=root"
# shellcheck disable=SC2086
[ -n "$(find "$APT/lists" -maxdepth 1 -name '*Packages*' -mmin -720 | head -1)" ] || apt-get $OPTIONS -qq update
cd "$FOLDER"
# shellcheck disable=SC2086
apt-get $OPTIONS -qq download "$@"
