# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small transformer to continue a text, and leaks while it does.

The mistake is a common one, made of two harmless halves. Validation runs with
gradients on, so its loss holds the graph of its whole forward pass, with every
activation. And the loss goes as it is to a logger, which writes in batches of
1,000 from a thread of its own. Until then nothing is ever freed; a shorter run
never gets there. `loss.item()` would hand over a number. Run it recorded:

    memrec -- python train_leak.py
    memleak trace.fb

With --fixed the mistake is mended, so that the two runs can be compared:

    memrec -o fixed.fb -- python train_leak.py --fixed
    memdiff trace.fb fixed.fb
"""

import argparse
import queue
import threading

import torch
from torch import nn

TEXT = (
    "the library at the edge of the town was open every night and nobody knew who paid for the "
    "light. people came in from the rain, read a page or two, and left a coin in the jar. "
) * 40


class Block(nn.Module):
    """Attention and a feed-forward part, each added to what came in."""

    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, mask):
        normed = self.norm1(x)
        x = x + self.attention(normed, normed, normed, attn_mask=mask, need_weights=False)[0]
        return x + self.feed(self.norm2(x))


class TextModel(nn.Module):
    """Predicts the next character from those before it."""

    def __init__(self, characters, length, width=64, heads=4, depth=2):
        super().__init__()
        self.characters = nn.Embedding(characters, width)
        self.positions = nn.Parameter(torch.zeros(length, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.head = nn.Linear(width, characters)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(length))

    def forward(self, x):
        x = self.characters(x) + self.positions
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(x)


def sample(data, batch, length):
    """Random pieces of the text, and the same pieces one character on."""
    starts = torch.randint(len(data) - length - 1, (batch,))
    pieces = torch.stack([data[start : start + length + 1] for start in starts])
    return pieces[:, :-1], pieces[:, 1:]


class MetricLogger:
    """Writes metrics from a thread of its own, many at once, to spare the disk."""

    def __init__(self, path, batch=1000):
        self.path = path
        self.batch = batch
        self.queue = queue.Queue()
        threading.Thread(target=self.run, name="metrics", daemon=True).start()

    def log(self, number, value):
        self.queue.put((number, value))

    def run(self):
        pending = []
        while True:
            pending.append(self.queue.get())
            if len(pending) == self.batch:
                with open(self.path, "a", encoding="ascii") as file:
                    file.writelines(f"{number} {float(value)}\n" for number, value in pending)
                pending.clear()


def loss_of(model, data, batch, length):
    inputs, targets = sample(data, batch, length)
    return nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


def step(model, optimizer, data, batch, length):
    optimizer.zero_grad()
    loss = loss_of(model, data, batch, length)
    loss.backward()
    optimizer.step()
    return loss.item()


def validate(model, data, batch, length):
    # The leak begins here: without torch.no_grad() the loss holds its graph.
    return loss_of(model, data, batch, length)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--length", type=int, default=64, help="characters that the model sees")
    parser.add_argument("--metrics", default="/dev/null", help="file for the validation's losses")
    parser.add_argument("--fixed", action="store_true", help="without the leak")
    options = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    alphabet = sorted(set(TEXT))
    data = torch.tensor([alphabet.index(character) for character in TEXT])
    held_out, data = data[:1000], data[1000:]
    model = TextModel(len(alphabet), options.length)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    metrics = MetricLogger(options.metrics)

    for number in range(1, options.steps + 1):
        loss = step(model, optimizer, data, options.batch, options.length)
        validation = validate(model, held_out, 2, options.length)
        # ... and ends here: the logger keeps what it is given.
        metrics.log(number, validation.item() if options.fixed else validation)
        if number % 20 == 0:
            print(f"step {number}: loss {loss:.3f}, validation {validation.item():.3f}")


if __name__ == "__main__":
    main()
