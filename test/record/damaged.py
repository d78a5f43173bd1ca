# Tools that answer from the summary say in a line that the events of a trace are damaged.
#
# REQUIRES: python
# RUN: memrec -q -o %t.fb -- %python -c "print([[bytes(2000 + i % 97 * j) for i in range(2000)] for j in range(50)] and 1)"
# RUN: %python %s %t.fb %t.bad.fb
# RUN: memstat %t.bad.fb 2>&1 | FileCheck %s
# RUN: memleak %t.bad.fb 2>&1 | FileCheck %s
# RUN: memstat %t.fb 2>&1 | FileCheck --check-prefix=WHOLE %s
# CHECK: warning: damaged: {{.*}}bad.fb: {{.*}}; what follows is from the summary; memdump --check reads all
# CHECK-NOT: damaged
# WHOLE-NOT: damaged
import sys

with open(sys.argv[1], "rb") as file:
    data = bytearray(file.read())
# The largest of the sections, each a frame of zstd, are events.
starts = [i for i in range(len(data)) if data[i:i + 4] == b"\x28\xb5\x2f\xfd"] + [len(data)]
size, begin = max((end - start, start) for start, end in zip(starts, starts[1:]))
middle = begin + size // 2
data[middle:middle + 8] = bytes(b ^ 0x5A for b in data[middle:middle + 8])
with open(sys.argv[2], "wb") as file:
    file.write(data)
