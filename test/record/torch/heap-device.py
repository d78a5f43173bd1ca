# memrec --heap chooses the heaps of tensors by device: a glob for a device that is not there records none, and says so.
#
# REQUIRES: torch
# RUN: memrec -o %t.none.fb --heap='torch.cuda:9*' -- %python %s 2> %t.err
# RUN: FileCheck --check-prefix=WARN %s < %t.err
# RUN: memdump --summary %t.none.fb | FileCheck --check-prefix=NONE %s
# RUN: memrec -q -o %t.cpu.fb --heap=torch.cpu -- %python %s
# RUN: memdump --check %t.cpu.fb
# RUN: memdump --summary %t.cpu.fb | FileCheck --check-prefix=CPU %s
# WARN: torch.cuda:9*
# NONE: 0 lost
# NONE-NOT: torch.cpu
# CPU: 0 lost
# CPU: torch.cpu 3 3 1.17 MiB 0 B 0
import torch

kept = [torch.ones(102400) for _ in range(3)]
del kept[1]
