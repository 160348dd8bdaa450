"""Trains the plate reader: python3 train_reader.py [--until HH:MM | --minutes N] [--resume]. Checkpoints in work/."""
import argparse
import os
import time
import numpy as np
import torch
import torch.nn.functional as F
import common
from nets import PlateReader
from pool import HERE, real_crops
from reader_data import ReaderData, attention_targets

WORK = os.path.join(HERE, "work")


def losses(net, batch, device):
    img, codes, cells, two, located = batch
    x = torch.from_numpy(img).to(device).float().div_(255).unsqueeze(1)
    y = torch.from_numpy(codes.astype(np.int64)).to(device)
    logits, line, att = net.raw(x)
    ce = F.cross_entropy(logits.reshape(-1, 37), y.reshape(-1), reduction="none", label_smoothing=0.02).view(y.shape)
    w = torch.where(y > 0, 1.0, 0.35)
    chars = (ce * w).sum() / w.sum()
    idx, wts = attention_targets(cells, codes)
    la = torch.log_softmax(att, -1).gather(2, torch.from_numpy(idx).to(device))
    a = -(la * torch.from_numpy(wts).to(device)).sum(-1)
    keep = torch.from_numpy(located.astype(np.float32)).to(device)[:, None] * w
    place = (a * keep).sum() / keep.sum().clamp(min=1)
    lines = F.binary_cross_entropy_with_logits(line[:, 0], torch.from_numpy(two.astype(np.float32)).to(device))
    exact = (logits.argmax(-1) == y).all(1).float().mean()
    return chars, place, lines, exact


@torch.no_grad()
def validate(net, batches, device):
    net.eval()
    return [float(np.mean([losses(net, b, device)[i].item() for b in batches])) for i in (0, 3)]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--until")
    ap.add_argument("--minutes", type=float, default=600)
    ap.add_argument("--resume", action="store_true")
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--batch", type=int, default=48)
    ap.add_argument("--hard", type=float, nargs=2, default=(0.15, 1.0))
    ap.add_argument("--threads", type=int, default=1)
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = PlateReader().to(device)
    path, seen = WORK + "/reader.pt", 0
    if a.resume and os.path.exists(path):
        s = torch.load(path, map_location=device)
        net.load_state_dict(s["net"])
        seen = s["seen"]
    ema = common.Ema(net, 0.998)
    if a.resume and seen:
        ema.net.load_state_dict(s["ema"])
        ema.n = 300
    opt = torch.optim.AdamW(common.groups(net, 0.02), lr=a.lr, betas=(0.9, 0.98))
    data = ReaderData(int(time.time()))
    held = ReaderData(7)
    fixed = {h: [held.batch(64, h) for _ in range(4)] for h in (0.3, 1.0)}
    total = common.seconds_until(a.until) if a.until else a.minutes * 60
    start = last = time.time()
    step, acc = 0, np.zeros(4)
    while True:
        done = (time.time() - start) / total
        if done >= 1:
            break
        hard = a.hard[0] + (a.hard[1] - a.hard[0]) * min(1.0, done / 0.35)
        for gr in opt.param_groups:
            gr["lr"] = common.rate(done, a.lr)
        net.train()
        l = losses(net, data.batch(a.batch, hard), device)
        (l[0] + 0.3 * (1.0 if done < 0.6 else 0.4) * l[1] + 0.1 * l[2]).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
        ema.update(net)
        step, seen = step + 1, seen + a.batch
        acc += [v.item() for v in l]
        if step % 100 == 0:
            dt = time.time() - start
            print(f"{time.strftime('%H:%M:%S', time.gmtime())} step {step} seen {seen} {step * a.batch / dt:.0f}/s hard {hard:.2f} "
                  f"chars {acc[0] / 100:.3f} place {acc[1] / 100:.3f} line {acc[2] / 100:.3f} exact {acc[3] / 100:.3f}", flush=True)
            acc[:] = 0
        if time.time() - last > 180:
            last = time.time()
            data.pool.refresh()
            common.save(path, net=net.state_dict(), ema=ema.net.state_dict(), seen=seen)
            v = {h: validate(ema.net, b, device) for h, b in fixed.items()}
            print("  held out:", {h: f"loss {x[0]:.3f} exact {x[1]:.3f}" for h, x in v.items()}, flush=True)
    common.save(path, net=net.state_dict(), ema=ema.net.state_dict(), seen=seen)


if __name__ == "__main__":
    main()
