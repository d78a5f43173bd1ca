# A program of Python that runs already: with --python-objects its objects are recorded from then on, and what lived before
# ends when the program drops it. The interpreter has its own allocators again when memrec has left.
#
# REQUIRES: python
# RUN: %python %S/Inputs/attach.py once:--for=5s,--python-objects %t.fb -- %python %s > %t.out
# RUN: FileCheck %s --input-file=%t.out
# CHECK: memrec's status: 0
# CHECK-NEXT: the program: dropped, its own allocators
# CHECK-NEXT: the program's status: 0
# RUN: memdump --check %t.fb
# RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=LOSS
# LOSS: "double_allocate": 0
# RUN: memflame --heap=python.object --metric=live --format=collapsed %t.fb > %t.live
# RUN: FileCheck %s --input-file=%t.live --check-prefix=HELD
# HELD: lived before{{.*}};kept {{.*}};list;tuple {{[0-9]{6,}$}}
# The interpreter keeps some tuples for later.
# HELD-NOT: ;old {{.*}} {{[0-9]{6,}$}}
# RUN: memflame --group-by=line --heap=python.object --metric=live --format=csv %t.fb | FileCheck %s --check-prefix=LINES
# LINES: objects.py:[[@LINE+22]] make
# RUN: %python %S/Inputs/attach.py cycles:10,--python-objects,--no-census %t.fb -- %python %s | FileCheck %s --check-prefix=CYCLES
# CYCLES: cycles: 10
# CYCLES-NEXT: mappings left: 0
# CYCLES-NEXT: the program: dropped, its own allocators
import ctypes
import signal
import time


class Allocator(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("context", "malloc", "calloc", "realloc", "free")]


def allocators():
    tables = [Allocator(), Allocator()]
    for domain, table in enumerate(tables):
        ctypes.pythonapi.PyMem_GetAllocator(1 + domain, ctypes.byref(table))
    return [table.malloc for table in tables]


def make(number):
    return [(number, i) for i in range(1000)]


def is_recorded():
    with open("/proc/self/maps") as maps:
        return "memfd:memkit" in maps.read()


kept = [(i, str(i)) for i in range(20000)]
old = [(i, str(i)) for i in range(20000)]
own = allocators()
stop = False


def end(*_):
    global stop
    stop = True


signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
new = []
since = None
while not stop:
    new.append(make(len(new)))
    new = new[-50:]
    time.sleep(0.005)
    since = since or is_recorded() and time.monotonic()
    # The census has been taken.
    if since and time.monotonic() - since > 3:
        old = None
make(0)
print("dropped" if since else "never recorded", "its own allocators" if allocators() == own else "other allocators", sep=", ")
