# A program of JAX is planned by XLA: what is made of its numbers, on a stand-in for the compiled program.
#
# REQUIRES: python
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python %s | FileCheck %s
import os
from types import SimpleNamespace

import memkit

os.environ.pop("XLA_CLIENT_MEM_FRACTION", None)
MIB = 1 << 20


def program(devices=1, platform="gpu", **sizes):
    """As jax.stages.Compiled; sizes in MiB."""
    names = ("argument", "output", "alias", "temp")
    stats = SimpleNamespace(**{name + "_size_in_bytes": sizes.get(name, 0) * MIB for name in names})
    stats.peak_memory_in_bytes = sizes.get("peak", 0) * MIB
    executable = SimpleNamespace(
        local_devices=lambda: [SimpleNamespace(platform=platform)] * devices,
        hlo_modules=lambda: [SimpleNamespace(name="jit_step")],
    )
    methods = {"memory_analysis": lambda self: stats, "runtime_executable": lambda self: executable}
    return type("Compiled", (), {**methods, "__module__": "jax._src.stages"})()


def failing(call, kind):
    try:
        call()
    except kind as error:
        print(type(error).__name__, error)
    else:
        raise AssertionError("no error")


# XLA's peak leaves the temporary memory out on the CPU; an output in an argument counts once.
trained = program(argument=100, output=60, alias=50, temp=400, peak=110)
plan = memkit.predict(trained, device="1GiB")
print(plan)
#      CHECK: fits 1 GiB: a call of jit_step takes 510 MiB{{$}}
# CHECK-NEXT:   arguments  100 MiB
# CHECK-NEXT:   outputs     60 MiB, of which 50 MiB lie in arguments
# CHECK-NEXT:   temporary  400 MiB
# CHECK-NEXT:   not in it other arrays that live, calls that run ahead: 258 MiB are left for them
# CHECK-NEXT:   note      JAX takes at most 75 % of a GPU, here 768 MiB (XLA_CLIENT_MEM_FRACTION)
assert (plan.call_bytes, plan.left_bytes, plan.fits) == (510 * MIB, 258 * MIB, True)

print(repr(memkit.predict(trained, device=600 * MIB)))
# CHECK-NEXT: <memkit prediction: does not fit 600 MiB: 60 MiB short, a call of jit_step takes 510 MiB>
os.environ["XLA_CLIENT_MEM_FRACTION"] = "0.9"
print(repr(memkit.predict(trained, device=600 * MIB)))
# CHECK-NEXT: <memkit prediction: fits 600 MiB:
print(repr(memkit.predict(trained, device=600 * MIB, beside="100MiB")))
# CHECK-NEXT: <memkit prediction: does not fit 600 MiB less 100 MiB: 60 MiB short,
print(memkit.predict(program(platform="cpu", argument=8, peak=16, devices=4), device="80GiB"))
#      CHECK: fits 80 GiB by XLA's plan for the CPU: a call of jit_step takes 16 MiB on each of 4 devices
#      CHECK:   note      XLA plans other temporary memory for a GPU: where JAX has one, it compiles for it
plan = memkit.predict(trained, device="cpu")
assert plan.fits is None and plan.short_bytes == 0
print(plan.answer())
# CHECK-NEXT: JAX takes at most 90 %
# CHECK-NEXT: a call of jit_step takes 510 MiB{{$}}

failing(lambda: memkit.predict(trained, device="cuda:0"), memkit.RequestError)
# CHECK-NEXT: RequestError no device: 'cuda:0'; a device is a size ('80GiB', '24GB', bytes), or 'cpu'
failing(lambda: memkit.predict(trained, vary={"batch": [1, 2]}), memkit.RequestError)
# CHECK-NEXT: RequestError of a program of JAX there is one plan, XLA's: no vary, variants, path or masks
failing(lambda: memkit.predict(trained, beside="80GiB"), memkit.RequestError)
# CHECK-NEXT: RequestError beside='80GiB': no size ('1GiB', bytes) below that of the device, 80 GiB
