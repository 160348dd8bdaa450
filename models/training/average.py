"""Averages the weights of several checkpoints of one run: python3 average.py OUT CHECKPOINT[=SHARE] ...

Weights along a run lie in one valley; their mean is surer of what it reads than the last of them
(https://arxiv.org/abs/1803.05407). OUT can be exported, and trained on.
"""
import sys
import torch


def main(out: str, *parts: str) -> None:
    pairs = [(p.split("=")[0], float(p.split("=")[1]) if "=" in p else 1.0) for p in parts]
    total = sum(share for _, share in pairs)
    states = [(torch.load(path, map_location="cpu"), share / total) for path, share in pairs]
    mean = max((s for s, _ in states), key=lambda s: s["seen"])
    for name, value in mean["ema"].items():
        if value.is_floating_point():
            mean["ema"][name] = sum(s["ema"][name] * share for s, share in states)
    torch.save(mean, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
