#!/bin/sh
# disk.sh ROOT.squashfs BOOT-FOLDER ROOT-TREE OUTPUT.img: the card. No loop device, no mount: FAT by mtools, the table by
# sfdisk, everything joined by dd into a sparse file.
#
# BOOT-FOLDER holds a slot's boot files; ROOT-TREE lends its mke2fs (Debian trixie's writes the same bytes for the same
# input, older ones do not). Sizes in MiB. Slot B is left empty until the first update.
set -eu
ROOTFS=$1
BOOT=$2
TREE=$3
OUT=$4
HERE=$(cd "$(dirname "$0")" && pwd)
DISK_ID=${DISK_ID:-47484b31}
SETTINGS_MB=64 BOOT_MB=96 ROOT_MB=${ROOT_MB:-512} DATA_MB=192 GAP_MB=4
EPOCH=${SOURCE_DATE_EPOCH:-0}
export TZ=UTC SOURCE_DATE_EPOCH="$EPOCH"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

[ "$(stat -c %s "$ROOTFS")" -le $((ROOT_MB * 1048576)) ] || { echo "the root does not fit into its slot of $ROOT_MB MiB" >&2; exit 1; }

# fat IMAGE SIZE-MB LABEL SERIAL FOLDER: a FAT32 file system with the folder's files, in sorted order.
fat() {
  truncate -s "$2M" "$1"
  mkfs.vfat --invariant -F 32 -n "$3" -i "$4" "$1" > /dev/null
  find "$5" -exec touch -h -d "@$EPOCH" {} +
  (cd "$5" && find . -mindepth 1 -maxdepth 1 | LC_ALL=C sort | while read -r name; do mcopy -m -i "$1" -s "$name" ::; done)
}

mkdir "$WORK/settings" "$WORK/boot"
cp "$HERE"/settings-files/* "$BOOT/bootcode.bin" "$WORK/settings"
pad() { head -c "$1" | { cat; yes '' | head -c "$1"; } | head -c "$1"; }
printf 'good=a\ntrial=\ntries=0\nfailed=\n' | pad 512 > "$WORK/settings/slots.txt"
printf '[all]\ntryboot_a_b=1\nboot_partition=2\n[tryboot]\nboot_partition=3\n' | pad 128 > "$WORK/settings/autoboot.txt"
[ -z "${SETTINGS_FOLDER:-}" ] || cp "$SETTINGS_FOLDER"/* "$WORK/settings"
fat "$WORK/settings.img" $SETTINGS_MB GATEHOUSE 47480001 "$WORK/settings"
cp "$BOOT"/* "$WORK/boot"
sed -i "s/@SLOT@/a/; s/@DISK@/$DISK_ID/" "$WORK/boot/cmdline.txt"
fat "$WORK/boot.img" $BOOT_MB GH-BOOT-A 47480002 "$WORK/boot"

mkdir -p "$TREE/tmp"
truncate -s ${DATA_MB}M "$TREE/tmp/data.img"
chroot "$TREE" /usr/sbin/mke2fs -q -F -t ext4 -L gatehouse-data -U 47415445-484f-5553-8500-000064617461 \
  -E hash_seed=47415445-484f-5553-8500-000068617368,lazy_itable_init=0,lazy_journal_init=0,root_owner=0:0 -m 1 /tmp/data.img
mv "$TREE/tmp/data.img" "$WORK/data.img"

at=$GAP_MB
settings_at=$at; at=$((at + SETTINGS_MB))
boot_a_at=$at; at=$((at + BOOT_MB))
boot_b_at=$at; at=$((at + BOOT_MB))
extended_at=$at; at=$((at + GAP_MB))
root_a_at=$at; at=$((at + ROOT_MB + GAP_MB))
root_b_at=$at; at=$((at + ROOT_MB + GAP_MB))
data_at=$at; at=$((at + DATA_MB))
rm -f "$OUT"
truncate -s "${at}M" "$OUT"
s() { echo $(($1 * 2048)); }
sfdisk --quiet "$OUT" <<TABLE
label: dos
label-id: 0x$DISK_ID
start=$(s $settings_at), size=$(s $SETTINGS_MB), type=c, bootable
start=$(s $boot_a_at), size=$(s $BOOT_MB), type=c
start=$(s $boot_b_at), size=$(s $BOOT_MB), type=c
start=$(s $extended_at), size=$(s $((at - extended_at))), type=f
start=$(s $root_a_at), size=$(s "$ROOT_MB"), type=83
start=$(s $root_b_at), size=$(s "$ROOT_MB"), type=83
start=$(s $data_at), size=$(s $DATA_MB), type=83
TABLE
put() { dd if="$1" of="$OUT" bs=1M seek="$2" conv=notrunc,sparse status=none; }
put "$WORK/settings.img" $settings_at
put "$WORK/boot.img" $boot_a_at
put "$ROOTFS" $root_a_at
put "$WORK/data.img" $data_at
