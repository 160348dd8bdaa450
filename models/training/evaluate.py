"""Measures the averaged weights on a folder of labelled photographs.

python3 evaluate.py FOLDER [--out metrics.json] [--every N] [--sheet misses.png]

FOLDER holds labels.csv: file, x1, y1, x2, y2, text, subset, two_line. End to end takes the best detection with
IoU >= 0.3 to the label; a missing one is wrong; O/0, I/1 and Q/0 count as equal. One view of each plate, no grammar:
what counts is the product's pipeline, `npm run bench -- anpr FOLDER`; this one compares checkpoints.
"""
import argparse
import csv
import json
import os
import cv2
import numpy as np
import torch
from export import THRESHOLD, load
from glyphs import ALPHABET

FOLD = str.maketrans("OIQ", "010")


def letterbox(img: np.ndarray, h: int, w: int) -> tuple[np.ndarray, float]:
    s = min(w / img.shape[1], h / img.shape[0])
    w1, h1 = max(1, round(img.shape[1] * s)), max(1, round(img.shape[0] * s))
    out = np.full((h, w, 3), 127, np.uint8)
    out[:h1, :w1] = cv2.resize(img, (w1, h1), interpolation=cv2.INTER_AREA if s < 1 else cv2.INTER_LINEAR)
    return out, s


def iou(a: np.ndarray, b: np.ndarray) -> float:
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    i = max(0, w) * max(0, h)
    return i / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - i + 1e-9)


def detect(net: torch.nn.Module, img: np.ndarray, threshold: float, size: tuple[int, int] = (288, 512)) -> list[tuple[float, np.ndarray, np.ndarray, float]]:
    """[(score, box, corners, two_line)] in pixels of img (BGR)."""
    x, s = letterbox(img[:, :, ::-1], *size)
    with torch.no_grad():
        r = net(torch.from_numpy(x).permute(2, 0, 1)[None].float() / 255)[0].numpy()
    r = r[r[:, 0] > threshold]
    out = []
    for v in r[np.argsort(-r[:, 0])][:100]:
        box = np.array([v[1] - v[3] / 2, v[2] - v[4] / 2, v[1] + v[3] / 2, v[2] + v[4] / 2]) / s
        if all(iou(box, o[1]) < 0.45 for o in out):
            out.append((float(v[0]), box, v[5:13].reshape(4, 2) / s, float(v[13])))
    return out


def grown(quad: np.ndarray, along: float = 1.1, across: float = 1.08) -> np.ndarray:
    """The quadrilateral with a margin in its own directions."""
    a = (quad[1] - quad[0] + quad[2] - quad[3]) / 4 * (along - 1)
    c = (quad[3] - quad[0] + quad[2] - quad[1]) / 4 * (across - 1)
    return np.float32(quad + a * np.float32([[-1], [1], [1], [-1]]) + c * np.float32([[-1], [-1], [1], [1]]))


def corners(box: np.ndarray) -> np.ndarray:
    return np.float32([[box[0], box[1]], [box[2], box[1]], [box[2], box[3]], [box[0], box[3]]])


def warp(grey: np.ndarray, q: np.ndarray) -> np.ndarray:
    lo = np.maximum(np.floor(q.min(0)).astype(int) - 4, 0)
    hi = np.ceil(q.max(0)).astype(int) + 5
    win, q = grey[lo[1]:hi[1], lo[0]:hi[0]], q - lo
    while np.linalg.norm(q[1] - q[0]) > 400 and min(win.shape) > 1:
        win, q = cv2.resize(win, (max(1, win.shape[1] // 2), max(1, win.shape[0] // 2)), interpolation=cv2.INTER_AREA), q / 2
    m = cv2.getPerspectiveTransform(q.astype(np.float32), np.float32([[0, 0], [192, 0], [192, 64], [0, 64]]))
    return cv2.warpPerspective(win, m, (192, 64), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def read(net: torch.nn.Module, crops: list[np.ndarray]) -> np.ndarray:
    """Probabilities of the steps, [N,2,48,37]."""
    x = torch.from_numpy(np.stack(crops)).float()[:, None] / 255
    with torch.no_grad():
        return net(x)[0].numpy()


def spoken(steps: np.ndarray) -> tuple[str, float]:
    """(text, probability) of one plate: a run of steps that are more likely no blank is a character."""
    text, certain = "", 1.0
    for row in steps:
        edge = np.diff(np.concatenate([[0], row[:, 0] < 0.5, [0]]).astype(np.int8))
        for a, b in zip(np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)):
            p = row[a:b, 1:].sum(0)
            text += ALPHABET[p.argmax()]
            certain *= float(p.max() / p.sum())
    return text, certain


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("folder")
    ap.add_argument("--out")
    ap.add_argument("--every", type=int, default=1)
    ap.add_argument("--sheet")
    a = ap.parse_args()
    torch.set_num_threads(1)
    det, rd = load("detector")[0], load("reader")[0]
    rows = list(csv.DictReader(open(a.folder + "/labels.csv", encoding="utf8")))[::a.every]
    images = {}
    for r in rows:
        images.setdefault(r["file"], []).append(r)
    res, misses = [], []
    for f, labels in images.items():
        img = cv2.imread(f"{a.folder}/{f}")
        grey = cv2.cvtColor(img, cv2.COLOR_BGR2GRAY)
        found = detect(det, img, 0.05)
        strong = [d for d in found if d[0] > THRESHOLD]
        gts = [np.array([float(r[k]) for k in ("x1", "y1", "x2", "y2")]) for r in labels]
        extra = sum(all(iou(d[1], g) < 0.3 for g in gts) for d in strong)
        for r, g in zip(labels, gts):
            near = [d for d in strong if iou(d[1], g) >= 0.3]
            truth = r["text"].upper().translate(FOLD)
            e = {"subset": r["subset"], "two": r["two_line"] == "1", "found": any(iou(d[1], g) >= 0.5 for d in strong),
                 "weak": any(iou(d[1], g) >= 0.5 for d in found), "extra": extra / len(labels)}
            crops = [warp(grey, grown(corners(g), 1.06, 1.06))]
            if near:
                crops.append(warp(grey, grown(near[0][2])))
            texts = [spoken(q)[0] for q in read(rd, crops)]
            e["box"] = texts[0].translate(FOLD) == truth
            e["e2e"] = bool(near) and texts[1].translate(FOLD) == truth
            res.append(e)
            if a.sheet and not e["e2e"]:
                c = cv2.cvtColor(crops[min(1, len(crops) - 1)], cv2.COLOR_GRAY2BGR)
                cap = np.zeros((28, 192, 3), np.uint8)
                cv2.putText(cap, r["text"], (2, 11), 0, 0.4, (0, 255, 0), 1)
                cv2.putText(cap, texts[-1] + ("" if near else " not found"), (2, 24), 0, 0.4, (0, 200, 255), 1)
                misses.append(np.vstack([c, cap]))
    table = {}
    sets = [("india", lambda e: e["subset"] not in ("us", "eu", "br")), ("two-line", lambda e: e["two"])]
    sets += [(s, lambda e, s=s: e["subset"] == s) for s in ("olx", "google", "video", "auto", "eu", "br", "us")]
    for name, cond in sets:
        q = [e for e in res if cond(e)]
        if q:
            table[name] = {"n": len(q), **{label: round(float(np.mean([e[k] for e in q])), 3) for label, k in (
                ("recall", "found"), ("recallAt0.05", "weak"), ("endToEnd", "e2e"), ("box", "box"), ("extraBoxes", "extra"))}}
            print(f"{name:9s}", table[name], flush=True)
    if a.out:
        json.dump(table, open(a.out, "w"), indent=1)
    if a.sheet and misses:
        while len(misses) % 8:
            misses.append(np.zeros_like(misses[0]))
        cv2.imwrite(a.sheet, np.vstack([np.hstack(misses[i:i + 8]) for i in range(0, len(misses), 8)]))


if __name__ == "__main__":
    main()
