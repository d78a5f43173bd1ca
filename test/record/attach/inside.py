# memkit.record(): a program records itself for a while, twice; scopes and steps of the package, which
# it imported before, are in the trace, and what is wrong is an exception.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%src_root/python %python %s %t | FileCheck %s --check-prefix=RAN
# RUN: memdump --check %t/one.fb
# RUN: memdump --scopes --format=csv %t/one.fb | FileCheck %s --check-prefix=SCOPES
# RUN: memstat %t/one.fb | FileCheck %s --check-prefix=LINES
# RUN: memdump --scopes --format=csv %t/two.fb | FileCheck %s --check-prefix=SECOND
# RUN: memstat --show=resident %t/two.fb | FileCheck %s --check-prefix=RESIDENT
# RAN: not yet None
# RAN-NEXT: knows what lived before: True, net -1 MiB
# RAN-NEXT: recorded {{[0-9]+}}
# RAN-NEXT: RequestError this program is recorded already
# RAN-NEXT: ended one.fb
# RAN-NEXT: ended two.fb
# RAN-NEXT: RequestError record() waits for what memrec says, so -q is not for it
# RAN-NEXT: Error {{.*}}/nowhere/x.fb
# SCOPES: load,1,
# RESIDENT-NOT: code and data of binaries {{[0-9][0-9]}}
# LINES: inside.py:[[#]] load
# SECOND-NOT: load
# SECOND: again,3,
import os
import sys
import threading
import time

import memkit

folder = sys.argv[1]
kept = []


def load():
    kept.append(bytearray(8 << 20))


def wait():
    while not ended.wait(0.01):
        bytearray(1000)


ended = threading.Event()
threads = [threading.Thread(target=wait) for _ in range(3)]
for thread in threads:
    thread.start()

with memkit.scope("before") as before:
    pass
print("not yet", before.allocated)
old = [bytearray(b"x") * (1 << 19) for _ in range(60)]
with memkit.record(os.path.join(folder, "one.fb")) as one:
    with memkit.measure("swap") as swap:
        del old[:4]
        new = bytearray(1 << 20)
    print("knows what lived before: %s, net %d MiB" % (swap.before >= 30 << 20, round(swap.net / (1 << 20))))
    with memkit.scope("load") as scope:
        load()
    memkit.step()
    print("recorded", scope.allocated)
    try:
        memkit.record(os.path.join(folder, "three.fb"))
    except memkit.RequestError as error:
        print("RequestError", error)
print("ended", os.path.basename(one.stop()))
two = memkit.record(os.path.join(folder, "two.fb"), "--for=1min")
for _ in range(3):
    with memkit.scope("again"):
        load()
time.sleep(1)  # a sample of what is resident
print("ended", os.path.basename(two.stop()))
for path, options in (("x.fb", ("-q",)), (os.path.join(folder, "nowhere", "x.fb"), ())):
    try:
        memkit.record(path, *options)
    except memkit.Error as error:
        print(type(error).__name__, error)
ended.set()
for thread in threads:
    thread.join()
