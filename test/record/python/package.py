# A program that is recorded finds the package memkit though nothing has installed it;
# one that is installed goes before it; nothing else of the interpreter is other.
#
# REQUIRES: python
# RUN: memrec -q -o %t.fb -- %python %s | FileCheck %s
# RUN: memrec -q -o %t.fb -- %python -I -S %s | FileCheck %s
# RUN: rm -rf %t.site && mkdir -p %t.site/memkit && echo 'mine = True' > %t.site/memkit/__init__.py
# RUN: env PYTHONPATH=%t.site memrec -q -o %t.fb -- %python -c 'import memkit; print("mine", memkit.mine)' | FileCheck %s --check-prefix=MINE
# RUN: not %python -I -S %s 2>&1 | FileCheck %s --check-prefix=ALONE
# CHECK: found True recording True
# CHECK-NEXT: names ['before', 'memkit', 'os', 'sys']
# CHECK-NEXT: path and environment as they were: True
# CHECK-NEXT: child: finders of memkit: 1
# MINE: mine True
# ALONE: No module named 'memkit'

import os
import sys

before = sys.path[:]
import memkit

print("found", hasattr(memkit, "scope"), "recording", memkit.recording())
print("names", sorted(name for name in globals() if not name.startswith("__")))
print("path and environment as they were:", before == sys.path and "PYTHONPATH" not in os.environ)
sys.stdout.flush()
if os.fork() == 0:
    exec(compile("x = [bytearray(1000) for _ in range(100)]", "<child>", "exec"))
    print("child: finders of memkit:", sum(hasattr(f, "memkit") for f in sys.meta_path))
    sys.stdout.flush()
    os._exit(0)
os.wait()
