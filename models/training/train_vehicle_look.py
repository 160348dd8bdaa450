"""Teaches the network of surroundings to know a vehicle again: python3 train_vehicle_look.py SURROUNDINGS[,MORE] [--network NETWORK.onnx].

A plate that has come on one vehicle and comes on another is a copy. What is learned is a projection of the given first layer (`train_presented.py`), by linear
discriminant analysis: directions in which the surroundings of different vehicles differ and those of one vehicle do not. The plate itself and the brightness are
left out. Vehicles that are seen more than once: rendered ones (`scripts/presented/render.py --split train --surroundings N`), those of one drive whose plate was
read alike (work/pseudo.csv, made by self_train.py), and the augmented twins of photographs of two-wheelers.

Writes work/plate-surroundings.onnx, which says `presented` as before and `vehicle` besides, and prints what it notices of vehicles of the drives: one half of them is
set aside in turns. A run takes a minute of one core.
"""
import argparse
import collections
import csv
import os
import sys
import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from pool import HERE, WORK, stem
from self_train import place
from train_presented import DIRECTIONS, HEIGHT, WIDTH, Surroundings, features

PROJECTED = 64
EVENED = 10.0  # how much the directions of little variance count as if they had the mean one: there are few vehicles
LEAST_WIDE = 24  # pixels of a plate
PASSES = 5  # earlier ones of a vehicle, as in src/core/plates/vehicle-look.ts


class Looks(nn.Module):
    """As `Surroundings`, and 64 numbers of length 1 that are alike for the same vehicle."""

    def __init__(self, net: Surroundings) -> None:
        super().__init__()
        self.net = net
        kept = torch.ones(2 * DIRECTIONS, 8, 12)
        kept[:, 3:5, 4:8] = 0  # the plate
        self.register_buffer("kept", torch.cat([kept.flatten(), torch.zeros(HEIGHT * WIDTH // 64)]))
        self.look = nn.Linear(len(self.kept), PROJECTED)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        f = self.net.features(x)
        return self.net.head(self.net.project(f))[:, 0], F.normalize(self.look(F.normalize(f * self.kept)))


def network(path: str) -> Surroundings:
    import onnx
    from onnx import numpy_helper
    net = Surroundings()
    weights = {one.name.removeprefix("net."): torch.from_numpy(numpy_helper.to_array(one).copy()) for one in onnx.load(path).graph.initializer}
    net.load_state_dict({name: weights[name] for name in net.state_dict()})
    return net.eval()


def photographed(folder: str) -> dict[str, np.ndarray]:
    """Surroundings of plates in permitted photographs by the vehicle, as far as labels tell which are of one; frames of a drive in their order."""
    sys.path.insert(0, os.path.join(HERE, "../../scripts/presented"))
    from scene import DATA, surroundings
    found = collections.defaultdict(list)
    with open(WORK + "/pseudo.csv", encoding="utf8") as f:
        for r in csv.DictReader(f):
            quad = np.float32([[float(r[f"{a}{i}"]) for a in "xy"] for i in (1, 2, 3, 4)])
            at = place(r["file"])
            if r["file"].startswith(folder) and np.linalg.norm(quad[1] - quad[0]) >= LEAST_WIDE:
                name = r["text"] if folder.startswith("dashcam") else stem(r["file"])
                found[name].append((at[1] if at else 0, surroundings(cv2.imread(f"{DATA}/{r['file']}", cv2.IMREAD_GRAYSCALE), quad)))
    return {name: np.stack([shown for _, shown in sorted(frames, key=lambda one: one[0])]) for name, frames in found.items()}


def rendered(files: str) -> list[np.ndarray]:
    found = collections.defaultdict(list)
    for file in files.split(","):
        z = np.load(file)
        for shown, about in zip(z["shown"], z["about"]):
            *_, shows, vehicle = str(about).split(",")
            if shows == "vehicle":
                found[vehicle].append(shown)
    return [np.stack(shown) for shown in found.values()]


def fitted(net: Looks, vehicles: list[np.ndarray]) -> None:
    """Sets the projection by features of vehicles, one array each."""
    count = sum(len(v) for v in vehicles)
    mean = np.concatenate(vehicles).mean(0)
    within = np.concatenate([v - v.mean(0) for v in vehicles])
    between = np.stack([np.sqrt(len(v)) * (v.mean(0) - mean) for v in vehicles])
    spread = within.T @ within / count
    spread += EVENED * np.trace(spread) / len(mean) * np.eye(len(mean), dtype=np.float32)
    values, vectors = np.linalg.eigh(spread)
    whitened = vectors / np.sqrt(values)
    *_, best = np.linalg.svd(between @ whitened, full_matrices=False)
    w = whitened @ best[:PROJECTED].T
    net.look.weight.data = torch.from_numpy(np.float32(w.T))
    net.look.bias.data = torch.from_numpy(np.float32(-mean @ w))


@torch.no_grad()
def looks(net: Looks, f: np.ndarray) -> np.ndarray:
    return F.normalize(net.look(torch.from_numpy(f))).numpy()


def judged(of: dict[str, np.ndarray]) -> None:
    """What is noticed where the mean of two frames in a row is held against the second nearest of a vehicle's other frames, as the hub does with a burst."""
    own, others = [], []
    for name, looked in of.items():
        for i in range(len(looked) - 1):
            pair = looked[i] + looked[i + 1]
            pair /= np.linalg.norm(pair)
            for other, known in of.items():
                rest = np.delete(known, (i, i + 1), 0) if other == name else known
                if len(rest) >= PASSES:
                    (own if other == name else others).append(np.sort(1 - rest @ pair)[1])
    own, others = np.array(own), np.array(others)
    for most in np.arange(0.5, 0.91, 0.05):
        print(f"  farther than {most:.2f}: {(own > most).sum()} of {len(own)} of the vehicle itself, {100 * (others > most).mean():.0f} % of {len(others)} of another")


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("surroundings", help="files, with commas between them")
    p.add_argument("--network", default=os.path.join(HERE, "../plate-surroundings.onnx"))
    a = p.parse_args()
    torch.set_num_threads(1)
    net = Looks(network(a.network)).eval()

    @torch.no_grad()
    def seen(shown: np.ndarray) -> np.ndarray:
        return F.normalize(features(net.net, shown.astype(np.float32) / 255) * net.kept).numpy()

    drives = {name: seen(v) for name, v in photographed("dashcam").items() if len(v) >= 3}
    always = [seen(v) for v in rendered(a.surroundings)] + [seen(v) for v in photographed("two-wheelers").values() if len(v) >= 2]
    names, found = sorted(drives), {}
    for aside in (names[::2], names[1::2]):
        fitted(net, always + [drives[name] for name in names if name not in aside])
        found |= {name: looks(net, drives[name]) for name in aside}
    print(f"{len(drives)} vehicles of drives, those set aside:")
    judged(found)
    fitted(net, always + list(drives.values()))
    torch.onnx.export(net, torch.zeros(1, 1, HEIGHT, WIDTH), f"{WORK}/plate-surroundings.onnx", input_names=["surroundings"], output_names=["presented", "vehicle"],
                      dynamic_axes={"surroundings": {0: "n"}, "presented": {0: "n"}, "vehicle": {0: "n"}}, opset_version=13)


if __name__ == "__main__":
    main()
