"""Renders approaches of a vehicle to a gate as bursts of frames: python3 approaches.py OUT [COUNT] [SEED].

Each sequence is a folder of 5 to 8 JPEG frames of 1280x720, numbered; OUT/labels.csv says folder, text, two_line, kind. The background is a held-out
permitted photograph without its plates. The plate comes closer, turns a little, is blurred by its motion; in some sequences headlights
glare, somebody covers half of it for a frame or two, or it leaves the picture in the end. `npm run bench -- approaches OUT` reads them.
The plates are ones that may stand on a road, unlike those that the reader learns from: the hub rightly doubts a district that there is not.
"""
import csv
import os
import random
import re
import sys
import cv2
import numpy as np
import render
from glyphs import ALPHABET
from pool import DATA, held_out, rows
from reader_data import UNIT, motion_kernel

W, H = 1280, 720
KINDS = ("plain", "blurred", "covered", "headlights", "leaving")
STATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/core/plates/states.ts")


def highest_districts() -> dict[str, int]:
    with open(STATES, encoding="utf8") as f:
        return {state: int(highest) for state, highest in re.findall(r"^  ([A-Z]{2}): (\d+),$", f.read(), re.M)}


def issued(groups, districts) -> bool:
    """Whether offices give such a plate out: a district of the state, from 1 on, one digit and three letters in Delhi only; Bharat plates of past years."""
    state, district, series, number = groups
    if district == "BH":
        return state.isdigit() and 21 <= int(state) <= 26 and series.isdigit() and int(series) > 0 and number.isalpha()
    usual = state == "DL" or (len(district) == 2 and len(series) < 3)
    return usual and district.isdigit() and 1 <= int(district) <= districts.get(state, 0) and int(number) > 0


def choice_on_the_road(r, districts):
    chosen = render.indian_choice(r)
    while not issued(chosen[0], districts):
        chosen = render.indian_choice(r)
    return chosen


def backgrounds():
    files = sorted({r["file"] for r in rows() if r["file"].startswith("dashcam") and held_out(r["file"])})
    boxes = {}
    for r in rows():
        boxes.setdefault(r["file"], []).append([float(r[k] or 0) for k in ("x1", "y1", "x2", "y2")])
    return [(f, boxes[f]) for f in files]


def without_plates(path, boxes):
    img = cv2.imread(f"{DATA}/{path}")
    for x1, y1, x2, y2 in boxes:
        m = int(0.4 * (y2 - y1)) + 3
        a, b, c, d = max(0, int(y1) - m), int(y2) + m, max(0, int(x1) - m), int(x2) + m
        img[a:b, c:d] = cv2.GaussianBlur(cv2.resize(cv2.resize(img[a:b, c:d], (3, 3)), (img[a:b, c:d].shape[1], img[a:b, c:d].shape[0])), (0, 0), 3)
    return cv2.resize(img, (W, H))


def corners(centre, width, aspect, angle, shear):
    p = (UNIT - 0.5) * np.float32([width, width / aspect])
    turn = np.float32([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.float32([[1, shear[0]], [shear[1], 1]])
    return p @ turn.T + np.float32(centre)


def frame(g, ground, patch, quad, kind, cover, light):
    img = ground.copy()
    c, size = quad.mean(0), float(np.linalg.norm(quad[1] - quad[0]))
    body = c + (quad - c) * np.float32([1.7, 2.6])
    cv2.fillConvexPoly(img, (body * 16).astype(np.int32), light["body"], cv2.LINE_AA, 4)
    small = cv2.resize(patch, (max(8, int(size)), max(6, int(np.linalg.norm(quad[3] - quad[0])))), interpolation=cv2.INTER_AREA)
    m = cv2.getPerspectiveTransform(UNIT * np.float32([small.shape[1], small.shape[0]]), quad.astype(np.float32))
    layer = cv2.warpPerspective(small, m, (W, H), flags=cv2.INTER_LINEAR)
    alpha = cv2.warpPerspective(np.full(small.shape[:2], 255, np.uint8), m, (W, H), flags=cv2.INTER_LINEAR).astype(np.float32)[..., None] / 255
    img = (img * (1 - alpha) + layer * alpha).astype(np.uint8)
    if cover is not None:
        x = int(quad[:, 0].min() + cover[0] * size)
        cv2.rectangle(img, (x, int(c[1] - size)), (x + int(cover[1] * size), int(c[1] + size)), light["cover"], -1)
    if kind == "blurred":
        n = int(g.uniform(0.02, 0.055) * size)
        if n > 1:
            img = cv2.filter2D(img, -1, motion_kernel(g, n))
    f = img.astype(np.float32) * light["gain"]
    if kind == "headlights":
        ys, xs = np.mgrid[0:H, 0:W].astype(np.float32)
        for side in (-1, 1):
            x, y, s = c[0] + side * size * 1.6, c[1] - 0.5 * size, size * g.uniform(0.35, 0.7)
            f += (g.uniform(150, 330) * np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (s * s)))[..., None]
    f += g.normal(0, g.uniform(1, 6), (H, W, 1)).astype(np.float32)
    return np.clip(f, 0, 255).astype(np.uint8)


def sequence(r, g, grounds, districts):
    kind = KINDS[r.randrange(len(KINDS))]
    patch, codes, _, aspect, two = render.plate(r, choice_on_the_road(r, districts))
    patch = np.ascontiguousarray(patch[:, :, ::-1])
    ground = without_plates(*grounds[r.randrange(len(grounds))])
    n = r.randint(5, 8)
    near, far = (g.uniform(150, 280), g.uniform(55, 85)) if not two else (g.uniform(110, 190), g.uniform(45, 65))
    start, end = g.uniform((0.3, 0.4), (0.7, 0.55)), g.uniform((0.25, 0.6), (0.75, 0.8))
    if kind == "leaving":
        end = np.array([g.choice([-0.02, 1.02]), end[1]])
    light = {"gain": g.uniform(0.25, 0.6) if kind == "headlights" else g.uniform(0.6, 1.15), "body": tuple(int(v) for v in g.uniform(10, 230, 3)),
             "cover": tuple(int(v) for v in g.uniform(20, 200, 3))}
    angle, shear = g.normal(0, 0.05), g.normal(0, (0.12, 0.05))
    frames = []
    for i in range(n):
        t = i / (n - 1)
        centre = (start + (end - start) * t ** 1.5) * (W, H) + g.normal(0, 3, 2)
        quad = corners(centre, far * (near / far) ** t, aspect, angle + g.normal(0, 0.01), shear * (1 + 0.5 * t))
        cover = (g.uniform(-0.1, 0.7), g.uniform(0.25, 0.5)) if kind == "covered" and i in (n // 2, n // 2 + 1) else None
        frames.append(frame(g, ground, patch, quad, kind, cover, light))
    text = "".join(ALPHABET[c - 1] for c in codes if c)
    return frames, text, two, kind


def main():
    out, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    cv2.setNumThreads(1)
    r, g = random.Random(seed), np.random.default_rng(seed)
    np.random.seed(seed)
    grounds, districts = backgrounds(), highest_districts()
    os.makedirs(out, exist_ok=True)
    with open(out + "/labels.csv", "w", encoding="utf8") as f:
        w = csv.writer(f)
        w.writerow(["folder", "text", "two_line", "kind"])
        for i in range(count):
            frames, text, two, kind = sequence(r, g, grounds, districts)
            folder = f"{i:03d}-{kind}"
            os.makedirs(f"{out}/{folder}", exist_ok=True)
            for k, img in enumerate(frames):
                cv2.imwrite(f"{out}/{folder}/{k}.jpg", img, [cv2.IMWRITE_JPEG_QUALITY, int(g.uniform(55, 90))])
            w.writerow([folder, text, int(two), kind])


if __name__ == "__main__":
    main()
