"""Trains a small network to tell a plate on a vehicle from one on paper, a screen or a board by its surroundings.

    python3 train_presented.py SURROUNDINGS[,MORE] [--epochs 40] [--seed 1]

SURROUNDINGS is what `scripts/presented/render.py --split train --surroundings N` made. Writes work/plate-surroundings.onnx, and work/surroundings.json: what a
network says of surroundings whose plates it was not trained on (by halves), for `scripts/presented/fit.mjs`. What it learns from is drawn: it can learn the drawing
instead of the attack (docs/presented-plates.md).
"""
import argparse
import json
import multiprocessing
import os
import random
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from common import Ema, groups, rate
from pool import WORK

WIDTH, HEIGHT = 96, 64


class Surroundings(nn.Module):
    """1 x 64 x 96 brightnesses, 0 to 1, to the log-odds that the plate is presented."""

    def __init__(self) -> None:
        super().__init__()
        layers, before = [nn.Conv2d(1, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()], 16
        for width, stride in ((32, 2), (48, 1), (64, 2), (96, 1), (128, 2)):
            layers += [nn.Conv2d(before, before, 3, stride, 1, groups=before, bias=False), nn.BatchNorm2d(before), nn.ReLU(),
                       nn.Conv2d(before, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
            before = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(2 * before, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean((2, 3), keepdim=True)
        f = self.body((x - mean) / (((x - mean) ** 2).mean((2, 3), keepdim=True) + 1e-3).sqrt())
        return self.head(torch.cat([f.mean((2, 3)), f.amax((2, 3))], 1))[:, 0]


def changed(g: np.random.Generator, img: np.ndarray) -> np.ndarray:
    """The surroundings as another camera might have given them: mirrored, shifted, larger or smaller, brighter, softer, noisier."""
    x = img.astype(np.float32) / 255
    if g.random() < 0.5:
        x = x[:, ::-1]
    dy, dx = g.integers(-4, 5, 2)
    x = np.roll(np.pad(x, 6, mode="edge"), (dy, dx), (0, 1))[6:-6, 6:-6]
    if g.random() < 0.4:
        x = (x + np.roll(x, 1, 0) + np.roll(x, 1, 1) + np.roll(x, (1, 1), (0, 1))) / 4
    x = np.clip((x - 0.5) * g.uniform(0.6, 1.4) + 0.5 + g.normal(0, 0.12), 0, 1) ** g.uniform(0.7, 1.4)
    if g.random() < 0.3:  # something covers a part of it: not one sign alone shall decide
        h, w = g.integers(8, 30, 2)
        a, b = g.integers(0, HEIGHT - h), g.integers(0, WIDTH - w)
        x[a:a + h, b:b + w] = g.random()
    return x + g.normal(0, g.uniform(0, 0.04), x.shape)


def trained(shown: np.ndarray, presented: np.ndarray, epochs: int, seed: int) -> nn.Module:
    random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    g = np.random.default_rng(seed)
    sides = [np.flatnonzero(~presented), np.flatnonzero(presented)]
    net, batch = Surroundings(), 64
    print(f"{sum(p.numel() for p in net.parameters())} parameters, {len(sides[0])} on vehicles and {len(sides[1])} presented")
    ema, best = Ema(net, 0.99), torch.optim.AdamW(groups(net, 0.02), lr=1e-3)
    steps = epochs * len(shown) // batch
    for step in range(steps):
        for group in best.param_groups:
            group["lr"] = rate(step / steps, 3e-3)
        drawn = np.concatenate([g.choice(side, batch // 2) for side in sides])
        x = torch.from_numpy(np.stack([changed(g, shown[i]) for i in drawn]).astype(np.float32))[:, None]
        y = torch.from_numpy(presented[drawn].astype(np.float32))
        net.train()
        loss = F.binary_cross_entropy_with_logits(net(x), 0.03 + 0.94 * y)
        best.zero_grad()
        loss.backward()
        best.step()
        ema.update(net)
        if step % 50 == 0:
            print(f"step {step} of {steps}: loss {loss.item():.3f}", flush=True)
    return ema.net.eval()


@torch.no_grad()
def said(net: nn.Module, shown: np.ndarray) -> np.ndarray:
    return np.concatenate([net(torch.from_numpy(shown[i:i + 64].astype(np.float32) / 255)[:, None]).numpy() for i in range(0, len(shown), 64)])


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("surroundings", help="files, with commas between them")
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--folds", type=int, default=2, help="parts of the plates that are set aside in turns for surroundings.json")
    a = p.parse_args()
    os.makedirs(WORK, exist_ok=True)
    sets = [np.load(file) for file in a.surroundings.split(",")]
    shown = np.concatenate([s["shown"] for s in sets])
    about = [str(x).split(",") for s in sets for x in s["about"]]
    presented = np.array([shows != "vehicle" for *_, shows, _ in about])
    plates = sorted({plate for *_, plate in about})
    fold = np.array([plates.index(plate) % a.folds for *_, plate in about])
    with multiprocessing.Pool(a.folds + 1) as pool:  # the network, and one for each part that is set aside
        parts = [np.ones(len(shown), bool)] + [fold != k for k in range(a.folds)]
        net, *others = pool.starmap(trained, [(shown[own], presented[own], a.epochs, a.seed) for own in parts])
    torch.onnx.export(net, torch.zeros(1, 1, HEIGHT, WIDTH), f"{WORK}/plate-surroundings.onnx", input_names=["surroundings"], output_names=["presented"],
                      dynamic_axes={"surroundings": {0: "n"}, "presented": {0: "n"}}, opset_version=13)
    scores = np.zeros(len(shown), np.float32)
    for k, other in enumerate(others):
        scores[fold == k] = said(other, shown[fold == k])
    rows = [{"kind": about[i][0], "light": about[i][1], "presented": bool(presented[i]), "score": round(float(scores[i:i + 2].mean()), 3)} for i in range(0, len(about), 2)]
    with open(f"{WORK}/surroundings.json", "w", encoding="utf8") as f:
        json.dump(rows, f)
    right = np.mean([(r["score"] > 0) == r["presented"] for r in rows])
    print(f"set aside: {right:.3f} right")


if __name__ == "__main__":
    main()
