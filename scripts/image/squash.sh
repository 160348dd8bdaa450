#!/bin/sh
# squash.sh FOLDER OUTPUT: the tree as one read-only squashfs image, the same bytes from the same tree: one time for all
# files, names sorted by mksquashfs itself, no extended attributes.
set -eu
rm -f "$2"
# mksquashfs takes its times from SOURCE_DATE_EPOCH or from its options, not from both.
EPOCH=${SOURCE_DATE_EPOCH:-0}
env -u SOURCE_DATE_EPOCH mksquashfs "$1" "$2" -noappend -quiet -no-progress -comp zstd -Xcompression-level "${LEVEL:-19}" -b 128K \
  -mkfs-time "$EPOCH" -all-time "$EPOCH" -no-xattrs -no-exports -processors "${JOBS:-1}" > /dev/null
