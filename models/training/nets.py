"""The two networks: PlateDetector and PlateReader.

Both use dense 3x3 convolutions, batch norm and ReLU only, because those are what
onnxruntime runs fastest on small ARM and x86 processors.
`export=True` forms decode everything inside the graph (see ../README.md).
"""
import math
import re
import torch
from torch import nn
import torch.nn.functional as F

SLOTS = 13  # characters of the longest text in the data
STEPS = 48
CLASSES = 37  # blank, 0-9, A-Z
READER_H, READER_W = 64, 192
STRIDES = (8, 16, 32)


def conv(cin: int, cout: int, k: int = 3, s: int = 1, act: bool = True) -> nn.Sequential:
    layers = [nn.Conv2d(cin, cout, k, s, k // 2, bias=False), nn.BatchNorm2d(cout)]
    if act:
        layers.append(nn.ReLU(inplace=True))
    return nn.Sequential(*layers)


class Block(nn.Module):
    """Residual 1x1 squeeze and dense 3x3."""

    def __init__(self, c, squeeze=2):
        super().__init__()
        self.a = conv(c, c // squeeze, 1)
        self.b = conv(c // squeeze, c, 3, act=False)

    def begin_as_identity(self) -> None:
        """Behind another block it changes nothing until it has learned something."""
        nn.init.zeros_(self.b[1].weight)

    def forward(self, x):
        return F.relu(x + self.b(self.a(x)))


class PlateDetector(nn.Module):
    """Anchor-free pyramid detector with box, four corners and a two-line flag per cell."""

    def __init__(self, head=48):
        super().__init__()
        self.s2 = conv(3, 16, 3, 2)
        self.s4 = nn.Sequential(conv(16, 32, 3, 2), Block(32))
        self.s8 = nn.Sequential(conv(32, 64, 3, 2), Block(64), Block(64))
        self.s16 = nn.Sequential(conv(64, 128, 3, 2), Block(128), Block(128))
        self.s32 = nn.Sequential(conv(128, 160, 3, 2), Block(160), Block(160))
        self.pool = nn.MaxPool2d(5, 1, 2)
        self.mix = conv(480, 64, 1)
        self.l16 = conv(128, 64, 1)
        self.f16 = conv(64, 64, 3)
        self.down = conv(64, head, 1)
        self.l8 = conv(64, head, 1)
        self.h32 = conv(64, head, 3)
        self.h16 = conv(64, head, 3)
        self.h8 = conv(head, head, 3)
        self.out = nn.ModuleList([nn.Conv2d(head, 14, 1) for _ in STRIDES])
        for o in self.out:
            nn.init.normal_(o.weight, std=0.01)
            nn.init.zeros_(o.bias)
            o.bias.data[0] = -5.0

    def maps(self, x):
        x = (x - 0.45) * 4.0
        x = self.s4(self.s2(x))
        p8 = self.s8(x)
        p16 = self.s16(p8)
        p32 = self.s32(p16)
        m = self.pool(p32)
        p32 = self.mix(torch.cat([p32, m, self.pool(m)], 1))
        p16 = self.f16(self.l16(p16) + F.interpolate(p32, scale_factor=2.0, mode="nearest"))
        p8 = self.l8(p8) + F.interpolate(self.down(p16), scale_factor=2.0, mode="nearest")
        feats = (self.h8(p8), self.h16(p16), self.h32(p32))
        return [o(f) for o, f in zip(self.out, feats)]

    @staticmethod
    def decode(m, stride):
        """Raw map [B,14,h,w] to [B,h*w,14] in input pixels."""
        b, _, h, w = m.shape
        ys = torch.arange(h, device=m.device, dtype=m.dtype)
        xs = torch.arange(w, device=m.device, dtype=m.dtype)
        gy = ((ys + 0.5) * stride).view(1, 1, h, 1).expand(1, 1, h, w)
        gx = ((xs + 0.5) * stride).view(1, 1, 1, w).expand(1, 1, h, w)
        score = torch.sigmoid(m[:, 0:1])
        cx = gx + m[:, 1:2] * stride
        cy = gy + m[:, 2:3] * stride
        bw = torch.exp(m[:, 3:4].clamp(-4, 4)) * (4 * stride)
        bh = torch.exp(m[:, 4:5].clamp(-4, 4)) * (2 * stride)
        sx = torch.tensor([-0.5, 0.5, 0.5, -0.5], device=m.device).view(1, 4, 1, 1)
        sy = torch.tensor([-0.5, -0.5, 0.5, 0.5], device=m.device).view(1, 4, 1, 1)
        px = cx + bw * (sx + m[:, 5:9])
        py = cy + bh * (sy + m[:, 9:13])
        corners = torch.stack([px, py], 2).reshape(b, 8, h, w)
        two = torch.sigmoid(m[:, 13:14])
        return torch.cat([score, cx, cy, bw, bh, corners, two], 1).flatten(2).transpose(1, 2)

    def forward(self, x):
        return torch.cat([self.decode(m, s) for m, s in zip(self.maps(x), STRIDES)], 1)


class Encoder(nn.Module):
    """One pre-norm attention layer; keys are 2x2 means of the cells, which quarters its cost."""

    def __init__(self, d, heads, ff, rows, cols):
        super().__init__()
        self.h, self.d, self.rows, self.cols = heads, d, rows, cols
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.kv = nn.Linear(d, d), nn.Linear(d, 2 * d)
        self.o = nn.Linear(d, d)
        self.f1, self.f2 = nn.Linear(d, ff), nn.Linear(ff, d)

    def forward(self, x):
        n, d = self.rows * self.cols, self.d  # plain numbers: of what x says the export makes sixty steps that the hub would go through for each plate
        y = self.n1(x)
        p = y.reshape(-1, self.rows // 2, 2, self.cols // 2, 2, d).mean((2, 4)).reshape(-1, n // 4, d)
        q = self.q(y).reshape(-1, n, self.h, d // self.h).transpose(1, 2)
        k, v = self.kv(p).reshape(-1, n // 4, 2, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        a = torch.softmax(q @ k.transpose(-1, -2) * (d // self.h) ** -0.5, -1)
        x = x + self.o((a @ v).transpose(1, 2).reshape(-1, n, d))
        return x + self.f2(F.relu(self.f1(self.n2(x))))


class PlateReader(nn.Module):
    """CNN to an 8x24 map, one self-attention layer, then each of two lines is gathered column by column with learned weights
    of the rows and read as a sequence of 48 steps (a character is a few steps, blanks part characters).

    Of rendered plates the class of every step is known, which is what lets it learn from few samples; of photographs only
    the text is, and the connectionist temporal loss does the rest.
    """

    def __init__(self, d=104, c1=16, c2=40, ff=208, layers=1, blocks=2):
        super().__init__()
        self.rows, self.cols, self.d = READER_H // 8, READER_W // 8, d
        self.cnn = nn.Sequential(
            conv(1, c1, 3, 2), conv(c1, c2, 3, 2), Block(c2, 1), conv(c2, d, 3, 2),
            *[Block(d, 1) for _ in range(blocks)])
        self.pos = nn.Parameter(torch.randn(1, self.rows * self.cols, d) * 0.02)
        self.enc = nn.ModuleList([Encoder(d, 4, ff, self.rows, self.cols) for _ in range(layers)])
        self.norm = nn.LayerNorm(d)
        self.two = nn.Linear(d, 1)
        self.row = nn.Linear(2 * d, 2)
        self.cell = nn.Linear(2 * d, d)
        self.line = nn.Parameter(torch.randn(1, 2, d, 1) * 0.02)
        self.step = nn.Sequential(nn.Conv1d(d, d, 3, 1, 1), nn.ReLU(inplace=True), nn.Conv1d(d, 2 * CLASSES, 1))

    def blocks(self) -> list[Block]:
        return list(self.cnn)[4:]

    def raw(self, x):
        """Logits of the steps [B,2,48,37], two-line logit [B,1], log-weights of the rows [B,8,24,2]."""
        m = x.mean((2, 3), keepdim=True)
        x = x - m
        x = x / ((x * x).mean((2, 3), keepdim=True).sqrt() + 0.03)
        f = self.cnn(x).reshape(-1, self.d, self.rows * self.cols).transpose(1, 2)
        t = f + self.pos
        for e in self.enc:
            t = e(t)
        t = self.norm(t)
        logits, rows = self.steps(torch.cat([f, t], 2))
        return logits, self.two(t.mean(1)), rows

    def steps(self, u):
        """Logits [B,2,48,37] of both lines from left to right, and the rows they look at, [B,8,24,2] (log)."""
        rows = torch.log_softmax(self.row(u).reshape(-1, self.rows, self.cols, 2), 1)
        v = F.relu(self.cell(u)).reshape(-1, self.rows, self.cols, self.d)
        lines = [(v * rows[..., i:i + 1].exp()).sum(1).transpose(1, 2) for i in (0, 1)]
        z = (torch.stack(lines, 1) + self.line).reshape(-1, self.d, self.cols)
        o = self.step(z).reshape(-1, 2, 2, CLASSES, self.cols)
        return o.permute(0, 1, 4, 2, 3).reshape(-1, 2, 2 * self.cols, CLASSES), rows

    def forward(self, x):
        steps, two, _ = self.raw(x)
        return torch.softmax(steps, -1), torch.sigmoid(two)


def blocks_of(state: dict) -> int:
    """How many blocks behind its last shrinking the reader of a checkpoint has."""
    return sum(bool(re.fullmatch(r"cnn\.\d+\.b\.0\.weight", name)) for name in state) - 1


def macs(net: nn.Module, *shape: int) -> int:
    """Multiply-accumulates of convolutions and linear layers for one input."""
    total = [0]

    def hook(m, i, o):
        if isinstance(m, nn.Conv2d):
            total[0] += o.numel() * m.weight[0].numel()
        elif isinstance(m, nn.Linear):
            total[0] += o.numel() * m.in_features

    hs = [m.register_forward_hook(hook) for m in net.modules()]
    with torch.no_grad():
        net.eval()(torch.zeros(1, *shape))
    for h in hs:
        h.remove()
    return total[0]
