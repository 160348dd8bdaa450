#!/bin/sh
# One command from nothing to a model: train.sh detector|reader [options of the trainer, e.g. --minutes 90 --resume].
# What it needs: requirements.txt and the fonts in fonts.txt. smoke.py runs a few steps of everything in seconds.
# PLATES_DATA: the folder of permitted photographs (labels.csv). Work files go to training/work, which git ignores.
# To go on from a shipped network instead of from nothing: import_onnx.py detector makes work/detector.pt of it, self_corners.py gives the
# photographs' own plates corners, then train.sh detector --resume.
# SELF_TRAIN=1: with models from an earlier run, first let them label the photographs (self_train.py).
set -eu
cd "$(dirname "$0")"
kind=${1:?detector or reader}; shift
: "${PYTHON:=/usr/bin/python3}"
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}" OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
mkdir -p work/faces
npm install --silent --ignore-scripts --prefix work/faces $(awk '!/^#/ { print "@fontsource/" $2 }' faces.txt | sort -u)
"$PYTHON" render.py work/pool "${POOL_CHUNKS:-48}" 1
POOL_FOREIGN=0.66 "$PYTHON" render.py work/pool "$((${POOL_CHUNKS:-48} / 4))" 2 # more of other countries' plates
POOL_FACES=0.75 "$PYTHON" render.py work/pool "$((${POOL_CHUNKS:-48} / 2))" 3 # more faces
[ -z "${SELF_TRAIN:-}" ] || "$PYTHON" self_train.py
"$PYTHON" "train_$kind.py" "$@"
[ -f work/detector.pt ] && [ -f work/reader.pt ] && "$PYTHON" export.py || echo "train the other one, then run export.py"
