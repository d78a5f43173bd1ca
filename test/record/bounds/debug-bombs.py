# A library whose debug information is small in the file and of GiB in memory costs a recording neither memory
# nor time: memrec ends at most 2 s after the program, and the names of the symbol table stay. So it does with a
# library whose symbol table alone takes longer to read.
#
# REQUIRES: python
# REQUIRES: zstd
# RUN: rm -rf %t && mkdir -p %t
# RUN: %cc -g -O0 %S/Inputs/bombed.c -o %t/bombed
# RUN: echo '#include <stdlib.h>' > %t/lib.c && echo 'void *keeps(size_t S) { return malloc(S); }' >> %t/lib.c
# RUN: %cc -g -gdwarf-5 -O0 -shared -fPIC %t/lib.c -o %t/whole.so
# RUN: %python %S/../../tools/memdump/Inputs/bomb.py %t/whole.so %t/zlib.so zlib
# RUN: %python %S/../../tools/memdump/Inputs/bomb.py %t/whole.so %t/zstd.so zstd
# RUN: %python %S/../../tools/memdump/Inputs/bomb.py %t/whole.so %t/slow.so zlib 90
# RUN: %python %s %t/bombed %t/zlib.so %t/zstd.so %t/slow.so
# RUN: %python %S/Inputs/many-symbols.py %t/whole.so %t/many.so && %python %s %t/bombed %t/many.so --nameless && rm %t/many.so
# RUN: llvm-objcopy --compress-debug-sections=zlib %t/whole.so && %python %s %t/bombed %t/whole.so --lines
# RUN: llvm-objcopy --decompress-debug-sections %t/whole.so && llvm-objcopy --compress-debug-sections=zstd %t/whole.so
# RUN: %python %s %t/bombed %t/whole.so --lines

import resource
import subprocess
import sys
import time

MAX_SECONDS, MAX_MIB = 2, 400


def slowness():
    """How many seconds a second of work takes now: other programs may have the processors."""
    begin, used = time.monotonic(), time.process_time()
    while time.process_time() - used < 0.2:
        pass
    return max(1, (time.monotonic() - begin) / 0.2)


def record(program, library, trace):
    """How many seconds after the program memrec ends, on a machine of its own."""
    run = subprocess.run(["memrec", "-q", "--force", "-o", trace, "--", program, library], capture_output=True, text=True)
    assert run.returncode == 0, run
    return (time.monotonic() - float(run.stdout)) / slowness()


def check(program, library, has_names, has_lines):
    trace = library + ".fb"
    # Of three: other tests may have the processors.
    late = min(record(program, library, trace) for _ in range(3))
    mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print("%s: memrec ended %.2f s after the program, largest process %d MiB" % (library, late, mib))
    assert late <= MAX_SECONDS, late
    # Pages of the file are the kernel's to take back.
    assert mib <= MAX_MIB or not has_names, mib
    stacks = subprocess.run(["memflame", "--format=collapsed", "--metric=allocated", trace],
                            capture_output=True, text=True, check=True).stdout
    assert ("main;keeps;malloc" in stacks) == has_names, stacks
    lines = subprocess.run(["memdump", trace], capture_output=True, text=True, check=True).stdout
    assert ("lib.c:2" in lines) == has_lines, lines


for name in sys.argv[2:]:
    if not name.startswith("--"):
        check(sys.argv[1], name, "--nameless" not in sys.argv, "--lines" in sys.argv)
