# profiled-shapes.py OUT SHAPE: trains as shapes.py does, under torch.profiler, and writes the inputs of each call
# that the profiler saw. SHAPE dtypes: tensors of many dtypes and dimensions; threads: in two threads.
import json
import os
import runpy
import sys
import tempfile
import threading

import memkit
import torch

memkit.stop()
out, shape = sys.argv[1:]


def dtypes():
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32,
                  torch.float64, torch.complex32, torch.complex64, torch.complex128, torch.bool, torch.bfloat16,
                  torch.float8_e5m2, torch.float8_e4m3fn, torch.uint16, torch.uint32, torch.uint64):
        torch.zeros(3, 2).to(dtype).clone()
    for sizes in ((), (0,), (1,) * 5, (1, 2, 1, 2, 1, 2), (1,) * 30, (3, 0, 2)):
        torch.ones(sizes).neg()
    a = torch.ones(4, 4)
    a[1:3].t().neg()
    a.requires_grad_().sum().backward()
    a.grad.neg()


def threads():
    def work():
        for i in range(50):
            (torch.ones(8, 8 + i) @ torch.ones(8 + i, 8)).relu_().sum()

    both = [threading.Thread(target=work) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()


torch.set_num_threads(1)
everywhere = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True,
                            experimental_config=everywhere) as profiler:
    memkit.start()
    if shape in globals():
        globals()[shape]()
    else:
        with tempfile.TemporaryDirectory() as folder:
            sys.argv = ["shapes.py", shape, "3", os.path.join(folder, "truth.json")]
            runpy.run_path(os.path.join(os.path.dirname(__file__), "shapes.py"), run_name="__main__")
    memkit.stop()
json.dump([[e.name(), e.dtypes(), e.shapes()] for e in profiler.profiler.kineto_results.events()], open(out, "w"))
