# Small compressed files that grow to gigabytes, and files that claim numbers they do not have: an
# error soon, with little memory.
#
# REQUIRES: python, zstd
# UNSUPPORTED: asan
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s

import resource
import subprocess
import time

GIB = 1 << 30


def pack(name, head, filler, count):
    """A zstd file of head and `count` times filler."""
    with open(name, "wb") as out:
        packer = subprocess.Popen(["zstd", "-q", "-c"], stdin=subprocess.PIPE, stdout=out)
        packer.stdin.write(head)
        for _ in range(count):
            packer.stdin.write(filler)
        packer.stdin.close()
        assert packer.wait() == 0


def refused(name, *words, at_most_s=20):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (2 * GIB, 2 * GIB))
    begin = time.monotonic()
    done = subprocess.run(["memimport", name, "-o", "out.fb"], stderr=subprocess.PIPE, encoding="utf-8",
                          preexec_fn=limit, timeout=120, check=False)
    assert done.returncode in (0, 1), (name, done)
    assert time.monotonic() - begin < at_most_s, name
    for word in words:
        assert word in done.stderr, (name, done.stderr)


ZEROS = bytes(1 << 24)
HEAD = (b"memray\0" + (12).to_bytes(4, "little") + (0x030B0000).to_bytes(4, "little") + b"\0\0" + bytes(32) + b"a\0" +
        bytes(4 + 8 + 8) + b"\1\0\0")
pack("zeros.zst", b"v 10400 3\n", ZEROS, 64)
refused("zeros.zst", "zeros.zst", "longer than")
pack("memray.zst", HEAD, ZEROS, 64)
refused("memray.zst", "ends early")
pack("gperf.zst", b"heap profile: 1: 1 [1: 1] @ heapprofile\n", ZEROS, 64)
refused("gperf.zst", "a line is longer than")
pack("twice.zst", b"", ZEROS, 64)
subprocess.run(["zstd", "-q", "twice.zst", "-o", "twice.zst.zst"], check=True)
refused("twice.zst.zst", "no recording that memimport knows")
pack("pprof.zst", b"\x0a\x04\x08\x01\x10\x02\x32\x00", b"\x32\x00" * (1 << 23), 40)
refused("pprof.zst", "more than 256 MiB")

# Numbers that the file does not have.
with open("count.heap", "w", encoding="ascii") as to:
    to.write("heap_v2/524288\n  t*: 1: 1 [0: 0]\n@ 0x1\n  t*: 99999999999999999999: 1 [0: 0]\n")
refused("count.heap", "sums are COUNT: BYTES")
with open("text.bin", "wb") as to:
    to.write(HEAD + b"\x0e" + b"\xff" * 9 + b"\x01" + b"f\0f\0\0" + b"\xff" * 8 + b"\x7f")
refused("text.bin", "text.bin")
