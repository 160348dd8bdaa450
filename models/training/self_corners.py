"""Corners of the photographs' own plates, which are labelled with upright boxes only: python3 self_corners.py.

The last detector looks at every labelled plate in close-ups of three sizes, each plain and mirrored. Where all of them agree and fit the
labelled box, their mean becomes the plate's corners (work/corners.csv). Later runs learn corners from real plates that way, tilted further
by detector_data.py.
"""
import csv
import os
import cv2
import numpy as np
import torch
from nets import PlateDetector
from pool import DATA, WORK, rows

WIDTHS = (72, 96, 128)  # of the plate in the close-up
W, H = 288, 160
LEAST_SCORE, LEAST_IOU, MOST_SPREAD = 0.5, 0.6, 0.06
MIRROR = [1, 0, 3, 2]


def closeup(img, box, width, mirrored):
    s = width / max(4.0, box[2] - box[0])
    cx, cy = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    m = np.float32([[s, 0, W / 2 - s * cx], [0, s, H / 2 - s * cy]])
    if s < 0.7:
        img = cv2.GaussianBlur(img, (0, 0), 0.4 / s)
    out = cv2.warpAffine(img, m, (W, H), flags=cv2.INTER_LINEAR, borderValue=(127, 127, 127))
    return (out[:, ::-1] if mirrored else out), m


def iou(a, b):
    both = np.prod(np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0))
    return both / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - both)


@torch.no_grad()
def corners_of(net, img, box):
    """4x2 corners in pixels of the picture, or None where the close-ups disagree."""
    views = [closeup(img, box, w, f) for w in WIDTHS for f in (False, True)]
    x = torch.from_numpy(np.stack([np.ascontiguousarray(v) for v, _ in views])).permute(0, 3, 1, 2).float() / 255
    found = []
    for out, (_, m), k in zip(net(x).numpy(), views, range(len(views))):
        near = out[(np.abs(out[:, 1] - W / 2) < W / 8) & (np.abs(out[:, 2] - H / 2) < H / 8)]
        r = near[near[:, 0].argmax()]
        if r[0] < LEAST_SCORE:
            return None
        q = r[5:13].reshape(4, 2)
        if k % 2:
            q = np.stack([W - 1 - q[:, 0], q[:, 1]], 1)[MIRROR]
        found.append((q - m[:, 2]) / m[0, 0])
    q = np.stack(found)
    mean = q.mean(0)
    size = mean.max(0) - mean.min(0)
    fits = iou(np.concatenate([mean.min(0), mean.max(0)]), np.array(box)) >= LEAST_IOU
    return mean if fits and (np.abs(q - mean).max((0, 1)) / size).max() <= 2 * MOST_SPREAD and (q.std(0) / size).max() <= MOST_SPREAD else None


def main():
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    net = PlateDetector()
    net.load_state_dict(torch.load(WORK + "/detector.pt", map_location="cpu")["ema"])
    net.eval()
    todo = [r for r in rows() if r["x1"] and not r["file"].startswith("cn")]
    kept = []
    for r in todo:
        box = [float(r[k]) for k in ("x1", "y1", "x2", "y2")]
        if box[2] - box[0] < 12:
            continue
        q = corners_of(net, np.ascontiguousarray(cv2.imread(f"{DATA}/{r['file']}")[:, :, ::-1]), box)
        if q is not None:
            kept.append([r["file"], r["x1"], r["y1"], *(round(float(v), 2) for v in q.reshape(-1))])
    with open(WORK + "/corners.csv", "w", newline="", encoding="utf8") as f:
        out = csv.writer(f)
        out.writerow(["file", "left", "top", "x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4"])
        out.writerows(kept)
    print(f"corners of {len(kept)} of {len(todo)} plates")


if __name__ == "__main__":
    main()
