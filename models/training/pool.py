"""Reads the rendered pool (new chunks are taken up as they appear), the real photographs and the real plate crops."""
import csv
import glob
import hashlib
import os
import cv2
import numpy as np
from glyphs import ALPHABET
from places import HERE, WORK

cv2.setNumThreads(1)  # the trainers share the machine
DATA = os.environ.get("PLATES_DATA", os.path.join(HERE, "../../../shared/plates/train"))
POOL = os.environ.get("PLATES_POOL", os.path.join(WORK, "pool"))
OWN = WORK + "/pseudo.csv"  # what the photographs' own plates say (self_train.py)


HELD_SEED = 90


class Pool:
    """Random access to every rendered plate on disk; those of the held-out seed are kept apart."""

    def __init__(self, rng: np.random.Generator, held: bool = False) -> None:
        self.rng, self.held, self.chunks, self.seen = rng, held, [], set()
        self.refresh()

    def refresh(self) -> None:
        for f in sorted(glob.glob(POOL + "/*.npz")):
            if f in self.seen or (os.path.basename(f).startswith(f"pool_{HELD_SEED}_") != self.held):
                continue
            try:
                z = np.load(f)
                row = {k: z[k] for k in ("codes", "boxes", "aspect", "two")}
            except Exception:
                continue  # being written right now: next time
            row["img"] = np.load(f[:-4] + ".npy", mmap_mode="r")
            self.chunks.append(row)
            self.seen.add(f)

    def draw(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, bool]:
        c = self.chunks[self.rng.integers(len(self.chunks))]
        i = self.rng.integers(len(c["two"]))
        return c["img"][i], c["codes"][i], c["boxes"][i], float(c["aspect"][i]), bool(c["two"][i])


def stem(name: str) -> str:
    """What augmented twins of one photograph share."""
    return os.path.basename(name).split("_jpg.rf")[0].split(".rf.")[0]


def held_out(name: str) -> bool:
    """One picture in ten (by the name before Roboflow's suffix, so that twins stay together) is for validation."""
    return int(hashlib.sha1(stem(name).encode()).hexdigest(), 16) % 10 == 0


def rows() -> list[dict[str, str]]:
    with open(DATA + "/labels.csv", encoding="utf8") as f:
        return list(csv.DictReader(f))


def encode(text: str) -> np.ndarray:
    codes = np.zeros(13, np.uint8)
    t = [c for c in text.upper() if c in ALPHABET][:13]
    codes[:len(t)] = [ALPHABET.index(c) + 1 for c in t]
    return codes


def real_crops(validation: bool = False) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, bool]]:
    """List of (grey patch, quad in it, codes, two_line): the Chinese crops and the transcribed two-wheelers."""
    out = []
    for r in rows():
        if not r["text"] or held_out(r["file"]) != validation:
            continue
        img = cv2.imread(f"{DATA}/{r['file']}", 0)
        x1, y1, x2, y2 = (float(r[k]) for k in ("x1", "y1", "x2", "y2"))
        p = 0.2
        a, b = int(max(0, x1 - p * (x2 - x1))), int(max(0, y1 - p * (y2 - y1)))
        c, d = int(x2 + p * (x2 - x1)), int(y2 + p * (y2 - y1))
        patch = img[b:d, a:c]
        quad = np.float32([[x1 - a, y1 - b], [x2 - a, y1 - b], [x2 - a, y2 - b], [x1 - a, y2 - b]])
        out.append((patch, quad, encode(r["text"]), not r["file"].startswith("cn")))
    return out


def own_reads(validation: bool = False) -> list[tuple[str, np.ndarray, np.ndarray, np.ndarray, bool]]:
    """[(stem, grey patch, quad, codes, two_line)] of the plates of photographs of which is known what they say (self_train.py)."""
    if not os.path.exists(OWN):
        return []
    out = []
    with open(OWN, encoding="utf8") as f:
        for r in csv.DictReader(f):
            if held_out(r["file"]) != validation:
                continue
            img = cv2.imread(f"{DATA}/{r['file']}", 0)
            quad = np.float32([[float(r[f"{a}{i}"]) for a in "xy"] for i in (1, 2, 3, 4)])
            margin = 0.25 * (quad.max(0) - quad.min(0))
            lo = np.maximum(quad.min(0) - margin, 0).astype(int)
            hi = (quad.max(0) + margin).astype(int) + 1
            patch = img[lo[1]:hi[1], lo[0]:hi[0]]
            if patch.size:
                out.append((stem(r["file"]), patch, quad - lo.astype(np.float32), encode(r["text"]), r["two_line"] == "1"))
    return out


def scenes(most: int = 500) -> list[np.ndarray]:
    """Grey photographs, at most 640 wide, to lay rendered plates on."""
    files = sorted({r["file"] for r in rows() if not r["file"].startswith("cn") and not held_out(r["file"])})
    out = []
    for f in files[::max(1, len(files) // most)]:
        img = cv2.imread(f"{DATA}/{f}", 0)
        out.append(cv2.resize(img, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) if img.shape[1] > 640 else img)
    return out
