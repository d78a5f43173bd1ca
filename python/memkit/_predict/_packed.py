# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed sequences (torch.nn.utils.rnn): sequences of different lengths, without the steps behind their ends.

Recurrent layers and the functions here read the numbers of sequences by step (``batch_sizes``) as memory, without an
operator, so these numbers are a real tensor in a plan, too. Piece by piece as in PyTorch (ATen/native/PackedSequence.cpp):
the steps in which the same sequences go on.
"""

import itertools
from typing import Any, List, Tuple

import torch
from torch.utils._mode_utils import no_dispatch

from ._arguments import values_in


def packed(of: Any, lengths: Any, batch_first: bool) -> Tuple[Any, Any]:
    """The steps of all sequences, and the numbers of sequences by step. of: sequences that are padded to one length,
    steps first or, with batch_first, sequences first. lengths: a real tensor, falling."""
    by_step = of.transpose(0, 1) if batch_first else of
    with no_dispatch():  # it checks the lengths, too
        grid = torch.empty(1, device="cpu").expand(by_step.shape[0], by_step.shape[1], 1)
        sizes = torch._pack_padded_sequence(grid, lengths, False)[1]
    pieces, begin = [], 0
    for size, steps in _runs_of(sizes):
        piece = by_step.narrow(0, begin, steps).narrow(1, 0, size)
        pieces.append(piece.contiguous().view(steps * size, *of.shape[2:]))
        begin += steps
    return torch.cat(pieces), sizes


def padded(data: Any, sizes: Any, batch_first: bool, value: float, total_length: int) -> Tuple[Any, Any]:
    """As torch._VF._pad_packed_sequence(): what packed() was given, and the lengths."""
    runs = _runs_of(sizes)
    steps = sum(steps for _, steps in runs)
    if 0 < total_length < steps:
        raise RuntimeError(f"total_length={total_length} is less than the {steps} steps of the longest sequence")
    result = data.new_full((max(steps, total_length), runs[0][0], *data.shape[1:]), value)
    step = begin = 0
    lengths: List[int] = []
    for (size, steps), (after, _) in zip(runs, [*runs[1:], (0, 0)]):
        part = data.narrow(0, begin, size * steps).view(steps, size, *data.shape[1:])
        result.narrow(0, step, steps).narrow(1, 0, size).copy_(part)
        begin += size * steps
        step += steps
        lengths = [step] * (size - after) + lengths
    return result.transpose(0, 1) if batch_first else result, torch.tensor(lengths, device="cpu")


def _runs_of(sizes: Any) -> List[Tuple[int, int]]:
    """Numbers of sequences, and for how many steps they go on."""
    with no_dispatch():
        values: List[int] = values_in(sizes).tolist()
    return [(size, len(list(run))) for size, run in itertools.groupby(values)]
