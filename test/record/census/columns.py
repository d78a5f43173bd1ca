# The columns of polars, whose jemalloc is a part of its library without a name of malloc: the variable of Python
# that holds them, and their bytes.
#
# REQUIRES: python, polars
# RUN: %python %S/Inputs/count.py %t.fb -- %readers %s > %t.said
# RUN: FileCheck %s < %t.said
# RUN: memdump --check %t.fb
# RUN: memflame --format=collapsed --metric=live --heap='private.*' %t.fb | FileCheck %s --check-prefix=LIVE
# RUN: memstat %t.fb | FileCheck %s --check-prefix=SCREEN
# CHECK: {{[0-9.]+}} MiB of jemalloc@_polars_runtime in {{[0-9,]+}} blocks, {{.*}} free in these
# CHECK: the program's status: 0
# Three columns of a million words.
# LIVE: {{^}}kept._df (columns.py);builtins.PyDataFrame 24{{[0-9]+}}{{$}}
# SCREEN: held by {{.*}}kept
# SCREEN: resident {{.*}}the program's mappings
import signal

import polars

kept = polars.DataFrame({"a": range(1000000), "b": range(1000000), "c": range(1000000)})
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print("ready", flush=True)
signal.sigwait([signal.SIGTERM])
