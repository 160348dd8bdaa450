"""Measures the averaged weights on a folder of labelled photographs.

python3 evaluate.py FOLDER [--out metrics.json] [--every N] [--sheet misses.png] [--boxes]

FOLDER holds labels.csv: file, x1, y1, x2, y2, text, subset, two_line. End to end takes the best detection with
IoU >= 0.3 to the label; a missing one is wrong; O/0, I/1 and Q/0 count as equal. Two strings are scored: the raw one
and the one after a small grammar of Indian plates (the product's analyser is better than this one).
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

FORMS = ([f"LL{'D' * d}{'L' * s}{'D' * n}" for d in (1, 2) for s in (0, 1, 2, 3) for n in (4, 3, 2, 1)]
         + ["DDLLDDDDL", "DDLLDDDDLL", "LLLDDDD", "LLLDDD", "DDLDDDDDDL"])
STATES = set("AN AP AR AS BR CH CG DD DL GA GJ HR HP JH JK KA KL LA LD MH ML MN MP MZ NL OD PB PY RJ SK TG TN TR UK UP WB DN OR UA TS".split())
FOLD = str.maketrans("OIQ", "010")


def letterbox(img, h, w):
    s = min(w / img.shape[1], h / img.shape[0])
    w1, h1 = max(1, round(img.shape[1] * s)), max(1, round(img.shape[0] * s))
    out = np.full((h, w, 3), 127, np.uint8)
    out[:h1, :w1] = cv2.resize(img, (w1, h1), interpolation=cv2.INTER_AREA if s < 1 else cv2.INTER_LINEAR)
    return out, s


def iou(a, b):
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    i = max(0, w) * max(0, h)
    return i / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - i + 1e-9)


def detect(net, img, threshold, size=(288, 512)):
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


def warp(grey, quad, expand=1.06):
    c = quad.mean(0)
    q = c + (quad - c) * expand
    lo = np.maximum(np.floor(q.min(0)).astype(int) - 4, 0)
    hi = np.ceil(q.max(0)).astype(int) + 5
    win, q = grey[lo[1]:hi[1], lo[0]:hi[0]], q - lo
    while np.linalg.norm(q[1] - q[0]) > 400 and min(win.shape) > 1:
        win, q = cv2.resize(win, (max(1, win.shape[1] // 2), max(1, win.shape[0] // 2)), interpolation=cv2.INTER_AREA), q / 2
    m = cv2.getPerspectiveTransform(q.astype(np.float32), np.float32([[0, 0], [192, 0], [192, 64], [0, 64]]))
    return cv2.warpPerspective(win, m, (192, 64), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def read(net, crops):
    x = torch.from_numpy(np.stack(crops)).float()[:, None] / 255
    with torch.no_grad():
        chars, two = net(x)
    return chars.numpy(), two.numpy()


def raw_text(p):
    return "".join(ALPHABET[c - 1] for c in p.argmax(1) if c > 0)


def grammar(p, margin=6.0):
    """Best Indian form by summed log-probabilities; the raw string stays if no form comes within the margin."""
    lp = np.log(np.maximum(p, 1e-6))
    best, score = raw_text(p), lp.max(1).sum() - margin
    for f in FORMS:
        t, s = "", lp[len(f):, 0].sum()
        for i, c in enumerate(f):
            k = 1 + int(lp[i, 1:11].argmax()) if c == "D" else 11 + int(lp[i, 11:].argmax())
            t, s = t + ALPHABET[k - 1], s + lp[i, k]
        if f.startswith("LL") and t[:2] not in STATES:
            alt = [(lp[0, ALPHABET.index(a) + 1] + lp[1, ALPHABET.index(b) + 1] - lp[0, ALPHABET.index(t[0]) + 1] - lp[1, ALPHABET.index(t[1]) + 1], a + b) for a, b in STATES]
            d, st = max(alt)
            s, t = s + d, st + t[2:]
        if s > score:
            best, score = t, s
    return best


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("folder")
    ap.add_argument("--out")
    ap.add_argument("--every", type=int, default=1)
    ap.add_argument("--sheet")
    ap.add_argument("--size", type=int, nargs=2, default=(288, 512))
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
        found = detect(det, img, 0.05, a.size)
        strong = [d for d in found if d[0] > THRESHOLD]
        gts = [np.array([float(r[k]) for k in ("x1", "y1", "x2", "y2")]) for r in labels]
        extra = sum(all(iou(d[1], g) < 0.3 for g in gts) for d in strong)
        for r, g in zip(labels, gts):
            near = [d for d in strong if iou(d[1], g) >= 0.3]
            truth = r["text"].upper().translate(FOLD)
            e = {"subset": r["subset"], "two": r["two_line"] == "1", "found": any(iou(d[1], g) >= 0.5 for d in strong),
                 "weak": any(iou(d[1], g) >= 0.5 for d in found), "extra": extra / len(labels)}
            crops = [warp(grey, np.float32([[g[0], g[1]], [g[2], g[1]], [g[2], g[3]], [g[0], g[3]]]))]
            if near:
                crops.append(warp(grey, near[0][2]))
                b = near[0][1]
                crops.append(warp(grey, np.float32([[b[0], b[1]], [b[2], b[1]], [b[2], b[3]], [b[0], b[3]]])))
            p, _ = read(rd, crops)
            indian = r["subset"] not in ("us", "eu", "br")
            for name, q in zip(("box", "e2e"), p):
                e[name + "_raw"] = raw_text(q).translate(FOLD) == truth
                e[name] = (grammar(q) if indian else raw_text(q)).translate(FOLD) == truth
            if near:  # the more certain of the corners' and the upright box's reading
                best = max(p[1:], key=lambda q: np.log(q.max(1)).sum())
                e["both"] = (grammar(best) if indian else raw_text(best)).translate(FOLD) == truth
                e["two_ok"] = (near[0][3] > 0.5) == e["two"]
            e.setdefault("both", False), e.setdefault("e2e", False), e.setdefault("e2e_raw", False)
            res.append(e)
            if a.sheet and not e["e2e"]:
                c = cv2.cvtColor(crops[min(1, len(crops) - 1)], cv2.COLOR_GRAY2BGR)
                cap = np.zeros((28, 192, 3), np.uint8)
                cv2.putText(cap, r["text"], (2, 11), 0, 0.4, (0, 255, 0), 1)
                cv2.putText(cap, raw_text(p[min(1, len(crops) - 1)]) + ("" if near else " not found"), (2, 24), 0, 0.4, (0, 200, 255), 1)
                misses.append(np.vstack([c, cap]))
    table = {}
    sets = [("india", lambda e: e["subset"] not in ("us", "eu", "br")), ("two-line", lambda e: e["two"])]
    sets += [(s, lambda e, s=s: e["subset"] == s) for s in ("olx", "google", "video", "auto", "eu", "br", "us")]
    for name, cond in sets:
        q = [e for e in res if cond(e)]
        if q:
            table[name] = {"n": len(q), **{label: round(float(np.mean([e[k] for e in q])), 3) for label, k in (
                ("recall", "found"), ("recallAt0.05", "weak"), ("endToEndRaw", "e2e_raw"), ("endToEnd", "e2e"), ("endToEndBoth", "both"), ("boxRaw", "box_raw"), ("box", "box"), ("extraBoxes", "extra"))}}
            print(f"{name:9s}", table[name], flush=True)
    if a.out:
        json.dump(table, open(a.out, "w"), indent=1)
    if a.sheet and misses:
        while len(misses) % 8:
            misses.append(np.zeros_like(misses[0]))
        cv2.imwrite(a.sheet, np.vstack([np.hstack(misses[i:i + 8]) for i in range(0, len(misses), 8)]))


if __name__ == "__main__":
    main()
