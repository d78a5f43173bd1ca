# What cannot be: a sentence each.
#
# RUN: memas --summarize %training -o %t.fb
# RUN: echo 'int memkit_trace_abi(void) { return 0; } const char *memkit_trace_version(void) { return "9.8.7"; }' > %t.c
# RUN: %cc -shared -fPIC %t.c -o %t.other.so
# RUN: rm -rf %t.alone && mkdir %t.alone && cp -r %src_root/python/memkit %t.alone
# RUN: %python %s %t.fb %t.other.so %t.alone
import os
import platform
import subprocess
import sys

import memkit

path, other, alone = sys.argv[1:]


def refused(what, kind, call):
    try:
        call()
    except kind as error:
        assert what in str(error), error
        assert issubclass(kind, (memkit.Error, ImportError)), kind
        return
    raise AssertionError("no error: " + what)


t = memkit.open(path)
refused("/nowhere.fb: No such file or directory", memkit.TraceError, lambda: memkit.open("/nowhere.fb"))
refused("not a memkit trace", memkit.TraceError, lambda: memkit.open(__file__))
refused("zero byte", memkit.RequestError, lambda: memkit.open("a\0b"))
refused("cannot group by 'colour'; possible: stack, line", memkit.RequestError,
        lambda: t.stacks(group_by="colour"))
refused("no column 'smell'", memkit.RequestError, lambda: t.events(columns=["smell"]))
refused("no field 'hep' of a selection; possible: heap", memkit.RequestError, lambda: t.stacks(hep="x"))
refused("host.malloc", memkit.AnswerError, lambda: t.stacks(heap="none*"))
refused("step", memkit.Error, lambda: t.stacks(at="step:99"))
refused("1 to 1,000,000 points", memkit.RequestError, lambda: t.series(points=0))
refused("1 to 1,000,000 points", memkit.RequestError, lambda: t.series(points=1 << 40))
try:
    t.heaps["sound"]
except KeyError as error:
    assert "no column 'sound'; the columns are heap, space" in str(error)

# Without the other packages.
for method, what in (("to_pandas", "needs pandas and pyarrow (pip install pandas pyarrow)"),
                     ("to_polars", "needs polars (pip install polars)"),
                     ("to_arrow", "needs pyarrow (pip install pyarrow)")):
    refused(what, ImportError, getattr(t.heaps, method))
t.close()
refused("the trace is closed", memkit.RequestError, lambda: t.heaps)
refused("the trace is closed", memkit.RequestError, lambda: memkit.diff(t, path))


def elsewhere(what, code="memkit.open('x')", **environment):
    """Runs code in another Python with this environment; its last line has what."""
    done = subprocess.run([sys.executable, "-c", "import sys, platform, memkit\n" + code],
                          env={**os.environ, **environment}, capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith("memkit._library.LibraryError: "), done.stderr
    assert what in last, last


# The package without the library; a library of another memkit; what is no library.
elsewhere("libmemkit.so, which reads traces, is not installed with this package (not at ", PYTHONPATH=alone)
elsewhere(other + " is of memkit 9.8.7, and the package memkit of Python is of", MEMKIT_LIBRARY=other)
elsewhere(__file__ + " cannot be used: ", MEMKIT_LIBRARY=__file__)
elsewhere("not at /gone.so", MEMKIT_LIBRARY="/gone.so")
# Other systems.
elsewhere("on Linux on x86-64 only, and this is Windows on AMD64",
          "sys.platform, platform.system, platform.machine = 'win32', lambda: 'Windows', lambda: 'AMD64'\n"
          "memkit.open('x')")
elsewhere("and this is Darwin on arm64",
          "sys.platform, platform.system, platform.machine = 'darwin', lambda: 'Darwin', lambda: 'arm64'\n"
          "memkit.open('x')")
assert platform.machine() == "x86_64"
