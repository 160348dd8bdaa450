#!/bin/sh
# qemu-user.sh CACHE: registers an arm64 interpreter with the kernel, so that arm64 programs run in any root.
#
# Uses Debian trixie's static qemu-user: the one of Debian 12 crashes in onnxruntime as soon as /sys is mounted.
# Does nothing where arm64 programs run already (an arm64 machine, an interpreter that is registered).
set -eu
CACHE=$1
HERE=$(cd "$(dirname "$0")" && pwd)
[ "$(uname -m)" != aarch64 ] || exit 0
MISC=/proc/sys/fs/binfmt_misc
[ -e $MISC/register ] || mount -t binfmt_misc none $MISC
[ ! -e $MISC/gatehouse-arm64 ] || exit 0
if [ ! -x "$CACHE/qemu-user/usr/bin/qemu-aarch64" ]; then
  mkdir -p "$CACHE/debs-host"
  "$HERE/debs.sh" amd64 "$CACHE/debs-host" qemu-user/trixie
  dpkg-deb -x "$CACHE"/debs-host/qemu-user_*.deb "$CACHE/qemu-user"
fi
# The magic numbers of an arm64 ELF program; OCF keeps the opened interpreter valid inside any chroot.
printf '%s' ':gatehouse-arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'"$CACHE/qemu-user/usr/bin/qemu-aarch64"':OCF' > $MISC/register
