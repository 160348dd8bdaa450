"""Scenes for the detector: real photographs with their own plates, with rendered plates in their places, procedural scenes, and
close-ups that a plate nearly fills; hard negatives (sign text, clocks, grilles) everywhere. A third of the windows is strongly tilted."""
import csv
import os
import cv2
import numpy as np
from PIL import Image, ImageDraw
import glyphs
import random
from pool import DATA, WORK, Pool, held_out, rows
from reader_data import UNIT, jpeg, motion_kernel

GREY = 127
CLOSE_UPS = 0.3  # of all windows: a plate covers 30 to 95 % of the width
TILTED = 0.33  # of the windows: turned by up to 25 degrees and sheared
OWN_CORNERS = 0.6  # weight of corners that an earlier detector gave to a real plate


def own_corners() -> dict[tuple[str, str, str], np.ndarray]:
    """{(file, left, top): 4x2 corners} of real plates (self_corners.py); empty where it has not run."""
    path = WORK + "/corners.csv"
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf8") as f:
        return {(r["file"], r["left"], r["top"]): np.float32([[float(r[f"{a}{i}"]) for a in "xy"] for i in (1, 2, 3, 4)]) for r in csv.DictReader(f)}


def upright(b: np.ndarray) -> np.ndarray:
    return np.float32([[b[0], b[1]], [b[2], b[1]], [b[2], b[3]], [b[0], b[3]]])


class Photos:
    """The permitted photographs at no more than 768 pixels, with their boxes and, where known, corners."""

    def __init__(self, validation: bool = False) -> None:
        by, corners = {}, own_corners()
        for r in rows():
            if not r["file"].startswith("cn") and r["x1"] and held_out(r["file"]) == validation:
                box = [float(r[k]) for k in ("x1", "y1", "x2", "y2")]
                by.setdefault(r["file"], []).append((box, corners.get((r["file"], r["x1"], r["y1"]))))
        self.items = []
        for f, plates in by.items():
            boxes = [b for b, _ in plates]
            img = cv2.imread(f"{DATA}/{f}")[:, :, ::-1]
            s = min(1.0, 768 / max(img.shape[:2]))
            if s < 1:
                img = cv2.resize(img, None, fx=s, fy=s, interpolation=cv2.INTER_AREA)
            quads = [None if q is None else q * s for _, q in plates]
            self.items.append((np.ascontiguousarray(img), np.float32(boxes) * s, f.startswith("dash"), quads))
        self.dash = [i for i, x in enumerate(self.items) if x[2]]
        self.other = [i for i, x in enumerate(self.items) if not x[2]]


class SignPatches:
    """Text that is no plate: words, clocks, banners, grilles. A hundred or so are kept and reused."""

    def __init__(self, n=160):
        r, faces = random.Random(4), glyphs.Faces()
        words = ("Fresh Juice Corner MOBILE repair shop Hotel open 24 hours STD medical store Sri Ganesh Traders wash no parking "
                 "school bus sale exit School HORN OK PLEASE stop petrol diesel Toyota swift Innova i20 alto creta VXI turbo "
                 "automatic 4x4 CAM 01 camera entrance gate 2").split()
        self.patches = []
        for i in range(n):
            w, h = r.randint(80, 320), r.randint(24, 150)
            kind = r.random()
            bg = tuple(r.randint(0, 255) for _ in range(3))
            img = np.empty((h, w, 3), np.uint8)
            img[:] = bg
            alpha = np.full((h, w), 255, np.uint8)
            if kind < 0.25:
                p = r.randint(3, 14)
                (img[::p] if r.random() < .5 else img[:, ::p])[:] = tuple(r.randint(0, 255) for _ in range(3))
                if p > 5:
                    img = cv2.blur(img, (3, 3))
            else:
                im = Image.fromarray(img)
                d = ImageDraw.Draw(im)
                lines = r.choice([1, 1, 2, 3, 4])
                ink = tuple(255 - c if r.random() < .8 else r.randint(0, 255) for c in bg)
                for k in range(lines):
                    if kind < 0.42:
                        t = f"{r.randint(2010, 2029)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d} {r.randint(0, 23):02d}:{r.randint(0, 59):02d}:{r.randint(0, 59):02d}"
                    else:
                        t = " ".join(r.sample(words, r.choice([1, 2, 3])))
                    face = faces.choose(r)
                    path = face[1] if face[0] == "font" else r.choice(faces.found["sans"][1])
                    d.text((4, 2 + k * h / lines), t, fill=ink, font=faces.font(path, max(9, int(h / lines * .75))))
                img = np.array(im)
                if kind < 0.5:  # burnt-in text without ground
                    alpha = cv2.dilate(((np.abs(img.astype(int) - np.array(bg)).sum(2) > 40) * 255).astype(np.uint8), np.ones((2, 2)))
            self.patches.append((img, alpha))


class DetectorData:
    def __init__(self, seed: int, validation: bool = False) -> None:
        self.g = np.random.default_rng(seed)
        self.photos, self.pool, self.signs, self.spare = Photos(validation), Pool(self.g), SignPatches(), None

    # -- pieces -----------------------------------------------------------------------------------------------

    def quad(self, cx, cy, w, aspect, strong=1.0):
        g = self.g
        dst = (UNIT - 0.5) * np.float32([w, w / aspect])
        a = g.normal(0, 0.10 * strong) if g.random() < 0.9 else g.normal(0, 0.35)
        rot = np.float32([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        dst = dst @ (rot @ np.float32([[g.uniform(0.7, 1.0), g.normal(0, 0.1)], [g.normal(0, 0.07) * strong, 1]])).T
        dst *= (1 + (UNIT - 0.5) @ g.normal(0, 0.06, 2).astype(np.float32))[:, None]
        return (dst + np.float32([cx, cy])).astype(np.float32)

    def paste(self, img, patch, quad, alpha=None, light=True):
        """Draws patch into quad of img with the light of the place; cheap, works on the window of the quad only."""
        g = self.g
        lo = np.floor(quad.min(0)).astype(int) - 3
        hi = np.ceil(quad.max(0)).astype(int) + 3
        lo, hi = np.maximum(lo, 0), np.minimum(hi, [img.shape[1], img.shape[0]])
        if (hi - lo).min() < 4:
            return
        win = img[lo[1]:hi[1], lo[0]:hi[0]]
        span = np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[3] - quad[0])
        tw, th = max(4, int(span[0])), max(3, int(span[1]))
        ph, pw = patch.shape[:2]
        if tw < pw or th < ph:
            size = (min(pw, tw), min(ph, th))
            patch = cv2.resize(patch, size, interpolation=cv2.INTER_AREA)
            alpha = cv2.resize(alpha, size, interpolation=cv2.INTER_AREA) if alpha is not None else None
            ph, pw = patch.shape[:2]
        m = cv2.getPerspectiveTransform(UNIT * np.float32([pw, ph]), quad - lo.astype(np.float32))
        wsize = (win.shape[1], win.shape[0])
        p = cv2.warpPerspective(patch, m, wsize, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
        a = alpha if alpha is not None else np.full((ph, pw), 255, np.uint8)
        a = cv2.warpPerspective(a, m, wsize, flags=cv2.INTER_LINEAR)
        if light:
            level = float(win.mean())
            k = g.uniform(0.55, 1.15) * min(1.2, max(0.4, (level + 70) / 160)) if g.random() < 0.7 else g.uniform(0.6, 1.4)
            p = p * (k * (1 + g.normal(0, 0.06, 3))).astype(np.float32) + np.float32(g.normal(0, 8))
            s = g.uniform(0, 0.9)
            if s > 0.35:
                p = cv2.GaussianBlur(p, (0, 0), s)
                a = cv2.GaussianBlur(a, (0, 0), s)
        a = (a.astype(np.float32) / 255)[..., None]
        win[:] = np.clip(win * (1 - a) + p * a, 0, 255).astype(np.uint8)

    def frame(self, img, quad):
        """A holder or shadow around a plate."""
        if self.g.random() < 0.45:
            c = quad.mean(0)
            q = c + (quad - c) * (1 + self.g.uniform(0.02, 0.10))
            cv2.fillConvexPoly(img, (q * 16).astype(np.int32), tuple(int(v) for v in (self.g.uniform(0, 70) + self.g.normal(0, 6, 3)).clip(0, 255)),
                               cv2.LINE_AA, 4)

    def scene(self):
        """Returns picture, quads [(4x2 corners, weight of the corners (0: only the box is known), two_line or -1)]."""
        g = self.g
        k = g.random()
        if k < 0.12:
            return self.invented()
        ids = self.photos.dash if k < 0.30 else self.photos.other
        src, boxes, dash, known = self.photos.items[ids[g.integers(len(ids))]]
        img, out = src.copy(), []
        real = g.random() < (0.45 if not dash else 0.35)
        if not real and g.random() < 0.12:  # nothing to find here
            for b in boxes:
                self.erase(img, b)
            self.negatives(img, out, g.integers(0, 5))
            return img, out
        for b, own in zip(boxes, known):
            w, h = b[2] - b[0], b[3] - b[1]
            corners = upright(b)
            if real:
                out.append((corners, 0.0, -1) if own is None else (own, OWN_CORNERS, -1))
                continue
            patch, _, _, aspect, two = self.pool.draw()
            c = corners.mean(0)
            pw = max(w * g.uniform(0.95, 1.25), h * aspect * g.uniform(0.8, 1.1)) if g.random() < 0.8 else w * g.uniform(0.8, 1.5)
            pw = min(pw, img.shape[1] * 0.95, img.shape[0] * 0.9 * aspect)
            q = self.quad(c[0], c[1], pw, aspect, 0.6)
            lo, hi = q.min(0), q.max(0)
            if b[0] < lo[0] - 2 or b[1] < lo[1] - 2 or b[2] > hi[0] + 2 or b[3] > hi[1] + 2:
                self.erase(img, b)
            self.frame(img, q)
            self.paste(img, patch, q)
            out.append((q, 1.0, int(two)))
        if not real and g.random() < 0.35:  # another plate somewhere
            self.extra(img, out)
        self.negatives(img, out)
        return img, out

    @staticmethod
    def erase(img, b):
        x1, y1, x2, y2 = (int(v) for v in b)
        m = max(3, int((y2 - y1) * 0.25))
        X1, Y1, X2, Y2 = max(0, x1 - m), max(0, y1 - m), min(img.shape[1], x2 + m), min(img.shape[0], y2 + m)
        win = img[Y1:Y2, X1:X2]
        if win.size == 0 or min(win.shape[:2]) < 6:
            return
        edge = np.concatenate([win[:2].reshape(-1, 3), win[-2:].reshape(-1, 3), win[:, :2].reshape(-1, 3), win[:, -2:].reshape(-1, 3)])
        top, bot = np.median(win[:2].reshape(-1, 3), 0), np.median(win[-2:].reshape(-1, 3), 0)
        t = np.linspace(0, 1, win.shape[0])[:, None, None]
        noise = np.empty(win.shape, np.float32)
        cv2.randn(noise, 0, float(min(12, edge.std() / 4 + 1)))
        fill = (top * (1 - t) + bot * t).astype(np.float32) + noise
        a = np.zeros(win.shape[:2], np.float32)
        a[m // 2:-m // 2 or None, m // 2:-m // 2 or None] = 1
        a = cv2.GaussianBlur(a, (0, 0), m / 4)[..., None]
        win[:] = np.clip(win * (1 - a) + fill * a, 0, 255).astype(np.uint8)

    def clear(self, q, out, room=1.25):
        lo, hi = q.min(0), q.max(0)
        for o, _, _ in out:
            c = (o.min(0) + o.max(0)) / 2
            r = (o.max(0) - o.min(0)) / 2 * room
            if lo[0] < c[0] + r[0] and hi[0] > c[0] - r[0] and lo[1] < c[1] + r[1] and hi[1] > c[1] - r[1]:
                return False
        return True

    def extra(self, img, out):
        g = self.g
        patch, _, _, aspect, two = self.pool.draw()
        w = float(np.exp(g.uniform(np.log(16), np.log(img.shape[1] * 0.35))))
        q = self.quad(g.uniform(0.05, 0.95) * img.shape[1], g.uniform(0.15, 0.97) * img.shape[0], w, aspect)
        if self.clear(q, out) and q.min() > 0 and (q.max(0) < [img.shape[1], img.shape[0]]).all():
            if g.random() < 0.7:  # a body part around it
                c = q.mean(0)
                p = c + (q - c) * np.float32([g.uniform(1.3, 3), g.uniform(1.4, 4)])
                if self.clear(p, out):
                    cv2.fillConvexPoly(img, (p * 16).astype(np.int32), tuple(int(v) for v in g.uniform(0, 255, 3)), cv2.LINE_AA, 4)
            self.frame(img, q)
            self.paste(img, patch, q)
            out.append((q, 1.0, int(two)))

    def negatives(self, img, out, n=None):
        g = self.g
        for _ in range(g.choice([0, 0, 0, 1, 2, 3]) if n is None else n):
            patch, alpha = self.signs.patches[g.integers(len(self.signs.patches))]
            w = float(np.exp(g.uniform(np.log(20), np.log(img.shape[1] * 0.7))))
            q = self.quad(g.uniform(0, 1) * img.shape[1], g.uniform(0, 1) * img.shape[0], w, patch.shape[1] / patch.shape[0])
            if self.clear(q, out, 1.1):
                self.paste(img, patch, q, alpha, g.random() < 0.7)

    def invented(self):
        """Blocks of colour like body panels (autos' yellow and green too), lamps, then plates."""
        g = self.g
        s = 420
        base = g.uniform(20, 220, (g.integers(3, 9), g.integers(3, 9), 3)).astype(np.float32)
        img = np.clip(cv2.resize(base, (s, s), interpolation=cv2.INTER_CUBIC if g.random() < .5 else cv2.INTER_NEAREST), 0, 255).astype(np.uint8)
        for _ in range(g.integers(3, 14)):
            c = [(230, 180, 20), (20, 110, 50), (20, 20, 25), (200, 200, 205), (170, 20, 25)][g.integers(5)] if g.random() < 0.6 else g.uniform(0, 255, 3)
            c = tuple(int(v) for v in c)
            x, y = (int(v) for v in g.uniform(-0.1, 1, 2) * s)
            w, h = (int(v) for v in g.uniform(0.05, 0.7, 2) * s)
            if g.random() < 0.6:
                cv2.rectangle(img, (x, y), (x + w, y + h), c, -1 if g.random() < .85 else 3)
            else:
                cv2.ellipse(img, (x, y), (w // 2 + 1, h // 2 + 1), g.uniform(0, 180), 0, 360, c, -1 if g.random() < .8 else 4, cv2.LINE_AA)
        out = []
        for _ in range(g.choice([0, 1, 1, 2, 3])):
            self.extra(img, out)
        self.negatives(img, out, g.integers(1, 6))
        return img, out

    # -- close-ups -------------------------------------------------------------------------------------------------

    def body(self, H, W):
        """What is around a plate that fills the picture: the place of one in a photograph, blown up, or panels of colour."""
        g = self.g
        if g.random() < 0.6:
            src, boxes, _, _ = self.photos.items[g.integers(len(self.photos.items))]
            b = boxes[g.integers(len(boxes))]
            img = src.copy()
            for other in boxes:
                self.erase(img, other)
            w = max(24.0, (b[2] - b[0]) * g.uniform(1.1, 4))
            s = W / w
            c = np.float32([(b[0] + b[2]) / 2 + g.normal(0, 0.2) * w, (b[1] + b[3]) / 2 + g.normal(0, 0.2) * w])
            m = np.float32([[s, 0, W / 2 - s * c[0]], [0, s, H / 2 - s * c[1]]])
            return cv2.warpAffine(img, m, (W, H), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        panel = [(230, 180, 20), (20, 110, 50), (20, 20, 25), (200, 200, 205), (170, 20, 25), (120, 125, 130)]
        base = np.float32(panel[g.integers(len(panel))]) + g.normal(0, 25, (g.integers(2, 5), g.integers(2, 5), 3))
        img = np.clip(cv2.resize(base.astype(np.float32), (W, H), interpolation=cv2.INTER_CUBIC), 0, 255).astype(np.uint8)
        for _ in range(g.integers(1, 7)):
            c = tuple(int(v) for v in (panel[g.integers(len(panel))] if g.random() < 0.5 else g.uniform(0, 255, 3)))
            x, y = (int(v) for v in g.uniform(-0.2, 1, 2) * (W, H))
            w, h = int(g.uniform(0.05, 1.2) * W), int(g.uniform(0.02, 0.5) * H)
            if g.random() < 0.7:
                cv2.rectangle(img, (x, y), (x + w, y + h), c, -1 if g.random() < 0.7 else int(g.integers(1, 6)))
            else:
                cv2.ellipse(img, (x, y), (w // 2 + 1, h + 1), g.uniform(0, 180), 0, 360, c, -1, cv2.LINE_AA)
        return cv2.GaussianBlur(img, (0, 0), g.uniform(0.4, 2.5)) if g.random() < 0.6 else img

    def tilt(self):
        """A strong turn and shear, as 2x2 matrix."""
        g = self.g
        a = np.radians(g.uniform(-25, 25))
        return np.float32([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ np.float32([[g.uniform(0.75, 1), g.uniform(-0.4, 0.4)], [g.uniform(-0.12, 0.12), 1]])

    def close_up(self, H, W):
        """A plate that covers 30 to 95 % of the window's width, drawn at the window's own sharpness."""
        g = self.g
        img, out = self.body(H, W), []
        patch, _, _, aspect, two = self.pool.draw()
        if not two and g.random() < 0.3:  # two-line plates are the harder ones
            patch, _, _, aspect, two = self.pool.draw()
        q = self.quad(0, 0, 1.0, aspect)
        if g.random() < TILTED:
            q = q @ self.tilt().T
        size = q.max(0) - q.min(0)
        most = min(0.95 * W / size[0], 0.95 * H / size[1])
        scale = most * float(np.exp(g.uniform(np.log(0.32), 0)))
        q, size = q * scale, size * scale
        room = np.maximum(np.float32([W, H]) - size, 0)
        slack = 0.15 * size if g.random() < 0.25 else 0  # one in four may be cut off a little
        q = np.float32(q - q.min(0) + g.uniform(-slack, room + slack))
        self.negatives(img, out, int(g.choice([0, 0, 1, 2])))
        self.frame(img, q)
        self.paste(img, patch, q)
        out.append((q, 1.0, int(two)))
        if g.random() < 0.3:  # stickers and dealers' lines beside it
            self.negatives(img, out, 2)
        return img, out

    # -- one training sample -------------------------------------------------------------------------------------

    def sample(self, H: int, W: int) -> tuple[np.ndarray, np.ndarray]:
        """Random window at a random scale so that plates cover 1.5..95 % of the width; RGB [H,W,3] and rows of labels.

        Every scene serves for two windows, because making one costs more than cutting it."""
        if self.g.random() < CLOSE_UPS:
            img, quads = self.close_up(H, W)
            return self.labelled(img, quads)
        return self.labelled(*self.window(H, W))

    def window(self, H, W):
        g = self.g
        if self.spare is None:
            self.spare = img, quads = self.scene()
        else:
            (img, quads), self.spare = self.spare, None
        h0, w0 = img.shape[:2]
        fit = min(W / w0, H / h0)
        if quads and g.random() < 0.75:
            q = quads[g.integers(len(quads))][0]
            pw = max(4.0, float(q[:, 0].max() - q[:, 0].min()))
            ph = max(4.0, float(q[:, 1].max() - q[:, 1].min()))
            most = min(0.95 * W, 0.95 * H * pw / ph)
            want = float(np.exp(g.uniform(np.log(12), np.log(max(24, most)))))
            s = float(np.clip(want / pw, max(fit * 0.4, 0.3) if g.random() < 0.2 else max(fit * 0.8, 0.45), max(fit * 5, 2.0)))
            c = q.mean(0) * s
            ox, oy = c[0] - g.uniform(0.1, 0.9) * W, c[1] - g.uniform(0.1, 0.9) * H
            if g.random() < 0.7:  # a large plate is mostly seen whole
                half = np.float32([pw, ph]) * s / 2
                ox, oy = (c[i] - g.uniform(min(half[i], side / 2), max(side - half[i], side / 2)) for i, side in enumerate((W, H)))
            if s <= fit:
                ox, oy = g.uniform(min(0, w0 * s - W), max(0, w0 * s - W)), g.uniform(min(0, h0 * s - H), max(0, h0 * s - H))
        else:
            s = fit * float(np.exp(g.uniform(-0.3, 0.9)))
            ox, oy = g.uniform(min(0, w0 * s - W), max(0, w0 * s - W)), g.uniform(min(0, h0 * s - H), max(0, h0 * s - H))
        sx = sy = s
        if s < 0.8:
            img = cv2.resize(img, None, fx=s, fy=s, interpolation=cv2.INTER_AREA)
            sx, sy = img.shape[1] / w0, img.shape[0] / h0
        m = np.float32([[sx, 0, -ox], [0, sy, -oy]])
        if g.random() < TILTED and all(known > 0 for _, known, _ in quads):  # an upright box says nothing of a tilted plate
            a, c = self.tilt(), np.float32([W, H]) / 2
            m = np.hstack([a @ m[:, :2], (a @ (m[:, 2] - c) + c)[:, None]])
        quads = [(np.float32(q @ m[:, :2].T + m[:, 2]), known, two) for q, known, two in quads]
        if s < 0.8:  # the picture is shrunk already
            m = m @ np.float32([[1 / sx, 0, 0], [0, 1 / sy, 0], [0, 0, 1]])
        fill = GREY if g.random() < 0.7 else int(g.uniform(0, 255))
        return cv2.warpAffine(img, m.astype(np.float32), (W, H), flags=cv2.INTER_LINEAR, borderValue=(fill, fill, fill)), quads

    def labelled(self, img, quads):
        """The window as the camera gives it, and a row per plate: 15 numbers, cut and tiny plates to be ignored."""
        H, W = img.shape[:2]
        rows_ = []
        for p, known, two in quads:
            lo, hi = p.min(0), p.max(0)
            clo, chi = np.maximum(lo, 0), np.minimum(hi, [W, H])
            vis = np.prod(np.maximum(chi - clo, 0)) / max(1e-6, np.prod(hi - lo))
            if vis <= 0.02:
                continue
            weight = 1.0 if vis > 0.75 and hi[0] - lo[0] >= 9 else 0.0  # 0: ignored
            rows_.append(np.concatenate([[weight, *(lo + hi) / 2, *(hi - lo)], p.reshape(-1), [two, float(known)]]))
        return self.camera(img), np.float32(rows_).reshape(-1, 15)

    def camera(self, img):
        g = self.g
        if g.random() < 0.25:
            img = cv2.GaussianBlur(img, (0, 0), g.uniform(0.3, 1.6))
        if g.random() < 0.08:
            img = cv2.filter2D(img, -1, motion_kernel(g, int(g.uniform(3, 9))))
        gain = np.exp(g.normal(0, 0.22)) * (1 + g.normal(0, 0.07, 3)) * (g.uniform(0.25, 0.7) if g.random() < 0.1 else 1)
        lut = np.clip((((np.arange(256)[:, None] / 255.0) ** np.exp(g.normal(0, 0.25))) * gain + g.normal(0, 0.05)) * 255, 0, 255).astype(np.uint8)
        img = cv2.LUT(img, lut.reshape(256, 1, 3))
        if g.random() < 0.12:
            img = cv2.cvtColor(cv2.cvtColor(img, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
        if g.random() < 0.35:
            n = np.empty(img.shape, np.int16)
            cv2.randn(n, 0, abs(g.normal(0, 10)) + 0.5)
            img = cv2.add(img, n, dtype=cv2.CV_8U)
        return jpeg(img, g.uniform(25, 95)) if g.random() < 0.5 else img

    def batch(self, n: int, H: int, W: int) -> tuple[np.ndarray, list[np.ndarray]]:
        s = [self.sample(H, W) for _ in range(n)]
        return np.stack([x[0] for x in s]), [x[1] for x in s]
