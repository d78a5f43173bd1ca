# RUN: %python %s %t %cc
#
# A library whose compressed debug information would take gigabytes when it is read: memrec ends soon
# after the program, no process of memrec takes that memory, and the names of other libraries are
# there. Compressed debug information of an ordinary size is read.

import os
import resource
import struct
import subprocess
import sys
import zlib

folder, compiler = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
GIB = 1 << 30
SHF_COMPRESSED, ZLIB = 0x800, 1

with open("lib.c", "w") as file:
    file.write("#include <stdlib.h>\nvoid *hostile_make(void) { return malloc(1000); }\n")
with open("main.c", "w") as file:
    file.write("""#include <dlfcn.h>
#include <stdlib.h>
static void *volatile P;
__attribute__((noinline)) void honest_make(void) { P = malloc(2000); }
int main(int N, char **V) {
  void *(*Make)(void) = (void *(*)(void))dlsym(dlopen(V[1], RTLD_NOW), "hostile_make");
  for (int I = 0; I != 100; ++I) { P = Make(); honest_make(); }
  return N != 2;
}
""")
subprocess.run([compiler, "-g", "-O1", "main.c", "-o", "main", "-ldl"], check=True)
subprocess.run([compiler, "-g", "-O1", "-shared", "-fPIC", "lib.c", "-o", "lib.so"], check=True)
subprocess.run([compiler, "-g", "-O1", "-shared", "-fPIC", "-gz=zlib", "lib.c", "-o", "packed.so"], check=True)


def zeros(size, noise):
    """A zlib stream of so many bytes; the part `noise` of them does not compress."""
    packer, chunk = zlib.compressobj(1), bytes(1 << 24)
    parts = []
    for _ in range(size // len(chunk)):
        random = os.urandom(int(len(chunk) * noise))
        parts.append(packer.compress(random + chunk[len(random):]))
    return b"".join([*parts, packer.flush()])


def bomb(name, size, stream, sections=(".debug_str", ".debug_line_str")):
    """lib.so with compressed sections in place of some."""
    data = bytearray(open("lib.so", "rb").read())
    table, = struct.unpack_from("<Q", data, 40)
    entry, count, names = struct.unpack_from("<HHH", data, 58)
    at = lambda i: struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry)
    texts = at(names)[4]
    changed = 0
    for i in range(count):
        fields = list(at(i))
        end = data.index(b"\0", texts + fields[0])
        if data[texts + fields[0]:end].decode() not in sections:
            continue
        fields[2] |= SHF_COMPRESSED
        fields[4], fields[5] = len(data), 24 + len(stream)
        data += struct.pack("<IIQQ", ZLIB, 0, size, 1) + stream
        struct.pack_into("<IIQQQQIIQQ", data, table + i * entry, *fields)
        changed += 1
    assert changed == len(sections), changed
    with open(name, "wb") as file:
        file.write(data)


def record(library):
    """The recording's stacks, its processor seconds, and the largest process."""
    reader, writer = os.pipe()
    if not (child := os.fork()):
        subprocess.run(["memrec", "-q", "--force", "-o", "t.fb", "./main", os.path.abspath(library)], check=True,
                       timeout=60)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(writer, struct.pack("<Qd", used.ru_maxrss, used.ru_utime + used.ru_stime))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    kilobytes, seconds = struct.unpack("<Qd", os.read(reader, 16))
    stacks = subprocess.run(["memflame", "--format=collapsed", "--metric=allocated", "t.fb"], check=True,
                            capture_output=True, text=True).stdout
    return stacks, seconds, kilobytes >> 10


stacks, usual, mebibytes = record("packed.so")
assert "hostile_make" in stacks and "honest_make" in stacks, stacks
# Far beyond any compiler's ratio; a claim that is no truth; within the ratio, but beyond memory.
stream = zeros(GIB, 0)
bomb("ratio.so", GIB, stream)
bomb("claim.so", 1 << 50, stream[:1000])
bomb("large.so", GIB, zeros(GIB, 0.03))
for library in "ratio.so", "claim.so", "large.so":
    stacks, seconds, mebibytes = record(library)
    print(f"{library}: {os.path.getsize(library) >> 10} KiB, {seconds:.1f} s, {mebibytes} MiB")
    assert "honest_make" in stacks and "main;" in stacks, stacks
    assert seconds < usual + 4, (library, seconds, usual)
    assert mebibytes < 900, (library, mebibytes)
