# Exports that Nsight Systems itself has written. No GPU recorded them, so they have their ranges and processes and
# empty tables of CUDA's calls and memory: rows are put into these, and the sums are counted here from the same rows.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %S/Inputs

import gzip
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

inputs = pathlib.Path(sys.argv[1])
MIB = 1 << 20
KINDS = ("Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown")


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", **options).stdout


def insert(db, table, **values):
    """A row whose columns the export has; the schema says which may not be null."""
    columns = {row[1]: row for row in db.execute("PRAGMA table_info(%s)" % table)}
    missing = [name for name, row in columns.items() if row[3] and name not in values]
    values.update((name, 0) for name in missing)
    assert values.keys() <= columns.keys(), (table, values.keys() - columns.keys())
    db.execute("INSERT INTO %s (%s) VALUES (%s)" % (table, ", ".join(values), ", ".join("?" * len(values))),
               list(values.values()))


def has_table(db, name):
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None


def fill(path):
    """Rows of a program that allocates in each range, and frees in the next range of the thread. The sums."""
    db = sqlite3.connect(path)
    pid, = db.execute("SELECT globalPid FROM PROCESSES WHERE name = '/opt/shop/train'").fetchone()
    first, = db.execute("SELECT max(id) + 1 FROM StringIds").fetchone()
    for i, text in enumerate(("cudaMalloc_v3020", "cudaFree_v3020", "forward()", "/opt/shop/train")):
        insert(db, "StringIds", id=first + i, value=text)
    insert(db, "CUDA_CALLCHAINS", id=1, symbol=first + 2, module=first + 3, originalIP=0x1234, stackDepth=0)
    # Of version 2022 this table is empty.
    for number, label in db.execute("SELECT id, label FROM ENUM_CUDA_MEM_KIND"):
        assert label == KINDS[number], (number, label)
    device_kind = KINDS.index("Device")
    ranges = db.execute("SELECT start, end, text, globalTid FROM NVTX_EVENTS WHERE eventType = 59 AND text IN "
                        "('forward', 'backward') ORDER BY start").fetchall()
    assert len(ranges) == 12
    events, before = [], {}
    for i, (start, end, text, tid) in enumerate(ranges):
        if tid in before:
            events.append((start + 1000, tid, 1, *before[tid], None))
        before[tid] = (0x7F0000000000 + i * MIB, (i + 1) * 1000)
        outer = db.execute("SELECT text FROM NVTX_EVENTS WHERE eventType = 59 AND globalTid = ? AND start < ? AND end > ?",
                           (tid, start, end)).fetchall()
        events.append((end - 1000, tid, 0, *before[tid], [name for name, in outer] + [text]))
    events.sort()
    live = peak = 0
    for correlation, (time, tid, operation, address, size, _) in enumerate(events, 1):
        insert(db, "CUPTI_ACTIVITY_KIND_RUNTIME", start=time - 500, end=time + 500, globalTid=tid,
               correlationId=correlation, nameId=first + operation, callchainId=None if operation else 1)
        insert(db, "CUDA_GPU_MEMORY_USAGE_EVENTS", start=time, globalPid=pid, deviceId=0, address=address, bytes=size,
               memKind=device_kind, memoryOperationType=operation, correlationId=correlation)
        live += -size if operation else size
        peak = max(peak, live)
    has_ranks = has_table(db, "MPI_RANKS")
    if has_ranks:
        insert(db, "MPI_RANKS", globalTid=ranges[0][3], rank=5)
    db.commit()
    db.close()
    return {"live": live, "peak": peak, "allocations": len(ranges), "frees": len(events) - len(ranges),
            "scopes": sorted("/".join(scopes) for *_, scopes in events if scopes), "ranks": has_ranks,
            "threads": {tid & 0xFFFFFF for _, tid, *_ in events}}


def refused(path):
    done = subprocess.run(["memimport", path, "-o", "x.fb"], stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert done.returncode == 1 and "the export has no allocations of CUDA; record them with" in done.stderr, done


for version in ("2020.4", "2022.4", "2023.4"):
    source = inputs / ("nsys-%s.sqlite.gz" % version)
    # Without the table, or with an empty one (`nsys export --lazy=false`); compressed, and as it is.
    refused(source)
    path = pathlib.Path("export.sqlite")
    with gzip.open(source) as packed, open(path, "wb") as plain:
        shutil.copyfileobj(packed, plain)
    refused(path)
    if version == "2020.4":
        continue
    known = fill(path)
    with open(path, "rb") as plain, gzip.open("export.sqlite.gz", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    # The file, the compressed file, and a pipe.
    run("memimport", "-q", path, "-o", "a.fb")
    run("memimport", "-q", "export.sqlite.gz", "-o", "b.fb")
    run("sh", "-c", "cat export.sqlite | memimport -q - -o c.fb")
    events = run("memdump", "a.fb")
    for trace in ("a.fb", "b.fb", "c.fb"):
        run("memdump", "--check", "-q", trace)
        assert run("memdump", trace) == events, (version, trace)
        found = json.loads(run("memdump", "--summary", "--format=json", trace))
        space, = (s for s in found["spaces"] if s["name"] == "cuda:0")
        assert (space["live_bytes"], space["peak_bytes"]) == (known["live"], known["peak"]), (version, space, known)
        assert (found["events"]["allocations"], found["events"]["frees"], found["events"]["lost"]) == (
            known["allocations"], known["frees"], 0), (version, found["events"])
    assert sorted(re.findall(r"alloc +#.* stack 1 +(\S+)$", events, re.M)) == known["scopes"], (version, events)
    assert {int(tid) for tid in re.findall(r"thread (\d+)", events)} == known["threads"], (version, events)
    text = run("memdump", "--format=asm", "a.fb")
    assert re.search(r'imported=\["format=nsys"[^]]*"version=%s' % re.escape(version), text), text[:2000]
    assert (" rank=5" in text) == known["ranks"], version
