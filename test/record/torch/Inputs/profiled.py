# profiled.py OUT SHAPE STEPS TRUTH: trains as shapes.py does, under torch.profiler, and writes
# each call that the profiler saw. SHAPE threads: matrices in two threads.
import json
import os
import runpy
import sys
import threading

import memkit
import torch

memkit.stop()
out, sys.argv = sys.argv[1], sys.argv[1:]


def work():
    for _ in range(50):
        a = torch.randn(64, 64)
        (a @ a).relu_().sum()


def threads():
    torch.set_num_threads(1)
    both = [threading.Thread(target=work) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()


everywhere = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], experimental_config=everywhere) as profiler:
    memkit.start()
    if sys.argv[1] == "threads":
        threads()
    else:
        runpy.run_path(os.path.join(os.path.dirname(__file__), "shapes.py"), run_name="__main__")
    memkit.stop()
# Not events(), which joins an operator and its only child of the same name.
calls = [[e.name(), e.start_thread_id(), e.start_ns(), e.duration_ns()] for e in profiler.profiler.kineto_results.events()]
json.dump(calls, open(out, "w"))
