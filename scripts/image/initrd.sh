#!/bin/sh
# initrd.sh KERNEL-FOLDER OUTPUT: the image's own small initrd: busybox, the modules that reach a card, and `init`.
#
# In: the output of kernel.sh. The same initrd starts on the boards and in the emulator. Reproducible: sorted names,
# one time stamp, no owner.
set -eu
KERNEL=$1
OUT=$2
HERE=$(cd "$(dirname "$0")" && pwd)
VERSION=$(cat "$KERNEL/version")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
mkdir -p "$WORK/bin" "$WORK/dev" "$WORK/proc" "$WORK/sys" "$WORK/run" "$WORK/root" "$WORK/boot" "$WORK/lib/modules/$VERSION"
cp "$KERNEL"/busybox/usr/bin/busybox "$WORK/bin/busybox" 2>/dev/null || cp "$KERNEL"/busybox/bin/busybox "$WORK/bin/busybox"
ln -s busybox "$WORK/bin/sh"
install -m 755 "$HERE/init" "$WORK/init"

# File systems and what may carry a card or a stick: SD on Pi 3, 4 and 5, USB, the emulator's disks.
MODULES="squashfs overlay ext4 vfat nls_cp437 nls_ascii bcm2835 sdhci-iproc sdhci-brcmstb gpio-regulator fixed gpio-brcmstb pinctrl-brcmstb
  pinctrl-rp1 reset-raspberrypi clk-rp1 irq-bcm2712-mip phy-generic dwc2 xhci-hcd xhci-pci xhci-plat-hcd usb-storage uas sd_mod nvme
  virtio_blk virtio_mmio virtio_scsi bcm2835_wdt"
ln -s usr/lib "$KERNEL/modules/lib" 2>/dev/null || true
for module in $MODULES; do
  modprobe -d "$KERNEL/modules" -S "$VERSION" --show-depends "$module" 2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p' || true
done | sort -u | while read -r file; do
  name=$(basename "$file" .xz)
  xz -dc "$file" > "$WORK/lib/modules/$VERSION/$name"
done
rm -f "$KERNEL/modules/lib"
touch "$WORK/lib/modules/$VERSION/modules.order" "$WORK/lib/modules/$VERSION/modules.builtin"
depmod -b "$WORK" "$VERSION"
rm -f "$WORK/lib/modules/$VERSION"/*.bin
find "$WORK" -exec touch -h -d "@${SOURCE_DATE_EPOCH:-0}" {} +
(cd "$WORK" && find . -print0 | LC_ALL=C sort -z | cpio --null --create --format=newc --owner=0:0 --reproducible --quiet) | zstd -19 -q --no-progress > "$OUT"
