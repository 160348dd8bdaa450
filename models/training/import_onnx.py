"""Makes work/detector.pt or work/reader.pt of the shipped network, so that training can go on from it: python3 import_onnx.py detector|reader [FILE].

The exported network has its batch norms folded into the convolutions. The kernels are kept as they are; every batch norm
gets the mean and variance that training pictures give at its place, and the scale and offset that undo them. In evaluation the
network answers as the exported one does (checked: 1e-4 of the answer's size), and in training its statistics are true ones.
"""
import argparse
import json
import os
import onnx
import torch
from onnx import numpy_helper
from torch import nn
import common
from detector_data import DetectorData
from nets import READER_H, READER_W, PlateDetector, PlateReader
from pool import HERE, WORK
from reader_data import ReaderData

CLOSE = 1e-4


def kernels(path):
    """(kernel, offset) of every two-dimensional convolution in the order in which they run."""
    graph = onnx.load(path).graph
    held = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    found = [(held[n.input[1]], held[n.input[2]]) for n in graph.node if n.op_type == "Conv"]
    return [(k, b) for k, b in found if k.ndim == 4]


def blocks_in(found):
    """How many blocks behind its last shrinking an exported reader has: two kernels each, behind five others."""
    return (len(found) - 5) // 2


def others(path):
    """What the exported network holds besides: by the name that it has in training. Matrices lose theirs in the export and are stored turned round."""
    graph = onnx.load(path).graph
    held = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    found = {name: value for name, value in held.items() if not name.startswith("onnx::")}
    for n in graph.node:
        if n.op_type == "MatMul" and n.input[1] in held:
            found[".".join(n.name.strip("/").split("/")[:-1]) + ".weight"] = held[n.input[1]].T
    return found


def run(net, images):
    """The pass that training uses: every layer, without decoding."""
    return net.maps(images) if isinstance(net, PlateDetector) else net.raw(images)


def order_of_use(net):
    """Every convolution in the order in which it runs, with the batch norm behind it or None."""
    found, hooks = [], []
    after = {}
    for m in net.modules():
        if isinstance(m, nn.Sequential) and len(m) > 1 and isinstance(m[0], nn.Conv2d) and isinstance(m[1], nn.BatchNorm2d):
            after[m[0]] = m[1]
        if isinstance(m, nn.Conv2d):
            hooks.append(m.register_forward_hook(lambda c, _i, _o: found.append(c)))
    with torch.no_grad():
        run(net.eval(), torch.zeros(1, 3, 64, 64) if isinstance(net, PlateDetector) else torch.zeros(1, 1, READER_H, READER_W))
    for h in hooks:
        h.remove()
    return [(c, after.get(c)) for c in found]


@torch.no_grad()
def fill(net, path):
    """The kernels of the exported network, and batch norms that only add its offsets."""
    layers, given = order_of_use(net), kernels(path)
    if [tuple(c.weight.shape) for c, _ in layers] != [k.shape for k, _ in given]:
        raise SystemExit(f"{path} is another network than nets.{type(net).__name__}")
    for (c, norm), (kernel, offset) in zip(layers, given):
        c.weight.copy_(torch.from_numpy(kernel.copy()))
        offset = torch.from_numpy(offset.copy())
        if norm is None:
            c.bias.copy_(offset)
        else:
            norm.running_mean.zero_()
            norm.running_var.fill_(1 - norm.eps)
            norm.weight.fill_(1)
            norm.bias.copy_(offset)
    if isinstance(net, PlateReader):
        state, given = net.state_dict(), others(path)
        kept = {id(p) for c, norm in layers for m in (c, norm) if m is not None for p in m.state_dict(keep_vars=True).values()}
        for name, value in net.state_dict(keep_vars=True).items():
            if id(value) not in kept:
                state[name].copy_(torch.from_numpy(given[name].copy()))
    return layers


@torch.no_grad()
def with_statistics(net, layers, batches):
    """Gives every batch norm the statistics of its input over the batches and the scale and offset that undo them."""
    sums, hooks = {}, []

    def take(c, _inputs, out):
        n, s, q = sums.get(c, (0, 0, 0))
        o = out.double()
        sums[c] = (n + o[:, 0].numel(), s + o.sum((0, 2, 3)), q + (o * o).sum((0, 2, 3)))

    for c, norm in layers:
        if norm is not None:
            hooks.append(c.register_forward_hook(take))
    for images in batches:
        run(net, images)
    for h in hooks:
        h.remove()
    for c, norm in layers:
        if norm is None:
            continue
        n, s, q = sums[c]
        mean, var = (s / n).float(), (q / n - (s / n) ** 2).clamp(min=1e-6).float()
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(var)
        norm.weight.copy_((var + norm.eps).sqrt())
        norm.bias.add_(mean)


@torch.no_grad()
def answer(net, images):
    out = net.eval()(images)
    return out if isinstance(out, torch.Tensor) else out[0]


def pictures(net):
    """Batches of training pictures for the statistics."""
    if isinstance(net, PlateReader):
        data = ReaderData(5)
        return (torch.from_numpy(data.batch(64, 0.8)[0]).float().div(255).unsqueeze(1) for _ in range(30))
    data = DetectorData(5)
    return (torch.from_numpy(data.batch(12, *shape)[0]).permute(0, 3, 1, 2).float() / 255 for shape in ((160, 288), (192, 256), (288, 352)) * 8)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("kind", choices=("detector", "reader"))
    ap.add_argument("file", nargs="?")
    a = ap.parse_args()
    path = a.file or f"{os.path.dirname(HERE)}/plate-{a.kind}.onnx"
    net = PlateDetector() if a.kind == "detector" else PlateReader(blocks=blocks_in(kernels(path)))
    layers = fill(net, path)
    shape = (1, 3, 288, 512) if a.kind == "detector" else (8, 1, READER_H, READER_W)
    probe = torch.rand(*shape, generator=torch.Generator().manual_seed(1))
    folded = answer(net, probe)
    with_statistics(net, layers, pictures(net))
    off = ((answer(net, probe) - folded).abs() / (1 + folded.abs())).max().item()
    print(f"{len(layers)} convolutions; largest relative difference after the statistics: {off:.1e}")
    if off > CLOSE:
        raise SystemExit("the statistics changed what the network answers")
    os.makedirs(WORK, exist_ok=True)
    common.save(f"{WORK}/{a.kind}.pt", net=net.state_dict(), ema=net.state_dict(), seen=samples_seen(path))


def samples_seen(path):
    """Samples that the exported network was trained on, as the manifest beside it says."""
    with open(os.path.join(os.path.dirname(path), "manifest.json"), encoding="utf8") as f:
        return next((m["samplesSeen"] for m in json.load(f)["models"] if m["file"] == os.path.basename(path)), 0)


if __name__ == "__main__":
    main()
