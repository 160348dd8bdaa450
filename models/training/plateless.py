"""Makes frames without plates: python3 plateless.py FOLDER. For `npm run bench -- anpr FOLDER --plateless FOLDER`.

One picture of every photograph that is held out of training, its labelled plates painted over (150 of the permitted photographs). A plate that
nobody labelled stays in the picture.
"""
import os
import sys
import cv2
from detector_data import DetectorData
from pool import DATA, held_out, rows, stem

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
    for name in sorted(boxes):
        if not name.startswith("dash") and stem(name) in seen:  # augmented twins of one photograph
            continue
        img = cv2.imread(f"{DATA}/{name}")
        for x1, y1, x2, y2 in boxes[name]:
            w, h = MARGIN * (x2 - x1), MARGIN * (y2 - y1)
            DetectorData.erase(img, [x1 - w, y1 - h, x2 + w, y2 + h])
        cv2.imwrite(f"{folder}/{len(seen):03d}.jpg", img, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        seen.add(stem(name) if not name.startswith("dash") else name)
    print(f"{len(seen)} pictures")


if __name__ == "__main__":
    main()
