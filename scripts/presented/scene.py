"""What attacks and genuine approaches share: gates' cameras, the projection of flat things, light, and the way from light to JPEG.

Lengths are metres: X to the right, Y downwards, Z away from the camera; the ground is at Y = the camera's height. Light is linear,
1 is a white sheet in daylight. Every layer, whatever it shows, goes through `Shot.add` and `Shot.develop`: nothing in a picture but its content
says which kind it is.
"""
import csv
import os
import sys
from dataclasses import dataclass
import cv2
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../models/training"))
DATA = os.environ.setdefault("PLATES_DATA", os.path.join(HERE, "../../../shared/plates/train"))
W, H = 1280, 720
UNIT = np.float32([[0, 0], [1, 0], [1, 1], [0, 1]])
LIGHTS = ("day", "dusk", "infrared")
# (permitted photograph, focal length in pixels, height above the ground, where the lane begins and ends: X, Z)
CAMERAS = {
    "test": [("dayride_type1_001.mp4_t_31", 1500, 1.2, (0.7, 11.0), (-0.2, 4.2)), ("dayride_type1_001.mp4_t_83", 1900, 1.5, (-1.6, 13.0), (-0.4, 5.4)),
             ("dayride_type1_001.mp4_t_362", 1300, 1.0, (1.2, 9.0), (0.4, 3.4)), ("dayride_type1_001.mp4_t_498", 1700, 1.35, (-0.4, 12.0), (0.5, 4.8))],
    "train": [("dayride_type1_001.mp4_t_120", 1450, 1.15, (0.4, 10.0), (0.0, 3.8)), ("dayride_type1_001.mp4_t_147", 1800, 1.5, (1.4, 13.0), (0.4, 5.2)),
              ("dayride_type1_001.mp4_t_172", 1350, 1.0, (-1.0, 9.5), (-0.4, 3.6)), ("dayride_type1_001.mp4_t_186", 2000, 1.45, (-0.8, 14.0), (0.5, 5.6)),
              ("dayride_type1_001.mp4_t_243", 1600, 1.3, (1.0, 11.0), (-0.4, 4.4)), ("dayride_type1_001.mp4_t_259", 1500, 1.25, (-1.3, 10.5), (-0.3, 4.0)),
              ("dayride_type1_001.mp4_t_299", 1750, 1.5, (0.2, 12.5), (0.6, 5.0)), ("dayride_type1_001.mp4_t_345", 1550, 1.1, (1.0, 10.0), (0.2, 4.2))],
}
HORIZON = 345  # row of the horizon in the photographs
TAKEN_WITH = 1100  # their focal length, about
TO_LIGHT = (np.arange(256, dtype=np.float32) / 255) ** 2.2
LUT = 4095
TO_GREY_LEVEL = np.clip((np.arange(LUT + 1) / LUT) ** (1 / 2.2) * 255 + 0.5, 0, 255).astype(np.uint8)


def light_of(img: np.ndarray) -> np.ndarray:
    return TO_LIGHT[img]


def grey(f: np.ndarray) -> np.ndarray:
    return np.repeat((f @ np.float32([0.114, 0.587, 0.299]))[..., None], 3, 2)


def labels(folder: str) -> dict[str, list[list[float]]]:
    """{file: boxes of its plates} of one folder of the permitted photographs."""
    found: dict[str, list[list[float]]] = {}
    with open(f"{DATA}/labels.csv", encoding="utf8") as f:
        for r in csv.DictReader(f):
            if r["file"].startswith(folder + "/"):
                found.setdefault(r["file"], []).extend([[float(r[k]) for k in ("x1", "y1", "x2", "y2")]] if r["x1"] else [])
    return found


def without_plates(img: np.ndarray, boxes: list[list[float]]) -> np.ndarray:
    for x1, y1, x2, y2 in boxes:
        m = int(0.3 * (y2 - y1)) + 2
        a, b, c, d = max(0, int(y1) - m), int(y2) + m, max(0, int(x1) - m), int(x2) + m
        part = img[a:b, c:d]
        if part.size:
            mask = np.zeros(img.shape[:2], np.uint8)
            mask[a:b, c:d] = 255
            img[a:b, c:d] = cv2.inpaint(img, mask, 3, cv2.INPAINT_TELEA)[a:b, c:d] if part.shape[1] < 140 else cv2.GaussianBlur(part, (0, 0), part.shape[1] / 5)
    return img


def turn(yaw: float, pitch: float, roll: float) -> np.ndarray:
    """Rotation by angles in radians about Y, then X, then Z."""
    (cy, sy), (cp, sp), (cr, sr) = ((np.cos(a), np.sin(a)) for a in (yaw, pitch, roll))
    return (np.float64([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]]) @ np.float64([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
            @ np.float64([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]]))


@dataclass
class Camera:
    """A gate's camera: its picture without anybody in it, and its lane."""
    name: str
    ground: np.ndarray
    focal: float
    height: float
    start: tuple[float, float]
    end: tuple[float, float]

    def project(self, points: np.ndarray) -> np.ndarray:
        z = np.maximum(points[:, 2:], 0.05)
        return np.float32(points[:, :2] / z * self.focal + (W / 2, HORIZON))

    def rectangle(self, centre, width: float, height: float, angles=(0.0, 0.0, 0.0), offset=(0.0, 0.0)) -> np.ndarray:
        """Where the corners of an upright rectangle stand that is turned by `angles` about `centre`; `offset`: of its middle, in its own plane."""
        p = np.float64([[x * width + offset[0], y * height + offset[1], 0] for x, y in UNIT - 0.5])
        return self.project(p @ turn(*angles).T + np.float64(centre))

    def on_lane(self, t: float) -> tuple[float, float]:
        return tuple(a + (b - a) * t for a, b in zip(self.start, self.end))


def cameras(split: str) -> list[Camera]:
    boxes = labels("dashcam-mit")
    out = []
    for i, (name, focal, height, start, end) in enumerate(CAMERAS[split]):
        file = f"dashcam-mit/{name}.jpg"
        img = without_plates(cv2.imread(f"{DATA}/{file}"), boxes.get(file, []))
        s = focal / TAKEN_WITH
        m = np.float32([[s, 0, W / 2 - s * W / 2], [0, s, HORIZON - s * HORIZON]])
        f = light_of(cv2.warpAffine(img, m, (W, H), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT))
        f *= f.mean() / f.reshape(-1, 3).mean(0)  # these photographs are purple
        f = 0.4 * f + 0.6 * grey(f)
        near = max(end[1], focal * (height - 0.4) / 310)  # there a plate is still in the picture
        far = near + 0.8 * (start[1] - end[1])
        out.append(Camera(f"{split}-{i + 1}", np.float32(f * (0.25 / f.mean())), focal, height, (start[0], far), (end[0], near)))
    return out


def noise_pool(g: np.random.Generator) -> np.ndarray:
    """Noise of a sensor behind a little smoothing: 6 pictures' worth, taken from at a random place."""
    n = g.standard_normal((H + 512, W + 512, 3), np.float32)
    return (0.75 * n + 0.25 * cv2.GaussianBlur(n, (0, 0), 1.2) * 4).astype(np.float32)


class Shot:
    """How a camera sees one burst: light, exposure, focus, wind at its pole, noise and compression, all drawn before what is seen is known."""
    POOL: np.ndarray | None = None
    draws = True

    def __init__(self, g: np.random.Generator, camera: Camera, light: str) -> None:
        self.g, self.camera, self.light = g, camera, light
        if Shot.POOL is None:
            Shot.POOL = noise_pool(np.random.default_rng(7))
        self.is_grey = light == "infrared"
        self.exposed = {"day": g.uniform(0.8, 1.15), "dusk": g.uniform(0.3, 0.6), "infrared": g.uniform(0.5, 0.9)}[light]
        self.tint = np.float32(np.exp(g.normal(0, 0.05, 3))) * (np.float32([1.12, 0.98, 0.92]) if light == "dusk" else 1)
        self.focus = g.uniform(0.55, 1.15)
        self.read_noise = {"day": g.uniform(0.002, 0.006), "dusk": g.uniform(0.006, 0.016), "infrared": g.uniform(0.004, 0.012)}[light]
        self.shutter = {"day": g.uniform(0.001, 0.004), "dusk": g.uniform(0.004, 0.012), "infrared": g.uniform(0.002, 0.008)}[light]  # seconds
        self.sharpened = g.uniform(0, 0.6)
        self.quality = int(g.uniform(62, 90))
        self.wind = abs(g.normal(0, 0.35))
        ys, xs = np.mgrid[0:H, 0:W].astype(np.float32)
        r2 = ((xs - W / 2) / W) ** 2 + ((ys - HORIZON) / W) ** 2
        self.vignette = (1 - g.uniform(0.1, 0.5) * r2)[..., None]
        if self.is_grey:  # the lamp's beam: bright in the middle, and the sky black
            self.lamp = ((0.08 + 1.1 * np.exp(-r2 / g.uniform(0.05, 0.15))) * (0.3 + 0.7 / (1 + np.exp((HORIZON - 20 - ys) / 30))))[..., None]
            self.base = grey(camera.ground) * self.lamp
        else:
            self.base = camera.ground * self.tint
        self.canvas = self.base
        self.shift = np.zeros(2)

    def lit(self, depth: float) -> float:
        """Light on a white matt surface that faces the camera."""
        if self.light != "infrared":
            return 1.0
        return float(np.clip(1.3 * (5.0 / max(depth, 0.5)) ** 2, 0.15, 2.2))

    def begin(self) -> None:
        """The next frame."""
        self.canvas = self.base.copy()
        self.shift = self.g.normal(0, self.wind, 2)

    def add(self, texture: np.ndarray, alpha: np.ndarray, quad: np.ndarray, speed=(0.0, 0.0), gain: float = 1.0) -> None:
        """Lays a flat thing, linear light with its opacity 0-1, into a quad of the frame. `speed`: pixels a second, for the blur of its motion."""
        lo = np.maximum(np.floor(quad.min(0)).astype(int) - 8, 0)
        hi = np.minimum(np.ceil(quad.max(0)).astype(int) + 8, [W, H])
        if (hi - lo).min() < 4:
            return
        span = max(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[3])), max(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1]))
        h, w = texture.shape[:2]
        size = min(w, max(4, int(span[0] * 1.15))), min(h, max(4, int(span[1] * 1.15)))
        if size != (w, h):
            texture, alpha = cv2.resize(texture, size, interpolation=cv2.INTER_AREA), cv2.resize(alpha, size, interpolation=cv2.INTER_AREA)
        m = cv2.getPerspectiveTransform(UNIT * np.float32([size[0], size[1]]) - 0.5, (quad - lo).astype(np.float32))
        area = tuple((hi - lo).tolist())
        a = cv2.warpPerspective(alpha, m, area, flags=cv2.INTER_LINEAR)[..., None]
        t = cv2.warpPerspective(texture, m, area, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        t = grey(t) * gain if self.is_grey else t * (self.tint * gain)
        path = np.float64(speed) * self.shutter
        n = int(np.ceil(np.linalg.norm(path)))
        t = t * a
        if n > 1:
            k = np.zeros((2 * n + 1, 2 * n + 1), np.float32)
            cv2.line(k, tuple(np.round(n - path / 2).astype(int).tolist()), tuple(np.round(n + path / 2).astype(int).tolist()), 1.0)
            t, a = cv2.filter2D(t, -1, k / k.sum()), cv2.filter2D(a, -1, k / k.sum())[..., None]
        part = self.canvas[lo[1]:hi[1], lo[0]:hi[0]]
        part[:] = part * (1 - a) + t

    def shade(self, x: float, y: float, rx: float, ry: float, amount: float) -> None:
        """A soft shadow (amount < 0) or glow (> 0) around a point of the frame."""
        lo = np.maximum([int(x - 2.5 * rx), int(y - 2.5 * ry)], 0)
        hi = np.minimum([int(x + 2.5 * rx) + 1, int(y + 2.5 * ry) + 1], [W, H])
        if (hi - lo).min() < 2:
            return
        ys, xs = np.mgrid[lo[1]:hi[1], lo[0]:hi[0]].astype(np.float32)
        e = np.exp(-((xs - x) / rx) ** 2 - ((ys - y) / ry) ** 2)[..., None]
        part = self.canvas[lo[1]:hi[1], lo[0]:hi[0]]
        part[:] = part * (1 + amount * e) if amount < 0 else part + amount * e

    def develop(self, around: np.ndarray | None = None) -> bytes | np.ndarray:
        """The frame as the camera's JPEG; with the corners of a plate, what a network is shown of it instead: its surroundings, upright, as it would be cut out of that JPEG."""
        g = self.g
        x0, y0, x1, y1 = (0, 0, W, H) if around is None else window(around)
        f = cv2.GaussianBlur(self.canvas[y0:y1, x0:x1] * self.vignette[y0:y1, x0:x1], (0, 0), self.focus)
        h, w = f.shape[:2]
        bright = cv2.resize(np.clip(f, 0.9, 6) - 0.9, (max(1, w // 8), max(1, h // 8)), interpolation=cv2.INTER_AREA)
        f += cv2.resize(cv2.GaussianBlur(bright, (0, 0), 4), (w, h)) * 0.35  # what is too bright spills over
        if self.sharpened > 0.05:
            f += self.sharpened * (f - cv2.GaussianBlur(f, (0, 0), 1.4))
        if np.abs(self.shift).max() > 0.05:
            f = cv2.warpAffine(f, np.float32([[1, 0, self.shift[0]], [0, 1, self.shift[1]]]), (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        f *= self.exposed
        y, x = g.integers(0, 512, 2)
        noise = Shot.POOL[y + y0:y + y1, x + x0:x + x1]
        f += (noise[..., :1] if self.is_grey else noise) * (self.read_noise + 0.02 * np.sqrt(np.clip(f, 0, 1)) * self.read_noise * 30)
        out = TO_GREY_LEVEL[np.clip(f * LUT, 0, LUT).astype(np.uint16)]
        jpeg = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, self.quality])[1]
        return jpeg.tobytes() if around is None else surroundings(cv2.imdecode(jpeg, cv2.IMREAD_GRAYSCALE), around - (x0, y0))


class Blind(Shot):
    """A shot that draws nothing: it says where the plate stands in each frame, as it would in one that is drawn."""
    draws = False

    def __init__(self, g: np.random.Generator, camera: Camera, light: str) -> None:
        self.g, self.camera, self.light, self.is_grey = g, camera, light, light == "infrared"
        self.wind = abs(g.normal(0, 0.35))
        self.shift = np.zeros(2)

    def begin(self) -> None:
        self.shift = self.g.normal(0, self.wind, 2)

    def add(self, *_: object) -> None:
        pass

    def shade(self, *_: object) -> None:
        pass

    def develop(self, around: np.ndarray | None = None) -> np.ndarray:
        assert around is not None
        return around + self.shift


AROUND = (3.6, 2.4)  # plate widths that a network is shown
SHOWN = (96, 64)


def window(plate: np.ndarray) -> tuple[int, int, int, int]:
    """The part of the frame that is developed for the surroundings of a plate."""
    (cx, cy), wide = plate.mean(0), plate_width(plate)
    half = np.float64(AROUND) * wide * 0.56 + 8
    lo, hi = np.floor([cx, cy] - half).astype(int), np.ceil([cx, cy] + half).astype(int)
    return max(0, lo[0]), max(0, lo[1]), min(W, hi[0]), min(H, hi[1])


def plate_width(plate: np.ndarray) -> float:
    return float(np.linalg.norm(plate[1] + plate[2] - plate[0] - plate[3]) / 2)


def surroundings(img: np.ndarray, plate: np.ndarray) -> np.ndarray:
    """SHOWN brightnesses of what is AROUND a plate, means of the pixels below each, the edges repeated (src/features/recognition/surroundings.ts)."""
    (cx, cy), wide = plate.mean(0), plate_width(plate)
    w, h = np.float64(AROUND) * wide
    size = (max(2, round(w)), max(2, round(h)))
    part = cv2.warpAffine(img, np.float32([[1, 0, size[0] / 2 - cx], [0, 1, size[1] / 2 - cy]]), size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cv2.resize(part, SHOWN, interpolation=cv2.INTER_AREA if size[0] > SHOWN[0] else cv2.INTER_LINEAR)
