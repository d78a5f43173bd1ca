# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program that the job runs: which stacks a pipeline stage has, and the blocks of each.

A stack's blocks are of two kinds. Kept blocks live at the end of each step. The blocks of a
step are allocated and freed within the step; those of some stacks live at the heap's peak."""

import random
from dataclasses import dataclass, field

MIB = 1 << 20
GIB = 1 << 30
DEVICE_BYTES = 85520809984  # of an H100 with 80 GB
LAYERS_OF_STAGE = 4
# A stage keeps activations of this many microbatches at most.
MAX_IN_FLIGHT = 4

LEAK = "log_metrics@train.py:31"
EXPERTS = "expert_mlp@model.py:142"
SCORES = "attention_scores@model.py:88"
COLLATE = "collate@data.py:57"

# The lines that a reader sees beside the numbers.
SOURCE = {
    ("train.py", 31): "history.append(metrics)",
    ("model.py", 142): "hidden = torch.bmm(tokens, self.up)",
    ("model.py", 88): "scores = torch.matmul(query, key.transpose(-2, -1))",
    ("data.py", 57): "return torch.stack(rows)",
}

MODULE = "_call_impl@torch/nn/modules/module.py:1751"
MAIN = "<module>@train.py:88 > main@train.py:71"
STEP = f"{MAIN} > train_step@train.py:44"
FORWARD = f"{STEP} > forward@model.py:201 > {MODULE}"
LAYER = f"{FORWARD} > forward@model.py:170 > {MODULE}"
BACKWARD = f"{STEP} > backward@torch/_tensor.py:648"
ALLOCATE = "libtorch_cuda.so!c10::cuda::CUDACachingAllocator::malloc@CUDACachingAllocator.cpp:4026"


# The ids of the heaps.
HOST, DEVICE = 1, 2

# Of the many small stacks that a recording has beside those of the model.
FILES = [
    "torch/_inductor/runtime.py",
    "torch/nn/functional.py",
    "megatron/core/utils.py",
    "torch/autograd/function.py",
    "torch/distributed/tensor.py",
    "json/decoder.py",
]


@dataclass
class Site:
    """What a stack allocates for one layer and one purpose."""

    stack: str
    heap: int
    kept: int = 0  # blocks
    kept_bytes: int = 0
    made: int = 0  # blocks in a step
    made_bytes: int = 0
    once: int = 0  # blocks in one step only, that of the peak
    once_bytes: int = 0
    less_bytes: int = 0  # what kept blocks lack at the end
    at_peak: bool = True  # whether the blocks of a step live at the heap's peak
    layer: str = ""
    category: str = ""

    @property
    def peak(self):
        return self.kept + self.once + (self.made if self.at_peak else 0)

    @property
    def peak_bytes(self):
        return self.kept_bytes + self.once_bytes + (self.made_bytes if self.at_peak else 0)


@dataclass
class Stage:
    """The program of one pipeline stage. Only the values of the first stacks, `varied`,
    differ between ranks; `fixed` are most of a large trace."""

    number: int
    layers: list
    varied: list = field(default_factory=list)
    fixed: list = field(default_factory=list)

    @property
    def peak_bytes(self):
        """Of the device, in a rank without noise and faults."""
        return sum(s.peak_bytes for s in [*self.varied, *self.fixed] if s.heap == DEVICE)


def blocks_of(total, count):
    """Bytes of `count` equal blocks with about `total` bytes, as PyTorch rounds them."""
    return max(512, total // count // 512 * 512) * count


def device(stack, layer="", category="", **blocks):
    for name in ("kept", "made"):
        if count := blocks.get(name):
            blocks[name + "_bytes"] = blocks_of(blocks[name + "_bytes"], count)
    return Site(f"{stack} > {ALLOCATE}", DEVICE, layer=layer, category=category, **blocks)


def layer_sites(name, in_flight):
    """One transformer layer with experts."""
    attention, experts = name + ".attention", name + ".mlp.experts"
    setup = f"{MAIN} > build_model@model.py:260 > __init__@model.py:"
    yield device(setup + "61", attention, "parameter", kept=4, kept_bytes=300 * MIB)
    yield device(setup + "120", experts, "parameter", kept=16, kept_bytes=700 * MIB)
    yield device(setup + "64", attention, "gradient", kept=4, kept_bytes=300 * MIB)
    yield device(setup + "123", experts, "gradient", kept=16, kept_bytes=700 * MIB)
    optimizer = f"{STEP} > step@torch/optim/optimizer.py:517 > _init_group@torch/optim/adamw.py:"
    yield device(optimizer + "95", attention, "optimizer-state", kept=8, kept_bytes=600 * MIB)
    yield device(optimizer + "99", experts, "optimizer-state", kept=32, kept_bytes=1400 * MIB)
    saved = {"made": 2 * in_flight, "made_bytes": 0}
    for line, part, bytes_of_batch in (
        ("qkv@model.py:80", attention, 260),
        (SCORES, attention, 180),
        ("project@model.py:97", attention, 130),
        ("norm@model.py:167", name, 90),
        ("route@model.py:131", experts, 40),
        (EXPERTS, experts, 420),
        ("combine@model.py:150", experts, 150),
    ):
        saved["made_bytes"] = bytes_of_batch * MIB * in_flight
        yield device(f"{LAYER} > {line}", part, "activation", **saved)
    yield device(BACKWARD, experts, "temporary", made=24, made_bytes=700 * MIB, at_peak=False)
    yield device(BACKWARD, attention, "temporary", made=24, made_bytes=300 * MIB)


def end_sites(stage, stages):
    """What only the first and the last stage have, and what all have beside layers."""
    setup = f"{MAIN} > build_model@model.py:"
    if stage == 0:
        yield device(setup + "244", "embedding", "parameter", kept=1, kept_bytes=1400 * MIB)
        yield device(setup + "247", "embedding", "optimizer-state", kept=2, kept_bytes=2800 * MIB)
        embed = f"{FORWARD} > embed@model.py:30"
        yield device(embed, "embedding", "activation", made=4, made_bytes=480 * MIB)
    if stage == stages - 1:
        yield device(setup + "251", "head", "parameter", kept=1, kept_bytes=1400 * MIB)
        yield device(setup + "254", "head", "optimizer-state", kept=2, kept_bytes=2800 * MIB)
        logits = f"{FORWARD} > logits@model.py:215"
        yield device(logits, "head", "activation", made=2, made_bytes=5 * GIB)
        yield device(f"{STEP} > loss@train.py:38", "", "activation", made=2, made_bytes=2 * GIB)
    yield device(f"{STEP} > {LEAK}", "", "activation", made=1, made_bytes=512, at_peak=False)
    reduce = f"{STEP} > all_reduce@torch/distributed/distributed_c10d.py:2810"
    yield device(reduce, "", "temporary", made=8, made_bytes=400 * MIB)


def host_sites():
    load = f"{STEP} > next@data.py:22 > __next__@torch/utils/data/dataloader.py:734"
    batch = 96 * MIB
    yield Site(f"{load} > {COLLATE} > malloc", HOST, 8, batch, made=8, made_bytes=batch)
    yield Site(f"{MAIN} > read_index@data.py:12 > malloc", HOST, 300, 1200 * MIB)


def filler_sites(count, layers, seed):
    """Small blocks of libraries: few bytes, and most of the stacks of a real recording."""
    rng = random.Random(seed)
    roots = [STEP, FORWARD, BACKWARD, MAIN, LAYER]
    for number in range(count):
        inner = [filler_frame(rng) for _ in range(rng.randrange(1, 7))]
        leaf = f"helper_{number}@{rng.choice(FILES)}:{number % 5000 + 1}"
        yield filler_site(" > ".join([rng.choice(roots), *inner, leaf]), rng, layers)


def filler_frame(rng):
    return f"part_{rng.randrange(500)}@{rng.choice(FILES)}:{rng.randrange(20, 2000)}"


def filler_site(stack, rng, layers):
    kept, made = rng.randrange(9), rng.randrange(1, 400)
    size = rng.randrange(1, 1 << rng.randrange(4, 15))
    if rng.random() < 0.7:
        blocks = {"kept": kept, "kept_bytes": kept * size, "made": made, "made_bytes": made * size}
        return Site(stack + " > malloc", HOST, at_peak=rng.random() < 0.4, **blocks)
    unit = 512 * (size // 512 + 1)
    blocks = {"kept": kept, "kept_bytes": kept * unit, "made": made, "made_bytes": made * unit}
    return device(stack, rng.choice(layers), "temporary", at_peak=rng.random() < 0.4, **blocks)


def own_stack(number):
    """A stack that only some ranks have."""
    return f"{MAIN} > retry_{number}@torch/distributed/elastic/rendezvous.py:{300 + number} > malloc"


def stage_layers(stage, stages):
    """The numbers of the layers. The first and the last stage have one less."""
    counts = [LAYERS_OF_STAGE] * stages
    counts[0] -= 1
    counts[-1] -= 1
    first = sum(counts[:stage])
    return range(first, first + max(1, counts[stage]))


def make_stage(stage, stages, stacks, seed):
    in_flight = min(stages - stage, MAX_IN_FLIGHT)
    layers = [f"model.layers.{n}" for n in stage_layers(stage, stages)]
    out = Stage(stage, layers)
    for site in host_sites():
        out.varied.append(site)
    for site in end_sites(stage, stages):
        out.varied.append(site)
    for name in layers:
        out.varied.extend(layer_sites(name, in_flight))
    names = [f"{name}.{part}" for name in layers for part in ("attention", "mlp.experts")]
    fill = max(0, stacks - len(out.varied))
    out.fixed = sorted(filler_sites(fill, names, f"{seed} {stage}"), key=lambda s: s.heap)
    return out
