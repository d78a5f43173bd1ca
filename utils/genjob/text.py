# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of a trace in the text form that memas reads, shared by the ranks of a stage."""

from dataclasses import dataclass

from program import DEVICE, HOST, MIB
from sums import Sums

# The process that loads data, beside the process that trains.
LOADER = Sums(4210, 611 * MIB, 880, 72 * MIB, 118 * MIB, 1210, 118 * MIB)
LOADER_STACK = (
    "<module>@train.py:88 > _worker_loop@torch/utils/data/_utils/worker.py:351"
    " > read_rows@data.py:40 > malloc"
)


def quoted(values):
    return "[" + " ".join(f'"{v}"' for v in values) + "]"


def row_values(sums):
    """The values of a row of a summary."""
    return (
        f"allocations={sums.allocations} allocated-bytes={sums.allocated}"
        f" live-blocks={sums.live} live-bytes={sums.live_bytes}"
        f" live-exclusive={sums.live_bytes} peak-bytes={sums.own_peak}"
        f" heap-peak-blocks={sums.peak} heap-peak-bytes={sums.peak_bytes}"
        f" space-peak-blocks={sums.peak} space-peak-bytes={sums.peak_bytes}"
    )


def stack_row(ids, heap, stack, sums):
    return f"row stack={ids[stack]} heap={heap} {row_values(sums)}"


def interval_row(ids, heap, stack, blocks, size, allocations, allocated):
    return (
        f"row heap={heap} stack={ids[stack]} blocks={blocks} bytes={size}"
        f" allocations={allocations} allocated-bytes={allocated}"
    )


def define_stack(number, stack):
    return f"stack {number} " + " > ".join(f'"{frame}"' for frame in stack.split(" > "))


@dataclass
class StageText:
    """The text that ranks of one stage with equally many steps share."""

    stack_ids: dict
    scope_ids: dict  # by layer
    definitions: str
    rows: dict  # by heap, of the fixed stacks; they come after those of the varied
    kept: str  # rows of an interval: the fixed stacks with blocks before the first step


def number_stacks(stage):
    """Ids of stacks: first of those that vary, as their rows come first in each heap."""
    ids = {}
    for site in [*stage.varied, *stage.fixed]:
        ids.setdefault(site.stack, len(ids) + 1)
    ids[LOADER_STACK] = len(ids) + 1
    return ids


def make_stage_text(stage, fixed):
    """`fixed`: the table of the fixed sites."""
    ids = number_stacks(stage)
    layers = sorted({s.layer for s in [*stage.varied, *stage.fixed] if s.layer})
    scopes = {name: n for n, name in enumerate(layers, 1)}
    definitions = [define_stack(n, stack) for stack, n in ids.items()]
    definitions += [f'scope-path {n} "layer:{name}@4"' for name, n in scopes.items()]
    rows, kept = {HOST: [], DEVICE: []}, []
    for (heap, stack), sums in fixed.stacks.items():
        rows[heap].append(stack_row(ids, heap, stack, sums))
        if sums.live:
            live = sums.live, sums.live_bytes
            kept.append(interval_row(ids, heap, stack, *live, *live))
    joined = {heap: "\n".join(lines) for heap, lines in rows.items()}
    return StageText(ids, scopes, "\n".join(definitions), joined, "\n".join(kept))
