"""Labels the permitted photographs: python3 self_train.py

transcribed.csv says what is on a plate, looked at one by one and not read by these networks: file and left upper corner of its box, the text,
or nothing where it cannot be said. That is passed on to augmented twins of the photograph and to frames of the same drive that the last models
read alike. What is not in it is believed where four views of the plate give the same text with a probability of at least 0.3. Without it
readers only learn to be sure of their own mistakes: of 510 texts that were believed so 175 were transcribed otherwise (60 times an I with
feet, believed to be a T). Writes work/pseudo.csv, which reader_data.py takes up.
"""
import collections
import csv
import os
import re
import cv2
import numpy as np
import torch
from evaluate import corners, detect, grown, iou, read, spoken, warp
from export import THRESHOLD, load
from pool import DATA, HERE, OWN, rows, stem

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
    cut = min(box[0], box[1], img.shape[1] - box[2], img.shape[0] - box[3]) < 2
    return {"file": r["file"], "plate": (r["file"], r["x1"], r["y1"]), "cut": cut, "text": text, "two_line": int(two), "quad": quad, "sure": sure}


def transcribed() -> dict[tuple[str, str, str], str]:
    """{(file, left, top): text} of transcribed.csv; the text is empty where it cannot be said."""
    with open(os.path.join(HERE, "transcribed.csv"), encoding="utf8") as f:
        return {(r["file"], r["x1"], r["y1"]): r["text"] for r in csv.DictReader(f)}


def nearest(e: dict, known: list[dict]) -> str | None:
    """What a plate says by those that may be the same one: what is said of the one that was read most alike, if nearly alike; else None."""
    far = lambda k: min(distance(e["text"], k["text"]), distance(e["text"], k["said"]))
    best = min(known, key=far, default=None)
    if best is None or len(e["text"]) < 3 or far(best) > max(1, max(len(best["text"]), len(best["said"])) // 3):
        return None
    # where the edge cuts a plate off, its characters are not all there
    return "" if e["cut"] and e["text"] != best["said"] else best["said"]


def main() -> None:
    torch.set_num_threads(1)
    det, rd = load("detector")[0], load("reader")[0]
    looked_at = transcribed()
    seen = [look(det, rd, r) for r in rows() if not r["text"] and r["x1"]]
    twins, drives = collections.defaultdict(list), collections.defaultdict(list)
    for e in seen:
        e["is_transcribed"] = e["plate"] in looked_at
        e["said"] = looked_at.get(e["plate"], e["text"])
        if e["is_transcribed"] or e["sure"]:
            twins[stem(e["file"])].append(e)
            if place(e["file"]):
                drives[place(e["file"])[0]].append((place(e["file"])[1], e))
    kept = []
    for e in seen:
        p = place(e["file"])
        near = twins[stem(e["file"])] + ([k for n, k in drives[p[0]] if abs(n - p[1]) <= 30] if p else [])
        text = e["said"] if e["is_transcribed"] else nearest(e, [k for k in near if k["is_transcribed"]])
        text = nearest(e, near) if text is None else text
        if text:
            kept.append({**e, "text": text})
    with open(OWN, "w", encoding="utf8") as f:
        w = csv.writer(f)
        w.writerow(["file", "text", "two_line"] + [f"{a}{i}" for i in range(1, 5) for a in "xy"])
        w.writerows([e["file"], e["text"], e["two_line"]] + [round(float(v), 1) for v in e["quad"].ravel()] for e in kept)
    print(f"{len(kept)} of {len(seen)} plates labelled")


if __name__ == "__main__":
    main()
