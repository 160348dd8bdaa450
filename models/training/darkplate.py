"""Adds pieces of the frames of stephanecharette/DarkPlate (MIT) to a folder of permitted photographs: python3 darkplate.py CHECKOUT FOLDER.

Of every whole plate of six characters, of which each has a box of its own there, the surroundings go to FOLDER/darkplate-mit, and a row to
FOLDER/labels.csv; the texts are in transcribed.csv, as for the other photographs. A file is named by its clip and its text, so that the
frames of one vehicle are twins (pool.stem): one that drives past often is not seen more often than others.
"""
import csv
import glob
import os
import sys
import cv2
import numpy as np

CHARACTERS = "1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # classes 1.. of its names file; class 0 is the plate
AROUND = 2.5  # plate widths of surroundings to each side
WHOLE = 6
MENDED = {"HX2128": "HY2128"}  # the one text of 195 that is another one to the eye


def boxes(path: str, width: int, height: int) -> list[tuple[int, np.ndarray]]:
    """[(class, x1 y1 x2 y2)] of a file of Darknet's."""
    out = []
    with open(path, encoding="utf8") as f:
        for line in f:
            kind, x, y, w, h = line.split()
            middle, half = np.float32([float(x) * width, float(y) * height]), np.float32([float(w) * width, float(h) * height]) / 2
            out.append((int(kind), np.concatenate([middle - half, middle + half])))
    return out


def plates(found: list[tuple[int, np.ndarray]]) -> list[tuple[str, np.ndarray]]:
    """[(text, box)] of the plates of a frame."""
    out = []
    for kind, box in found:
        if kind == 0:
            middle = lambda b: ((b[0] + b[2]) / 2, (b[1] + b[3]) / 2)
            own = [(middle(b)[0], CHARACTERS[k - 1]) for k, b in found
                   if k > 0 and box[0] <= middle(b)[0] <= box[2] and box[1] <= middle(b)[1] <= box[3]]
            out.append(("".join(c for _, c in sorted(own)), box))
    return out


def main() -> None:
    checkout, folder = sys.argv[1:3]
    os.makedirs(f"{folder}/darkplate-mit", exist_ok=True)
    rows = []
    for path in sorted(glob.glob(f"{checkout}/nn/set_01/*.jpg")):
        name = os.path.basename(path)[:-4]
        if not os.path.exists(path[:-4] + ".txt"):
            continue
        img = cv2.imread(path)
        h, w = img.shape[:2]
        for text, box in plates(boxes(path[:-4] + ".txt", w, h)):
            if len(text) != WHOLE or box[0] < 2 or box[1] < 2 or box[2] > w - 2 or box[3] > h - 2:
                continue
            text = MENDED.get(text, text)
            wide = (box[2] - box[0]) * AROUND
            x, y = int(max(0, box[0] - wide)), int(max(0, box[1] - wide / 2))
            piece = img[y:int(box[3] + wide / 2), x:int(box[2] + wide)]
            clip, frame = name.split("_frame_")
            file = f"darkplate-mit/{clip}_{text}.rf.{frame}.jpg"
            cv2.imwrite(f"{folder}/{file}", piece, [cv2.IMWRITE_JPEG_QUALITY, 95])
            rows.append([file, *(round(float(v)) for v in box - np.float32([x, y, x, y])), "", "CA"])
    with open(f"{folder}/labels.csv", "a", encoding="utf8", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows(rows)
    print(f"{len(rows)} plates")


if __name__ == "__main__":
    main()
