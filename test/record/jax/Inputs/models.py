# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of JAX whose largest array, function and line are known: models.py NAME OUT.

Writes what it counts by hand: the bytes that the calls allocate, from XLA's plan of the program,
and the bytes of the arrays that live at the end.
"""

import json
import sys

import jax
import jax.numpy as jnp
import memkit
from jax import lax

CALLS = 5


def multiply(x):
    return jnp.tanh(x @ x)


def loss(w, x):
    return jnp.sum(jnp.tanh(x @ w) ** 2)


def roll(c, xs):
    return lax.scan(lambda c, x: (c @ c * 0.001 + x, c), c, xs)


def rows(x, y):
    return jax.vmap(lambda a, b: jnp.outer(a, b))(x, y)


MODELS = {
    "jit": (multiply, [(1100, 1100)], "jit_multiply", 1100 * 1100 * 4),
    "grad": (jax.grad(loss), [(900, 1200), (64, 900)], "jit_loss", 900 * 1200 * 4),
    "scan": (roll, [(200, 200), (30, 200, 200)], "jit_roll", 30 * 200 * 200 * 4),
    "vmap": (rows, [(40, 150), (40, 170)], "jit_rows", 40 * 150 * 170 * 4),
}
name, out = sys.argv[1:]
function, shapes, program, largest = MODELS[name]
arguments = [jnp.full(shape, 0.01) for shape in shapes]
compiled = jax.jit(function)
plan = compiled.lower(*arguments).compile().memory_analysis()
cost = compiled.lower(*arguments).compile().cost_analysis()
jax.block_until_ready(compiled(*arguments))
with memkit.scope("calls") as calls:
    for _ in range(CALLS):
        result = compiled(*arguments)  # the line
    jax.block_until_ready(result)
memkit.mark("end")
live = jax.live_arrays()
json.dump(
    {
        "program": program,
        "largest": largest,
        "line": "models.py:%d <module>" % (next(n for n, text in enumerate(open(__file__), 1) if "# the line" in text)),
        "allocated": CALLS * (plan.output_size_in_bytes + plan.temp_size_in_bytes),
        "measured": calls.heaps["jax.cpu"].allocated,
        "live": sum(array.nbytes for array in live),
        "live_measured": memkit.stats().heaps["jax.cpu"].after,
        "plan": {
            "argument_bytes": plan.argument_size_in_bytes,
            "output_bytes": plan.output_size_in_bytes,
            "aliased_bytes": plan.alias_size_in_bytes,
            "temporary_bytes": plan.temp_size_in_bytes,
            "peak_bytes": plan.peak_memory_in_bytes,
            "flops": int(cost["flops"]),
            "accessed_bytes": int(cost["bytes accessed"]),
        },
    },
    open(out, "w"),
)
