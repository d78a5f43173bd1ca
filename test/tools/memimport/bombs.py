# Small compressed files that grow to gigabytes, and files that claim numbers they do not have: an
# error soon, with little memory.
#
# REQUIRES: python, zstd
# UNSUPPORTED: asan
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s

import resource
import sqlite3
import subprocess

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


def processor_s():
    """What the commands so far took: on a busy machine they take longer."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def refused(name, *words, at_most_s=20):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (2 * GIB, 2 * GIB))
    begin = processor_s()
    done = subprocess.run(["memimport", name, "-o", "out.fb"], stderr=subprocess.PIPE, encoding="utf-8",
                          preexec_fn=limit, timeout=600, check=False)
    assert done.returncode in (0, 1), (name, done)
    assert processor_s() - begin < at_most_s, name
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
refused("pprof.zst", "becomes more than 268435456 bytes")
with open("pprof", "wb") as to:
    to.write(b"\x0a\x04\x08\x01\x10\x02\x32\x00")
    to.truncate(300 << 20)
refused("pprof", "more than 256 MiB")

# Numbers that the file does not have.
with open("count.heap", "w", encoding="ascii") as to:
    to.write("heap_v2/524288\n  t*: 1: 1 [0: 0]\n@ 0x1\n  t*: 99999999999999999999: 1 [0: 0]\n")
refused("count.heap", "sums are COUNT: BYTES")
with open("text.bin", "wb") as to:
    to.write(HEAD + b"\x0e" + b"\xff" * 9 + b"\x01" + b"f\0f\0\0" + b"\xff" * 8 + b"\x7f")
refused("text.bin", "text.bin")

# Blocks that are live in the end, from a file of some KiB; and content out of proportion.
pack("blocks.zst", b"v 10400 3\na 10 0\n", b"+ 0\n" * (1 << 22), 5)
refused("blocks.zst", "error: blocks.zst: offset ", "more than 16", "live blocks, which is too much for a file of")
pack("content.zst", b"v 10400 3\na 10 0\n", b"+ 0\n- 0\n" * (1 << 21), 17)
refused("content.zst", "error: content.zst: offset ", "becomes more than 268435456 bytes when it is decompressed")
subprocess.run("zstd -dc content.zst | gzip -9 | gzip -9 > content.gz.gz", shell=True, check=True)
refused("content.gz.gz", "error: content.gz.gz: offset ", "becomes more than 268435456 bytes when it is decompressed")


def lz4(piece, count):
    """An lz4 frame of blocks that are all zeros, made by hand: a match of offset 1."""
    block = b"\x1f\x00\x01\x00" + b"\xff" * (piece // 255 - 1) + b"\x00" + b"\x50" + bytes(5)
    block = len(block).to_bytes(4, "little") + block
    return b"\x04\x22\x4d\x18\x60\x70\x73" + block * count + bytes(4)


with open("memray.lz4", "wb") as to:
    to.write(lz4(4 << 20, 80))
refused("memray.lz4", "no recording that memimport knows")

# Texts of a table that another table names again and again: linear without an index, too.
db = sqlite3.connect("join.sqlite")
db.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
db.executemany("INSERT INTO StringIds VALUES (1, ?)", [("f%d" % i,) for i in range(20000)])
db.execute("CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, originalIP INTEGER, "
           "stackDepth INTEGER)")
db.executemany("INSERT INTO CUDA_CALLCHAINS VALUES (?, 1, 1, 4096, 0)", [(i,) for i in range(20000)])
db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (globalTid INTEGER, correlationId INTEGER, nameId INTEGER, "
           "callchainId INTEGER)")
db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, ?, 1, ?)", [(i, i) for i in range(20000)])
db.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, "
           "globalTid INTEGER)")
db.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, NULL, 1, 0)", [(i, i + 1) for i in range(20000)])
db.execute("CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER, "
           "address INTEGER, bytes INTEGER, memoryOperationType INTEGER, correlationId INTEGER, "
           "localMemoryPoolAddress INTEGER, localMemoryPoolSize INTEGER, localMemoryPoolUtilizedSize INTEGER)")
db.executemany("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (?, 0, 0, ?, 1, 0, ?, ?, 4096, 1)",
               [(i * 1000, 4096 * (i + 1), i, i + 1) for i in range(20000)])
db.commit()
db.close()
refused("join.sqlite", at_most_s=5)

# A table of 5 levels whose pages refer 70 times each to the page below: 1.7 thousand million rows in 4 KiB.
PAGE, CHILDREN = 512, 70
db = sqlite3.connect("pages.sqlite")
db.execute("PRAGMA page_size = %d" % PAGE)
db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
db.execute("INSERT INTO StringIds VALUES (1, '')")
db.execute("CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER)")
root, = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'StringIds'").fetchone()
db.commit()
db.close()
with open("pages.sqlite", "rb") as file:
    data = bytearray(file.read())
leaf = data[(root - 1) * PAGE:root * PAGE]


def interior(child):
    """A page of type 5: a header, the places of its cells, the cells: a child and a row."""
    child = child.to_bytes(4, "big")
    begin = PAGE - 5 * CHILDREN
    places = b"".join((begin + 5 * i).to_bytes(2, "big") for i in range(CHILDREN))
    head = b"\x05\0\0" + CHILDREN.to_bytes(2, "big") + begin.to_bytes(2, "big") + b"\0" + child + places
    return head + bytes(begin - len(head)) + (child + b"\x01") * CHILDREN


count = len(data) // PAGE
data[(root - 1) * PAGE:root * PAGE] = interior(count + 1)
for level in range(4):
    data += interior(count + level + 2)
data += leaf
data[28:32] = (len(data) // PAGE).to_bytes(4, "big")
with open("pages.sqlite", "wb") as file:
    file.write(data)
refused("pages.sqlite", "pages.sqlite: SQLite: a table has more rows than a file of")
