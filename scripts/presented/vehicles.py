"""Vehicles out of the permitted photographs, the plates they carry, and how they come to a gate."""
import hashlib
import random
from dataclasses import dataclass
import cv2
import numpy as np
from scene import DATA, Camera, Shot, labels, light_of, without_plates
import approaches
import render
from glyphs import ALPHABET

DISTRICTS = approaches.highest_districts()
# Plates as they are issued: what is measured here is how they are presented, not how well odd ones are read.
for odd in ("DOTTED", "STACKED", "GHOSTS", "RELIEF", "TOUCHED", "PAINTED", "NARROW"):
    setattr(render, odd, 0.0)


@dataclass
class Vehicle:
    """A vehicle's front or rear as a flat picture."""
    name: str
    kind: str  # car, two-wheeler or truck
    texture: np.ndarray  # linear light, its own plate taken off
    alpha: np.ndarray
    size: tuple[float, float]  # metres
    plate: tuple[float, float]  # middle of the plate in the picture, fractions
    plate_width: float  # metres
    plate_height: float


@dataclass
class Listed:
    """A plate that a household has listed, and the vehicle that wears it."""
    text: str
    groups: tuple
    two_line: bool
    patch: np.ndarray  # linear light
    vehicle: Vehicle
    above_ground: float


def photograph_of(file: str) -> str:
    """What augmented twins of one photograph share of their names."""
    return file.split("_jpg.rf")[0]


def part_of(name: str) -> str:
    """Photographs are held out by what augmented twins share."""
    stem = photograph_of(name.split("/")[-1]).split(".mp4_t_")[0 if "two-wheelers" in name else -1]
    return "test" if int(hashlib.sha1(stem.encode()).hexdigest(), 16) % 3 == 0 else "train"


def soft_edge(h: int, w: int) -> np.ndarray:
    """Opacity of a cut-out: full in the middle, soft at its rounded edge."""
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    d = np.abs(2 * xs / (w - 1) - 1) ** 4 + np.abs(2 * ys / (h - 1) - 1) ** 4
    return np.clip((1.0 - d) / 0.3, 0, 1).astype(np.float32)


def cut_out(file: str, box: list[float], kind: str) -> Vehicle | None:
    img = cv2.imread(f"{DATA}/{file}")
    h, w = img.shape[:2]
    x1, y1, x2, y2 = box
    pw, aspect = x2 - x1, (x2 - x1) / max(1.0, y2 - y1)
    if kind == "two-wheeler":
        metres, plate_height = 0.2, 0.1
    elif aspect > 3:
        metres, plate_height = 0.5, 0.12
    else:
        metres, plate_height = 0.34, 0.2
    across, up, down = (1.6, 1.5, 1.4) if kind == "two-wheeler" else (1.85 * 0.5 / metres, 1.7 * 0.5 / metres, 0.95 * 0.5 / metres)
    cx, cy = (x1 + x2) / 2, (y1 + y2) / 2
    a, b, c, d = max(0, cx - across * pw), min(w, cx + across * pw), max(0, cy - up * pw), min(h, cy + down * pw)
    if min(cx - a, b - cx) < (0.6 if kind == "two-wheeler" else 1.2) * pw or b - a < 100 or d - c < 70:
        return None
    img = without_plates(img, [box])[int(c):int(d), int(a):int(b)]
    edge = np.concatenate([img[:3].reshape(-1, 3), img[:, :3].reshape(-1, 3), img[:, -3:].reshape(-1, 3)])
    if (edge.max(1) < 6).mean() > 0.04:  # the black margin of a turned twin
        return None
    f = light_of(img)
    mean = f.reshape(-1, 3).mean(0)
    f = f * (1 + 0.6 * (mean.mean() / np.maximum(mean, 1e-3) - 1)) if file.startswith("dash") else f
    f = np.float32(np.clip(f * (np.clip(0.2 / max(f.mean(), 0.02), 0.6, 3.0)), 0, 1.2))
    scale = metres / pw
    return Vehicle(file, kind, f, soft_edge(*img.shape[:2]), ((b - a) * scale, (d - c) * scale), ((cx - a) / (b - a), (cy - c) / (d - c)), metres, plate_height)


def truck(g: np.random.Generator, cloth: np.ndarray, n: int) -> Vehicle:
    """A lorry's rear: a painted body, a beam with lamps and the plate below."""
    h, w = 420, 460
    t = cv2.resize(cloth, (w, h)) * 0.35 + np.float32(g.uniform(0.02, 0.5, 3))
    for x in range(0, w, int(g.uniform(30, 60))):
        t[:300, x:x + 3] *= g.uniform(0.4, 0.8)
    t[300:345] = g.uniform(0.02, 0.2)
    t[345:] = cv2.resize(cloth, (w, h - 345)) * 0.1
    for x in (25, w - 75):
        cv2.rectangle(t, (x, 305), (x + 50, 338), (0.03, 0.05, float(g.uniform(0.2, 0.7))), -1)
    words = str(g.choice(["HORN OK PLEASE", "GOODS CARRIER", "STOP", "ALL INDIA PERMIT"]))
    cv2.putText(t, words, (60, int(g.uniform(60, 250))), cv2.FONT_HERSHEY_DUPLEX, 1.1, tuple(float(v) for v in g.uniform(0, 0.9, 3)), 3, cv2.LINE_AA)
    for x in (60, w - 130):
        cv2.rectangle(t, (x, 350), (x + 70, h), (0.01, 0.01, 0.01), -1)
    return Vehicle(f"truck-{n}", "truck", np.float32(cv2.GaussianBlur(t, (0, 0), 1.2)), soft_edge(h, w), (2.4, 2.2), (float(g.choice([0.5, 0.35, 0.65])), 0.768), 0.5, 0.12)


def vehicles(split: str, g: np.random.Generator) -> dict[str, list[Vehicle]]:
    out: dict[str, list[Vehicle]] = {"car": [], "two-wheeler": [], "truck": []}
    known, clothes = set(), []
    indian = ("DL", "UP", "TS", "BR", "MP", "HR", "KA", "MH", "GJ", "RJ", "AP", "TN", "WB", "PB", "CH", "OD", "JK")
    texts = {}
    with open(f"{DATA}/labels.csv", encoding="utf8") as f:
        for line in f:
            file, *_, text, _ = line.strip().split(",")
            texts[file] = text
    for folder, least, most in (("two-wheelers-mit", 26, 105), ("dashcam-mit", 75, 230)):
        for file, boxes in sorted(labels(folder).items()):
            stem = photograph_of(file)
            if len(boxes) != 1 or stem in known or part_of(file) != split or "night" in file:
                continue
            x1, y1, x2, y2 = boxes[0]
            kind = "two-wheeler" if texts.get(file, "").startswith(indian) else "car"
            if not least <= x2 - x1 <= (230 if kind == "two-wheeler" else most) or not 1.3 < (x2 - x1) / max(1, y2 - y1) < 6:
                continue
            made = cut_out(file, boxes[0], kind)
            if made is not None:
                known.add(stem)
                out[kind].append(made)
                if len(clothes) < 40:
                    clothes.append(made.texture)
    out["truck"] = [truck(g, clothes[i % len(clothes)], i) for i in range(8)]
    return out


def person(g: np.random.Generator, clothes: list[Vehicle]) -> tuple[np.ndarray, np.ndarray]:
    """Somebody in clothes, from head to feet, 0.75 m wide and 1.75 m tall."""
    w, h = 240, 560
    mask = np.zeros((h, w), np.float32)
    cv2.ellipse(mask, (120, 50), (27, 38), 0, 0, 360, 1.0, -1, cv2.LINE_AA)
    cv2.ellipse(mask, (120, 150), (74, 62), 0, 180, 360, 1.0, -1, cv2.LINE_AA)
    cv2.rectangle(mask, (48, 145), (192, 320), 1.0, -1)
    for x in (85, 155):
        cv2.rectangle(mask, (x - 30, 315), (x + 30, h), 1.0, -1)
    cloth = clothes[int(g.integers(len(clothes)))].texture
    weave = cv2.resize(cloth[:cloth.shape[0] // 2], (w, h))
    dyes = g.uniform(0.02, 0.5, (2, 1)) * np.exp(g.normal(0, 0.35, (2, 3)))
    texture = (0.35 + weave) * np.float32(dyes[0])
    texture[320:] = (0.35 + weave[320:]) * np.float32(dyes[1]) * 0.6
    folds = cv2.GaussianBlur(g.normal(0, 1, (h, w)).astype(np.float32), (0, 0), 9)
    texture = texture * (1 + 3 * folds / 1.2)[..., None]
    texture[:95] = np.float32([0.18, 0.28, 0.45]) * g.uniform(0.35, 1.2) * (1 + 3 * folds[:95])[..., None]
    texture[:int(g.uniform(20, 40))] *= 0.15
    return np.float32(np.clip(texture, 0.003, 1)), cv2.GaussianBlur(mask, (0, 0), 1.5)


def patch_of(r: random.Random, chosen) -> tuple[np.ndarray, str, bool]:
    patch, codes, _, _, two = render.plate(r, chosen)
    return light_of(np.ascontiguousarray(patch[:, :, ::-1])), "".join(ALPHABET[c - 1] for c in codes if c), two


def listed(split: str, count: int, r: random.Random, g: np.random.Generator, fleet: dict[str, list[Vehicle]]) -> list[Listed]:
    """The household's plates with their vehicles: about one in eight a two-wheeler, one in ten a lorry."""
    out: list[Listed] = []
    first = int(g.integers(1000))
    while len(out) < count:
        kind = "two-wheeler" if len(out) % 8 == 3 and fleet["two-wheeler"] else "truck" if len(out) % 10 == 7 else "car"
        vehicle = fleet[kind][(first + len(out) * 7) % len(fleet[kind])]
        two = vehicle.plate_width / vehicle.plate_height < 3
        groups = approaches.choice_on_the_road(r, DISTRICTS)[0]
        chosen = (groups, "private", two, vehicle.plate_width / vehicle.plate_height)
        patch, text, _ = patch_of(r, chosen)
        if part_of("two-wheelers/" + text) != split or text in {one.text for one in out}:
            continue
        below = (1 - vehicle.plate[1]) * vehicle.size[1]  # the picture ends where the tyres stand, or above it
        height = np.clip(below + g.uniform(-0.1, 0.0), 0.3 if kind == "car" else 0.45, 1.0)
        out.append(Listed(text, chosen, two, patch, vehicle, float(height)))
    return out


def dirtied(g: np.random.Generator, patch: np.ndarray) -> np.ndarray:
    """Mud and dust, more of it below."""
    h, w = patch.shape[:2]
    n = cv2.resize(g.random((int(g.integers(4, 14)), int(g.integers(8, 30)))).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    a = np.clip((n - g.uniform(0.3, 0.6) + 0.35 * np.linspace(0, 1, h)[:, None]) * 2, 0, 1)[..., None] * g.uniform(0.3, 0.75)
    return np.float32(patch * (1 - a) + np.float32([0.05, 0.09, 0.13]) * g.uniform(0.5, 1.8) * a)


def drive(g: np.random.Generator, camera: Camera, motion: str, times: list[float], kind: str) -> list[tuple[np.ndarray, tuple, np.ndarray]]:
    """[(point of the ground below the plate, angles, speed in m/s)] at every time, seconds."""
    dx, dz = camera.end[0] - camera.start[0], camera.end[1] - camera.start[1]
    length = float(np.hypot(dx, dz))
    along = np.float64([dx, 0, dz]) / length
    aside = g.normal(0, 0.22)
    if motion == "waiting":
        s0, v0, brake = length - abs(g.normal(0, 0.5)), 0.0, 0.0
    elif motion == "stopping":
        v0 = g.uniform(1.5, 3.5)
        brake = g.uniform(1.2, 3.0)
        s0 = length + abs(g.normal(0, 0.4)) * -1 - v0 * v0 / (2 * brake)
    else:
        v0, brake = g.uniform(1.2, 4.0), g.uniform(-0.2, 0.5)
        far = length - v0 * times[-1]
        s0 = g.uniform(min(0.0, far), max(0.3, far))
    if kind == "two-wheeler" and motion != "waiting":  # its plate is small: it comes nearer before anything can be read
        s0 = length + g.uniform(-0.6, 0.5) - (v0 * min(times[-1], v0 / brake if brake > 0 else 1e9)) * 0.9
    bend, sway, out = g.normal(0, 0.1), g.uniform(0, 6.3, 2), []
    yaw0 = float(np.arctan2(dx, -dz)) + g.normal(0, 0.06)
    bounce, often = g.uniform(0, 0.012), g.uniform(1.0, 2.0)  # on its springs, by how rough the lane is
    for t in times:
        stop = v0 / brake if brake > 0 else 1e9
        u = min(t, stop)
        s, v = s0 + v0 * u - brake * u * u / 2, max(0.0, v0 - brake * u) if t < stop else 0.0
        weave = 0.07 * np.sin(2.2 * t + sway[0]) if kind == "two-wheeler" else 0.0
        p = np.float64([camera.start[0] + along[0] * s + aside + weave + bend * (s / length) ** 2,
                        camera.height + bounce * min(1.0, v / 2) * np.sin(6.28 * often * t + sway[0]), max(2.0, camera.start[1] + along[2] * s)])
        lean = (0.05 * np.sin(2.2 * t + sway[1]) if kind == "two-wheeler" else 0.004 * np.sin(5 * t + sway[1])) * min(1.0, v + 0.1)
        nod = -0.006 * (brake if t < stop else 0) * (0.0 if motion == "waiting" else 1.0)
        out.append((p, (yaw0 * 0.5 + 0.04 * bend * s, nod, lean), along * v))
    return out


def show(shot: Shot, one: Listed, vehicle: Vehicle, at: np.ndarray, angles: tuple, velocity: np.ndarray, wears: dict) -> np.ndarray:
    """Draws a vehicle with a plate into the frame; returns the plate's corners. `wears`: the plate's patch, alpha, size in metres, offset, gain."""
    camera, z = shot.camera, float(at[2])
    up = wears["above"]
    centre = at - np.float64([0, up, 0])
    offset = ((0.5 - vehicle.plate[0]) * vehicle.size[0], (0.5 - vehicle.plate[1]) * vehicle.size[1])
    below = (1 - vehicle.plate[1]) * vehicle.size[1]
    keep = min(1.0, (vehicle.plate[1] * vehicle.size[1] + min(below, up)) / vehicle.size[1])  # nothing below the ground
    rows = max(2, int(vehicle.texture.shape[0] * keep))
    wide, high = vehicle.size[0], vehicle.size[1] * keep
    offset = (offset[0], (0.5 * keep - vehicle.plate[1]) * vehicle.size[1])
    foot = camera.project(at[None])[0]
    shot.shade(foot[0] + offset[0] / z * camera.focal, foot[1], wide * 0.42 / z * camera.focal, 0.18 / z * camera.focal, -0.75)
    middle = camera.project(centre[None])[0]
    if "rider" in wears:  # somebody on the saddle, and a wheel
        texture, alpha = wears["rider"]
        lit = 0.35 * shot.lit(z) if shot.is_grey else 0.9
        speed = (camera.project((centre + velocity * 0.1)[None])[0] - middle) / 0.1
        shot.add(texture[:330], alpha[:330], camera.rectangle(at - np.float64([0, 1.05, -0.5]), 0.7, 1.1, angles), speed, lit)
        wheel = np.full((60, 14, 3), 0.015, np.float32)
        shot.add(wheel, soft_edge(60, 14), camera.rectangle(at - np.float64([0, 0.3, -0.1]), 0.15, 0.6, angles), speed, lit)
    speed = (camera.project((centre + velocity * 0.1)[None])[0] - middle) / 0.1
    body = camera.rectangle(centre, wide, high, angles, offset)
    shot.add(vehicle.texture[:rows], vehicle.alpha[:rows], body, speed, wears["paint"] * (0.45 * shot.lit(z) if shot.is_grey else 1.0))
    quad = camera.rectangle(centre, *wears["size"], angles, wears.get("offset", (0.0, 0.0)))
    shot.add(wears["patch"], wears["alpha"], quad, speed, wears["gain"] * min(1.6, shot.lit(z) * wears["returns"]) if shot.is_grey else wears["gain"])
    for side, strength in wears["lamps"]:
        lamp = camera.rectangle(centre, 0.02, 0.02, angles, (side * wide * 0.36, -0.12)).mean(0)
        shot.shade(lamp[0], lamp[1], 0.09 * wide / z * camera.focal, 0.09 * wide / z * camera.focal, strength)
    return quad


def genuine(g: np.random.Generator, shot: Shot, one: Listed, clothes: list[Vehicle], motion: str, times: list[float], close: bool = False) -> list:
    """A genuine approach: its frames; with `close`, the surroundings of its plate in each."""
    dirty = g.random() < 0.3
    patch = dirtied(g, one.patch) if dirty and shot.draws else one.patch
    on = shot.light != "day" and g.random() < 0.6
    strength = g.uniform(0.5, 2.2) if on else 0.0
    wears = {"patch": patch, "alpha": plate_alpha(patch), "size": (one.vehicle.plate_width, one.vehicle.plate_height), "above": one.above_ground,
             "gain": g.uniform(0.75, 1.15), "paint": g.uniform(0.7, 1.2), "returns": g.uniform(1.3, 4.0),
             "lamps": [(-1, strength), (1, strength)] if on and one.vehicle.kind != "two-wheeler" else []}
    if one.vehicle.kind == "two-wheeler" and shot.draws:
        wears["rider"] = person(g, clothes)
    frames = []
    for at, angles, velocity in drive(g, shot.camera, motion, times, one.vehicle.kind):
        shot.begin()
        quad = show(shot, one, one.vehicle, at, angles, velocity, wears)
        frames.append(shot.develop(quad if close else None))
    return frames


def plate_alpha(patch: np.ndarray) -> np.ndarray:
    return np.ones(patch.shape[:2], np.float32)
