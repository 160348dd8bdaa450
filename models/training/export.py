"""Writes ../plate-detector.onnx and ../plate-reader.onnx from the averaged weights, and ../manifest.json.

python3 export.py [--only detector|reader] [--metrics metrics.json]. With --only, the other network and what the manifest says of it stay.
"""
import argparse
import hashlib
import json
import os
import time
import onnx
import torch
from nets import READER_H, READER_W, STRIDES, PlateDetector, PlateReader, blocks_of, macs
from pool import HERE, WORK

OUT = os.environ.get("PLATES_MODELS", os.path.dirname(HERE))
THRESHOLD = 0.45


def load(kind: str) -> tuple[torch.nn.Module, int]:
    s = torch.load(f"{WORK}/{kind}.pt", map_location="cpu")
    net = PlateDetector() if kind == "detector" else PlateReader(blocks=blocks_of(s["ema"]))
    net.load_state_dict(s["ema"])
    return net.eval(), s["seen"]


def cut(path: str) -> None:
    """Leaves the decoding of an exported detector to the hub, which does it for the few cells above the threshold, and the scaling of the input too."""
    graph = onnx.load(path).graph
    first = next(n for n in graph.node if n.op_type == "Conv")
    heads = [f"/out.{i}/Conv_output_0" for i in range(len(STRIDES))]
    whole = onnx.shape_inference.infer_shapes(onnx.load(path))
    part = onnx.utils.Extractor(whole).extract_model([first.input[0]], heads)
    names = {first.input[0]: "image", **{h: f"stride{s}" for h, s in zip(heads, STRIDES)}}
    for n in part.graph.node:
        n.input[:] = [names.get(v, v) for v in n.input]
        n.output[:] = [names.get(v, v) for v in n.output]
    del part.graph.input[:], part.graph.output[:], part.graph.value_info[:]
    value = lambda name, *shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    part.graph.input.append(value("image", 1, 3, "H", "W"))
    part.graph.output.extend(value(f"stride{s}", 1, 14, f"H/{s}", f"W/{s}") for s in STRIDES)
    part.graph.doc_string, part.doc_string = "", ""
    onnx.checker.check_model(part)
    onnx.save(part, path)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--metrics")
    ap.add_argument("--only", choices=("detector", "reader"))
    ap.add_argument("--version", default=time.strftime("%Y.%m.%d.%H%M", time.gmtime()))
    a = ap.parse_args()
    torch.set_num_threads(1)
    known = json.load(open(f"{OUT}/manifest.json")) if os.path.exists(f"{OUT}/manifest.json") else {"models": [], "metrics": {}}
    metrics = json.load(open(a.metrics)) if a.metrics else known["metrics"]
    models = []
    for kind in ("detector", "reader"):
        if a.only not in (None, kind):
            models += [m for m in known["models"] if m["file"] == f"plate-{kind}.onnx"]
            continue
        net, seen = load(kind)
        path = f"{OUT}/plate-{kind}.onnx"
        if kind == "detector":
            torch.onnx.export(net, torch.zeros(1, 3, 288, 512), path, opset_version=13, input_names=["image"],
                              output_names=["plates"], dynamic_axes={"image": {2: "H", 3: "W"}, "plates": {1: "N"}})
            cut(path)
            extra = {"input": "image", "inputHeight": 288, "inputWidth": 512, "scoreThreshold": THRESHOLD,
                     "megaMacs": round(macs(net, 3, 288, 512) / 1e6)}
        else:
            torch.onnx.export(net, torch.rand(2, 1, READER_H, READER_W), path, opset_version=13, input_names=["plate"],
                              output_names=["steps", "two_line"],
                              dynamic_axes={"plate": {0: "B"}, "steps": {0: "B"}, "two_line": {0: "B"}})
            extra = {"input": "plate", "inputHeight": READER_H, "inputWidth": READER_W,
                     "megaMacs": round(macs(net, 1, READER_H, READER_W) / 1e6)}
        blob = open(path, "rb").read()
        models.append({"file": os.path.basename(path), "version": a.version, "sha256": hashlib.sha256(blob).hexdigest(),
                       "bytes": len(blob), "trained": time.strftime("%Y-%m-%d", time.gmtime()), "samplesSeen": seen,
                       "parameters": sum(p.numel() for p in net.parameters()), "precision": "fp32", **extra})
    models += [m for m in known["models"] if m["file"] not in ("plate-detector.onnx", "plate-reader.onnx")]
    with open(f"{OUT}/manifest.json", "w") as f:
        json.dump({"models": models, "metrics": metrics}, f, indent=2)
        f.write("\n")
    print(json.dumps(models, indent=1))


if __name__ == "__main__":
    main()
