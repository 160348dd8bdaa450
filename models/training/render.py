"""Renders number plates into a pool on disk: python3 render.py OUT_DIR CHUNKS [SEED].

A chunk holds 2,000 plates (POOL_CHUNK), each stretched to 96x320 RGB, with the text, the place of every character
(fractions of the plate), the plate's true aspect and whether its text stands on two lines.
"""
import os
import random
import sys
import cv2
import numpy as np
from PIL import Image, ImageDraw
import texts
from glyphs import ALPHABET, CAP
from lettering import FACES, line_mask, place_line
from shapes import FOOTED
from surface import frame, relief, rivets

PH, PW, SLOTS = 96, 320, 13
CHUNK = int(os.environ.get("POOL_CHUNK", "2000"))  # plates of a chunk
DOTTED = float(os.environ.get("POOL_DOTTED", "0.06"))  # share of plates with a point between the groups, besides those that have one anyway
STACKED = float(os.environ.get("POOL_STACKED", "0.06"))  # share of two-line plates that autos have: one group above another beside the number
GHOSTS = float(os.environ.get("POOL_GHOSTS", "0.05"))  # share of plates whose characters throw a shadow or show a second edge
RELIEF = float(os.environ.get("POOL_RELIEF", "0.06"))  # share of plates with characters raised from the plate, the paint on them often worn off
TOUCHED = float(os.environ.get("POOL_TOUCHED", "0.04"))  # share of plates whose frame or bolts touch the characters
PAINTED = float(os.environ.get("POOL_PAINTED", "0.04"))  # share of plates lettered by hand
ALIKE = float(os.environ.get("POOL_ALIKE", "0.1"))  # share of European, American and Brazilian plates with more of the characters that are mixed up there
NARROW = float(os.environ.get("POOL_NARROW", "0.04"))  # share of Indian plates with narrow raised letters that are mixed up
AMERICAN = float(os.environ.get("POOL_AMERICAN", "0"))  # share of American plates beside those that all countries have
TWO = float(os.environ.get("POOL_TWO", "0.3"))  # share of Indian plates with two lines
SERIF = float(os.environ.get("POOL_SERIF", "0"))  # share of Indian plates with serifs beside those that all faces have
MORE_FACES = float(os.environ.get("POOL_FACES", "0"))  # share of plates in faces of faces.txt
SEALS = float(os.environ.get("POOL_SEALS", "0.1"))  # share of American plates with a seal before or behind the text
FOREIGN_FROM = float(os.environ.get("POOL_FOREIGN", "0"))  # 0.7: no Indian plates


def jit(r: random.Random, rgb: tuple, a: float) -> tuple[int, ...]:
    return tuple(int(min(255, max(0, c + r.uniform(-a, a)))) for c in rgb)


def colours(r: random.Random, kind: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    white, black = (235, 235, 232), (22, 22, 26)
    yellow, green = (236, 190, 30), (30, 130, 70)
    table = {"temporary": (yellow, (190, 30, 30)), "trade": ((190, 30, 30), white),
             "diplomatic": ((40, 80, 170), white), "military": (black, white)}
    if kind in table:
        g, i = table[kind]
    else:
        k = r.random()
        g, i = ((white, black) if k < 0.60 else (yellow, black) if k < 0.84 else (black, yellow) if k < 0.88
                else (green, white) if k < 0.92 else (green, yellow) if k < 0.94 else (black, white) if k < 0.96
                else ((40, 80, 170), white) if k < 0.98 else ((190, 40, 40), white))
    if r.random() < 0.06 and g == white:
        i = r.choice([(150, 30, 30), (30, 40, 140), (20, 90, 40)])
    return jit(r, g, 22), jit(r, i, 16)


def styled(r: random.Random, face: tuple, kind: str) -> dict:
    """How a plate of this face and kind is lettered."""
    serif, own = FACES.is_serif(face), face[0] == "own"
    even = 0.75 if kind in ("us", "eu", "br") or own else 0.1 if serif else 0.5
    style = {"gap": r.choice([0.02, 0.12, 0.25, 0.4, 0.6]), "sep": r.choice([None] * 14 + ["-", ".", ".", "-", ".", "-", "/"]) if r.random() > DOTTED else ".",
             "tight": r.random() < 0.4,
             "track": r.choice([0.03, 0.06, 0.1, 0.16, 0.25]) if r.random() < 0.9 else 0.0,
             "fixed": CAP * r.uniform(0.5, 0.62) if r.random() < (0.05 if serif else 0.25) else 0,
             "wobble": r.uniform(0.02, 0.07) if r.random() < 0.10 else 0,
             "even": CAP * r.uniform(0.36, 0.68) if r.random() < even else 0,
             "stroke": r.choice([0] * 6 + [2, 3, 4, 6, -2]), "wide": 1.0,
             "slant": r.choice([1, 1, 1, -1]) * r.uniform(0.08, 0.4) if r.random() < (0.3 if serif else 0.14) else 0,
             "feet": r.randrange(len(FOOTED)) if r.random() < (0.5 if kind in ("us", "any") else 0.1) else None,
             "painted": r.uniform(0.03, 0.11) if r.random() < PAINTED else 0,
             "thin": CAP * r.uniform(0.05, 0.11) if r.random() < 0.06 else 0,
             "dots": r.uniform(0.09, 0.14) if r.random() < 0.015 else 0,
             "stencil": r.uniform(0.04, 0.1) if r.random() < (0.2 if serif else 0.05) else 0}
    if own and face[1] > 1.3:
        style["stroke"] = 0
    if serif:  # hand-cut and painted ones: narrow, with a point between the groups
        if r.random() < 0.5:
            style["sep"] = "."
        style["wide"] = r.uniform(0.5, 1.1)
        style["stroke"] = r.choice([0, 0, 2, 4, 6])
        style["track"] = r.choice([-0.02, 0.0, 0.03, 0.06, 0.1])
    elif FACES.is_wide(face) and r.random() < 0.75:
        style.update(wide=r.uniform(1.2, 2.1), even=CAP * r.uniform(0.8, 1.3) if r.random() < 0.5 else 0, fixed=0)
    elif r.random() < 0.06:
        style["wide"] = r.uniform(1.2, 1.7)
    if r.random() < {"eu": 0.5, "us": 0.4}.get(kind, 0.03):
        style["sep"] = "o"
    return style


def split_lines(r: random.Random, g: list[str]) -> list[list[str]]:
    """The three splits of two-line plates (after state, after district, mid-series) and a few others."""
    g = [x for x in g if x]
    if len(g) >= 4:
        k = r.random()
        if k < 0.52:
            return [[g[0], g[1], g[2]], g[3:]]
        if k < 0.80:
            return [[g[0], g[1]], g[2:]]
        if k < 0.93 and len(g[2]) > 1:
            return [[g[0], g[1], g[2][:1]], [g[2][1:] + g[3]]]
        return [[g[0]], g[1:]]
    if len(g) == 3:
        return [g[:2], g[2:]] if r.random() < 0.7 else [g[:1], g[1:]]
    if len(g) == 2:
        return [g[:1], g[1:]]
    s = g[0]
    c = max(1, min(len(s) - 1, len(s) // 2 + r.choice([-1, 0, 1])))
    return [[s[:c]], [s[c:]]]


def stacked(r: random.Random, img: np.ndarray, face: tuple, style: dict, groups: list[str], ink: tuple) -> list[tuple]:
    """As auto-rickshaws have it: `KA` over `01` at the left and the rest beside it, or the series upright before the number. Boxes of the characters."""
    h, w = img.shape[:2]
    pad = r.uniform(0.03, 0.08)
    put = lambda texts_, x, y, ww, hh: place_line(img, *line_mask(r, face, texts_, style), (int(x * w), int(y * h), max(10, int(ww * w)), max(8, int(hh * h))), ink)
    state, district, series, number = groups
    if r.random() < 0.5 or not series:
        column, tall = r.uniform(0.16, 0.26), r.uniform(0.26, 0.38)
        boxes = put([state], pad, r.uniform(0.08, 0.16), column, tall)
        if r.random() < 0.6:
            cv2.line(img, (int(pad * w), h // 2), (int((pad + column) * w), h // 2), ink, r.choice([2, 3, 4]), cv2.LINE_AA)
        boxes += put([district], pad, r.uniform(0.54, 0.6), column, tall)
        x, rest = pad + column + r.uniform(0.03, 0.07), r.uniform(0.4, 0.62)
        return boxes + put([g for g in (series, number) if g], x, r.uniform(0.4, 0.6) - rest / 2, 1 - x - pad, rest)
    boxes = put([state, district], pad, r.uniform(0.06, 0.12), 1 - 2 * pad, r.uniform(0.36, 0.42))
    top, tall, column = r.uniform(0.5, 0.54), r.uniform(0.38, 0.42), r.uniform(0.09, 0.15)
    each = tall / len(series)
    for i, letter in enumerate(series):  # read from left to right: the upper letter in the left part of the column
        (found,) = put([letter], pad, top + i * each, column, each * 0.92)
        share = column * w / len(series)
        boxes.append((letter, pad * w + i * share, found[2], share, found[4]))
    x = pad + column + r.uniform(0.02, 0.05)
    return boxes + put([number], x, top, 1 - x - pad, tall)


def emblem(r, img, x, y, d, ink):
    """A seal, flag, star or coat of arms of about d pixels: what stands between and before characters and is none."""
    h, w = img.shape[:2]
    k = r.random()
    c = [jit(r, r.choice([ink, (180, 30, 40), (30, 60, 160), (230, 190, 40), (40, 120, 60), (150, 150, 160)]), 40) for _ in range(3)]
    x, y, d = int(x), int(y), max(3, int(d))
    if k < 0.35:
        for i in range(3):
            cv2.rectangle(img, (x, y + i * d // 3), (x + int(d * 0.8), y + (i + 1) * d // 3), c[i], -1)
    elif k < 0.6:
        cv2.circle(img, (x + d // 2, y + d // 2), d // 2, c[0], -1 if r.random() < 0.6 else 2, cv2.LINE_AA)
        cv2.circle(img, (x + d // 2, y + d // 2), max(1, d // 4), c[1], -1, cv2.LINE_AA)
    else:
        p = np.array([[x + r.uniform(0, d), y + r.uniform(0, d)] for _ in range(r.choice([4, 6, 8]))], np.int32)
        cv2.fillPoly(img, [p.reshape(-1, 1, 2)], c[0], cv2.LINE_AA)
        for _ in range(3):
            q = [(int(x + r.uniform(0, d)), int(y + r.uniform(0, d))) for _ in range(2)]
            cv2.line(img, q[0], q[1], c[2], 1, cv2.LINE_AA)


def small_text(r, img, s, colour, xy, size):
    im = Image.fromarray(img)
    face = FACES.choose(r)
    path = face[1] if face[0] == "font" else r.choice(FACES.found["sans"][1])
    ImageDraw.Draw(im).text(xy, s, fill=colour, font=FACES.font(path, max(6, int(size))))
    img[:] = np.array(im)


WORDS = ("INDIA MOTORS HONDA BAJAJ SERVICE POLICE PRESS AUTO SALES TATA HERO ROYAL CARS Motors Shree Om Sri Jai "
         "Delhi Mumbai TVS www.cars.in CNG TOURIST TAXI ALL INDIA PERMIT STATE OF Garden Sunshine BRASIL DEALER").split()


def blobs(r: random.Random, h: int, w: int, cells: int, amount: float) -> np.ndarray:
    n = np.random.rand(max(2, cells), max(2, int(cells * w / h))).astype(np.float32)
    n = cv2.resize(n, (w, h), interpolation=cv2.INTER_CUBIC)
    return np.clip((n - (1 - amount)) * 4, 0, 1)


def furniture(r, img, ink, kind, two, left):
    """Borders, IND mark, hologram, bolts, stickers, dealer text, frames."""
    h, w = img.shape[:2]
    if r.random() < 0.5:
        m, t = int(r.uniform(1, 5)), int(r.choice([1, 2, 2, 3]))
        cv2.rectangle(img, (m, m), (w - 1 - m, h - 1 - m), ink if r.random() < 0.8 else (120, 120, 120), t, cv2.LINE_AA)
    if left > 6:
        if kind == "eu" or r.random() < 0.2:
            cv2.rectangle(img, (0, 0), (int(left * 0.8), h), jit(r, (30, 60, 160), 25), -1)
            small_text(r, img, r.choice(["IND", "D", "F", "RO", "PL", "I", "E", "NL", "GB", "SK", "CZ", "H", "A", "B", "LT", "BG"]) if kind == "eu" else "IND",
                       (235, 235, 235), (left * 0.12, h * r.uniform(0.5, 0.7)), left * 0.42)
            if r.random() < 0.4:  # a ring of stars
                rad = left * r.uniform(0.2, 0.32)
                for i in range(12):
                    at = (int(left * 0.4 + rad * np.cos(i * 0.524)), int(h * 0.3 + rad * np.sin(i * 0.524)))
                    cv2.circle(img, at, max(1, int(left * 0.05)), (240, 220, 60), -1, cv2.LINE_AA)
            elif r.random() < 0.6:
                emblem(r, img, left * 0.15, h * r.uniform(0.12, 0.3), left * r.uniform(0.3, 0.55), (235, 235, 235))
            if r.random() < 0.15:  # an older plate: no strip, a small flag before the text
                img[:, :int(left * 0.8)] = img[h // 2, int(left * 0.9)]
                emblem(r, img, left * 0.2, h * r.uniform(0.25, 0.6), left * 0.5, ink)
        else:
            blue = jit(r, (40, 70, 160), 30)
            small_text(r, img, "IND", blue, (left * 0.15, h * r.uniform(0.4, 0.6)), left * 0.45)
            if r.random() < 0.3:  # an emblem that is no letter
                e = jit(r, ink, 60)
                for _ in range(r.choice([2, 4, 6])):
                    p = [(int(r.uniform(0.1, 0.8) * left), int(r.uniform(0.1, 0.9) * h)) for _ in range(2)]
                    cv2.line(img, p[0], p[1], e, r.choice([1, 2, 4]), cv2.LINE_AA)
            elif r.random() < 0.6:
                cv2.circle(img, (int(left * 0.5), int(h * 0.25)), max(2, int(left * 0.22)), jit(r, (150, 160, 190), 30), -1, cv2.LINE_AA)
    if r.random() < 0.45:
        c = jit(r, r.choice([(150, 150, 150), (40, 40, 40), (200, 200, 205), (120, 90, 60)]), 20)
        n = r.choice([2, 2, 4])
        fx, fy = r.uniform(0.05, 0.4), r.choice([0.5, 0.1, 0.1, 0.15, 0.85, r.uniform(0.1, 0.9)])
        for i in range(n):
            x = fx if i % 2 == 0 else 1 - fx
            y = fy if i < 2 else 1 - fy
            cv2.circle(img, (int(x * w), int(y * h)), int(h * r.uniform(0.025, 0.06)), c, -1, cv2.LINE_AA)
    if r.random() < 0.10:
        small_text(r, img, " ".join(r.sample(WORDS, r.choice([1, 2, 3]))), jit(r, ink, 60),
                   (w * r.uniform(0.05, 0.5), h * r.choice([0.0, 0.88])), h * r.uniform(0.08, 0.12))
    if r.random() < 0.06:
        x, y = int(r.uniform(0, 0.9) * w), int(r.choice([0, 0.85]) * h)
        cv2.rectangle(img, (x, y), (x + int(h * r.uniform(.1, .4)), y + int(h * 0.15)), jit(r, (128, 128, 128), 127), -1)


def weather(r, img, mask_ink, ground):
    """Dirt, fading, missing paint, dents of light, scratches."""
    h, w = img.shape[:2]
    if r.random() < 0.35:
        a = blobs(r, h, w, r.choice([3, 6, 12, 24]), r.uniform(0.1, 0.45)) * r.uniform(0.15, 0.65)
        img[:] = (img * (1 - a[..., None]) + np.array(jit(r, (110, 90, 70), 40)) * a[..., None]).astype(np.uint8)
    if r.random() < 0.22:
        a = blobs(r, h, w, r.choice([4, 10, 30]), r.uniform(0.1, 0.4)) * r.uniform(0.2, 0.75)
        img[:] = (img * (1 - a[..., None]) + np.array(ground) * a[..., None]).astype(np.uint8)
    if r.random() < 0.35:
        g = np.linspace(r.uniform(0.6, 1), r.uniform(0.6, 1), w if r.random() < 0.5 else h).astype(np.float32)
        img[:] = (img * (g[None, :, None] if len(g) == w else g[:, None, None])).astype(np.uint8)
    for _ in range(r.choice([0, 0, 0, 1, 3])):
        p = [(int(r.uniform(0, w)), int(r.uniform(0, h))) for _ in range(2)]
        cv2.line(img, p[0], p[1], jit(r, ground, 60), 1, cv2.LINE_AA)


def mixed(r: random.Random, groups: list[str], kind: str) -> list[str]:
    return texts.alike(r, groups, kind) if r.random() < ALIKE else groups


def choose(r: random.Random) -> tuple[list[str], str, bool, float]:
    """Returns (groups, kind, two_line, aspect)."""
    k = 0.8 if r.random() < AMERICAN else r.uniform(FOREIGN_FROM, 1)
    if k < 0.70:
        g, kind = texts.indian(r)
        two = r.random() < TWO
    elif k < 0.78:
        return mixed(r, texts.european(r), "eu"), "eu", False, r.uniform(3.9, 4.9)
    elif k < 0.86:
        return mixed(r, texts.american(r), "us"), "us", False, r.uniform(1.85, 2.3)
    elif k < 0.91:
        g, kind, two = mixed(r, texts.brazilian(r), "br"), "br", r.random() < 0.2
        return g, kind, two, r.uniform(1.1, 1.4) if two else r.uniform(2.9, 3.3)
    elif k < 0.92:
        return texts.chinese(r), "cn", False, r.uniform(3, 3.4)
    else:
        g, kind, two = texts.uniform(r), "any", r.random() < 0.35
    if two:
        return g, kind, True, r.choice([2.0, 2.0, 1.7, 1.7, r.uniform(1.2, 2.7)])
    q = r.random()
    return g, kind, False, 4.17 if q < 0.45 else r.uniform(3.3, 5.4) if q < 0.88 else 6.3 if q < 0.93 else r.uniform(2.4, 3.3)


def indian_choice(r: random.Random) -> tuple[list[str], str, bool, float]:
    """As `choose`, for an Indian plate of today."""
    groups, kind = texts.indian(r)
    while kind != "private" or len(groups) != 4 or groups[2] == "":
        groups, kind = texts.indian(r)
    two = r.random() < 0.3
    return groups, kind, two, r.choice([2.0, 1.7]) if two else r.choice([4.17, 4.17, 5.0])


def plate(r: random.Random, chosen: tuple | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, bool]:
    """A plate as pool entry: picture, codes, boxes of the characters, aspect, whether it has two lines."""
    groups, kind, two, aspect = chosen or choose(r)
    h, w = PH, int(PH * aspect)
    ground, ink = colours(r, kind)
    img = np.empty((h, w, 3), np.uint8)
    img[:] = ground
    if kind == "us" and r.random() < 0.6:
        a, b = np.array(jit(r, (200, 200, 210), 55)), np.array(jit(r, (200, 205, 220), 50))
        t = np.linspace(0, 1, h)[:, None, None]
        img[:] = (a * (1 - t) + b * t).astype(np.uint8)
        ink = jit(r, r.choice([(20, 30, 90), (20, 20, 20), (130, 20, 30), (20, 70, 40)]), 20)
    is_narrow = kind == "private" and len(groups) == 4 and r.random() < NARROW
    face = FACES.stroked(r) if is_narrow else FACES.choose(r, serif=0.2 if kind == "us" else SERIF if kind == "private" else 0, more=MORE_FACES)
    style = styled(r, face, kind)
    if is_narrow:
        style.update(even=CAP * r.uniform(0.3, 0.46), fixed=0, slant=0, painted=0, stencil=0, wide=1.0, track=r.choice([0.06, 0.1, 0.16]))
        groups = [*groups[:2], texts.mixed_up(r, groups[2]), groups[3]]
    left = h * r.uniform(0.16, 0.36) if (kind == "eu" and r.random() < .8) or (kind == "private" and r.random() < 0.6 and not two) else 0
    if two and kind == "private" and r.random() < 0.15:
        left = h * r.uniform(0.1, 0.2)
    top = h * (r.uniform(0.18, 0.3) if kind in ("us", "br") else 0)
    if kind == "br":
        cv2.rectangle(img, (0, 0), (w, int(top * 0.9)), jit(r, (40, 60, 160), 20) if len(groups) == 1 else ground, -1)
    if kind in ("us", "br"):
        small_text(r, img, " ".join(r.sample(WORDS, 2)), ink if kind == "us" else (220, 220, 220), (w * r.uniform(.15, .4), 1), top * 0.7)
        if kind == "us" and r.random() < .6:
            small_text(r, img, " ".join(r.sample(WORDS, 2)), ink, (w * r.uniform(.15, .4), h * 0.84), h * 0.13)
    if kind == "cn":
        left = h * 0.75
        for _ in range(7):
            p = [(int(r.uniform(.12, .68) * h), int(r.uniform(.18, .82) * h)) for _ in range(2)]
            cv2.line(img, p[0], (p[1][0], p[0][1]) if r.random() < .5 else (p[0][0], p[1][1]), ink, 4, cv2.LINE_AA)
    furniture(r, img, ink, kind, two, 0 if kind == "cn" else left)
    lines = split_lines(r, groups) if two else [[g for g in groups if g]]
    if kind == "us" and r.random() < SEALS:  # an empty group has only the emblem beside it
        style["sep"] = "o"
        lines[0] = ["", *lines[0]] if r.random() < 0.5 else [*lines[0], ""]
    bottom = h * (r.uniform(0.14, 0.2) if kind == "us" else 0)
    free_h, free_w = h - top - bottom, w - left
    pad = r.uniform(0.03, 0.10)
    boxes = []
    n = len(lines)
    rel = [1.0] * n if r.random() < 0.6 else [r.uniform(0.35 if r.random() < 0.3 else 0.6, 1.0), 1.0] if n == 2 else [1.0]
    if n == 2 and r.random() < 0.06:
        rel = rel[::-1]
    line_h = free_h * (r.uniform(0.52, 0.84) if n == 1 else r.uniform(0.31, 0.45))
    if n == 1 and style["wide"] > 1.15:
        line_h *= r.uniform(0.5, 0.9)
    lead = free_h * r.uniform(0.03, 0.14)
    total = sum(rel) * line_h + (n - 1) * lead
    if total > free_h * 0.94:
        line_h *= free_h * 0.94 / total
        total = free_h * 0.94
    y = top + (free_h - total) * r.uniform(0.4, 0.6)
    squeeze = r.uniform(0.8, 1.25)
    if r.random() < 0.12:  # dealers do not keep to the middle
        y = top + (free_h - total) * r.uniform(0.1, 0.9)
    is_stacked = n == 2 and len(groups) == 4 and kind == "private" and len(groups[2]) < 3 and r.random() < STACKED
    ghost = r.random() < GHOSTS
    by, shade = (r.choice([-1, 1]) * r.randint(2, 5), r.randint(-3, 3)), r.uniform(0.25, 0.85)
    is_touched, before = r.random() < TOUCHED, img.copy()
    if is_touched and n == 1:
        line_h, pad = free_h * r.uniform(0.78, 0.94), r.uniform(0.0, 0.03)
        y = top + (free_h - line_h) * r.uniform(0.2, 0.8)
    if is_stacked:
        boxes, lines = stacked(r, img, face, style, groups, ink), []
    for li, g in enumerate(lines):
        m, b = line_mask(r, face, g, style)
        lh = line_h * rel[li]
        room = free_w * (1 - 2 * pad)
        lw = min(room, m.shape[1] * lh / CAP * squeeze)
        if r.random() < (0.5 if n == 1 else 0.25):
            lw = min(room, max(lw, room * r.uniform(0.8, 1)))
        x = left + free_w * pad + (room - lw) * (0.5 if r.random() < 0.8 else r.random())
        if kind == "military" and li == 0 and r.random() < 0.7:
            cv2.arrowedLine(img, (int(x), int(y + lh)), (int(x), int(y)), ink, 3, cv2.LINE_AA, 0, 0.3)
            x, lw = x + h * .12, lw - h * .12
        rect = (int(x), int(y), max(12, int(lw)), max(8, int(lh)))
        if r.random() < 0.3 and kind != "us":
            place_line(img, m, b, (rect[0] + 1, rect[1] + 1, rect[2], rect[3]), jit(r, tuple(int(c * .75) for c in ground), 25))
        if ghost:  # raised characters lit from the side, or painted ones with a shadow
            between = tuple(int(a * (1 - shade) + c * shade) for a, c in zip(ground, ink))
            place_line(img, m, b, (rect[0] + by[0], rect[1] + by[1], rect[2], rect[3]), jit(r, between, 15))
        boxes += place_line(img, m, b, rect, ink)
        y += lh + lead
    if r.random() < (0.6 if is_narrow else RELIEF):
        relief(r, img, before)
    elif r.random() < 0.25:  # embossed: an edge of light on one side of everything drawn
        d = r.choice([-1, 1])
        e = np.roll(img, (d, d), (0, 1)).astype(np.int16)[..., 1] - img[..., 1]
        img[:] = np.clip(img.astype(np.int16) + (e * r.uniform(0.15, 0.5))[..., None], 0, 255).astype(np.uint8)
    if r.random() < 0.12:
        for _ in range(r.choice([1, 2])):
            emblem(r, img, r.uniform(0.02, 0.9) * w, r.choice([0.02, 0.8]) * h, r.uniform(0.08, 0.16) * h, ink)
    if is_touched and r.random() < 0.7:
        frame(r, img, boxes, ink)
    if r.random() < TOUCHED:
        rivets(r, img, ink, boxes)
    weather(r, img, ink, ground)
    text = "".join(b[0] for b in boxes)[:SLOTS]
    codes = np.zeros(SLOTS, np.uint8)
    codes[:len(text)] = [ALPHABET.index(c) + 1 for c in text]
    bb = np.zeros((SLOTS, 4), np.float16)
    for i, (_, x, y, bw, bh) in enumerate(boxes[:SLOTS]):
        bb[i] = ((x + bw / 2) / w, (y + bh / 2) / h, bw / w, bh / h)
    out = cv2.resize(img, (PW, PH), interpolation=cv2.INTER_AREA if w > PW else cv2.INTER_LINEAR)
    return out, codes, bb, aspect, n == 2


def main() -> None:
    out, chunks = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    os.makedirs(out, exist_ok=True)
    cv2.setNumThreads(1)
    for c in range(chunks):
        path = f"{out}/pool_{seed:02d}_{c:03d}"
        if os.path.exists(path + ".npz"):
            continue
        r = random.Random(seed * 1000 + c)
        np.random.seed(seed * 1000 + c)
        rows = [plate(r) for _ in range(CHUNK)]
        np.save(path + ".npy", np.stack([x[0] for x in rows]))
        np.savez(path + ".npz", codes=np.stack([x[1] for x in rows]), boxes=np.stack([x[2] for x in rows]),
                 aspect=np.array([x[3] for x in rows], np.float32), two=np.array([x[4] for x in rows]))
        print(path, flush=True)


if __name__ == "__main__":
    main()
