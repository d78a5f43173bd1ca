# XLA's plan of a program of JAX, as memkit.predict tells it, and as much in a recorded call. A step that runs JAX in
# the fork of a plan would wait for ever: it is told what to ask instead. A step of PyTorch is planned beside JAX.
#
# REQUIRES: python, jax, torch
# RUN: %{jax} memrec -q -o %t.fb --force -- %python %s | FileCheck %s
import functools

import jax
import jax.numpy as jnp
import memkit
import torch


def loss(params, x):
    for w in params:
        x = jnp.tanh(x @ w)
    return x.sum()


@jax.jit
def step(params, x):
    return [w - 0.01 * d for w, d in zip(params, jax.grad(loss)(params, x))]


params = [jnp.ones((300, 300)) for _ in range(10)]
x = jnp.ones((5000, 300))
plans = [memkit.predict(one, device="2GiB") for one in (step.lower(params, x), functools.partial(step, params, x))]
print(plans[0])
#      CHECK: fits 2 GiB by XLA's plan for the CPU: a call of jit_step takes
# CHECK-NEXT: arguments 9.16 MiB
# CHECK-NEXT: outputs   3.43 MiB
assert plans[0].call_bytes == plans[1].call_bytes
shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), (params, x))
assert memkit.predict(step.lower(*shapes)).call_bytes == plans[0].call_bytes

compiled = step.lower(params, x).compile()
# Not after another call, whose temporary memory may leave later.
with memkit.scope("call") as call:
    jax.block_until_ready(compiled(params, x))
recorded = call.heaps["jax.cpu"]
# The arguments live before the call.
assert recorded.peak - recorded.before == plans[0].output_bytes + plans[0].temporary_bytes, (recorded, vars(plans[0]))

for wrong in (lambda: step(params, x), lambda: jnp.ones(3) + 1, step):
    try:
        memkit.predict(wrong)
    except memkit.Error as error:
        print(type(error).__name__, error)
# CHECK-COUNT-2: PredictionError JAX runs here, and XLA plans the memory of its programs: print(memkit.predict(step.lower(params, batch), device='80GiB'))
#         CHECK: RequestError a jitted function needs its arguments: memkit.predict(step.lower(params, batch))

model = torch.nn.Linear(64, 64)
plan = memkit.predict(lambda: model(torch.ones(8, 64)).sum().backward(), device="1GiB")
assert plan.fits, plan
