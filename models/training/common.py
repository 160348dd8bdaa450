"""What both trainers share: averaged weights, a schedule by the clock or by steps, checkpoints."""
import copy
import math
import os
import time
import torch


class Ema:
    """Exponential average of weights and batch-norm statistics."""

    def __init__(self, net: torch.nn.Module, decay: float) -> None:
        self.net, self.decay, self.n = copy.deepcopy(net).eval(), decay, 0

    @torch.no_grad()
    def update(self, net: torch.nn.Module) -> None:
        self.n += 1
        d = min(self.decay, (1 + self.n) / (20 + self.n))
        for a, b in zip(self.net.state_dict().values(), net.state_dict().values()):
            if a.dtype.is_floating_point:
                a.mul_(d).add_(b, alpha=1 - d)
            else:
                a.copy_(b)


def rate(done: float, peak: float, warm: float = 0.03, floor: float = 0.01) -> float:
    """Learning rate at a fraction of the run: linear warm-up, then cosine."""
    if done < warm:
        return peak * (0.05 + 0.95 * done / warm)
    t = min(1.0, (done - warm) / (1 - warm))
    return peak * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * t)))


def groups(net: torch.nn.Module, decay: float) -> list[dict]:
    """Weight decay on matrices and kernels only."""
    a = [p for p in net.parameters() if p.ndim > 1]
    b = [p for p in net.parameters() if p.ndim <= 1]
    return [{"params": a, "weight_decay": decay}, {"params": b, "weight_decay": 0.0}]


def save(path: str, **state: object) -> None:
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def seconds_until(clock: str) -> int:
    """Seconds to the next hh:mm UTC."""
    now = time.gmtime()
    h, m = clock.split(":")
    return ((int(h) * 60 + int(m)) * 60 - (now.tm_hour * 3600 + now.tm_min * 60 + now.tm_sec)) % 86400
