#!/bin/sh
# hub-tree.sh ARCH CACHE OUTPUT: everything of the hub that goes into the image, as it will lie in /opt/gatehouse.
#
# In: a built project (npm run build and the console). Out: OUTPUT with node, node_modules for ARCH, the build, the
# console, the models and the command line. node_modules are cached by the lock file: their two compiled modules are
# cross-compiled once (better-sqlite3 12 and unix-dgram; the others bring arm64 binaries in their packages).
set -eu
ARCH=$1
CACHE=$2
OUT=$3
BUILD=${BUILD_FOLDER:-build}
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
NODE_VERSION=$(node -p process.versions.node)
case $ARCH in
  arm64) CPU=arm64 TRIPLET=aarch64-linux-gnu ;;
  amd64) CPU=x64 TRIPLET=x86_64-linux-gnu ;;
  *) echo "unknown architecture: $ARCH" >&2; exit 2 ;;
esac
RECIPE=1 # counts up when what is done to the modules below changes
KEY=$({ sha256sum < "$ROOT/package-lock.json"; echo "$ARCH $NODE_VERSION $RECIPE"; } | sha256sum | cut -c1-12)
MODULES=$CACHE/modules-$ARCH-$KEY

if [ ! -e "$MODULES/.complete" ]; then
  rm -rf "$MODULES"
  mkdir -p "$MODULES"
  cp "$ROOT/package.json" "$ROOT/package-lock.json" "$MODULES"
  cd "$MODULES"
  npm ci --omit=dev --cpu=$CPU --os=linux --libc=glibc --ignore-scripts --no-audit --no-fund --loglevel=error
  NODE_GYP=$(npm root -g)/npm/node_modules/node-gyp/bin/node-gyp.js
  # node-gyp takes the headers of the Node that is running: the image's Node is the same version.
  NODEDIR=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  for module in better-sqlite3 unix-dgram; do
    cd "$MODULES/node_modules/$module"
    CC=$TRIPLET-gcc CXX=$TRIPLET-g++ AR=$TRIPLET-ar LINK=$TRIPLET-g++ npm_config_nodedir=$NODEDIR \
      node "$NODE_GYP" rebuild --release --arch=$CPU -j "${JOBS:-1}" > "$MODULES/$module.log" 2>&1 || { tail -30 "$MODULES/$module.log" >&2; exit 1; }
    find build -name '*.node' -exec $TRIPLET-strip --strip-unneeded {} +
  done
  cd "$MODULES"
  # Sources and objects of the compiled modules, other systems' libraries: none of it runs.
  rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src
  find node_modules/better-sqlite3/build node_modules/unix-dgram/build -depth -not -name '*.node' -type f -delete
  find node_modules/better-sqlite3/build node_modules/unix-dgram/build -depth -type d -empty -delete
  find node_modules/onnxruntime-node/bin/napi-v* -mindepth 1 -maxdepth 1 -not -name linux -exec rm -rf {} +
  find node_modules/onnxruntime-node/bin/napi-v*/linux -mindepth 1 -maxdepth 1 -not -name $CPU -exec rm -rf {} +
  find node_modules -type f \( -name '*.map' -o -name '*.md' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.gyp' -o -name '*.markdown' \) -not -iname 'license*' -delete
  rm -rf node_modules/.package-lock.json node_modules/.bin
  npm pack --silent "node-linux-$CPU@$NODE_VERSION" > /dev/null
  tar -xzf node-linux-$CPU-*.tgz package/bin/node package/LICENSE
  rm node-linux-$CPU-*.tgz
  $TRIPLET-strip --strip-unneeded package/bin/node
  touch .complete
fi

rm -rf "$OUT"
mkdir -p "$OUT/bin" "$OUT/scripts"
cp -a "$MODULES/node_modules" "$OUT/node_modules"
rm -rf "$OUT"/node_modules/*/build/Release/obj.target "$OUT"/node_modules/*/build/Release/test_extension.node
cp "$MODULES/package/bin/node" "$OUT/bin/node"
cp "$MODULES/package/LICENSE" "$OUT/bin/LICENSE.node"
cp "$ROOT/package.json" "$ROOT/LICENSE" "$OUT"
cp "$ROOT/scripts/gatehouse.mjs" "$OUT/scripts"
cp -a "$ROOT/docs" "$OUT/docs"
rm -rf "$OUT/docs/screenshots"
mkdir -p "$OUT/build" "$OUT/dist" "$OUT/models" "$OUT/src/storage" "$OUT/test/fixtures"
cp -a "$ROOT/src/storage/migrations" "$OUT/src/storage/migrations"
[ ! -d "$ROOT/test/fixtures/plates" ] || cp -a "$ROOT/test/fixtures/plates" "$OUT/test/fixtures/plates"
(cd "$ROOT/$BUILD" && tar -cf - --exclude='*.d.ts' --exclude='*.tsbuildinfo*' src $([ ! -d firmware-bridge ] || echo firmware-bridge)) | tar -xf - -C "$OUT/build"
# A build folder of its own may carry the console too (vite build --outDir FOLDER/console).
CONSOLE=$ROOT/dist/console
[ ! -d "$ROOT/$BUILD/console/assets" ] || CONSOLE=$ROOT/$BUILD/console
cp -a "$CONSOLE" "$OUT/dist/console"
cp "$ROOT"/models/*.onnx "$ROOT"/models/*.json "$ROOT"/models/*.md "$OUT/models"
rm -f "$OUT/dist/console/.stamp"
chmod -R u=rwX,go=rX "$OUT"
