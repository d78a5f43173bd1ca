# A trace without layers says so, and what to do. Scopes have what was freed in them.
#
# REQUIRES: python
# RUN: memrec -q -o %t.fb -- %python %s
# RUN: memdump --layers %t.fb | FileCheck --check-prefix=LAYERS %s
# RUN: memstat --show=layers %t.fb 2>&1 | FileCheck --check-prefix=LAYERS %s
# RUN: memdump --scopes --format=json %t.fb | %python -c "import json, sys; print([s['freed_bytes'] >> 20 for s in json.load(sys.stdin)['scopes']])" | FileCheck --check-prefix=FREED %s
# LAYERS: no layers: no tensors of PyTorch or TensorFlow were recorded
# FREED: [20]
import memkit

old = bytearray(15 << 20)
with memkit.scope("work"):
    new = bytearray(5 << 20)
    del old, new
