"""Trains a small network to tell a plate on a vehicle from one on paper, a screen or a board by its surroundings.

    python3 train_presented.py SURROUNDINGS[,MORE] [--seed 1] [--judge NETWORK.onnx]

SURROUNDINGS is what `scripts/presented/render.py --split train --surroundings N` made. Writes work/plate-surroundings.onnx, and work/surroundings.json: what a
network says of surroundings whose vehicles it was not trained on (by thirds), for `scripts/presented/fit.mjs`. `--judge` trains nothing: surroundings.json is then what
that network says, of surroundings that were held out, for `scripts/presented/score.mjs`. What it learns from is drawn: it can learn the drawing
instead of the attack (docs/presented-plates.md).

Its first layer is given: edges in eight directions at two scales, which no small set can spoil. What is learned is how they lie around the plate: a projection to
the directions in which surroundings differ most, and two small layers. A run takes less than a minute of one core.
"""
import argparse
import json
import os
import sys
import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from pool import WORK

WIDTH, HEIGHT = 96, 64
DIRECTIONS = 8
PROJECTED = 96


def edges(size: int) -> torch.Tensor:
    """Filters that answer to an edge or a line in one of several directions."""
    half = size // 2
    y, x = torch.meshgrid(torch.arange(-half, half + 1.0), torch.arange(-half, half + 1.0), indexing="ij")
    out = []
    for k in range(DIRECTIONS):
        a = torch.tensor(k * torch.pi / DIRECTIONS)
        u, v = x * torch.cos(a) + y * torch.sin(a), y * torch.cos(a) - x * torch.sin(a)
        f = torch.sin(2.2 * u / half) * torch.exp(-(u * u + 0.5 * v * v) / (0.5 * half * half))
        out.append((f - f.mean()) / f.abs().sum())
    return torch.stack(out)[:, None]


class Surroundings(nn.Module):
    """1 x 64 x 96 brightnesses, 0 to 1, to the log-odds that the plate is presented."""

    def __init__(self) -> None:
        super().__init__()
        self.fine, self.coarse = (nn.Conv2d(1, DIRECTIONS, s, 2, s // 2, bias=False) for s in (5, 11))
        self.fine.weight.data, self.coarse.weight.data = edges(5), edges(11)
        self.project = nn.Linear(2 * DIRECTIONS * 8 * 12 + 96, PROJECTED)
        self.head = nn.Sequential(nn.Linear(PROJECTED, 48), nn.ReLU(), nn.Linear(48, 1))

    def features(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean((2, 3), keepdim=True)
        x = (x - mean) / (((x - mean) ** 2).mean((2, 3), keepdim=True) + 1e-3).sqrt()
        f = torch.cat([F.avg_pool2d(self.fine(x).abs(), 4), F.avg_pool2d(self.coarse(x).abs(), 4)], 1).sqrt()
        return torch.cat([f.flatten(1), 0.5 * F.avg_pool2d(x, 8).flatten(1)], 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.project(self.features(x)))[:, 0]


def changed(g: np.random.Generator, img: np.ndarray) -> np.ndarray:
    """The surroundings as another camera might have given them: mirrored, shifted, brighter, softer, noisier."""
    x = img.astype(np.float32) / 255
    if g.random() < 0.5:
        x = x[:, ::-1]
    dy, dx = g.integers(-3, 4, 2)
    x = np.roll(np.pad(x, 4, mode="edge"), (dy, dx), (0, 1))[4:-4, 4:-4]
    if g.random() < 0.4:
        x = (x + np.roll(x, 1, 0) + np.roll(x, 1, 1) + np.roll(x, (1, 1), (0, 1))) / 4
    x = np.clip((x - 0.5) * g.uniform(0.6, 1.4) + 0.5 + g.normal(0, 0.12), 0, 1) ** g.uniform(0.7, 1.4)
    return x + g.normal(0, g.uniform(0, 0.03), x.shape).astype(np.float32)


def photographed(most: int) -> tuple[np.ndarray, list[list[str]]]:
    """Surroundings of plates on vehicles, out of the permitted photographs themselves: far more vehicles than are drawn."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/presented"))
    from scene import DATA, labels, surroundings
    from vehicles import part_of, photograph_of
    shown, about, known = [], [], set()
    for folder in ("two-wheelers-mit", "dashcam-mit"):
        for file, boxes in sorted(labels(folder).items()):
            stem = photograph_of(file)
            if stem in known or part_of(file) != "train" or len(shown) >= most:
                continue
            known.add(stem)
            img = cv2.imread(f"{DATA}/{file}", cv2.IMREAD_GRAYSCALE)
            for x1, y1, x2, y2 in boxes[:2]:
                if x2 - x1 >= 24:
                    shown.append(surroundings(img, np.float32([[x1, y1], [x2, y1], [x2, y2], [x1, y2]])))
                    about.append(["photograph", "day", "driving", "vehicle", stem])
    return np.stack(shown), about


@torch.no_grad()
def features(net: Surroundings, shown: np.ndarray) -> torch.Tensor:
    return torch.cat([net.features(torch.from_numpy(np.ascontiguousarray(shown[i:i + 256], np.float32))[:, None]) for i in range(0, len(shown), 256)])


def trained(net: Surroundings, f: torch.Tensor, y: torch.Tensor, seed: int) -> Surroundings:
    """Fits the layers after the features `f`."""
    torch.manual_seed(seed)
    out = Surroundings()
    mean = f.mean(0)
    _, s, v = torch.pca_lowrank(f - mean, PROJECTED, niter=3)
    scale = s / len(f) ** 0.5
    out.project.weight.data = v.T / scale[:, None]
    out.project.bias.data = -(mean @ v) / scale
    with torch.no_grad():
        z = out.project(f)
    best = torch.optim.AdamW(out.head.parameters(), lr=4e-3, weight_decay=0.3)
    for step in range(400):
        best.param_groups[0]["lr"] = 4e-3 * (1 - step / 400)
        pick = torch.randint(len(z), (1024,))
        x = F.dropout(z[pick], 0.15)
        loss = F.binary_cross_entropy_with_logits(out.head(x)[:, 0], 0.03 + 0.94 * y[pick])
        best.zero_grad()
        loss.backward()
        best.step()
    print(f"loss {loss.item():.3f}", flush=True)
    return out.eval()


@torch.no_grad()
def said(net: Surroundings, f: torch.Tensor) -> np.ndarray:
    return net.head(net.project(f))[:, 0].numpy()


def judged(network: str, shown: np.ndarray) -> np.ndarray:
    """What an exported network says."""
    import onnx
    from onnx import numpy_helper
    net = Surroundings()
    weights = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in onnx.load(network).graph.initializer}
    net.load_state_dict({name: weights[name] for name in net.state_dict()})
    return said(net, features(net, shown.astype(np.float32) / 255))


def keep(about: list[list[str]], presented: np.ndarray, scores: np.ndarray) -> None:
    """Writes the mean score of the two frames of each burst, and says how many are right."""
    rows = [{"kind": about[i][0], "light": about[i][1], "presented": bool(presented[i]), "score": round(float(scores[i:i + 2].mean()), 3)}
            for i in range(0, len(about), 2)]
    with open(f"{WORK}/surroundings.json", "w", encoding="utf8") as file:
        json.dump(rows, file)
    for kind in sorted({r["kind"] for r in rows}):
        own = [r for r in rows if r["kind"] == kind]
        print(f"set aside, {kind}: {np.mean([(r['score'] > 0) == r['presented'] for r in own]):.3f} right of {len(own)}")


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("surroundings", help="files, with commas between them")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--times", type=int, default=3, help="how often each is taken, changed anew")
    p.add_argument("--photographs", type=int, default=900, help="permitted photographs whose vehicles are taken as they are")
    p.add_argument("--folds", type=int, default=3, help="parts of the vehicles that are set aside in turns for surroundings.json")
    p.add_argument("--judge", help="a network whose word on these surroundings is wanted; nothing is trained")
    a = p.parse_args()
    torch.set_num_threads(1)
    os.makedirs(WORK, exist_ok=True)
    sets = [np.load(file) for file in a.surroundings.split(",")]
    shown = np.concatenate([s["shown"] for s in sets])
    about = [str(x).split(",") for s in sets for x in s["about"]]
    if a.judge:
        keep(about, np.array([shows != "vehicle" for *_, shows, _ in about]), judged(a.judge, shown))
        return
    real, words = photographed(a.photographs)
    shown, about = np.concatenate([shown, real]), about + words
    presented = np.array([shows != "vehicle" for *_, shows, _ in about])
    vehicles = sorted({vehicle for *_, vehicle in about})
    fold = np.array([vehicles.index(vehicle) % a.folds for *_, vehicle in about])
    g, given = np.random.default_rng(a.seed), Surroundings()
    plain = features(given, shown.astype(np.float32) / 255)
    f = torch.cat([plain] + [features(given, np.stack([changed(g, x) for x in shown])) for _ in range(a.times)])
    y, parts = torch.from_numpy(np.tile(presented, a.times + 1).astype(np.float32)), np.tile(fold, a.times + 1)
    net = trained(given, f, y, a.seed)
    print(f"{sum(x.numel() for x in net.parameters())} parameters, {(~presented).sum()} on vehicles and {presented.sum()} presented")
    torch.onnx.export(net, torch.zeros(1, 1, HEIGHT, WIDTH), f"{WORK}/plate-surroundings.onnx", input_names=["surroundings"], output_names=["presented"],
                      dynamic_axes={"surroundings": {0: "n"}, "presented": {0: "n"}}, opset_version=13)
    scores = np.zeros(len(shown), np.float32)
    for k in range(a.folds):
        scores[fold == k] = said(trained(given, f[parts != k], y[parts != k], a.seed), plain[fold == k])
    drawn = len(about) - len(real)
    keep(about[:drawn], presented[:drawn], scores[:drawn])


if __name__ == "__main__":
    main()
