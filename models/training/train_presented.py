"""Trains a small network to tell a plate on a vehicle from one on paper, a screen or a board by its surroundings.

    python3 train_presented.py TRAIN[,MORE...] [SCORED...] [--epochs 30] [--seed 1]

TRAIN and SCORED are folders of bursts that `scripts/presented/render.py` (or a person with a camera) made and `scripts/presented/read.mjs`
read: crops.bin holds three plate widths around every sighting, as the hub's own detector gave it. Every SCORED folder gets a network.json: the
mean log-odds of being presented over a burst's two largest sightings of the plate, for `scripts/presented/score.mjs`. Weights go to work/presented.onnx and are not
part of the repository: what may be committed is what docs/presented-plates.md asks for. Replays show vehicles, and copies on vehicles do too:
neither is trained on.
"""
import argparse
import csv
import json
import os
import random
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from common import Ema, groups, rate
from pool import WORK

SIDE = 96


class Surroundings(nn.Module):
    """1 x 96 x 96 brightnesses, 0 to 1, to the log-odds that the plate is presented. 0.1 million parameters, about 14 MMAC."""

    def __init__(self) -> None:
        super().__init__()
        layers, before = [], 1
        for width, stride in ((16, 2), (24, 2), (32, 1), (48, 2), (64, 1), (80, 2)):
            layers += [nn.Conv2d(before, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
            before = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Sequential(nn.Dropout(0.3), nn.Linear(2 * before, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean((2, 3), keepdim=True)
        f = self.body((x - mean) / (((x - mean) ** 2).mean((2, 3), keepdim=True) + 1e-3).sqrt())
        return self.head(torch.cat([f.mean((2, 3)), f.amax((2, 3))], 1))[:, 0]


def bursts(folder: str) -> list[dict]:
    """Bursts whose plate was read as a listed one, with their crops, the largest first."""
    with open(f"{folder}/manifest.csv", encoding="utf8") as f:
        rows = {r["folder"]: r for r in csv.DictReader(f)}
    crops = np.fromfile(f"{folder}/crops.bin", np.uint8).reshape(-1, SIDE, SIDE)
    listed, out = {r["plate"] for r in rows.values()}, []
    with open(f"{folder}/reads.jsonl", encoding="utf8") as f:
        for line in f:
            read = json.loads(line)
            plate = next((p for p in read["plates"] if p["plate"] in listed), None)
            if plate is not None:
                largest = sorted(plate["sightings"], key=lambda s: -float(np.hypot(*(np.subtract(s["corners"][1], s["corners"][0])))))
                out.append({**rows[read["folder"]], "crops": crops[[s["crop"] for s in largest]]})
    return out


def changed(g: np.random.Generator, img: np.ndarray) -> np.ndarray:
    """The crop as another camera might have given it: mirrored, shifted, brighter, softer, noisier. The plate's own place gives nothing away."""
    x = img.astype(np.float32) / 255
    if g.random() < 0.5:
        x = x[:, ::-1]
    dy, dx = g.integers(-4, 5, 2)
    x = np.roll(np.pad(x, 6, mode="edge"), (dy, dx), (0, 1))[6:-6, 6:-6]
    if g.random() < 0.4:
        x = (x + np.roll(x, 1, 0) + np.roll(x, 1, 1) + np.roll(x, (1, 1), (0, 1))) / 4
    x = np.clip((x - 0.5) * g.uniform(0.6, 1.4) + 0.5 + g.normal(0, 0.12), 0, 1) ** g.uniform(0.7, 1.4)
    if g.random() < 0.3:  # something covers a part of it: not one sign alone shall decide
        h, w = g.integers(12, 40, 2)
        a, b = g.integers(0, SIDE - h), g.integers(0, SIDE - w)
        x[a:a + h, b:b + w] = g.random()
    return x + g.normal(0, g.uniform(0, 0.04), x.shape)


def trained(some: list[dict], epochs: int, seed: int) -> nn.Module:
    random.seed(seed)
    torch.manual_seed(seed)
    g = np.random.default_rng(seed)
    useful = [b for b in some if b["kind"] not in ("replay", "mounted")]
    sides = [[b for b in useful if (b["class"] == "attack") == presented] for presented in (False, True)]
    net = Surroundings()
    print(f"{sum(p.numel() for p in net.parameters())} parameters, {len(sides[0])} genuine and {len(sides[1])} attacks")
    ema, best = Ema(net, 0.995), torch.optim.AdamW(groups(net, 0.02), lr=1e-3)
    steps, batch = epochs * 2 * max(len(x) for x in sides) // 64, 64
    for step in range(steps):
        for group in best.param_groups:
            group["lr"] = rate(step / steps, 2e-3)
        drawn = [(b["crops"][g.integers(len(b["crops"]))], k) for k, side in enumerate(sides) for b in random.choices(side, k=batch // 2)]
        x = torch.from_numpy(np.stack([changed(g, c) for c, _ in drawn]).astype(np.float32))[:, None]
        y = torch.tensor([float(k) for _, k in drawn])
        net.train()
        loss = F.binary_cross_entropy_with_logits(net(x), 0.03 + 0.94 * y)
        best.zero_grad()
        loss.backward()
        best.step()
        ema.update(net)
        if step % 100 == 0:
            print(f"step {step} of {steps}: loss {loss.item():.3f}", flush=True)
    return ema.net.eval()


@torch.no_grad()
def scored(net: nn.Module, some: list[dict]) -> dict[str, float]:
    """The network's mean over the two largest sightings of every burst."""
    return {b["folder"]: round(float(net(torch.from_numpy(b["crops"][:2].astype(np.float32) / 255)[:, None]).mean()), 3) for b in some}


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("train", help="folders, with commas between them")
    p.add_argument("scored", nargs="*")
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--folds", type=int, default=4, help="TRAIN's own network.json comes from networks that did not see the burst's plate")
    a = p.parse_args()
    torch.set_num_threads(1)
    os.makedirs(WORK, exist_ok=True)
    folders = a.train.split(",")
    known = {folder: bursts(folder) for folder in folders}
    everything = [b for some in known.values() for b in some]
    plates = sorted({b["plate"] for b in everything})
    held: dict[str, dict[str, float]] = {folder: {} for folder in folders}
    for fold in range(a.folds):
        out = {plate for i, plate in enumerate(plates) if i % a.folds == fold}
        net = trained([b for b in everything if b["plate"] not in out], a.epochs, a.seed)
        for folder, some in known.items():
            held[folder].update(scored(net, [b for b in some if b["plate"] in out]))
    for folder, scores in held.items():
        with open(f"{folder}/network.json", "w", encoding="utf8") as f:
            json.dump(scores, f)
    net = trained(everything, a.epochs, a.seed)
    torch.onnx.export(net, torch.zeros(1, 1, SIDE, SIDE), f"{WORK}/presented.onnx", input_names=["surroundings"], output_names=["presented"],
                      dynamic_axes={"surroundings": {0: "n"}, "presented": {0: "n"}}, opset_version=13)
    for folder in a.scored:
        with open(f"{folder}/network.json", "w", encoding="utf8") as f:
            json.dump(scored(net, bursts(folder)), f)


if __name__ == "__main__":
    main()
