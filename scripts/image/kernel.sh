#!/bin/sh
# kernel.sh CACHE OUTPUT: kernel, modules, device trees, wireless and boot firmware of the Raspberry Pi 3, 4 and 5.
#
# The kernel is trixie-backports': trixie's own has no driver for a Pi 5's card and Ethernet. Nothing is installed:
# the packages are unpacked, drivers for other machines are left out, and depmod is run here.
# Out: OUTPUT/modules (lib tree for the root), OUTPUT/boot (files of a slot's boot partition without the initrd),
# OUTPUT/raw (the unpacked kernel, for the emulator), OUTPUT/version, OUTPUT/packages.
set -eu
CACHE=$1
OUT=$2
HERE=$(cd "$(dirname "$0")" && pwd)
DEBS=$CACHE/debs-arm64
mkdir -p "$DEBS"
if [ ! -e "$DEBS/.complete" ]; then
  # The meta package says which version is current; its parts carry the version in their names.
  "$HERE/debs.sh" arm64 "$DEBS" linux-image-arm64/trixie-backports
  VERSION=$(dpkg-deb -f "$DEBS"/linux-image-arm64_*.deb Depends | sed -n 's/.*linux-image-\([^ ]*\) (=.*/\1/p')
  "$HERE/debs.sh" arm64 "$DEBS" "linux-base-$VERSION" "linux-binary-$VERSION" "linux-modules-$VERSION" raspi-firmware firmware-brcm80211 busybox-static
  echo "$VERSION" > "$DEBS/.complete"
fi
VERSION=$(cat "$DEBS/.complete")

rm -rf "$OUT"
mkdir -p "$OUT/all" "$OUT/firmware" "$OUT/boot" "$OUT/modules/usr/lib/firmware" "$OUT/busybox"
for part in base binary modules; do dpkg-deb -x "$DEBS/linux-$part-${VERSION}_"*.deb "$OUT/all"; done
dpkg-deb -x "$DEBS"/raspi-firmware_*.deb "$OUT/firmware"
dpkg-deb -x "$DEBS"/firmware-brcm80211_*.deb "$OUT/firmware"
dpkg-deb -x "$DEBS"/busybox-static_*.deb "$OUT/busybox"
for deb in "$DEBS"/*.deb; do dpkg-deb -W --showformat '${Package} ${Version} ${Architecture}\n' "$deb"; done | sort > "$OUT/packages"
echo "$VERSION" > "$OUT/version"

LIB=$OUT/all/usr/lib/modules/$VERSION
cd "$LIB/kernel"
# Hardware that no Raspberry Pi has, except the emulator's screen. The rest still supports USB sticks, USB network and Wi-Fi adapters, zram, nftables.
rm -rf sound drivers/infiniband drivers/media drivers/iio drivers/isdn drivers/staging drivers/target drivers/accel drivers/comedi \
  drivers/net/can drivers/net/fddi drivers/net/wan drivers/net/hamradio drivers/net/wwan drivers/atm drivers/crypto drivers/mtd drivers/soundwire \
  drivers/platform drivers/edac drivers/fpga drivers/interconnect drivers/ufs drivers/remoteproc drivers/power drivers/thunderbolt
find drivers/net/ethernet -mindepth 1 -maxdepth 1 -not -name cadence -not -name broadcom -not -name realtek -exec rm -rf {} +
rm -rf drivers/net/ethernet/broadcom/bnx* drivers/net/ethernet/broadcom/bnge drivers/net/ethernet/broadcom/tg3*
find drivers/gpu/drm -mindepth 1 -maxdepth 1 -type d -not -name vc4 -not -name v3d -not -name display -not -name scheduler -not -name ttm -not -name bridge -not -name clients -not -name virtio -exec rm -rf {} +
find drivers/scsi -mindepth 1 -maxdepth 1 -not -name 'sd_mod*' -not -name 'scsi_*' -not -name 'sg.*' -exec rm -rf {} +
find drivers/phy drivers/pinctrl drivers/clk drivers/soc -mindepth 1 -maxdepth 1 -type d -not -name broadcom -not -name bcm -exec rm -rf {} +
find fs -mindepth 1 -maxdepth 1 -type d -not -name squashfs -not -name overlayfs -not -name ext4 -not -name jbd2 -not -name fat -not -name exfat -not -name nls -not -name smb -not -name nfs -not -name nfs_common -not -name lockd -not -name netfs -not -name fuse -not -name autofs -not -name cachefiles -not -name fscache -not -name ntfs3 -exec rm -rf {} +
cp "$LIB/vmlinuz" "$OUT/raw"
mkdir -p "$OUT/modules/usr/lib/modules/$VERSION"
cp -a "$LIB/kernel" "$LIB"/modules.order "$LIB"/modules.builtin "$LIB"/modules.builtin.modinfo "$OUT/modules/usr/lib/modules/$VERSION"
ln -s usr/lib "$OUT/modules/lib"
depmod -b "$OUT/modules" "$VERSION"
rm "$OUT/modules/lib"

# Wireless firmware of the boards only.
cd "$OUT/firmware/usr/lib/firmware"
mkdir -p "$OUT/modules/usr/lib/firmware/brcm" "$OUT/modules/usr/lib/firmware/cypress"
cp -a cypress/cyfmac43430-sdio* cypress/cyfmac43455-sdio* "$OUT/modules/usr/lib/firmware/cypress"
cp -a brcm/brcmfmac43436* brcm/brcmfmac43456-sdio* brcm/brcmfmac43430-sdio.bin brcm/brcmfmac43430-sdio.clm_blob brcm/brcmfmac43455-sdio.bin brcm/brcmfmac43455-sdio.clm_blob "$OUT/modules/usr/lib/firmware/brcm" 2>/dev/null || true
cp -a brcm/*raspberrypi* "$OUT/modules/usr/lib/firmware/brcm"

# The slot's boot partition. The boards' firmware unpacks a gzipped kernel; -n keeps the time out of it.
gzip -9n < "$OUT/raw" > "$OUT/boot/kernel8.img"
cp "$LIB"/dtb/broadcom/bcm27*.dtb "$OUT/boot"
cp "$OUT"/firmware/usr/lib/raspi-firmware/start.elf "$OUT"/firmware/usr/lib/raspi-firmware/start4.elf \
  "$OUT"/firmware/usr/lib/raspi-firmware/fixup.dat "$OUT"/firmware/usr/lib/raspi-firmware/fixup4.dat \
  "$OUT"/firmware/usr/lib/raspi-firmware/bootcode.bin "$OUT/boot"
rm -rf "$OUT/all" 
