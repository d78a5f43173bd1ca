# A plan of a script that takes long says on a terminal how far it is, a whole line each ten seconds.
#
# REQUIRES: python, torch
# RUN: env PYTHONPATH=%src_root/python %python %s | FileCheck %s --match-full-lines
# CHECK:      memkit predict: step 1, 2,560 operators in 10 s; 3 MiB at most so far
# CHECK-NEXT: memkit predict: step 2, 5,120 operators in 20 s; 4 MiB at most so far
# CHECK-NEXT: nobody looks on: None
import io
import sys
from types import SimpleNamespace

from memkit._predict._progress import Progress, progress_of

seconds = 0.0
plan = SimpleNamespace(step=1, peak=3 << 20)
said = io.StringIO()
progress = Progress(plan, said, lambda: seconds)
for _ in range(2 * 2560 + 100):
    seconds += 10 / 2560
    progress()
    if seconds > 15:
        plan.step, plan.peak = 2, 4 << 20
print(said.getvalue(), end="")
sys.__stderr__ = said
print("nobody looks on:", progress_of(plan))
