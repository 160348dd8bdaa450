"""Runs an ONNX graph with torch, so that a network of others can be trained on: its kernels and offsets are parameters, its steps stay as they are."""
import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper
from torch import nn


def pairs(pads):
    """Padding of both sides alike, as torch wants it."""
    up, left, down, right = pads or (0, 0, 0, 0)
    if (up, left) != (down, right):
        raise ValueError(f"padding {pads} differs between the sides")
    return up, left


def convolved(a, x, w, b=None):
    group = a.get("group", 1)
    if group == x.shape[1] and w.shape[2:] == (1, 1):  # each channel by itself: much faster so, backwards
        return x * w.reshape(1, -1, 1, 1) + (0 if b is None else b.reshape(1, -1, 1, 1))
    return F.conv2d(x, w, b, tuple(a.get("strides", (1, 1))), pairs(a.get("pads")), tuple(a.get("dilations", (1, 1))), group)


def hard_sigmoid(a, x):
    is_usual = abs(a["alpha"] - 1 / 6) < 1e-6 and a["beta"] == 0.5
    return F.hardsigmoid(x) if is_usual else (x * a["alpha"] + a["beta"]).clamp(0, 1)


def sliced(x, starts, ends, axes):
    for start, end, axis in zip(starts.tolist(), ends.tolist(), axes.tolist()):
        x = x.narrow(axis, start, min(end, x.shape[axis]) - start)
    return x


OPERATIONS = {
    "Conv": convolved,
    "Mul": lambda a, x, y: x * y,
    "Add": lambda a, x, y: x + y,
    "Sub": lambda a, x, y: x - y,
    "Div": lambda a, x, y: x / y,
    "Pow": lambda a, x, y: x ** y,
    "Sqrt": lambda a, x: x.sqrt(),
    "Relu": lambda a, x: F.relu(x),
    "Sigmoid": lambda a, x: torch.sigmoid(x),
    "HardSigmoid": hard_sigmoid,
    "MatMul": lambda a, x, y: x @ y,
    "ReduceMean": lambda a, x: x.mean(tuple(a["axes"]), keepdim=bool(a.get("keepdims", 1))),
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "AveragePool": lambda a, x: F.avg_pool2d(x, tuple(a["kernel_shape"]), tuple(a.get("strides", (1, 1))), pairs(a.get("pads"))),
    "Shape": lambda a, x: torch.tensor(x.shape),
    "Cast": lambda a, x: x.to({1: torch.float32, 6: torch.int32, 7: torch.int64}[a["to"]]),
    "Concat": lambda a, *xs: torch.cat(xs, a["axis"]),
    "Slice": lambda a, x, starts, ends, axes, steps=None: sliced(x, starts, ends, axes),
    "Reshape": lambda a, x, shape: x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(shape.tolist())]),
    "Transpose": lambda a, x: x.permute(*a["perm"]),
    "Squeeze": lambda a, x, axes: x.squeeze(int(axes)),
    "Flatten": lambda a, x: x.reshape(int(np.prod(x.shape[:a.get("axis", 1)])), -1),
    "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)),
}


class Graph(nn.Module):
    """The network of a file, up to a value in it."""

    def __init__(self, path: str, output: str) -> None:
        super().__init__()
        self.model = onnx.load(path)
        graph = self.model.graph
        self.output, self.source = output, graph.input[0].name
        self.learned, self.held = nn.ParameterDict(), {}
        self.names = {}
        for tensor in graph.initializer:
            value = torch.from_numpy(numpy_helper.to_array(tensor).copy())
            if value.dtype == torch.float32 and value.numel() > 1:
                self.names[tensor.name] = tensor.name.replace(".", "/")
                self.learned[self.names[tensor.name]] = nn.Parameter(value)
            else:
                self.held[tensor.name] = value
        self.steps, self.last = [], {}
        for node in graph.node:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            self.steps.append((OPERATIONS[node.op_type], attributes, list(node.input), node.output[0]))
            for name in node.input:
                self.last[name] = len(self.steps) - 1

    def learn_from(self, first: str) -> None:
        """Lets only the steps from the one that gives this value on learn; all with no name."""
        self.first = next((i for i, step in enumerate(self.steps) if step[3] == first), 0)
        later = {n for step in self.steps[self.first:] for n in step[2]}
        for name, parameter in self.names.items():
            self.learned[parameter].requires_grad_(name in later)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        values = {self.source: x, **self.held}
        for at, (operation, attributes, inputs, output) in enumerate(self.steps):
            values[output] = operation(attributes, *(self.learned[self.names[n]] if n in self.names else values[n] for n in inputs if n))
            if output == self.output:
                return values[output]
            for n in inputs:  # what no later step needs is let go
                if self.last.get(n) == at and n not in self.held and n not in self.names:
                    values.pop(n, None)
        raise ValueError(f"no step gives {self.output}")

    def save(self, path: str) -> None:
        """The same file with the parameters as they are now."""
        for tensor in self.model.graph.initializer:
            if tensor.name in self.names:
                tensor.CopyFrom(numpy_helper.from_array(self.learned[self.names[tensor.name]].detach().numpy(), tensor.name))
        onnx.save(self.model, path)
