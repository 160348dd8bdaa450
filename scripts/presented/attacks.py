"""What is held before a camera in place of a vehicle: paper, phones, tablets, boards, and copies on another vehicle."""
import random
from dataclasses import dataclass
import cv2
import numpy as np
from scene import H, HORIZON, W, Camera, Shot
from vehicles import Listed, Vehicle, drive, patch_of, person, plate_alpha, show

PX = 640  # width of a picture of a medium
MARGIN = 0.35  # room around it for hands, in its widths


@dataclass
class Medium:
    """A flat thing with a plate on it: pictures of it (more than one where it plays a film) with hands around, and its size."""
    pictures: list[np.ndarray]
    alpha: np.ndarray
    size: tuple[float, float]  # metres, of the thing itself
    plates: list[tuple[float, float, float]]  # in each picture: middle of the plate, fractions of the thing; its width in metres
    emits: bool  # whether it lights by itself
    returns: float  # how much more of a lamp's light it sends back than paper


def photographed(g: np.random.Generator, img: np.ndarray) -> np.ndarray:
    """As a phone's camera or a printer would repeat it: softer, with other contrast and colour."""
    out = cv2.GaussianBlur(img, (0, 0), g.uniform(0.3, 1.6))
    out = out ** np.float32(g.uniform(0.85, 1.25)) * np.float32(np.exp(g.normal(0, 0.06, 3))) * g.uniform(0.85, 1.1)
    return np.float32(np.clip(out, 0.004, 1))


def car_photo(one: Listed, patch: np.ndarray, size: tuple[int, int], share: float) -> tuple[np.ndarray, tuple[float, float, float]]:
    """A photograph of the listed vehicle in which the plate takes `share` of the width; the plate's middle and width as fractions."""
    w, h = size
    v = one.vehicle
    th, tw = v.texture.shape[:2]
    pw = share * w
    s = pw / (v.plate_width / v.size[0] * tw)
    cx, cy = w * 0.5, h * 0.55
    m = np.float32([[s, 0, cx - s * v.plate[0] * tw], [0, s, cy - s * v.plate[1] * th]])
    img = cv2.warpAffine(v.texture, m, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    ph = pw * v.plate_height / v.plate_width
    a, b, c, d = int(cy - ph / 2), int(cy + ph / 2), int(cx - pw / 2), int(cx + pw / 2)
    a, c = max(0, a), max(0, c)
    part = cv2.resize(patch, (max(2, d - c), max(2, b - a)), interpolation=cv2.INTER_AREA)
    img[a:b, c:d] = part[:img[a:b].shape[0], :img[:, c:d].shape[1]]
    return np.clip(img, 0, 1), (cx / w, cy / h, pw / w)


def flat_plate(one: Listed, patch: np.ndarray, size: tuple[int, int], share: float, ground: np.ndarray) -> tuple[np.ndarray, tuple[float, float, float]]:
    """Nothing but the plate on an even ground."""
    w, h = size
    img = np.empty((h, w, 3), np.float32)
    img[:] = ground
    pw = share * w
    ph = min(h * 0.98, pw * one.vehicle.plate_height / one.vehicle.plate_width)
    a, c = int((h - ph) / 2), int((w - pw) / 2)
    part = cv2.resize(patch, (int(pw), max(2, int(ph))), interpolation=cv2.INTER_AREA)
    img[a:a + part.shape[0], c:c + part.shape[1]] = part
    return img, (0.5, 0.5, pw / w)


def hands(g: np.random.Generator, img: np.ndarray, alpha: np.ndarray, inner: tuple[int, int, int, int], both: bool) -> None:
    """Fingers over the edge of what is held, the hand behind it and a sleeve."""
    x0, y0, x1, y1 = inner
    tall = min(0.085 / 0.297 * PX, 0.8 * (y1 - y0) + 30)  # a hand is about as wide as 8.5 cm; phones hide under it, so it is kept smaller there
    skin = np.float32([0.18, 0.28, 0.45]) * g.uniform(0.35, 1.3)
    skin = np.float32([0.02, 0.02, 0.02]) if g.random() < 0.1 else skin  # a glove
    sleeve = np.float32(g.uniform(0.02, 0.5, 3))
    for side in ((-1, 1) if both else (int(g.choice([-1, 1])),)):
        edge = x0 if side < 0 else x1
        cy = g.uniform(y0 + 0.45 * (y1 - y0), y1)
        layer, mask = np.zeros_like(img), np.zeros(alpha.shape, np.float32)
        arm = (int(edge - side * -0.5 * tall), int(cy + 0.1 * tall)), (int(edge + side * 3 * tall), int(cy + g.uniform(0.5, 3) * tall))
        cv2.line(layer, *arm, tuple(float(v) for v in sleeve), int(0.75 * tall), cv2.LINE_AA)
        cv2.line(mask, *arm, 1.0, int(0.75 * tall), cv2.LINE_AA)
        palm = (int(edge + side * 0.35 * tall), int(cy))
        for target, colour in ((layer, tuple(float(v) for v in skin)), (mask, 1.0)):
            cv2.ellipse(target, palm, (int(0.42 * tall), int(0.5 * tall)), 0, 0, 360, colour, -1, cv2.LINE_AA)
        for k in range(int(g.choice([1, 1, 4]))):
            tip = (int(edge - side * g.uniform(0.1, 0.3) * tall), int(cy + (k - 1.2) * 0.22 * tall))
            shade = tuple(float(v) for v in skin * g.uniform(0.8, 1.1))
            for target, colour in ((layer, shade), (mask, 1.0)):
                cv2.line(target, (palm[0], tip[1]), tip, colour, max(3, int(0.18 * tall)), cv2.LINE_AA)
        n = cv2.GaussianBlur(g.normal(0, 1, mask.shape).astype(np.float32), (0, 0), 3)[..., None]
        layer *= 1 + 0.8 * n
        mask = np.clip(cv2.GaussianBlur(mask, (0, 0), 1.2), 0, 1)
        img[:] = img * (1 - mask[..., None]) + layer * mask[..., None]
        np.maximum(alpha, mask, out=alpha)


def on_paper(g: np.random.Generator, img: np.ndarray, glossy: bool) -> np.ndarray:
    """Light on a sheet: it bends, was folded, or shines."""
    h, w = img.shape[:2]
    x, y = np.linspace(-1, 1, w, dtype=np.float32)[None], np.linspace(-1, 1, h, dtype=np.float32)[:, None]
    bent = 1 + g.normal(0, 0.1) * x + g.normal(0, 0.1) * y + g.normal(0, 0.12) * x * x
    if g.random() < 0.4:
        d = np.abs(x - g.uniform(-0.6, 0.6) + 0 * y) if g.random() < 0.5 else np.abs(y - g.uniform(-0.6, 0.6) + 0 * x)
        bent = bent - g.uniform(0.05, 0.25) * np.exp(-(d / 0.03) ** 2) + g.normal(0, 0.06) * np.sign(d - 0.3)
    out = img * np.clip(bent, 0.3, 1.5)[..., None]
    if glossy:
        out = out + g.uniform(0.1, 0.9) * np.exp(-((x - g.uniform(-1, 1)) / 0.5) ** 2 - ((y - g.uniform(-1, 1)) / 0.5) ** 2)[..., None]
    return out


def on_glass(g: np.random.Generator, img: np.ndarray, shot: Shot) -> np.ndarray:
    """A lit screen as a camera sees it: black is not black, the place is mirrored in it, a lamp too; refresh bands, and what is left of a moiré."""
    h, w = img.shape[:2]
    strength = {"day": g.uniform(0.35, 1.1), "dusk": g.uniform(0.8, 2.2), "infrared": g.uniform(0.7, 2.5)}[shot.light]
    out = img * strength * np.float32([1.08, 1.0, 0.94]) + g.uniform(0.004, 0.02) * strength
    scenery = cv2.resize(shot.base[:, ::-1], (w, h))
    out = out + scenery * g.uniform(0.03, 0.25)
    x, y = np.linspace(-1, 1, w, dtype=np.float32)[None], np.linspace(-1, 1, h, dtype=np.float32)[:, None]
    if g.random() < 0.5:
        out = out + (g.uniform(0.05, 0.8) * np.exp(-((x - g.uniform(-1.2, 1.2)) / g.uniform(0.1, 0.6)) ** 2 - ((y - g.uniform(-1.2, 1.2)) / g.uniform(0.1, 0.6)) ** 2))[..., None]
    if g.random() < 0.45:
        out = out * (1 - g.uniform(0.03, 0.2) * (0.5 + 0.5 * np.sin(g.uniform(2, 12) * y + g.uniform(0, 6.3))))[..., None]
    a = g.uniform(0, 3.15)
    # at these distances a pixel of the camera covers several of the screen, and little of the pattern survives
    out = out * (1 + g.uniform(0.0, 0.04) * np.sin(g.uniform(8, 90) * (x * np.cos(a) + y * np.sin(a)) + g.normal(0, 1.5) * x * y))[..., None]
    return out


def medium(g: np.random.Generator, r: random.Random, shot: Shot, one: Listed, kind: str, held: bool, frames: int, film: bool) -> tuple[Medium, str]:
    """A medium of a kind with a copy of the listed plate; what it shows."""
    patch = one.patch if not shot.draws or g.random() < 0.6 else patch_of(r, one.groups)[0]
    patch = photographed(g, patch) if shot.draws else patch
    photo = film or g.random() < {"paper": 0.35, "phone": 0.65, "tablet": 0.65, "board": 0.0}[kind]
    shows = "film" if film else "photograph" if photo else "plate"
    bezel, ratio = 0.0, one.vehicle.plate_height / one.vehicle.plate_width
    if kind == "paper":
        size = (0.297, 0.210) if photo or g.random() < 0.6 else (0.297, 0.297 * ratio * 1.06)
    elif kind == "phone":
        size, bezel = (g.uniform(0.14, 0.165), g.uniform(0.066, 0.078)), 0.02
    elif kind == "tablet":
        size, bezel = (g.uniform(0.22, 0.28), g.uniform(0.155, 0.2)), 0.035
    else:
        size = (one.vehicle.plate_width * g.uniform(0.95, 1.1), one.vehicle.plate_height * g.uniform(1.0, 1.3))
    inner = (PX, max(8, int(PX * size[1] / size[0])))
    shares = np.linspace(0.3, g.uniform(0.5, 0.75), frames) if film else [g.uniform(0.3, 0.62) if photo else g.uniform(0.82, 0.99)]
    paper = np.float32([0.86, 0.88, 0.88]) * g.uniform(0.9, 1.05)
    pictures, places = [], []
    if not shot.draws:
        return Medium([], np.zeros(0), size, [(0.5, 0.55 if photo else 0.5, share * size[0]) for share in shares], False, 1.0), shows
    for share in shares:
        if photo:
            img, place = car_photo(one, patch, inner, share)
        else:
            ground = np.float32(g.uniform(0, 0.05, 3)) if kind in ("phone", "tablet") else paper
            img, place = flat_plate(one, patch, inner, share, ground)
        places.append((place[0], place[1], place[2] * size[0]))
        if kind in ("phone", "tablet"):
            b = int(bezel * PX)
            img[:b] = img[-b:] = 0.0
            img[:, :2 * b] = img[:, -2 * b:] = 0.0
            if not film and g.random() < 0.3:  # the bar of a gallery
                img[b:b + max(2, inner[1] // 14)] = g.choice([0.02, 0.7])
        pictures.append(img)
    emits = kind in ("phone", "tablet")
    state = g.bit_generator.state
    done = []
    for img in pictures:
        g.bit_generator.state = state  # one sheet, one glass: the same light on every picture of it
        done.append(on_glass(g, img, shot) if emits else on_paper(g, img, g.random() < 0.3))
    m = int(MARGIN * PX)
    alpha = np.zeros((inner[1] + 2 * m, PX + 2 * m), np.float32)
    alpha[m:-m, m:-m] = 1.0
    if emits:
        r0 = max(2, int(0.03 * PX))
        alpha[m:m + r0, m:m + r0] = alpha[m:m + r0, -m - r0:-m] = 0
        for x, y in ((m + r0, m + r0), (m + PX - r0, m + r0)):
            cv2.circle(alpha, (x, y), r0, 1.0, -1, cv2.LINE_AA)
    padded = [np.pad(img, ((m, m), (m, m), (0, 0))).astype(np.float32) for img in done]
    if held:
        both, state, first = bool(g.random() < 0.5), g.bit_generator.state, alpha.copy()
        for img in padded:
            g.bit_generator.state = state
            alpha = first.copy()
            hands(g, img, alpha, (m, m, m + PX, m + inner[1]), both)
    returns = g.uniform(1.3, 3.5) if kind == "board" and g.random() < 0.5 else g.uniform(0.8, 1.1)
    return Medium(padded, alpha, size, places, emits, float(returns)), shows


def path(g: np.random.Generator, motion: str, times: list[float], distance: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """[(metres away from where it is meant to be, angles)] of a thing that is held, walked with, leaned or fixed."""
    out, rest = [], g.normal(0, (0.12, 0.10, 0.05))
    if motion in ("leaned", "still"):
        lean = np.float64([rest[0], g.uniform(0.08, 0.4) if motion == "leaned" else rest[1] * 0.3, rest[2] * (0.6 if motion == "leaned" else 0.3)])
        wind = abs(g.normal(0, 0.003))
        return [(np.zeros(3), lean + g.normal(0, wind, 3)) for _ in times]
    steady = g.uniform(0.5, 1.6)  # some hands shake more than others
    slow, fast = g.uniform(0.3, 1.4, 6), g.uniform(0, 6.3, 6)
    walk = min(g.uniform(0.5, 1.3), g.uniform(0.3, 0.6) * distance / times[-1]) if motion == "walked" else 0.0
    for t in times:
        sway = np.sin(6.28 * slow * t + fast) * np.float64([0.018, 0.018, 0.02, 0.045, 0.035, 0.03]) * steady
        tremor = g.normal(0, 1, 6) * np.float64([0.002, 0.002, 0.002, 0.008, 0.008, 0.006]) * steady
        p = sway + tremor
        if walk:
            p[1] += 0.02 * abs(np.sin(6.28 * 0.95 * t + fast[0]))
            p[0] += 0.015 * np.sin(3.14 * 1.9 * t + fast[1])
            p[2] -= walk * t
        out.append((p[:3], rest + p[3:]))
    return out


def as_a_vehicle(camera: Camera, seen: float, up: float, aside: float) -> np.ndarray:
    """The direction in which a vehicle's plate stands that is `seen` pixels wide, as X/Z and Y/Z."""
    depth = camera.focal * 0.5 / seen
    near, far = camera.end[1], camera.start[1]
    x = camera.on_lane(float(np.clip((far - depth) / (far - near), -0.2, 1.2)))[0]
    return np.float64([(x + aside) / depth, (camera.height - up) / depth])


def anywhere(g: np.random.Generator, camera: Camera) -> np.ndarray:
    return np.float64([(g.uniform(0.2, 0.8) - 0.5) * W / camera.focal, (g.uniform(0.3, 0.8) * H - HORIZON) / camera.focal])


def wall(g: np.random.Generator, shot: Shot) -> np.ndarray:
    """A post, box or wall that something leans against: a piece of what the camera sees, painted over."""
    y, x = int(g.integers(60, H - 260)), int(g.integers(0, W - 400))
    piece = shot.camera.ground[y:y + 200, x:x + 300, ::-1]
    return np.float32(np.clip((0.5 * piece + 0.5 * piece.mean()) * g.uniform(0.4, 1.8) * np.exp(g.normal(0, 0.15, 3)), 0.003, 1))


def attack(g: np.random.Generator, r: random.Random, shot: Shot, one: Listed, fleet: dict[str, list[Vehicle]], kind: str, motion: str, in_lane: bool,
           times: list[float], close: bool = False) -> tuple[list, str]:
    """A presented plate: its frames (with `close`, the surroundings of the plate in each), and what the medium shows."""
    camera, held = shot.camera, motion in ("held", "walked")
    film = kind in ("phone", "tablet") and motion != "walked" and g.random() < 0.3
    thing, shows = medium(g, r, shot, one, kind, held, len(times), film)
    seen = g.uniform(60, 90) if motion == "walked" else g.uniform(75, 170)  # width of the plate in the first frame, pixels
    widest = thing.plates[-1]  # a film begins smaller
    z = camera.focal * widest[2] / seen
    up, aside = g.uniform(0.4, 0.8), g.normal(0, 0.15)
    target = np.append(as_a_vehicle(camera, seen, up, aside) if in_lane else anywhere(g, camera), 1.0) * z
    body, body_alpha = person(g, fleet["car"]) if shot.draws else (None, None)
    beside, tall, depth = g.uniform(-0.35, 0.35), g.uniform(1.5, 1.85), g.uniform(0.25, 0.5)
    support = wall(g, shot) if shot.draws else np.zeros((1, 1, 3))
    m = MARGIN
    frames, before, last = [], None, 0.0
    glow = g.uniform(0.8, 1.1)
    for k, (off, angles) in enumerate(path(g, motion, times, z)):
        shot.begin()
        c = target + off
        c[2] = max(c[2], 0.35)
        if motion == "walked" and in_lane:  # a skilled attacker moves it as a vehicle's plate would move
            c[:2] = as_a_vehicle(camera, camera.focal * widest[2] / c[2], up, aside) * c[2] + off[:2]
        if held:
            zb = c[2] + depth
            top = min(c[1] - 0.25, camera.height - tall) if camera.height - tall < c[1] else c[1] - 0.25
            feet = max(camera.height, top + 0.9)
            mid = np.float64([c[0] * 0.9 + beside, (top + feet) / 2, zb])
            shot.add(body, body_alpha, camera.rectangle(mid, 0.75, feet - top), (0, 0), (0.3 * shot.lit(zb) if shot.is_grey else 0.9))
        else:
            wide = thing.size[0] * (1.6 if motion == "leaned" else 2.5)
            mid = c + np.float64([0.0, 0.12 * thing.size[1], 0.08])
            shot.add(support, np.ones(support.shape[:2], np.float32), camera.rectangle(mid, wide, thing.size[1] * 2.2), (0, 0), (0.3 * shot.lit(mid[2]) if shot.is_grey else 0.9))
        offset = ((0.5 - widest[0]) * thing.size[0], (0.5 - widest[1]) * thing.size[1])
        quad = camera.rectangle(c, thing.size[0] * (1 + 2 * m), thing.size[1] + 2 * m * thing.size[0], tuple(angles), offset)
        middle = quad.mean(0)
        speed = (middle - before) / max(times[k] - last, 0.05) if before is not None else g.normal(0, 25, 2) * held
        before, last = middle, times[k]
        gain = glow if thing.emits or not shot.is_grey else glow * min(2.2, shot.lit(c[2]) * thing.returns)
        if shot.is_grey and thing.emits:
            gain = glow * 0.8
        if shot.draws:
            shot.add(thing.pictures[k % len(thing.pictures)], thing.alpha, quad, speed, gain)
        wide = thing.plates[k % len(thing.plates)][2]
        plate = camera.rectangle(c, wide, wide * one.vehicle.plate_height / one.vehicle.plate_width, tuple(angles))
        frames.append(shot.develop(plate if close else None))
    return frames, shows


def mounted(g: np.random.Generator, r: random.Random, shot: Shot, one: Listed, fleet: dict[str, list[Vehicle]], motion: str, times: list[float]) -> tuple[list[bytes], str]:
    """A copy on another vehicle: screwed on, or a sheet of paper taped over its plate."""
    others = [v for v in fleet[one.vehicle.kind] if v.name != one.vehicle.name and (v.plate_width / v.plate_height < 3) == one.two_line] or fleet["car"]
    vehicle = others[int(g.integers(len(others)))]
    taped = g.random() < 0.5
    patch = photographed(g, one.patch if g.random() < 0.5 else patch_of(r, one.groups)[0])
    width, height = one.vehicle.plate_width, one.vehicle.plate_height
    size = (width, height)
    if taped:
        patch = on_paper(g, np.pad(patch, ((12, 12), (8, 8), (0, 0)), constant_values=0.85), False).astype(np.float32)
        size = (0.29 * 1.05, 0.29 * height / width * 1.25) if g.random() < 0.6 else (width * 1.05, height * 1.25)
    below = (1 - vehicle.plate[1]) * vehicle.size[1]
    wears = {"patch": patch, "alpha": plate_alpha(patch), "size": size, "above": float(np.clip(below, 0.3, 1.0)), "gain": g.uniform(0.75, 1.15),
             "paint": g.uniform(0.7, 1.2), "returns": g.uniform(0.8, 1.1) if taped else g.uniform(1.0, 3.5), "lamps": []}
    if vehicle.kind == "two-wheeler":
        wears["rider"] = person(g, fleet["car"])
    frames = []
    for at, angles, velocity in drive(g, shot.camera, motion, times, vehicle.kind):
        shot.begin()
        show(shot, one, vehicle, at, angles, velocity, wears)
        frames.append(shot.develop())
    return frames, "taped" if taped else "screwed"
