# A version of Python that came after memrec: its frames are walked where the last known version has
# them, if the interpreter's own frame objects agree; else native stacks are recorded, with the reason.
#
# Here the later version is Python 3.15 with another number.
#
# REQUIRES: python3.15
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s make %python3.15 %t
# RUN: cd %t && memrec -o agrees.fb ./agrees %s run 2> agrees.err
# RUN: FileCheck --check-prefix=AGREES %s < %t/agrees.err
# RUN: memdump --check %t/agrees.fb
# RUN: memstat %t/agrees.fb | FileCheck --check-prefix=LINES %s
# AGREES: Python 3.99.0: memkit does not know this version; its frames are recorded, since they are where earlier versions have them
# LINES: {{[0-9.]+}} MiB {{.*}} later-version.py:{{[0-9]+}} Node.__init__ self.data = bytearray(n)
#
# RUN: cd %t && memrec -o names.fb ./names %s run 2> names.err
# RUN: FileCheck --check-prefix=DIFFERS %s < %t/names.err
# RUN: memdump --check %t/names.fb
# RUN: cd %t && memrec -o frames.fb ./frames %s run 2> frames.err
# RUN: FileCheck --check-prefix=DIFFERS %s < %t/frames.err
# DIFFERS: Python 3.99.0: its own frames are not recorded: memkit does not know this version, and its structures differ from those of earlier ones
#
# Holders need more structures than frames do.
# RUN: cd %t && memrec -q --python-objects --holders=end -o objects.fb ./agrees %s run
# RUN: memdump --check %t/objects.fb
# RUN: memstat %t/objects.fb | FileCheck --check-prefix=OBJECTS %s
# OBJECTS-NOT: names
import os
import struct
import subprocess
import sys

KNOWN, LATER = 0x030F00F0, 0x036300F0


# Where in their file the version and the offsets are.
PLACES = """
import ctypes
for name in ("Py_Version", "_PyRuntime"):
    at = ctypes.addressof(ctypes.c_ulong.in_dll(ctypes.pythonapi, name))
    for line in open("/proc/self/maps"):
        begin, end = (int(x, 16) for x in line.split()[0].split("-"))
        if begin <= at < end:
            print(at - begin + int(line.split()[2], 16))
"""


def patched(data, version_at, offsets_at, swapped):
    """The library with another version in Py_Version and in _Py_DebugOffsets. SWAPPED: words of the offsets."""
    data = bytearray(data)
    assert data[offsets_at:offsets_at + 8] == b"xdebugpy"
    for at in (version_at, offsets_at + 8):
        assert struct.unpack("<Q", data[at:at + 8])[0] >> 16 == KNOWN >> 16
        data[at:at + 8] = struct.pack("<Q", LATER)
    for one, other in swapped:
        one, other = offsets_at + 8 + 8 * one, offsets_at + 8 + 8 * other
        data[one:one + 8], data[other:other + 8] = data[other:other + 8], data[one:one + 8]
    return bytes(data)


def make(python, folder):
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(python)))
    libraries = prefix + "/lib/x86_64-linux-gnu"
    name = "libpython3.15.so.1.0"
    with open(libraries + "/" + name, "rb") as file:
        data = file.read()
    places = [int(x) for x in subprocess.run([python, "-c", PLACES], capture_output=True, text=True, check=True).stdout.split()]
    # Words from the version on: 2 of the build, 3 of the runtime, 16 of an interpreter, 17 of a thread, 8 of a frame; of a
    # code the size, file name, name, qualified name. A frame's previous and instruction are words 1 and 3.
    code, frame = 1 + 1 + 3 + 16 + 17 + 8, 1 + 1 + 3 + 16 + 17
    for program, swapped in {"agrees": [], "names": [(code + 1, code + 3)], "frames": [(frame + 1, frame + 3)]}.items():
        own = "%s/%s.d" % (folder, program)
        os.mkdir(own)
        with open(own + "/" + name, "wb") as file:
            file.write(patched(data, *places, swapped))
        source = ('#include <stdlib.h>\nint Py_BytesMain(int, char **);\n'
                  'int main(int N, char **V) { setenv("PYTHONHOME", "%s", 1); return Py_BytesMain(N, V); }' % prefix)
        subprocess.run(["gcc", "-O1", "-x", "c", "-o", "%s/%s" % (folder, program), "-", "-x", "none",
                        "-Wl,--disable-new-dtags,-rpath,%s:%s" % (own, libraries),
                        "-Wl,--dynamic-linker,%s/ld-linux-x86-64.so.2" % libraries, "-Wl,--allow-shlib-undefined",
                        own + "/" + name], input=source, text=True, check=True)


class Node:
    def __init__(self, n):
        self.data = bytearray(n)


def run():
    for _ in range(200):
        keep = [Node(100000) for _ in range(100)]
    assert len(keep) == 100


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:])
    else:
        run()
