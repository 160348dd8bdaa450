"""Makes frames without plates: python3 plateless.py FOLDER. For `npm run bench -- anpr FOLDER --plateless FOLDER`.

One picture of every photograph that is held out of training, its labelled plates painted over (150 of the permitted photographs). A plate that
nobody labelled stays in the picture. Where somebody looked at a frame in which a plate was recognised and saw that there is one, unlabelled.csv
says where; FOLDER/plates.csv says so of the frames, and the bench counts such reads by themselves.
"""
import csv
import os
import sys
import cv2
from detector_data import DetectorData
from pool import DATA, HERE, held_out, rows, stem

MARGIN = 0.08  # of a side: labels are tight
QUALITY = 92


def main() -> None:
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    boxes: dict[str, list[list[float]]] = {}
    for r in rows():
        if not r["file"].startswith("cn") and r["x1"] and held_out(r["file"]):
            boxes.setdefault(r["file"], []).append([float(r[k]) for k in ("x1", "y1", "x2", "y2")])
    seen: set[str] = set()
    with open(f"{HERE}/unlabelled.csv", encoding="utf8") as f:
        unlabelled = list(csv.DictReader(f))
    still: list[list[str]] = []
    for name in sorted(boxes):
        if not name.startswith("dash") and stem(name) in seen:  # augmented twins of one photograph
            continue
        img = cv2.imread(f"{DATA}/{name}")
        for x1, y1, x2, y2 in boxes[name]:
            w, h = MARGIN * (x2 - x1), MARGIN * (y2 - y1)
            DetectorData.erase(img, [x1 - w, y1 - h, x2 + w, y2 + h])
        frame = f"{len(seen):03d}.jpg"
        still += [[frame, r["x1"], r["y1"], r["x2"], r["y2"]] for r in unlabelled if r["file"] == name]
        cv2.imwrite(f"{folder}/{frame}", img, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        seen.add(stem(name) if not name.startswith("dash") else name)
    with open(f"{folder}/plates.csv", "w", encoding="utf8", newline="") as f:
        csv.writer(f).writerows([["file", "x1", "y1", "x2", "y2"], *still])
    print(f"{len(seen)} pictures, {len(still)} plates that nobody labelled")


if __name__ == "__main__":
    main()
