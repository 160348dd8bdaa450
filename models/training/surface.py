"""What stands on and around the characters of a plate: relief of raised ones, paint worn off, rivets and frames that touch them, a painter's hand."""
from random import Random
import cv2
import numpy as np


def relief(r: Random, img: np.ndarray, before: np.ndarray) -> None:
    """Raised characters: lit on one side and dark on the other. `before` is the plate without them; where the paint is worn off, it shows through."""
    drawn = np.abs(img.astype(np.int16) - before.astype(np.int16)).max(2).astype(np.float32)
    high = cv2.GaussianBlur(np.clip(drawn / max(1.0, float(drawn.max())), 0, 1), (0, 0), r.uniform(0.6, 1.8))
    worn = r.choice([0.0, 0.0, r.uniform(0.2, 0.6), r.uniform(0.6, 0.97)])
    a = r.uniform(0, 6.283)
    light = np.cos(a) * cv2.Sobel(high, cv2.CV_32F, 1, 0, ksize=3) + np.sin(a) * cv2.Sobel(high, cv2.CV_32F, 0, 1, ksize=3)
    f = img * (1 - worn) + before * worn + (light * r.uniform(15, 90))[..., None]
    img[:] = np.clip(f, 0, 255).astype(np.uint8)


def rivets(r: Random, img: np.ndarray, ink: tuple, boxes: list[tuple]) -> None:
    """Bolts and rivets over the characters and against them, as holders need them, in any colour."""
    h, w = img.shape[:2]
    grey = r.choice([ink, (30, 30, 32), (90, 90, 95), (170, 170, 172), (225, 225, 225), (150, 110, 70)])
    d = max(2, int(h * r.uniform(0.03, 0.075)))
    if boxes and r.random() < 0.5:
        places = [(b[1] + b[3] * r.choice([-0.1, 0.5, 1.1]), b[2] + b[4] * r.choice([0.0, 0.5, 0.5, 1.0])) for b in r.sample(boxes, min(len(boxes), r.choice([1, 2])))]
    else:
        x, y = r.uniform(0.08, 0.35) * w, r.choice([0.08, 0.12, 0.5, 0.9]) * h
        places = [(x, y), (w - x, y)]
    for x, y in places:
        cv2.circle(img, (int(x), int(y)), d, grey, -1, cv2.LINE_AA)
        if r.random() < 0.6:
            cv2.circle(img, (int(x - d * 0.3), int(y - d * 0.3)), max(1, d // 3), tuple(min(255, c + 70) for c in grey), -1, cv2.LINE_AA)


def frame(r: Random, img: np.ndarray, boxes: list[tuple], ink: tuple) -> None:
    """A frame, painted or of a holder, that touches or cuts the tops, feet or ends of the characters."""
    h, w = img.shape[:2]
    if not boxes:
        return
    x0, y0 = min(b[1] for b in boxes), min(b[2] for b in boxes)
    x1, y1 = max(b[1] + b[3] for b in boxes), max(b[2] + b[4] for b in boxes)
    c = r.choice([ink, ink, (25, 25, 28), (140, 140, 145), (200, 200, 205)])
    t = max(1, int(h * r.choice([0.012, 0.025, 0.05])))
    into = lambda size: r.uniform(-0.05, 0.06) * size
    tall = y1 - y0
    if r.random() < 0.7:
        for y in (y0 + into(tall) - t / 2, y1 - into(tall) + t / 2):
            if r.random() < 0.75:
                cv2.line(img, (0, int(y)), (w - 1, int(y)), c, t, cv2.LINE_AA)
    if r.random() < 0.6:
        each = (x1 - x0) / max(1, len(boxes))
        for x in (x0 - r.uniform(0.0, 0.25) * each - t / 2, x1 + r.uniform(0.0, 0.25) * each + t / 2):
            cv2.line(img, (int(x), 0), (int(x), h - 1), c, t, cv2.LINE_AA)


def painted(r: Random, mask: np.ndarray, amount: float) -> np.ndarray:
    """A glyph as a hand draws it: bent, leaning, of uneven stroke. The size stays."""
    h, w = mask.shape
    n = (4, 3)
    bend = [cv2.resize(np.float32([[r.gauss(0, amount) for _ in range(n[1])] for _ in range(n[0])]), (w, h), interpolation=cv2.INTER_CUBIC) for _ in range(2)]
    x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    lean = r.gauss(0, amount) * (y - h / 2)
    out = cv2.remap(mask, x + bend[0] * w * 0.8 + lean, y + bend[1] * h * 0.5, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    k = r.choice([0, 0, 1, 2])
    return out if k == 0 else (cv2.dilate if r.random() < 0.6 else cv2.erode)(out, np.ones((k + 1, k + 1), np.uint8))
