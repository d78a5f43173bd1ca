# JAX and PyTorch in one process, and a child of fork: each framework has its heap and its scopes,
# and both have their versions. What a pool's thread allocates is in the program's own scope, too.
#
# REQUIRES: python, jax, torch
# RUN: %{jax} memrec -q -o %t.fb --force -- %python -W ignore %s
# RUN: memstat --show=verdict,heaps,processes %t.fb | FileCheck %s
# CHECK: with PyTorch 2.{{.*}}, JAX 0.{{.*}}, NumPy {{.*}}, Python 3.
# CHECK-DAG: {{^}}  jax.cpu
# CHECK-DAG: {{^}}  torch.cpu
# CHECK: two-frameworks.py {{.*}} 0
# CHECK: two-frameworks.py (fork) {{.*}} 0
# RUN: memdump --heap=jax.cpu --format=csv --columns=kind,size,scope_path %t.fb | FileCheck %s --check-prefix=JAX
# JAX-COUNT-3: alloc,4000000,both/jit_layer
# JAX-NOT: alloc,4000000
# RUN: memdump --heap=torch.cpu --format=csv --columns=kind,size,scope_path %t.fb | FileCheck %s --check-prefix=TORCH
# TORCH: alloc,4000000,both/{{.*}}aten::
# TORCH-NOT: jit_
# RUN: memdump --check %t.fb

import os

import jax
import jax.numpy as jnp
import memkit
import torch


@jax.jit
def layer(x):
    return jnp.tanh(x @ x)


add = jax.jit(lambda v: v + 1)
small = add(jnp.zeros(5))
torch.ones(2)  # the first tensor only starts the observer
x = jax.block_until_ready(jnp.zeros((999, 1001))[:, :999])
x = jnp.pad(x, ((0, 1), (0, 1)))
with memkit.scope("both"):
    for _ in range(3):
        x = layer(x)
    torch.ones(1000, 1000)
    jax.block_until_ready(x)
pid = os.fork()
if pid == 0:
    # Of JAX, a child can only run what is compiled and needs no pool.
    add(small)
    torch.ones(10)
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
