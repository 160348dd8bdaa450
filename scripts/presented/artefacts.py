"""Whether attacks and genuine approaches differ in what has nothing to do with what they show: python3 artefacts.py TEST TRAIN.

Noise, compression, sharpness, brightness and colour of whole frames, without the surroundings of the plate, are measured; each by itself and all
together (a logistic model of TRAIN) are to tell attacks from genuine ones in TEST. An area under the curve of 0.5 is chance. Replays and copies on vehicles are left out.
"""
import csv
import json
import sys
import cv2
import numpy as np

NAMES = ("bytes", "brightness", "contrast", "noise", "sharpness", "saturation", "block edges", "bright", "quality", "frames")


def measures(path: str, plate: list[list[float]] | None) -> list[float]:
    with open(path, "rb") as f:
        data = f.read()
    img = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    grey = cv2.cvtColor(img, cv2.COLOR_BGR2GRAY).astype(np.float32)
    keep = np.ones(grey.shape, bool)
    if plate:
        q = np.float32(plate)
        (x, y), w = q.mean(0), np.linalg.norm(q[1] - q[0])
        keep[max(0, int(y - 2.5 * w)):int(y + 2.5 * w) + 1, max(0, int(x - 2.5 * w)):int(x + 2.5 * w) + 1] = False
    if keep.mean() < 0.1:
        keep[:] = True
    fine = grey - cv2.GaussianBlur(grey, (0, 0), 1.0)
    across = np.abs(np.diff(grey, axis=1))
    columns = across.mean(0)
    at = data.find(b"\xff\xdb")
    return [np.log(len(data)), grey[keep].mean(), grey[keep].std(), np.log(np.median(np.abs(fine[keep])) + 0.1), np.log(across[keep[:, 1:]].mean() + 0.1),
            float((img.max(2).astype(np.int16) - img.min(2))[keep].mean()), float(columns[7::8].mean() / max(1e-3, columns.mean())),
            float((grey[keep] > 245).mean()), float(sum(data[at + 5:at + 69])), 0.0]


def table(folder: str) -> tuple[np.ndarray, np.ndarray]:
    reads = {}
    with open(f"{folder}/reads.jsonl", encoding="utf8") as f:
        for line in f:
            one = json.loads(line)
            sightings = one["plates"][0]["sightings"] if one["plates"] else []
            reads[one["folder"]] = sightings[len(sightings) // 2] if sightings else None
    x, y = [], []
    with open(f"{folder}/manifest.csv", encoding="utf8") as f:
        for row in csv.DictReader(f):
            if row["class"] == "learning" or row["kind"] in ("replay", "mounted"):
                continue
            seen, n = reads.get(row["folder"]), len(row["times"].split())
            k = seen["frame"] if seen else n // 2
            x.append(measures(f"{folder}/{row['folder']}/{k}.jpg", seen["corners"] if seen else None))
            x[-1][-1] = float(n)
            y.append(row["class"] == "attack")
    return np.array(x), np.array(y)


def area(scores: np.ndarray, y: np.ndarray) -> float:
    """Share of pairs of an attack and a genuine one in which the attack has more; equal ones count half."""
    more = scores[y][:, None] - scores[~y][None]
    return float((more > 0).mean() + (more == 0).mean() / 2)


def main() -> None:
    (x, y), (u, v) = table(sys.argv[1]), table(sys.argv[2])
    mean, scale = u.mean(0), u.std(0) + 1e-6
    x, u = (x - mean) / scale, (u - mean) / scale
    w, b = np.zeros(x.shape[1]), 0.0
    for _ in range(4000):
        e = 1 / (1 + np.exp(-(u @ w + b))) - v
        e *= np.where(v, 0.5 / v.mean(), 0.5 / (1 - v.mean()))
        w, b = w - 0.3 * (u.T @ e / len(v) + 0.002 * w), b - 0.3 * e.mean()
    print("| measure | area under the curve |\n| --- | --- |")
    for i, name in enumerate(NAMES):
        print(f"| {name} | {area(x[:, i], y):.2f} |")
    p = x @ w + b
    print(f"| all together | {area(p, y):.2f} |\n\nright at the best guess of the model: {100 * ((p > 0) == y).mean():.0f} % of {len(y)}")


if __name__ == "__main__":
    main()
