"""Trains the plate detector: python3 train_detector.py [--until HH:MM | --minutes N] [--resume]. Checkpoints in work/."""
import argparse
import multiprocessing as mp
import os
import shutil
import time
import numpy as np
import torch
import torch.nn.functional as F
import common
from detector_data import DetectorData
from nets import STRIDES, PlateDetector
from pool import WORK

RANGES = ((0, 72), (44, 176), (124, 1e9))  # plate widths in pixels that each stride answers for; they overlap
SMALL = ((160, 224), (192, 192), (160, 288), (192, 256), (160, 256))  # cheap windows for the first part of a run
SHAPES = ((192, 256), (160, 288), (288, 384), (192, 288), (224, 224))  # one large one in five keeps the largest plates learnt
CORNERS = 4.0  # weight of the corner loss: the reader needs them more than the box


def targets(labels, h, w):
    """Per level: state map (0 background, 1 plate, -1 ignored) and the label row of every positive cell."""
    out = []
    for stride, (lo, hi) in zip(STRIDES, RANGES):
        gh, gw = h // stride, w // stride
        state = np.zeros((len(labels), gh, gw), np.int8)
        pos, gt = [], []
        ys, xs = (np.arange(gh) + 0.5) * stride, (np.arange(gw) + 0.5) * stride
        for b, rows in enumerate(labels):
            owner = np.full((gh, gw), -1)
            for j in np.argsort([-r[3] * r[4] for r in rows]) if len(rows) else []:
                r = rows[j]
                size = max(r[3], 1.6 * r[4])
                inside = (np.abs(ys - r[2]) < max(r[4] / 2, stride * 0.6))[:, None] & (np.abs(xs - r[1]) < max(r[3] / 2, stride * 0.6))[None]
                if r[0] == 0:
                    state[b][inside], owner[inside] = -1, -1
                elif lo <= size < hi:
                    core = ((np.abs(ys - r[2]) <= max(0.32 * r[4], 0.8 * stride))[:, None]
                            & (np.abs(xs - r[1]) <= max(0.28 * r[3], 0.8 * stride))[None])
                    state[b][inside], owner[inside] = -1, -1
                    state[b][core], owner[core] = 1, j
            y, x = np.where(owner >= 0)
            pos += [(b, i) for i in y * gw + x]
            gt += [rows[k] for k in owner[y, x]]
        out.append((state.reshape(len(labels), -1), np.array(pos, np.int64).reshape(-1, 2), np.array(gt, np.float32).reshape(-1, 15)))
    return out


def overlap(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """IoU and generalised IoU of centre-size boxes."""
    a1, a2, b1, b2 = a[:, :2] - a[:, 2:] / 2, a[:, :2] + a[:, 2:] / 2, b[:, :2] - b[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2
    inter = (torch.min(a2, b2) - torch.max(a1, b1)).clamp(min=0).prod(1)
    union = a[:, 2:].prod(1) + b[:, 2:].prod(1) - inter + 1e-6
    hull = (torch.max(a2, b2) - torch.min(a1, b1)).prod(1) + 1e-6
    return inter / union, inter / union - (hull - union) / hull


def losses(net, images, labels, device):
    x = torch.from_numpy(images).to(device).permute(0, 3, 1, 2).float().div_(255)
    maps = net.maps(x)
    parts = targets(labels, images.shape[1], images.shape[2])
    count = max(1, sum(len(p[1]) for p in parts))
    score = box = corner = line = torch.zeros((), device=device)
    ious = []
    for m, stride, (state, pos, gt) in zip(maps, STRIDES, parts):
        logit = m[:, 0].flatten(1)
        target = torch.zeros_like(logit)
        if len(pos):
            rows = net.decode(m, stride)[pos[:, 0], pos[:, 1]]
            t = torch.from_numpy(gt).to(device)
            iou, giou = overlap(rows[:, 1:5], t[:, 1:5])
            ious.append(iou.detach())
            box = box + (1 - giou).sum()
            known = t[:, 14:15]
            scale = t[:, 3:5].repeat(1, 4)
            d = F.smooth_l1_loss(rows[:, 5:13] / scale, t[:, 5:13] / scale, beta=0.03, reduction="none")
            corner = corner + (d * (known + 0.03 * (1 - known))).sum()
            lines = m[:, 13].flatten(1)[pos[:, 0], pos[:, 1]]
            has = (t[:, 13] >= 0).float()
            line = line + (F.binary_cross_entropy_with_logits(lines, t[:, 13].clamp(min=0), reduction="none") * has).sum()
            target[pos[:, 0], pos[:, 1]] = 0.4 + 0.6 * iou.detach()
        p = torch.sigmoid(logit.detach())
        st = torch.from_numpy(state).to(device)
        weight = torch.where(st > 0, torch.ones_like(target), 0.75 * p * p) * (st >= 0)
        score = score + (F.binary_cross_entropy_with_logits(logit, target, reduction="none") * weight).sum()
    mean = torch.cat(ious).mean() if ious else torch.zeros(())
    return score / count, box / count, corner / count, line / count, mean


def corner_error(row: np.ndarray, label: np.ndarray) -> float:
    """The largest distance of a corner from its place, as share of the side that it cuts."""
    q, p = row[5:13].reshape(4, 2), label[5:13].reshape(4, 2)
    along = (np.linalg.norm(p[1] - p[0]) + np.linalg.norm(p[2] - p[3])) / 2
    across = (np.linalg.norm(p[3] - p[0]) + np.linalg.norm(p[2] - p[1])) / 2
    ex = (p[1] + p[2] - p[0] - p[3]) / 2 / along
    ey = (p[3] + p[2] - p[0] - p[1]) / 2 / across
    d = (q - p) @ np.linalg.inv(np.stack([ex, ey], 1)).T
    return float((np.abs(d) / [along, across]).max())


@torch.no_grad()
def validate(net: torch.nn.Module, batches: list, device: str) -> str:
    """Recall at IoU 0.5, false boxes per picture at score 0.3 and the corners' errors on held-out scenes."""
    net.eval()
    hit = total = false = n = 0
    errors = []
    for images, labels in batches:
        out = net(torch.from_numpy(images).to(device).permute(0, 3, 1, 2).float() / 255)
        for rows, lab in zip(out, labels):
            rows = rows[rows[:, 0] > 0.3]
            rows = rows[rows[:, 0].argsort(descending=True)][:60]
            keep = []
            for r in rows:
                if not keep or overlap(r[None, 1:5].expand(len(keep), 4), torch.stack(keep)[:, 1:5])[0].max() < 0.45:
                    keep.append(r)
            n += 1
            used = 0
            for g in lab:
                iou = overlap(torch.stack(keep)[:, 1:5], torch.from_numpy(g[1:5])[None].to(device).expand(len(keep), 4))[0] if keep else torch.zeros(1)
                ok = bool(iou.max() >= 0.5)
                used += bool(iou.max() >= 0.3)
                if g[0] > 0:
                    total, hit = total + 1, hit + ok
                if g[0] > 0 and g[14] >= 1 and ok:
                    errors.append(corner_error(keep[int(iou.argmax())].cpu().numpy(), g))
            false += max(0, len(keep) - used)
    off = np.array(errors or [0])
    return (f"recall {hit / max(1, total):.3f} of {total}, false per picture {false / max(1, n):.3f}, "
            f"worst corner off by {100 * np.median(off):.1f} % (median), by more than 10 % in {100 * (off > 0.1).mean():.1f} % of plates")


def produce(seed, batch, queue):
    """Makes batches in a process of its own; the trainer says the shape."""
    data = DetectorData(seed)
    made = 0
    while True:
        shape = queue[0].get()
        queue[1].put(data.batch(batch, *shape))
        made += 1
        if made % 500 == 0:
            data.pool.refresh()


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--until")
    ap.add_argument("--minutes", type=float, default=600)
    ap.add_argument("--steps", type=int, default=0, help="end after so many steps, whatever the clock says")
    ap.add_argument("--held", type=int, default=12, help="batches that are kept apart, of each kind")
    ap.add_argument("--resume", action="store_true")
    ap.add_argument("--lr", type=float, default=1.5e-3)
    ap.add_argument("--batch", type=int, default=12)
    ap.add_argument("--small", type=float, default=0.5, help="part of the run that uses small windows")
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--keep", help="a second file that gets the checkpoint too, outside the working tree")
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = PlateDetector().to(device)
    path, seen = WORK + "/detector.pt", 0
    if a.resume and os.path.exists(path):
        s = torch.load(path, map_location=device)
        net.load_state_dict(s["net"])
        seen = s["seen"]
    ema = common.Ema(net, 0.998)
    if a.resume and seen:
        ema.net.load_state_dict(s["ema"])
        ema.n = 300
    opt = torch.optim.AdamW(common.groups(net, 0.02), lr=a.lr, betas=(0.9, 0.98))
    held = DetectorData(7, validation=True)
    fixed = [held.batch(8, 288, 352) for _ in range(a.held)] + [held.batch(8, 160, 288) for _ in range(a.held)]
    if a.resume and seen:
        print("  held out, at the start:", validate(ema.net, fixed, device), flush=True)
    queue = mp.Queue(), mp.Queue(6)
    maker = mp.Process(target=produce, args=(int(time.time()), a.batch, queue), daemon=True)
    maker.start()
    for i in range(6):
        queue[0].put(SMALL[i % len(SMALL)])
    total = common.seconds_until(a.until) if a.until else a.minutes * 60
    start = last = time.time()
    step, acc = 0, np.zeros(5)
    while True:
        done = (time.time() - start) / total
        if done >= 1 or 0 < a.steps <= step:
            break
        for gr in opt.param_groups:
            gr["lr"] = common.rate(done, a.lr)
        net.train()
        shapes = SMALL if done < a.small else SHAPES
        queue[0].put(shapes[step % len(shapes)])
        images, labels = queue[1].get()
        l = losses(net, images, labels, device)
        (l[0] + 2 * l[1] + CORNERS * l[2] + 0.3 * l[3]).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
        ema.update(net)
        step, seen = step + 1, seen + a.batch
        acc += [float(v) for v in l]
        if step % 50 == 0:
            print(f"{time.strftime('%H:%M:%S', time.gmtime())} step {step} seen {seen} {step * a.batch / (time.time() - start):.1f}/s score {acc[0] / 50:.3f} "
                  f"box {acc[1] / 50:.3f} corner {acc[2] / 50:.4f} line {acc[3] / 50:.3f} iou {acc[4] / 50:.3f}", flush=True)
            acc[:] = 0
        if time.time() - last > 240:
            last = time.time()
            common.save(path, net=net.state_dict(), ema=ema.net.state_dict(), seen=seen)
            if a.keep:
                shutil.copyfile(path, a.keep)
            print("  held out:", validate(ema.net, fixed, device), flush=True)
    common.save(path, net=net.state_dict(), ema=ema.net.state_dict(), seen=seen)
    maker.terminate()


if __name__ == "__main__":
    main()
