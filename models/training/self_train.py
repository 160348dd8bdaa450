"""Labels the permitted photographs with the last models' own reading: python3 self_train.py

A label is believed where four views of the plate give the same text with a probability of at least 0.3, and passed on to
augmented twins of the photograph and to frames of the same drive that read nearly the same. Writes work/pseudo.csv, which
reader_data.py takes up; of the 41 transcribed photographs, those believed were all right.
"""
import collections
import csv
import re
import cv2
import numpy as np
import torch
from evaluate import corners, detect, grown, iou, read, spoken, warp
from export import THRESHOLD, load
from pool import DATA, WORK, rows, stem

SURE = 0.3


def distance(a: str, b: str) -> int:
    """Edit distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (x != y)))
        row = new
    return row[-1]


def place(name: str) -> tuple[str, int] | None:
    """(drive, frame number) of a frame of a drive."""
    m = re.match(r"(.*_t_)(\d+)", name)
    return (m.group(1), int(m.group(2))) if m else None


def look(det, rd, r):
    img = cv2.imread(f"{DATA}/{r['file']}")
    grey = cv2.cvtColor(img, cv2.COLOR_BGR2GRAY)
    box = np.array([float(r[k]) for k in ("x1", "y1", "x2", "y2")])
    near = [d for d in detect(det, img, THRESHOLD) if iou(d[1], box) >= 0.3]
    quad = np.float32(near[0][2]) if near else corners(box)
    two = near[0][3] > 0.5 if near else (box[2] - box[0]) < 2 * (box[3] - box[1])
    views = [grown(quad, 1.06, 1.06), grown(quad, 1.12, 1.08), grown(quad, 1.23, 1.12), grown(corners(box), 1.06, 1.06)]
    said = [spoken(p) for p in read(rd, [warp(grey, q) for q in views])]
    text, votes = collections.Counter(t for t, _ in said).most_common(1)[0]
    sure = votes == 4 and len(text) >= 4 and np.exp(np.mean([np.log(p + 1e-9) for _, p in said])) > SURE
    return {"file": r["file"], "text": text, "two_line": int(two), "quad": quad, "sure": sure}


def main() -> None:
    torch.set_num_threads(1)
    det, rd = load("detector")[0], load("reader")[0]
    seen = [look(det, rd, r) for r in rows() if not r["text"]]
    twins, drives = collections.defaultdict(set), collections.defaultdict(list)
    for e in seen:
        if e["sure"]:
            twins[stem(e["file"])].add(e["text"])
            if place(e["file"]):
                drives[place(e["file"])[0]].append((place(e["file"])[1], e["text"]))
    kept = []
    for e in seen:
        if not e["sure"]:
            p = place(e["file"])
            near = list(twins[stem(e["file"])]) + ([t for n, t in drives[p[0]] if abs(n - p[1]) <= 30] if p else [])
            best = min(near, key=lambda t: distance(t, e["text"]), default=None)
            if best is None or len(e["text"]) < 4 or distance(best, e["text"]) > max(1, len(best) // 3):
                continue
            e["text"] = best
        kept.append(e)
    with open(WORK + "/pseudo.csv", "w", encoding="utf8") as f:
        w = csv.writer(f)
        w.writerow(["file", "text", "two_line"] + [f"{a}{i}" for i in range(1, 5) for a in "xy"])
        w.writerows([e["file"], e["text"], e["two_line"]] + [round(float(v), 1) for v in e["quad"].ravel()] for e in kept)
    print(f"{len(kept)} of {len(seen)} plates labelled")


if __name__ == "__main__":
    main()
