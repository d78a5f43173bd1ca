# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times memimport on large recordings of other tools, beside the tool's own reader."""

import gzip
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import measure
import recorders
import torch_snapshot


def memray_program(path, count):
    functions = "".join(
        f"def f{k}(n):\n    live.append(bytearray(600 + n % 3000))\n"
        f"    if len(live) > 5000:\n        live[n % 5000] = live.pop()\n" for k in range(50))
    path.write_text(f"live = []\n{functions}table = [{', '.join(f'f{k}' for k in range(50))}]\n"
                    f"for i in range({count}):\n    table[i % 50](i)\n", encoding="utf-8")


def make_memray(folder, python, size):
    """A plain file of memray of about `size` bytes."""
    program, out = folder / "many.py", folder / "memray.bin"
    memray_program(program, size // 12)
    subprocess.run([python, "-m", "memray", "run", "-q", "-f", "--no-compress", "-o", out, program], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out, [python, "-m", "memray", "stats", str(out)]


def make_heaptrack(folder, python, size):
    """An interpreted file of heaptrack, uncompressed."""
    program = folder / "many.py"
    memray_program(program, size // 40)
    subprocess.run(["heaptrack", "-o", folder / "heaptrack", python, program], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONMALLOC": "malloc"})
    packed = next(folder.glob("heaptrack.[zg]*"))
    out = folder / "heaptrack.txt"
    with open(out, "wb") as to:
        subprocess.run(["zstdcat" if packed.suffix == ".zst" else "zcat", packed], check=True, stdout=to)
    gz = folder / "heaptrack.own.gz"
    with open(out, "rb") as data, gzip.open(gz, "wb", compresslevel=1) as to:
        shutil.copyfileobj(data, to)
    return out, ["heaptrack_print", "-p0", "-a0", "-T0", "-l0", str(gz)]


def make_rmm(folder, python, size):
    out = folder / "rmm.csv"
    randomly, live = random.Random(1), []
    with open(out, "w", encoding="ascii") as to:
        to.write("Thread,Time,Action,Pointer,Size,Stream\n")
        number = 0
        while to.tell() < size:
            number += 1
            at = f"{number // 3600000000 % 24:02}:{number // 60000000 % 60:02}:{number // 1000000 % 60:02}.{number % 1000000:06}"
            if len(live) > 2000:
                pointer, length = live.pop(randomly.randrange(len(live)))
                to.write(f"77,{at},free,{pointer:#x},{length},0x1\n")
            pointer, length = 0x7F0000000000 + number * 4096, randomly.randrange(1, 1 << 24)
            live.append((pointer, length))
            to.write(f"77,{at},allocate,{pointer:#x},{length},0x1\n")
    count = "import csv, sys\nprint(sum(int(r[4]) for r in list(csv.reader(open(sys.argv[1])))[1:]))"
    return out, [python, "-c", count, str(out)]


def make_nsys(folder, python, size):
    script = Path(__file__).resolve().parent.parent.parent / "test/tools/memimport/Inputs/make-nsys.py"
    out = folder / "nsys.sqlite"
    subprocess.run([sys.executable, script, out], check=True)
    db = sqlite3.connect(out)
    randomly, live, number = random.Random(1), [], 0

    def rows():
        nonlocal number
        for _ in range(size // 40):
            number += 1
            if len(live) > 2000:
                address, length = live.pop(randomly.randrange(len(live)))
                yield (10**9 + number * 1000, 42 << 24, 0, address, length, 2, 1, 7, 0, None, None, None)
            else:
                address, length = 0x7F0000000000 + number * 4096, randomly.randrange(1, 1 << 24)
                live.append((address, length))
                yield (10**9 + number * 1000, 42 << 24, 0, address, length, 2, 0, 7, 0, None, None, None)

    db.executemany("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows())
    db.commit()
    return out, ["sqlite3", str(out), "SELECT memoryOperationType, count(*), sum(bytes) FROM "
                 "CUDA_GPU_MEMORY_USAGE_EVENTS GROUP BY 1 ORDER BY min(start)"]


def text_heap(out, size, head, line):
    randomly = random.Random(1)
    with open(out, "w", encoding="ascii") as to:
        to.write(head)
        while to.tell() < size:
            stack = " ".join(f"0x{randomly.randrange(1 << 22) + 0x400000:x}" for _ in range(20))
            to.write(line(randomly.randrange(1, 100), randomly.randrange(1, 1 << 20), stack))
        to.write("\nMAPPED_LIBRARIES:\n00400000-00900000 r-xp 00000000 00:00 0 /gone/program\n")
    return out


def make_gperftools(folder, python, size):
    out = text_heap(folder / "gperf.heap", size, "heap profile: 1: 1 [1: 1] @ heapprofile\n",
                    lambda n, b, stack: f"{n}: {b} [{n}: {b}] @ {stack}\n")
    pprof = Path(__file__).resolve().parent.parent.parent / ".cache" / "pprof" / "pprof"
    return out, [str(pprof), "-top", "-symbolize=none", str(out)]


def make_jemalloc(folder, python, size):
    out = text_heap(folder / "jemalloc.heap", size, "heap_v2/524288\n  t*: 1: 1 [0: 0]\n",
                    lambda n, b, stack: f"@ {stack}\n  t*: {n}: {b} [0: 0]\n  t0: {n}: {b} [0: 0]\n")
    return out, None


def make_pprof(folder, python, size):
    """A profile in pprof's format, by pprof itself from gperftools' text."""
    text, command = make_gperftools(folder, python, size)
    out = folder / "profile.pb.gz"
    subprocess.run([command[0], "-proto", "-symbolize=none", "-output", out, text], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    plain = folder / "profile.pb"
    plain.write_bytes(gzip.decompress(out.read_bytes()))
    return plain, [command[0], "-top", "-symbolize=none", str(plain)]


def make_lsan(folder, python, size):
    out = folder / "lsan.log"
    randomly = random.Random(1)
    with open(out, "w", encoding="ascii") as to:
        to.write("==1==ERROR: LeakSanitizer: detected memory leaks\n")
        while to.tell() < size:
            to.write(f"\nDirect leak of {randomly.randrange(1, 1 << 20)} byte(s) in 3 object(s) allocated from:\n")
            for number in range(12):
                line = randomly.randrange(3000)
                to.write(f"    #{number} 0x{0x400000 + line * 16:x} in function_{line} /src/file.cpp:{line + 1}:5\n")
    return out, None


def make_torch(folder, python, size):
    out = folder / "snapshot.pickle"
    torch_snapshot.write(out, size)
    count = ("import pickle, sys\nsnapshot = pickle.load(open(sys.argv[1], 'rb'))\n"
             "print(sum(e['size'] for t in snapshot['device_traces'] for e in t))")
    return out, [python, "-c", count, str(out)]


FORMATS = [("torch-snapshot", "Python's pickle, a sum", make_torch), ("memray", "memray stats", make_memray), ("heaptrack", "heaptrack_print", make_heaptrack),
           ("nsys", "sqlite3, sums", make_nsys), ("rmm", "Python's csv, a sum", make_rmm),
           ("gperftools", "pprof -top", make_gperftools), ("jemalloc", "", make_jemalloc),
           ("pprof", "pprof -top", make_pprof), ("lsan", "", make_lsan)]


def imports(tools, folder, python, tiny, rounds, say):
    """[(format, bytes, events, Costs of memimport, own reader, its Costs)], in turn."""
    rows = []
    size = 1 << 20 if tiny else 100 << 20
    for name, reader, make in FORMATS:
        own = folder / ("import-" + name)
        own.mkdir()
        try:
            path, command = make(own, python, size)
        except (OSError, StopIteration, subprocess.CalledProcessError) as problem:
            say(f"  {name}: left out: {problem}")
            continue
        ours = [str(tools / "memimport"), str(path), "-o", str(own / "trace.fb")]
        environment = recorders.clean_environment()
        taken, theirs = [], []
        for number in range(rounds):
            say(f"  {name}: round {number + 1}")
            taken.append(measure.run(ours, env=environment, cwd=own))
            if command:
                theirs.append(measure.run(command, env=environment, cwd=own))
        count = subprocess.run([str(tools / "memdump"), "--summary", "--format=json", str(own / "trace.fb")], check=True,
                               stdout=subprocess.PIPE, encoding="utf-8").stdout
        events = json.loads(count)["events"]
        count = events["allocations"] + events["frees"]
        rows.append((name, path.stat().st_size, count, taken, reader if command else "", theirs))
        shutil.rmtree(own)
    return rows
