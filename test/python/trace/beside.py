# Beside PyTorch and numba, which has an LLVM of its own, in one process, in either order; and a
# trace that is being written.
#
# REQUIRES: torch, numba
# RUN: memas --summarize %training -o %t.fb
# RUN: env PYTHONPATH="$PYTHONPATH":%numba %python %s %t.fb before
# RUN: env PYTHONPATH="$PYTHONPATH":%numba %python %s %t.fb after
import sys

import memkit

path, order = sys.argv[1:]
if order == "before":
    assert len(memkit.open(path).stacks()) == 9

import numba  # noqa: E402
import torch  # noqa: E402


@numba.njit
def total(n):
    s = 0
    for i in range(n):
        s += i
    return s


assert total(1000) == 499500
assert torch.ones(100, 100).mm(torch.ones(100, 100)).sum().item() == 1e6
t = memkit.open(path)
assert len(t.events()) == 55 and t.leaks()[0].line == "train.py:40 log"
assert total(2000) == 1999000
