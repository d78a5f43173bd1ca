# The largest value that fits: values in any order, values that are no numbers, a device that the tensors fill.
#
# REQUIRES: python, torch
# RUN: rm -rf %t && mkdir %t && env TMPDIR=%t PYTHONPATH=%obj_root/share/memkit/python %python %s | FileCheck %s
# CHECK:      batch 2..20 fit 96 MiB; 30 needs {{.*}} MiB
# CHECK-NEXT: note      memory was assumed to rise with batch: [[#]] of 6 values were planned
# CHECK:      batch 2..8 fit 96 MiB: all that were asked for
# CHECK:      batch tiny, small, 4, 20 fit 96 MiB; 40 needs {{.*}} MiB
# CHECK:      batch: no value fits; 20: does not fit 4 MiB: {{.*}} short
# CHECK:      does not fit {{.*}} MiB: PyTorch's allocator needs all of it, and CUDA needs a part
# CHECK-NEXT: fits {{.*}} MiB: {{.*}} MiB reserved ({{.*}} MiB on a larger device) at the peak
import torch

import memkit

model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.Adam(model.parameters())


def step(batch):
    size = {"tiny": 1, "small": 2}.get(batch, batch) * 1000
    torch.nn.functional.cross_entropy(model(torch.randn(size, 64)), torch.randint(10, (size,))).backward()
    optimizer.step()
    optimizer.zero_grad()


def planned(values, device="96MiB", beside=0):
    return memkit.predict(step, device=device, beside=beside, vary={"batch": values}, steps=2)


falling = planned([40, 30, 20, 10, 5, 2])
print(falling)
assert falling.largest == 20 and falling.values == [40, 30, 20, 10, 5, 2] and falling.assumed
print(planned([8, 4, 2]).answer())
names = planned(["tiny", 40, "small", 4, 20])
print(names.answer())
assert not names.assumed and len(names.runs) == 5 and names.largest == 20
print(planned([40, 20], device="4MiB").answer())

# The least device that serves all requests: nothing is left for CUDA, so it fits where CUDA is elsewhere alone.
one = memkit.predict(lambda: step(20), device="1GiB")
low, high = one.peak_bytes, one.reserved_bytes
while high - low > 1 << 20:
    middle = (low + high) // 2
    low, high = (low, middle) if memkit.predict(lambda: step(20), device=middle, beside=0).fits else (middle, high)
full, aside = (memkit.predict(lambda: step(20), device=high, beside=beside) for beside in (None, 0))
print(full.answer(), aside.answer(), sep="\n")
assert not full.fits and full.short_bytes == 0 and aside.fits and high < aside.reserved_bytes
