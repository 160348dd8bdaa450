"""Trains the plate reader: python3 train_reader.py [--until HH:MM | --minutes N] [--resume]. Checkpoints in work/."""
import argparse
import multiprocessing
import os
import time
import numpy as np
import torch
import torch.nn.functional as F
import common
from nets import PlateReader, blocks_of
from pool import WORK
from reader_data import SEEN, ReaderData, step_targets

UNSURE_LEAST = 0.693  # the loss of a step that says exactly what can be said of it: one of two
PARTS = ("steps", "rows", "ctc", "line", "exact")


def characters(logits: torch.Tensor) -> list[list[int]]:
    """Texts (as lists of classes) of step logits [B,2,T,37]: a run of steps that are more likely no blank is a character."""
    p = torch.softmax(logits, -1).numpy()
    out = []
    for lines in p:
        text = []
        for row in lines:
            some = np.concatenate([[0], row[:, 0] < 0.5, [0]]).astype(np.int8)
            edge = np.diff(some)
            for a, b in zip(np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)):
                text.append(1 + int(row[a:b, 1:].sum(0).argmax()))
        out.append(text)
    return out


def targets(batch):
    """The batch with everything that the losses need, so that a second process can prepare it."""
    img, codes, cells, two, located = batch
    cls, wt, unsure = step_targets(cells, codes)
    return img, codes.astype(np.int64), cls, wt, unsure, cells, two.astype(np.float32), located.astype(np.float32)


def losses(net, batch, device, rough=False):
    """Of one batch, by PARTS. rough: the network itself with 16 bits (bfloat16), the losses with 32."""
    img, codes, cls, wt, unsure, cells, two, located = [torch.from_numpy(v).to(device) for v in batch]
    x = img.float().div_(255).unsqueeze(1)
    with torch.autocast(device, dtype=torch.bfloat16, enabled=rough):
        steps, line, rows = net.raw(x)
    steps, line, rows = steps.float(), line.float(), rows.float()
    lines = F.binary_cross_entropy_with_logits(line[:, 0], two)
    # every step of a rendered plate is known
    se = F.cross_entropy(steps.reshape(-1, 37), cls.reshape(-1), reduction="none", label_smoothing=0.01).view(cls.shape)
    lp = torch.log_softmax(steps, -1)
    either = torch.where(cls > 0, lp.gather(-1, cls.unsqueeze(-1)).squeeze(-1), lp[..., 1:].mean(-1))
    se = torch.where(unsure > 0, -0.5 * lp[..., 0] - 0.5 * either - UNSURE_LEAST, se)
    sw = wt * located[:, None, None]
    dense = (se * sw).sum() / sw.sum().clamp(min=1)
    col = (cells[..., 0] / 8).long().clamp(0, 23)
    row = (cells[..., 1] / 8 - 0.5).clamp(0, 7)
    r0 = row.floor().long().clamp(0, 6)
    b = torch.arange(len(img))[:, None].expand_as(col)
    ln = (cells[..., 3] > 0.5).long()
    fr = row - r0
    lr = rows[b, r0, col, ln] * (1 - fr) + rows[b, r0 + 1, col, ln] * fr
    kc = located[:, None] * (codes > 0) * (cells[..., 4] >= SEEN[0])
    look = -(lr * kc).sum() / kc.sum().clamp(min=1)
    # of a photograph only the text is
    gap = torch.full_like(lp[:, 0, :1], -20.0)
    gap[..., 0] = 0.0
    seq = torch.cat([lp[:, 0], gap, lp[:, 1]], 1).transpose(0, 1)
    n = (codes > 0).sum(1)
    free = located < 0.5
    if free.any():
        ctc = F.ctc_loss(seq[:, free], codes[free], torch.full((int(free.sum()),), seq.shape[0]), n[free], zero_infinity=True)
    else:
        ctc = torch.zeros(())
    with torch.no_grad():
        got = characters(steps.detach())
        exact = torch.tensor(np.mean([t == [int(c) for c in y if c] for t, y in zip(got, codes)]))
    return dense, look, ctc, lines, exact


@torch.no_grad()
def validate(net: torch.nn.Module, batches: list, device: str) -> str:
    net.eval()
    v = np.mean([[x.item() for x in losses(net, b, device)] for b in batches], 0)
    return " ".join(f"{PARTS[i]} {v[i]:.3f}" for i in (0, 4))


KEPT = 60  # batches that wait to be learned from once more


def produce(queue, hardness, n, seed, again):
    """The second process: makes batches as hard as the first one says, and gives each `again` times, far apart."""
    os.nice(2)
    data, g, kept, last = ReaderData(seed), np.random.default_rng(seed), [], time.time()
    while True:
        batch = targets(data.batch(n, hardness.value))
        queue.put(batch)
        kept += [batch] * (again - 1)
        while len(kept) > KEPT:
            queue.put(kept.pop(int(g.integers(KEPT // 2))))
        if time.time() - last > 180:
            last = time.time()
            data.refresh()


def reader_of(state, more=0):
    """The reader of a checkpoint with so many more blocks, which change nothing yet."""
    there = blocks_of(state)
    net = PlateReader(blocks=there + more)
    for block in net.blocks()[there:]:
        block.begin_as_identity()
    print(net.load_state_dict(state, strict=not more))
    return net


def known_part(net, blocks):
    """The modules of a grown reader that were there before it grew: all but its blocks from that number on."""
    new = {m for block in net.blocks()[blocks:] for m in block.modules()}
    return [m for m in net.modules() if m not in new]


def optimiser(net, known, lr, known_lr):
    """The optimiser and the peak rate of each of its groups: a reader that has grown has two."""
    old = {id(p) for m in known for p in m.parameters(recurse=False)}
    groups, peaks = [], []
    for g in common.groups(net, 0.02):
        for peak, params in ((known_lr, [p for p in g["params"] if id(p) in old]), (lr, [p for p in g["params"] if id(p) not in old])):
            if params:
                groups.append({**g, "params": params})
                peaks.append(peak)
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.98)), peaks


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--until")
    ap.add_argument("--minutes", type=float, default=600)
    ap.add_argument("--steps", type=int, default=0, help="end after so many steps, whatever the clock says")
    ap.add_argument("--held", type=int, default=6, help="batches that are kept apart, of each kind")
    ap.add_argument("--resume", action="store_true")
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--grow", type=int, default=0, help="so many more blocks, which begin as the identity; the weights of the checkpoint learn at --known-lr and keep their statistics")
    ap.add_argument("--known-lr", type=float, default=1e-4)
    ap.add_argument("--batch", type=int, default=48)
    ap.add_argument("--hard", type=float, nargs=2, default=(0.15, 1.0))
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--again", type=int, default=1, help="learn from each batch so often: where making them is what takes the time")
    ap.add_argument("--ema", type=float, default=0.998)
    ap.add_argument("--out", default=WORK + "/reader.pt")
    ap.add_argument("--rough", action="store_true", help="16 bits in the network: twice as fast where the processor has avx512_bf16")
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    path, seen = WORK + "/reader.pt", 0
    s = torch.load(path, map_location=device) if a.resume and os.path.exists(path) else {}
    net = (reader_of(s["net"], a.grow) if s else PlateReader()).to(device)
    ema = common.Ema(net, a.ema)
    if s:
        ema.net.load_state_dict(s["ema"], strict=False)
        ema.n = 300
        seen = s["seen"]
    # a reader that has grown goes on as one
    grown_from = s.get("grown_from", blocks_of(s["net"]) if s and a.grow else None)
    net = net.to(memory_format=torch.channels_last)
    known = [] if grown_from is None else known_part(net, grown_from)
    opt, peaks = optimiser(net, known, a.lr, a.known_lr)
    if "opt" in s and not a.grow:
        opt.load_state_dict(s["opt"])
    held = ReaderData(7, held=True)
    fixed = {h: [targets(held.batch(64, h)) for _ in range(a.held)] for h in (0.3, 1.0)}
    ctx = multiprocessing.get_context("fork")
    queue, hardness = ctx.Queue(8), ctx.Value("d", a.hard[0])
    maker = ctx.Process(target=produce, args=(queue, hardness, a.batch, int(time.time()), a.again), daemon=True)
    maker.start()
    keep = lambda: common.save(a.out, net=net.state_dict(), ema=ema.net.state_dict(), opt=opt.state_dict(), seen=seen,
                               **({} if grown_from is None else {"grown_from": grown_from}))
    total = common.seconds_until(a.until) if a.until else a.minutes * 60
    start = last = time.time()
    step, acc, waited = 0, np.zeros(len(PARTS)), 0.0
    while True:
        done = (time.time() - start) / total
        if done >= 1 or 0 < a.steps <= step:
            break
        hardness.value = a.hard[0] + (a.hard[1] - a.hard[0]) * min(1.0, done / 0.35)
        for gr, peak in zip(opt.param_groups, peaks):
            gr["lr"] = common.rate(done, peak)
        net.train()
        for m in known:  # what the photographs were read with stays: only the scales and offsets of these norms learn
            m.training = False
        t = time.time()
        batch = queue.get()
        waited += time.time() - t
        l = losses(net, batch, device, a.rough)
        (2.0 * l[0] + (0.2 if done < 0.6 else 0.1) * l[1] + 0.15 * l[2] + 0.1 * l[3]).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
        ema.update(net)
        step, seen = step + 1, seen + a.batch
        acc += [v.item() for v in l]
        if step % 100 == 0:
            dt = time.time() - start
            print(f"{time.strftime('%H:%M:%S', time.gmtime())} step {step} seen {seen} {step * a.batch / dt:.0f}/s waited {waited:.0f} s hard {hardness.value:.2f} "
                  + " ".join(f"{n} {v / 100:.3f}" for n, v in zip(PARTS, acc)), flush=True)
            acc[:] = 0
        if time.time() - last > 180:
            last = time.time()
            keep()
            print("  held out:", {h: validate(ema.net, b, device) for h, b in fixed.items()}, flush=True)
    keep()
    maker.terminate()


if __name__ == "__main__":
    main()
