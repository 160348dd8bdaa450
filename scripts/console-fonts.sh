#!/bin/sh
# Makes the console's fonts (src/console/fonts) from those of the @fontsource packages: only the letters, weights and
# features that the console uses, without hints and names of glyphs. Run it after a new version of these packages.
# Needs fonttools: pip install fonttools brotli
set -eu
cd "$(dirname "$0")/.."
from=node_modules
to=src/console/fonts
whole=$(mktemp --suffix .ttf)
trap 'rm -f "$whole"' EXIT
python3 -m fontTools.varLib.instancer --quiet --output "$whole" \
  "$from/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2" wght=400:700
python3 -m fontTools.subset "$whole" --output-file="$to/inter-latin.woff2" --flavor=woff2 --no-hinting \
  --layout-features=kern,tnum,ccmp \
  --unicodes=U+0020-007E,U+00A0-00FF,U+0131,U+0152-0153,U+02BC,U+02C6,U+02DA,U+02DC,U+2000-200B,U+2010-2014,U+2018-201A,U+201C-201E,U+2022,U+2026,U+202F,U+2030,U+2039-203A,U+20AC,U+2122,U+2190-2193,U+2212,U+2215,U+FEFF,U+FFFD
for weight in 400 600; do
  python3 -m fontTools.subset "$from/@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-$weight-normal.woff2" \
    --output-file="$to/noto-sans-devanagari-devanagari-$weight.woff2" --flavor=woff2 --no-hinting \
    --layout-features='*' --unicodes=U+0900-097F,U+200C-200D,U+20B9,U+25CC
done
