# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the ranks of a job are: in the parallel groups, and on the machines."""

import math
from dataclasses import dataclass


class ShapeError(Exception):
    """A shape that does not fit the number of ranks."""


@dataclass(frozen=True)
class Place:
    """The place of one rank."""

    rank: int
    tensor: int
    data: int
    stage: int
    expert: int
    node: int
    local: int


@dataclass(frozen=True)
class Shape:
    """Tensor, pipeline and data parallel ranks, with the ranks numbered as
    Megatron-LM does: tensor first, pipeline last. Experts divide the data ranks."""

    tp: int
    pp: int
    dp: int
    ep: int
    per_node: int

    @property
    def ranks(self):
        return self.tp * self.pp * self.dp

    @property
    def nodes(self):
        return -(-self.ranks // self.per_node)

    def place(self, rank):
        data = rank // self.tp % self.dp
        return Place(
            rank=rank,
            tensor=rank % self.tp,
            data=data,
            stage=rank // (self.tp * self.dp),
            expert=data % self.ep,
            node=rank // self.per_node,
            local=rank % self.per_node,
        )

    def ranks_of_stage(self, stage):
        size = self.tp * self.dp
        return range(stage * size, (stage + 1) * size)

    def ranks_of_node(self, node):
        return range(node * self.per_node, min(self.ranks, (node + 1) * self.per_node))


def default_shape(ranks, per_node):
    """Pairs of tensor parallel ranks and four stages, as far as the number allows."""
    tp = math.gcd(ranks, 2)
    pp = math.gcd(ranks // tp, 4)
    dp = ranks // (tp * pp)
    return Shape(tp, pp, dp, expert_ranks(dp), per_node)


def expert_ranks(dp):
    """The largest number of expert ranks, up to eight, that divides dp."""
    return max(n for n in range(1, 9) if dp % n == 0)


def parse_shape(text, ranks, per_node):
    """The shape of a text as tp=2,pp=4,ep=8; dp is what remains."""
    sizes = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in ("tp", "pp", "dp", "ep") or not value.isdigit() or int(value) < 1:
            raise ShapeError(f"{part!r} is not tp=N, pp=N, dp=N or ep=N")
        sizes[name] = int(value)
    tp, pp = sizes.get("tp", 1), sizes.get("pp", 1)
    dp = sizes.get("dp", max(1, ranks // (tp * pp)))
    if tp * pp * dp != ranks:
        raise ShapeError(f"tp={tp}, pp={pp}, dp={dp} are {tp * pp * dp} ranks, not {ranks}")
    ep = sizes.get("ep", expert_ranks(dp))
    if dp % ep:
        raise ShapeError(f"ep={ep} does not divide dp={dp}")
    return Shape(tp, pp, dp, ep, per_node)
