"""Draws lines of text: the characters of a face in a style, with what stands between them, and where each of them is."""
from random import Random
import cv2
import numpy as np
from glyphs import ALPHABET, CAP, Faces
from surface import painted

FACES = Faces()


def seals(r: Random) -> np.ndarray:
    """Mask at CAP height of one or two emblems, one above the other, as stand between the groups of many plates."""
    n = 2 if r.random() < 0.55 else 1
    d = CAP * (r.uniform(0.26, 0.46) if n == 2 else r.uniform(0.2, 0.9))
    m = np.zeros((CAP, int(d) + 4), np.uint8)
    total = d * n * r.uniform(0.95, 1.1)
    y = (CAP - total) * r.uniform(0.2, 0.8)
    for _ in range(n):
        c, e = (int(d / 2) + 2, int(y + d / 2)), (max(2, int(d / 2 * r.uniform(0.7, 1))), max(2, int(d / 2 * r.uniform(0.75, 1))))
        k, v = r.random(), r.randint(70, 255)
        if k < 0.45:
            cv2.ellipse(m, c, e, 0, 0, 360, v, -1, cv2.LINE_AA)
        elif k < 0.6:
            cv2.ellipse(m, c, e, 0, 0, 360, v, r.choice([2, 4, 6]), cv2.LINE_AA)
        elif k < 0.75:
            cv2.rectangle(m, (c[0] - e[0], c[1] - e[1]), (c[0] + e[0], c[1] + e[1] // 3), v, -1)
            cv2.ellipse(m, (c[0], c[1] + e[1] // 3), (e[0], max(1, e[1] * 2 // 3)), 0, 0, 180, v, -1, cv2.LINE_AA)
        else:
            t = np.sort(np.array([r.uniform(0, 6.283) for _ in range(r.choice([5, 7, 9]))]))
            p = np.stack([c[0] + e[0] * np.cos(t), c[1] + e[1] * np.sin(t)], 1).astype(np.int32)
            cv2.fillPoly(m, [p.reshape(-1, 1, 2)], v, cv2.LINE_AA)
        if r.random() < 0.6:
            cv2.ellipse(m, c, (max(1, e[0] // 2), max(1, e[1] // 2)), 0, 0, 360, r.randint(0, 200), -1, cv2.LINE_AA)
        y += total / n
    return m


def line_mask(r: Random, face: tuple, groups: list[str], style: dict) -> tuple[np.ndarray, list[list]]:
    """Mask of one line of text at CAP height and the character boxes in it."""
    parts, x = [], 0
    gap, sep, track = style["gap"], style["sep"], style["track"]
    for gi, g in enumerate(groups):
        if gi:
            x += gap * CAP
            if sep and r.random() < 0.8:
                if sep == "-":
                    parts.append((int(x), None, (int(CAP * 0.44), int(CAP * 0.2), int(CAP * 0.1))))
                    x += CAP * 0.3
                elif sep == ".":
                    if style["tight"]:  # set against the letter before it, whose foot it then looks like
                        x -= (gap + track) * CAP
                    d = int(CAP * r.uniform(0.09, 0.2))
                    parts.append((int(x), None, (int(r.choice([0.45 * CAP, 0.84 * CAP, CAP - d])), d, d)))
                    x += d + CAP * r.uniform(0.03, 0.12)
                elif sep == "/":
                    m = FACES.glyph(face, "I")
                    m = slanted(cv2.resize(m, (max(4, int(CAP * 0.1)), CAP)), 0.35)
                    parts.append((int(x), None, m))
                    x += m.shape[1] + CAP * r.uniform(0.0, 0.1)
                elif sep == "o":  # seals and emblems between the groups
                    m = seals(r)
                    parts.append((int(x), None, m))
                    x += m.shape[1] + CAP * r.uniform(0.02, 0.14)
                x += gap * CAP * 0.5
        for ch in g:
            m = FACES.glyph(face, ch, style["feet"])
            if style["thin"] and ch == "1":  # a bare stroke, thinner than those of the other characters
                m = np.full((CAP, max(3, int(style["thin"]))), 255, np.uint8)
            if style["stencil"]:
                m = stencilled(m, ch, style["stencil"])
            if style["painted"]:
                m = painted(r, m, style["painted"])
            if style["wide"] != 1:
                m = cv2.resize(m, (max(5, int(m.shape[1] * style["wide"])), CAP), interpolation=cv2.INTER_LINEAR)
            if style["even"]:  # embossed faces give every character the same width, M and W too
                ew = style["even"] * (r.uniform(0.3, 0.6) if ch in "1I" and m.shape[1] < 0.4 * CAP else 1.0)
                m = cv2.resize(m, (max(5, int(m.shape[1] * 0.15 + ew * 0.85)), CAP), interpolation=cv2.INTER_AREA)
            if style["wobble"]:
                m = cv2.resize(m, (max(5, int(m.shape[1] * r.uniform(0.88, 1.12))), CAP))
            if style["fixed"]:
                x0 = x + max(0, (style["fixed"] - m.shape[1]) / 2)
                parts.append((int(x0), ch, m))
                x += max(style["fixed"], m.shape[1]) + track * CAP
            else:
                parts.append((int(x), ch, m))
                x += m.shape[1] + track * CAP
    w = max(8, int(x) + 24)
    out, boxes = np.zeros((CAP + 16, w), np.uint8), []
    for x0, ch, m in parts:
        dy = int(r.uniform(-1, 1) * style["wobble"] * CAP) if style["wobble"] else 0
        if ch is None:
            if sep in ("o", "/"):
                v = out[8:8 + CAP, x0 + 4:x0 + 4 + m.shape[1]]
                np.maximum(v, m[:v.shape[0], :v.shape[1]], out=v)
                continue
            y0, ww, hh = m
            out[8 + y0:8 + y0 + hh, x0 + 4:x0 + 4 + ww] = 255
            continue
        y0 = 8 + max(-8, min(8, dy))
        v = out[y0:y0 + CAP, x0 + 4:x0 + 4 + m.shape[1]]
        np.maximum(v, m[:v.shape[0], :v.shape[1]], out=v)
        if ch in ALPHABET:
            boxes.append([ch, x0 + 4, y0, m.shape[1], CAP])
    if style["stroke"]:
        k = np.ones((abs(style["stroke"]) + 1,) * 2, np.uint8)
        out = cv2.dilate(out, k) if style["stroke"] > 0 else cv2.erode(out, k)
    if style["dots"]:
        out = dotted(out, style["dots"])
    if style["slant"]:
        out = slanted(out, style["slant"])
        shift = (out.shape[1] - w) / 2
        boxes = [[ch, x0 + shift, y0, bw, bh] for ch, x0, y0, bw, bh in boxes]
    return out, boxes


def slanted(mask: np.ndarray, by: float) -> np.ndarray:
    """The mask leaning to the right by so much of its height, wider by as much; the middle line stays in the middle."""
    h, w = mask.shape
    wide = w + int(abs(by) * h) + 1
    return cv2.warpAffine(mask, np.float32([[1, -by, (wide - w) / 2 + by * h / 2], [0, 1, 0]]), (wide, h))


def dotted(mask: np.ndarray, pitch: float) -> np.ndarray:
    """The mask as a pattern of dots, as reflectors and lamps draw it; `pitch` as a share of the height."""
    p = max(5, int(pitch * CAP))
    small = cv2.resize(mask, (max(1, mask.shape[1] // p), max(1, mask.shape[0] // p)), interpolation=cv2.INTER_AREA)
    out = np.zeros_like(mask)
    for y, x in zip(*np.where(small > 110)):
        cv2.circle(out, (int((x + 0.5) * p), int((y + 0.5) * p)), max(2, int(p * 0.42)), 255, -1, cv2.LINE_AA)
    return out


# Characters whose counters a stencil's bridges open.
CLOSED = "0ABDOPQR4689CGS35EHMNUW27"


def stencilled(mask: np.ndarray, ch: str, gap: float) -> np.ndarray:
    """The glyph with the upright bridge of a stencil through its middle."""
    if ch not in CLOSED:
        return mask
    m = mask.copy()
    g = max(2, int(gap * CAP))
    c = m.shape[1] // 2
    m[:, max(0, c - g // 2):c - g // 2 + g] = 0
    return m


def paste_mask(img: np.ndarray, mask: np.ndarray, colour: tuple, alpha: float = 1.0) -> None:
    a = (mask.astype(np.float32) * (alpha / 255.0))[..., None]
    img[:] = (img * (1 - a) + np.array(colour, np.float32) * a).astype(np.uint8)


def place_line(img: np.ndarray, mask: np.ndarray, boxes: list[list], rect: tuple[int, int, int, int], ink: tuple) -> list[tuple]:
    """Stretches the line into rect (x, y, w, h) and returns boxes in image pixels."""
    x, y, w, h = rect
    sx, sy = w / mask.shape[1], h / CAP
    m = cv2.resize(mask, (w, max(4, int(mask.shape[0] * sy))), interpolation=cv2.INTER_AREA)
    y0 = y - int(8 * sy)
    ya, yb = max(0, y0), min(img.shape[0], y0 + m.shape[0])
    xa, xb = max(0, x), min(img.shape[1], x + w)
    if yb > ya and xb > xa:
        paste_mask(img[ya:yb, xa:xb], m[ya - y0:yb - y0, xa - x:xb - x], ink)
    return [(ch, x + bx * sx, y0 + by * sy, bw * sx, bh * sy) for ch, bx, by, bw, bh in boxes]
