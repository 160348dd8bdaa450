"""Trains the second reader on plates: python3 train_second_reader.py [--until HH:MM | --minutes N] [--from-step NAME]. Checkpoint in work/.

The network is the one of cut_second_reader.py, which was never trained on plates. Its first layers stay as they are. It learns from the samples
of the first reader, seen as the hub shows them to this one (src/features/recognition/second-reader.ts): a plate of one line in whole, of two
lines the upper and the lower half. export: plate-second-reader.onnx with the new numbers, every step of its graph as it was.
"""
import argparse
import multiprocessing
import os
import time
import cv2
import numpy as np
import torch
import torch.nn.functional as F
import common
from onnx_graph import Graph
from places import HERE, WORK
from reader_data import H, W, ReaderData

SOURCE = os.path.dirname(HERE) + "/plate-second-reader.onnx"
LOGITS = "p2o.Add.277"
HEIGHT = 48
ONE, TWO = (240, ((0.0, 1.0),)), (192, ((0.02, 0.53), (0.47, 0.98)))
WITHIN = ((0.12, 0.44), (0.56, 0.88))  # where the middle of a character of either line is, so that its half shows all of it
MOST = 13


class LineData(ReaderData):
    """Samples as this reader sees them: [(width, picture, classes)], one of a plate of one line, two of one of two lines."""

    cut = 0.0

    def rectified(self, cap, rm):
        self.seen = cap, rm
        return super().rectified(cap, rm)

    def part(self, width, top, bottom):
        cap, rm = self.seen
        scale = HEIGHT / (H * (bottom - top))
        to = np.float32([[width / W, 0, 0], [0, scale, -top * H * scale], [0, 0, 1]])
        return cv2.warpPerspective(cap, to @ rm, (width, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)

    def lines(self, hard):
        """Of the next plate that can be shown so."""
        while True:
            _, codes, cells, two, located = self.sample(hard)
            n = int((codes > 0).sum())
            if n == 0:
                continue
            if not two:
                return [(ONE[0], self.part(ONE[0], 0.0, 1.0), codes[:n])]
            if not located:  # of a photograph is not known where the second line begins
                continue
            line = (cells[:n, 3] > 0.5).astype(int)
            within = np.float32(WITHIN)[line]
            if ((cells[:n, 1] / H < within[:, 0]) | (cells[:n, 1] / H > within[:, 1])).any() or len(set(line)) < 2:
                continue
            return [(TWO[0], self.part(TWO[0], *TWO[1][i]), codes[:n][line == i]) for i in (0, 1)]


def produce(queue, n, seed, hardness):
    os.nice(2)
    data, waiting, last = LineData(seed), {ONE[0]: [], TWO[0]: []}, time.time()
    while True:
        for width, picture, classes in data.lines(hardness * data.g.uniform(0.3, 1.0)):
            waiting[width].append((picture, classes))
        for width, some in waiting.items():
            if len(some) >= n:
                queue.put(batch_of(some[:n]))
                del some[:n]
        if time.time() - last > 180:
            last = time.time()
            data.refresh()


def batch_of(some):
    codes = np.zeros((len(some), MOST), np.int64)
    for i, (_, classes) in enumerate(some):
        codes[i, :len(classes)] = classes
    return np.stack([p for p, _ in some]), codes


def loss_of(logits, codes):
    """The connectionist temporal loss per character, and the share of texts that are read exactly."""
    n = (codes > 0).sum(1)
    lp = torch.log_softmax(logits.float(), -1).transpose(0, 1)
    loss = F.ctc_loss(lp, codes, torch.full((len(codes),), len(lp)), n, zero_infinity=True)
    best = lp.argmax(-1).T
    texts = [[int(v) for v, before in zip(row, [0, *row[:-1].tolist()]) if v and v != before] for row in best]
    return loss, np.mean([t == [int(v) for v in c if v] for t, c in zip(texts, codes)])


def input_of(pictures):
    return (torch.from_numpy(pictures).float() / 127.5 - 1).unsqueeze(1).expand(-1, 3, -1, -1).contiguous()


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--until")
    ap.add_argument("--minutes", type=float, default=120)
    ap.add_argument("--from-step", default="", help="name of the value from which on it learns; all of it without")
    ap.add_argument("--lr", type=float, default=3e-4)
    ap.add_argument("--batch", type=int, default=24)
    ap.add_argument("--hard", type=float, default=0.8)
    ap.add_argument("--rough", action="store_true")
    ap.add_argument("--out", default=WORK + "/second-reader.onnx")
    a = ap.parse_args()
    torch.set_num_threads(1)
    net = Graph(SOURCE, LOGITS)
    net.learn_from(a.from_step)
    learned = [p for p in net.parameters() if p.requires_grad]
    print(f"{sum(p.numel() for p in learned)} of {sum(p.numel() for p in net.parameters())} numbers learn", flush=True)
    average = common.Ema(net, 0.995)
    opt = torch.optim.AdamW(learned, lr=a.lr, betas=(0.9, 0.98), weight_decay=0.01)
    held, kinds = LineData(7, held=True), {ONE[0]: [], TWO[0]: []}
    while any(len(k) < 96 for k in kinds.values()):
        for width, *one in held.lines(0.7):
            kinds[width].append(one)
    fixed = {w: batch_of(k[:96]) for w, k in kinds.items()}
    ctx = multiprocessing.get_context("fork")
    queue = ctx.Queue(8)
    maker = ctx.Process(target=produce, args=(queue, a.batch, int(time.time()), a.hard), daemon=True)
    maker.start()
    total = common.seconds_until(a.until) if a.until else a.minutes * 60
    start = last = time.time()

    def validate(n):
        with torch.no_grad():
            return {w: "loss %.3f exact %.3f" % tuple(float(v) for v in loss_of(n(input_of(p)), torch.from_numpy(c))) for w, (p, c) in fixed.items()}

    print("held out:", validate(net), flush=True)
    step, sums = 0, np.zeros(2)
    while (done := (time.time() - start) / total) < 1:
        for g in opt.param_groups:
            g["lr"] = common.rate(done, a.lr)
        pictures, codes = queue.get()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=a.rough):
            logits = net(input_of(pictures))
        loss, exact = loss_of(logits, torch.from_numpy(codes))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned, 2.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
        average.update(net)
        step += 1
        sums += loss.item(), exact
        if step % 50 == 0:
            print(f"{time.strftime('%H:%M:%S', time.gmtime())} step {step} seen {step * a.batch} {step * a.batch / (time.time() - start):.1f}/s loss {sums[0] / 50:.3f} exact {sums[1] / 50:.3f}", flush=True)
            sums[:] = 0
        if time.time() - last > 300:
            last = time.time()
            average.net.save(a.out)
            print("  held out:", validate(average.net), flush=True)
    average.net.save(a.out)
    print("held out:", validate(average.net), flush=True)
    maker.terminate()


if __name__ == "__main__":
    main()
