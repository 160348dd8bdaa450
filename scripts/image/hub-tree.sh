#!/bin/sh
# hub-tree.sh ARCH CACHE OUTPUT: everything of the hub that goes into the image, as it will lie in /opt/gatehouse.
#
# In: a built project (npm run build and the console), VERSION, SOURCE_DATE_EPOCH. Out: OUTPUT with node, node_modules for ARCH, the
# build, the console, the models, the command line, and the list of all that, sbom.cdx.json. Node and the modules are cached by their lock
# files, whose hashes npm checks. No package runs a script; one is compiled here, by name: unix-dgram (the others bring their binaries).
set -eu
ARCH=$1
CACHE=$2
OUT=$3
BUILD=${BUILD_FOLDER:-build-hub}
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
case $ARCH in
  arm64) CPU=arm64 TRIPLET=aarch64-linux-gnu ;;
  amd64) CPU=x64 TRIPLET=x86_64-linux-gnu ;;
  *) echo "unknown architecture: $ARCH" >&2; exit 2 ;;
esac
RECIPE=2 # increase when the treatment of the modules below changes
RUNTIME=$ROOT/scripts/runtime
KEY=$({ cat "$ROOT/package-lock.json" "$RUNTIME/package-lock.json"; echo "$ARCH $RECIPE"; } | sha256sum | cut -c1-12)
MODULES=$CACHE/modules-$ARCH-$KEY

if [ ! -e "$MODULES/.complete" ]; then
  rm -rf "$MODULES"
  mkdir -p "$MODULES/runtime"
  cp "$ROOT/package.json" "$ROOT/package-lock.json" "$MODULES"
  cp "$RUNTIME/package.json" "$RUNTIME/package-lock.json" "$MODULES/runtime"
  modules() { (cd "$1" && npm ci --omit=dev --workspaces=false --cpu=$CPU --os=linux --libc=glibc --ignore-scripts --no-audit --no-fund --loglevel=error); }
  modules "$MODULES"
  modules "$MODULES/runtime"
  NODE=$MODULES/runtime/node_modules/node-linux-$CPU
  [ -f "$NODE/bin/node" ] || { echo "npm did not bring node-linux-$CPU: is its registry within reach?" >&2; exit 1; }
  cd "$MODULES"
  CC=$TRIPLET-gcc CXX=$TRIPLET-g++ AR=$TRIPLET-ar LINK=$TRIPLET-g++ npm_config_nodedir=$NODE npm_config_arch=$CPU \
    npm rebuild unix-dgram --ignore-scripts=false --foreground-scripts --cpu=$CPU --os=linux > unix-dgram.log 2>&1 || { tail -30 unix-dgram.log >&2; exit 1; }
  $TRIPLET-strip --strip-unneeded node_modules/unix-dgram/build/Release/unix_dgram.node
  # Sources, objects and headers of compiled modules, other systems' libraries: nothing that runs.
  rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src node_modules/unix-dgram/src node_modules/nan node_modules/node-addon-api
  find node_modules/better-sqlite3/prebuilds -type f -not -name "linux-$CPU.node" -delete
  find node_modules/unix-dgram/build -depth -not -name '*.node' -type f -delete
  find node_modules/unix-dgram/build -depth \( -name obj.target -o -type d -empty \) -exec rm -rf {} +
  find node_modules/onnxruntime-node/bin/napi-v* -mindepth 1 -maxdepth 1 -not -name linux -exec rm -rf {} +
  find node_modules/onnxruntime-node/bin/napi-v*/linux -mindepth 1 -maxdepth 1 -not -name $CPU -exec rm -rf {} +
  find node_modules -type f \( -name '*.map' -o -name '*.md' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.gyp' -o -name '*.markdown' \) -not -iname 'license*' -delete
  rm -rf node_modules/.package-lock.json node_modules/.bin
  $TRIPLET-strip --strip-unneeded "$NODE/bin/node"
  touch .complete
fi

rm -rf "$OUT"
mkdir -p "$OUT/bin" "$OUT/scripts"
cp -a "$MODULES/node_modules" "$OUT/node_modules"
cp "$MODULES/runtime/node_modules/node-linux-$CPU/bin/node" "$OUT/bin/node"
cp "$MODULES/runtime/node_modules/node-linux-$CPU/LICENSE" "$OUT/bin/LICENSE.node"
cp "$ROOT/package.json" "$ROOT/LICENSE" "$OUT"
cp "$ROOT/scripts/gatehouse.mjs" "$OUT/scripts"
cp -a "$ROOT/docs" "$OUT/docs"
rm -rf "$OUT/docs/screenshots"
mkdir -p "$OUT/build" "$OUT/dist" "$OUT/models" "$OUT/src/core/storage" "$OUT/test/fixtures"
cp -a "$ROOT/src/core/storage/migrations" "$OUT/src/core/storage/migrations"
[ ! -d "$ROOT/test/fixtures/plates" ] || cp -a "$ROOT/test/fixtures/plates" "$OUT/test/fixtures/plates"
cp -a "$ROOT/$BUILD/src" "$OUT/build/src"
# A bundle's folder may carry the console too (vite build --outDir FOLDER/console).
CONSOLE=$ROOT/dist/console
[ ! -d "$ROOT/$BUILD/console/assets" ] || CONSOLE=$ROOT/$BUILD/console
cp -a "$CONSOLE" "$OUT/dist/console"
cp "$ROOT"/models/*.onnx "$ROOT"/models/*.json "$ROOT"/models/*.md "$ROOT"/models/*.LICENSE "$OUT/models"
rm -f "$OUT/dist/console/.made-from.json"
node "$HERE/sbom.mjs" "$OUT" "$ARCH" "${VERSION:-$(node -p "require('$ROOT/package.json').version")}" > "$OUT/sbom.cdx.json"
chmod -R u=rwX,go=rX "$OUT"
