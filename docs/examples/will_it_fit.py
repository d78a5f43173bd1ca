# A language model of 12 layers. Will a training step fit into the device that the command names?
import sys

import torch
import torch.nn.functional as F
from torch import nn

import memkit

WORDS, LENGTH, WIDTH = 50257, 1024, 1024


class Block(nn.Module):
    def __init__(self, heads=16):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(12)])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, x):
        h = self.blocks(self.tokens(x) + self.places.weight)
        return self.head(self.norm(h))


model = Model()
optimizer = torch.optim.AdamW(model.parameters())


def step(batch=4):
    text = torch.randint(WORDS, (batch, LENGTH + 1))
    logits = model(text[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


if __name__ == "__main__":
    vary = {"batch": range(1, 65)} if sys.argv[2:] == ["vary"] else None
    variants = sys.argv[2:] == ["variants"]
    path = "plan.fb" if vary is None else None
    print(memkit.predict(step, device=sys.argv[1], vary=vary, path=path, variants=variants))
