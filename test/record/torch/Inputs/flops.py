# flops.py MODEL OUT: trains a model for STEPS steps, and writes what PyTorch's own counter counts of
# one step, in all and in the forward pass of each layer.
import json
import sys

import memkit
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count

STEPS = 3
torch.set_num_threads(1)
torch.manual_seed(1)
aten = torch.ops.aten
# Attention on the CPU, which the counter leaves out.
CPU = {aten._scaled_dot_product_flash_attention_for_cpu: lambda q, k, v, *_, **__: sdpa_flop_count(q, k, v),
       aten._scaled_dot_product_flash_attention_for_cpu_backward:
           lambda g, q, k, v, *_, **__: sdpa_backward_flop_count(g, q, k, v)}


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(32, 64), nn.Linear(64, 8, bias=False)

    def forward(self, x):
        y = self.second(F.relu(self.first(x)))
        return torch.baddbmm(y.unsqueeze(0), x.unsqueeze(0), self.first.weight[:8].T.unsqueeze(0))


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 16, (3, 5), stride=(2, 1)),
            nn.Conv2d(16, 16, 3, groups=4, padding="same"), nn.Conv2d(16, 8, 3, dilation=2, padding=1),
            nn.ConvTranspose2d(8, 4, 3, stride=2, output_padding=1, bias=False))
        self.line = nn.Conv1d(4, 6, 5, padding=2)
        self.back = nn.ConvTranspose1d(6, 2, 4)

    def forward(self, x):
        return self.back(self.line(self.features(x).flatten(2)))


class Block(nn.Module):
    def __init__(self, causal):
        super().__init__()
        self.causal = causal
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.norm, self.up, self.down = nn.LayerNorm(32), nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x):
        q, k, v = (t.view(*x.shape[:2], 4, 8).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(x)))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 32)
        self.blocks = nn.ModuleList([Block(False), Block(True)])
        self.encoder = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.head = nn.Linear(32, 50)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.encoder(x))


name, out = sys.argv[1:]
model = {"Mlp": Mlp, "Cnn": Cnn, "Transformer": Transformer}[name]()
x = torch.randint(0, 50, (4, 12)) if name == "Transformer" else torch.randn(*{"Mlp": (16, 32), "Cnn": (4, 3, 14, 15)}[name])
optimizer = torch.optim.SGD(model.parameters(), 0.01)


def forward():
    return model(x).square().mean()


def step():
    forward().backward()
    optimizer.step()
    optimizer.zero_grad()


memkit.trace(model)
memkit.stop()
with FlopCounterMode(display=False, custom_mapping=CPU) as all_of:
    step()
with FlopCounterMode(display=False, custom_mapping=CPU) as forward_of:
    forward()
root = type(model).__name__
layers = {path.removeprefix(root + ".") : sum(of.values()) * STEPS for path, of in forward_of.get_flop_counts().items() if path != "Global"}
json.dump({"all": all_of.get_total_flops() * STEPS, "forward": forward_of.get_total_flops() * STEPS, "layers": layers}, open(out, "w"))
memkit.start()
for _ in range(STEPS):
    step()
memkit.stop()
