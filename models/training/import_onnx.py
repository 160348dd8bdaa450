"""Makes work/detector.pt of the shipped ../plate-detector.onnx, so that training can go on from it: python3 import_onnx.py [FILE].

The exported network has its batch norms folded into the convolutions. The kernels are kept as they are; every batch norm
gets the mean and variance that training pictures give at its place, and the scale and offset that undo them. In evaluation the
network answers as the exported one does (checked: 1e-4 of the answer's size), and in training its statistics are true ones.
"""
import json
import os
import sys
import onnx
import torch
from onnx import numpy_helper
from torch import nn
import common
from detector_data import DetectorData
from nets import PlateDetector
from pool import HERE

WORK = os.environ.get("PLATES_WORK", HERE + "/work")
CLOSE = 1e-4


def kernels(path):
    """(kernel, offset) of every convolution in the order in which they run."""
    graph = onnx.load(path).graph
    held = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    return [(held[n.input[1]], held[n.input[2]]) for n in graph.node if n.op_type == "Conv"]


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
        net.eval().maps(torch.zeros(1, 3, 64, 64))
    for h in hooks:
        h.remove()
    return [(c, after.get(c)) for c in found]


@torch.no_grad()
def fill(net, path):
    """The kernels of the exported network, and batch norms that only add its offsets."""
    layers, given = order_of_use(net), kernels(path)
    if [tuple(c.weight.shape) for c, _ in layers] != [k.shape for k, _ in given]:
        raise SystemExit(f"{path} is another network than nets.PlateDetector")
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
        net.maps(torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255)
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


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(HERE) + "/plate-detector.onnx"
    net = PlateDetector()
    layers = fill(net, path)
    probe = torch.rand(1, 3, 288, 512, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        folded = net.eval()(probe)
    data = DetectorData(5)
    with_statistics(net, layers, (data.batch(12, *shape)[0] for shape in ((160, 288), (192, 256), (288, 352)) * 8))
    with torch.no_grad():
        again = net.eval()(probe)
    off = ((again - folded).abs() / (1 + folded.abs())).max().item()
    print(f"{len(layers)} convolutions; largest relative difference after the statistics: {off:.1e}")
    if off > CLOSE:
        raise SystemExit("the statistics changed what the network answers")
    os.makedirs(WORK, exist_ok=True)
    common.save(WORK + "/detector.pt", net=net.state_dict(), ema=net.state_dict(), seen=samples_seen(path))


def samples_seen(path):
    """Windows that the exported network was trained on, as the manifest beside it says."""
    with open(os.path.join(os.path.dirname(path), "manifest.json"), encoding="utf8") as f:
        return next((m["samplesSeen"] for m in json.load(f)["models"] if m["file"] == os.path.basename(path)), 0)


if __name__ == "__main__":
    main()
