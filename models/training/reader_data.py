"""Turns rendered plates and real crops into reader inputs as a camera and the detector would leave them."""
import os
import cv2
import numpy as np
from pool import OWN, Pool, own_reads, real_crops, scenes

H, W = 64, 192
UNIT = np.float32([[0, 0], [1, 0], [1, 1], [0, 1]])


def project(m: np.ndarray, pts: np.ndarray) -> np.ndarray:
    p = np.concatenate([pts, np.ones((len(pts), 1), np.float32)], 1) @ m.T
    return p[:, :2] / p[:, 2:]


def motion_kernel(g: np.random.Generator, n: int) -> np.ndarray:
    k = np.zeros((n, n), np.float32)
    a = g.normal(0, 0.35) if g.random() < 0.85 else g.uniform(0, np.pi)
    c = (n - 1) / 2
    d = np.array([np.cos(a), np.sin(a)]) * c
    cv2.line(k, tuple(np.round(c - d).astype(int).tolist()), tuple(np.round(c + d).astype(int).tolist()), 1.0)
    return k / k.sum()


def jpeg(img: np.ndarray, q: float) -> np.ndarray:
    return cv2.imdecode(cv2.imencode(".jpg", img, [cv2.IMWRITE_JPEG_QUALITY, int(q)])[1], cv2.IMREAD_UNCHANGED)


def degrade(g: np.random.Generator, img: np.ndarray, size: float, hard: float) -> np.ndarray:
    """Focus, motion, light, noise, compression on a captured picture whose plate is `size` pixels wide."""
    if g.random() < 0.5 * hard + 0.1:
        s = g.uniform(0.3, 0.7 + (0.0065 if g.random() < 0.8 else 0.0105) * size * hard)
        img = cv2.GaussianBlur(img, (0, 0), s)
    if g.random() < 0.34 * hard:
        n = int(g.uniform(2, 3 + size * (0.026 if g.random() < 0.75 else 0.045)))
        if n > 1:
            img = cv2.filter2D(img, -1, motion_kernel(g, n))
    f = img.astype(np.float32)
    if g.random() < 0.2:
        h, w = img.shape[:2]
        a = g.uniform(0, 6.28)
        t = (np.arange(w)[None] / w - 0.5) * np.cos(a) + (np.arange(h)[:, None] / h - 0.5) * np.sin(a) + g.uniform(-0.3, 0.3)
        k = g.uniform(0.35, 0.8)
        f = f * np.where(t > 0, 1.0, k) if g.random() < 0.6 else f * (1 - (1 - k) * np.clip(t + 0.5, 0, 1))
    if g.random() < 0.12:
        h, w = img.shape[:2]
        cx, cy, s = g.uniform(0, w), g.uniform(0, h), g.uniform(0.1, 0.5) * w
        d = ((np.arange(w)[None] - cx) ** 2 + (np.arange(h)[:, None] - cy) ** 2) / (s * s)
        f = f + g.uniform(60, 260) * np.exp(-d)
    if g.random() < 0.06:
        f = (f - 128) * 1.3 + 128 + g.uniform(40, 110)  # blown out by infra-red light
    gain, off = np.exp(g.normal(0, 0.25)), g.normal(0, 14)
    if g.random() < 0.12:
        gain *= g.uniform(0.25, 0.7)
    f = (f - 128) * (g.uniform(0.45, 1.25) if g.random() < 1 - 0.12 * hard else g.uniform(0.1, 0.35)) + 128
    f = f * gain + off
    f += g.standard_normal(f.shape, np.float32) * np.float32(abs(g.normal(0, 4.5 * (0.4 + hard))) * min(1.0, 0.4 + gain * 0.6))
    img = np.clip(f, 0, 255).astype(np.uint8)
    k = g.random()
    if k < 0.28:  # sharpened by the camera, often too much
        b = cv2.GaussianBlur(img, (0, 0), g.uniform(0.8, 1.2 + 0.012 * size))
        a = g.uniform(0.5, 2.5)
        img = cv2.addWeighted(img, 1 + a, b, -a, 0)
    elif k < 0.36 * hard:  # two fields or frames of a video in one
        dx, dy = g.normal(0, 0.012 * size + 0.6), g.normal(0, 0.7)
        b = cv2.warpAffine(img, np.float32([[1, 0, dx], [0, 1, dy]]), img.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
        img = cv2.addWeighted(img, 1 - g.uniform(0.2, 0.5), b, g.uniform(0.2, 0.5), 0)
    if g.random() < 0.65:
        img = jpeg(img, (g.uniform(20, 95) if g.random() < 0.85 else g.uniform(8, 25)) if hard > 0.5 else g.uniform(50, 95))
    return img


def filmed(g: np.random.Generator, img: np.ndarray) -> np.ndarray:
    """A frame of a video: coarse blocks, their edges smoothed, and what is left of the frame before, moved on. The size stays."""
    h, w = img.shape
    s = g.uniform(0.55, 1.0)
    a = cv2.resize(img, (max(16, int(w * s)), max(16, int(h * s))), interpolation=cv2.INTER_AREA)
    b = jpeg(a, g.uniform(12, 45))
    b = cv2.medianBlur(b, 3) if g.random() < 0.3 else cv2.bilateralFilter(b, 5, g.uniform(8, 30), 2)
    if g.random() < 0.4:  # parts of a frame are taken over from the one before it
        m = np.float32([[1, 0, g.normal(0, 1.0)], [0, 1, g.normal(0, 0.5)]])
        before = cv2.warpAffine(b, m, b.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
        kept = cv2.resize((g.random((max(1, b.shape[0] // 16 + 1), b.shape[1] // 16 + 1)) < 0.3).astype(np.float32), b.shape[::-1],
                          interpolation=cv2.INTER_NEAREST)
        b = (b * (1 - 0.7 * kept) + before * 0.7 * kept).astype(np.uint8)
    return cv2.resize(b, (w, h), interpolation=cv2.INTER_LINEAR)


def republished(g: np.random.Generator, img: np.ndarray) -> np.ndarray:
    """As pictures on advertisement sites and in videos are: scaled and compressed once more. The size stays."""
    h, w = img.shape
    s = g.uniform(0.6, 1.3)
    small = cv2.resize(img, (max(8, int(w * s)), max(6, int(h * s))), interpolation=cv2.INTER_AREA if s < 1 else cv2.INTER_LINEAR)
    return cv2.resize(jpeg(small, g.uniform(30, 90)), (w, h), interpolation=cv2.INTER_LINEAR)


class ReaderData:
    """Endless samples; `hard` in 0..1 ramps the damage. Those of a held-out one share no plate and no photograph of a plate with the others."""

    def __init__(self, seed: int, held: bool = False) -> None:
        self.g = np.random.default_rng(seed)
        self.pool = Pool(self.g, held)
        self.real = real_crops(held)
        self.cn = [x for x in self.real if not x[3]]
        self.two = [x for x in self.real if x[3]]
        self.scenes = scenes()
        self.held, self.own, self.labels = held, [], None
        self.refresh()

    def refresh(self) -> None:
        """Takes up chunks of the pool and labels of photographs that were written since."""
        self.pool.refresh()
        written = os.path.getmtime(OWN) if os.path.exists(OWN) else None
        if written != self.labels:
            twins = {}
            for key, *crop in own_reads(self.held):
                twins.setdefault(key, []).append(crop)
            self.own, self.labels = list(twins.values()), written

    def source(self):
        g = self.g
        k = g.random()
        if k < 0.05:
            p, quad, codes, two = self.cn[g.integers(len(self.cn))]
        elif k < 0.08 and self.two:
            p, quad, codes, two = self.two[g.integers(len(self.two))]
        elif k < 0.24 and self.own:
            twins = self.own[g.integers(len(self.own))]
            p, quad, codes, two = twins[g.integers(len(twins))]
        else:
            img, codes, boxes, aspect, two = self.pool.draw()
            if not two and g.random() < 0.35:  # two-line plates are the harder ones: seen more often than rendered
                img, codes, boxes, aspect, two = self.pool.draw()
            if g.random() < 0.75:
                grey = cv2.cvtColor(np.ascontiguousarray(img), cv2.COLOR_RGB2GRAY)
            else:
                wts = g.dirichlet([1, 1, 1]).astype(np.float32)
                grey = (img @ wts).astype(np.uint8)
                if grey.std() < 14:
                    grey = cv2.cvtColor(np.ascontiguousarray(img), cv2.COLOR_RGB2GRAY)
            return grey, None, codes, boxes.astype(np.float32), aspect, two
        return p, quad, codes, None, (quad[1, 0] - quad[0, 0]) / max(1, quad[2, 1] - quad[0, 1]), two

    def surroundings(self, w, h):
        """A piece of a photograph to lay the plate on."""
        g, p = self.g, self.scenes[self.g.integers(len(self.scenes))]
        s = min(1.0, p.shape[1] / w, p.shape[0] / h) * g.uniform(0.3, 1.0)
        a, b = max(2, int(w * s)), max(2, int(h * s))
        x, y = g.integers(p.shape[1] - a + 1), g.integers(p.shape[0] - b + 1)
        return cv2.resize(np.ascontiguousarray(p[y:y + b, x:x + a]), (w, h), interpolation=cv2.INTER_LINEAR)

    def sample(self, hard):
        g = self.g
        patch, quad, codes, boxes, aspect, two = self.source()
        if boxes is not None:
            size = float(np.exp(g.uniform(np.log(230 - 165 * hard), np.log(260)))) if g.random() < 0.8 else g.uniform(48, 90) + 60 * (1 - hard)
            if two:
                size = max(36.0, size * 0.7)
            if g.random() < 0.14:  # close by: nothing is lost to few pixels, and the hub halves what is wider than 400
                size = g.uniform(200, 640)
            least = 4.6 if g.random() < 0.88 else 3.4  # few pixels: 9 to 16 high, where the characters are narrow
            size = max(size, 24 + least * (codes > 0).sum() / (1.6 if two else 1))
        else:
            size = max(40.0, float(quad[1, 0] - quad[0, 0]) * g.uniform(0.6, 1.2))
        w, h = size, size / aspect
        dst = (UNIT - 0.5) * np.float32([w, h])
        a = g.normal(0, 0.09) * (0.5 + hard)
        sh, sv = g.normal(0, 0.12) * (0.4 + hard), g.normal(0, 0.05)
        is_askew = g.random() < 0.22
        if is_askew:
            most = 0.44 if g.random() < 0.75 else 0.7
            a, sh, sv = g.uniform(-most, most), g.normal(0, 0.22), g.normal(0, 0.1)
        rot = np.float32([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ np.float32([[g.uniform(0.75, 1.0), sh], [sv, 1]])
        dst = dst @ rot.T
        persp = g.normal(0, 0.06, 2) * hard
        dst *= (1 + (UNIT - 0.5) @ persp.astype(np.float32))[:, None]
        m = max(6.0, 0.2 * w)
        dst = dst - dst.min(0) + m
        cw, ch = (int(v) + 1 for v in dst.max(0) + m)
        if boxes is not None:
            ph, pw = patch.shape
            tw, th = max(8, int(w)), max(6, int(h))
            if tw < pw * 0.8 or th < ph * 0.8:
                patch = cv2.resize(patch, (min(pw, tw), min(ph, th)), interpolation=cv2.INTER_AREA)
            ph, pw = patch.shape
            src = UNIT * np.float32([pw, ph])
            hm = cv2.getPerspectiveTransform(src, dst.astype(np.float32))
            base = g.uniform(15, 235)
            if g.random() < 0.45:
                cap = self.surroundings(cw, ch)
            elif g.random() < 0.4:
                bg = cv2.resize(g.normal(base, 30, (g.integers(2, 7), g.integers(2, 9))).astype(np.float32), (cw, ch))
                cap = np.clip(bg, 0, 255).astype(np.uint8)
            else:
                cap = np.full((ch, cw), base, np.uint8)
            cv2.warpPerspective(patch, hm, (cw, ch), cap, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT)
        else:
            hm = cv2.getPerspectiveTransform(quad.astype(np.float32), dst.astype(np.float32))
            cap = cv2.warpPerspective(patch, hm, (cw, ch), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        cap = degrade(g, cap, size, hard * (1.0 if boxes is not None else 0.3))
        k = g.random()
        if k < 0.2 * hard:
            cap = filmed(g, cap)
        elif k < 0.42 * hard:
            cap = republished(g, cap)
        q = dst
        if g.random() < (0.1 if is_askew else 0.22):  # a detector that gave an upright box
            lo, hi = dst.min(0), dst.max(0)
            q = np.float32([[lo[0], lo[1]], [hi[0], lo[1]], [hi[0], hi[1]], [lo[0], hi[1]]])
        c = q.mean(0)
        # how far beyond the plate, along and across it
        ex, ey = (g.uniform(1.02, 1.32), g.uniform(1.02, 1.22)) if g.random() < 0.75 else (1.08, 1.08)
        along, across = (q[1] - q[0] + q[2] - q[3]) / 4, (q[3] - q[0] + q[2] - q[1]) / 4
        q = q + (ex - 1) * along * np.float32([[-1], [1], [1], [-1]]) + (ey - 1) * across * np.float32([[-1], [-1], [1], [1]])
        span = np.float32([np.linalg.norm(q[1] - q[0]), np.linalg.norm(q[3] - q[0])])
        loose = 1.0 if g.random() < 0.8 else 2.2
        q = q + g.normal(0, 0.016 * loose, (4, 2)) * span + g.normal(0, 0.025, 2) * span
        side, share = g.integers(2), g.uniform(0.05, 0.4)
        is_cut = boxes is not None and g.random() < 0.1
        if is_cut and g.random() < 0.6:  # corners that leave out one end
            by = (q[1] - q[0] + q[2] - q[3]) / 2 * share
            q = q + by * (np.float32([[1], [0], [0], [1]]) if side == 0 else np.float32([[0], [-1], [-1], [0]]))
            is_cut = False
        scale = 1.0
        while np.linalg.norm(q[1] - q[0]) * scale > 400:  # as the hub does
            cap = cv2.resize(cap, (max(1, cap.shape[1] // 2), max(1, cap.shape[0] // 2)), interpolation=cv2.INTER_AREA)
            scale /= 2
        rm = cv2.getPerspectiveTransform((q * scale).astype(np.float32), np.float32([[0, 0], [W, 0], [W, H], [0, H]]))
        out = cv2.warpPerspective(cap, rm, (W, H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        rm = rm @ np.diag([scale, scale, 1.0])
        lo, hi = 0.0, float(W)
        if is_cut:  # the edge of the picture: the pixels there are repeated
            at = int(W * share)
            if side == 0:
                out[:, :at], lo = out[:, at:at + 1], float(at)
            else:
                out[:, W - at:], hi = out[:, W - at - 1:W - at], float(W - at)
        cells = np.full((13, 5), -1.0, np.float32)
        if boxes is not None:
            n = int((codes > 0).sum())
            if n:
                b = boxes[:n] * np.float32([patch.shape[1], patch.shape[0]] * 2)
                cells[:n, :2] = project(rm @ hm, b[:, :2])
                edge = project(rm @ hm, b[:, :2] + b[:, 2:] * np.float32([0.5, 0]))
                cells[:n, 2] = np.abs(edge[:, 0] - cells[:n, 0])
                half = np.maximum(cells[:n, 2], 0.5)
                cells[:n, 4] = (np.minimum(cells[:n, 0] + half, hi) - np.maximum(cells[:n, 0] - half, lo)) / (2 * half)
                gone = cells[:n, 4] < SEEN[0]
                cells[:n, 0] = np.where(gone, np.clip(cells[:n, 0], lo + 3, hi - 3), cells[:n, 0])
                cells[:n, 3] = np.cumsum(np.diff(b[:, 0], prepend=b[0, 0]) < 0).clip(0, 1) if two else 0
        return out, codes, cells, two, boxes is not None

    def batch(self, n: int, hard: float) -> list[np.ndarray]:
        s = [self.sample(hard * self.g.uniform(0.3, 1.0)) for _ in range(n)]
        return [np.stack([x[i] for x in s]) for i in range(5)]


# Shares of a character: of one that shows less nothing can be said, one that shows more is whole.
SEEN = (0.35, 0.85)


def step_targets(cells: np.ndarray, codes: np.ndarray, steps: int = 48) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Class of every step of both lines [B,2,steps], its weight, and where the class is only as likely as that there is nothing.

    A character that the edge cuts off is never certain: where some of it shows, it is that one or none; where it is gone, there is any one or
    none. To the hub both are characters that may or may not be there, and such a read is not believed.
    """
    n = len(codes)
    cls, wt = np.zeros((n, 2, steps), np.int64), np.full((n, 2, steps), 0.5, np.float32)
    unsure = np.zeros((n, 2, steps), np.float32)
    px = 192 / steps
    for b in range(n):
        gone = []
        for i in np.flatnonzero(codes[b]):
            x, _, hw, ln, seen = cells[b, i]
            ln = int(ln > 0.5)
            c = min(steps - 1, max(0, int(x / px)))
            if seen < SEEN[0]:
                gone.append((ln, c))
                continue
            r = 0.5 * hw
            lo, hi = min(c, int(np.ceil((x - r) / px - 0.5))), max(c, int(np.floor((x + r) / px - 0.5)))
            lo, hi = max(0, lo), min(steps - 1, hi)
            for s in (lo - 1, hi + 1):
                if 0 <= s < steps and cls[b, ln, s] == 0:
                    wt[b, ln, s] = 0.25
            cls[b, ln, lo:hi + 1] = codes[b, i]
            wt[b, ln, lo:hi + 1] = 1.0
            unsure[b, ln, lo:hi + 1] = float(seen < SEEN[1])
        for ln, c in gone:
            if cls[b, ln, c] == 0:
                unsure[b, ln, c] = 1.0
                wt[b, ln, c] = 1.0
    return cls, wt, unsure
