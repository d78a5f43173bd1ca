# JAX's allocator takes its memory from the driver: an array of 256 MiB is in a block of the
# device. Runs on a GPU alone (utils/check --gpu).
#
# REQUIRES: jax-cuda
# RUN: %cuda env XLA_PYTHON_CLIENT_PREALLOCATE=false memrec -o %t.fb -- %python %s
# RUN: memdump --check %t.fb
# RUN: memdump --summary --format=json %t.fb | %python -c "import json, sys; s = json.load(sys.stdin); print([d['peak_bytes'] >= 256 << 20 for d in s['spaces'] if d['name'] == 'cuda:0'], s['events']['lost'])" | FileCheck %s
# CHECK: [True] 0
import jax.numpy

jax.numpy.ones((64, 1024, 1024), jax.numpy.float32).block_until_ready()
