#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""resident.py BIN [PROGRAM...]: records programs and prints how much of their resident memory
memrec cannot explain, in the highest sample of each program.

    utils/bench/resident.py build/release/bin clang py_numpy py_torch redis postgres duckdb

A row has the largest process of a program: the sample's bytes, how far the sum of its parts is
from RSS (the nearest sample of RSS within 20 ms; - if there is none), the part `not recorded`, and
the largest parts. Ends with status 1 if `not recorded` is above 2 % in a row. Postgres needs the
user postgres if root runs this script, redis redis-benchmark, duckdb the Python package."""

import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

WORKLOADS = pathlib.Path(__file__).resolve().parent / "workloads"
PORT = 7391
LIMIT = 0.02
QUERY = """
import duckdb
duckdb.sql("create table t as select range as i, hash(range) as h, 'name ' || (range % 9999) as s from range(3000000)")
for _ in range(3):
    duckdb.sql("select s, count(*), sum(i), max(h) from t group by s order by 2 desc, s limit 5").fetchall()
    duckdb.sql("select count(*) from t a join t b on a.h = b.h").fetchall()
"""


def program(name, folder):
    """(prefix, command, load, stop signal) of a program; load runs beside the program."""
    if name == "clang":
        clang = shutil.which("clang++-19") or shutil.which("clang++")
        return [], [clang, "-O2", "-c", WORKLOADS / "big.cpp", "-o", folder / "big.o"], None, None
    if name in ("py_numpy", "py_torch"):
        return [], [sys.executable, WORKLOADS / (name + ".py")], None, None
    if name == "duckdb":
        return [], [sys.executable, "-c", QUERY], None, None
    if name == "redis":
        def load():
            time.sleep(1)
            subprocess.run(["redis-benchmark", "-p", str(PORT), "-q", "-n", "200000", "-r", "100000",
                            "-d", "300", "-t", "set,lpush,hset"], check=True, stdout=subprocess.DEVNULL)
        return [], ["redis-server", "--port", str(PORT), "--save", "", "--dir", folder], load, 15
    if name == "postgres":
        binaries = os.path.dirname(os.path.realpath(max(glob.glob("/usr/lib/postgresql/*/bin/initdb")))) + "/"
        prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        if prefix:
            shutil.chown(folder, "postgres")
        data = folder / "data"
        subprocess.run(prefix + [binaries + "initdb", "-A", "trust", "-U", "me", data], check=True,
                       stdout=subprocess.DEVNULL)

        def load():
            time.sleep(3)
            bench = [binaries + "pgbench", "-h", str(folder), "-p", str(PORT), "-U", "me", "postgres"]
            for more in (["-i", "-q", "-s", "10"], ["-c", "4", "-T", "10"]):
                subprocess.run(bench + more, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return prefix, [binaries + "postgres", "-D", data, "-p", str(PORT), "-k", folder,
                        "-c", "shared_buffers=128MB"], load, 2
    sys.exit("unknown program " + name)


def record(tools, name, folder):
    prefix, command, load, stop = program(name, folder)
    trace = folder / "trace.fb"
    recorder = subprocess.Popen([str(part) for part in
                                 [*prefix, tools / "memrec", "-q", "-o", trace, "--", *command]],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if load:
            load()
            children = subprocess.run(["pgrep", "-P", str(recorder.pid)], capture_output=True, text=True)
            os.kill(int(children.stdout.split()[0]), stop)
        recorder.wait(300)
    finally:
        recorder.kill()
    return trace


def rss_near(tools, trace, process, at):
    """The sample of RSS of a process that is nearest to a time, within 20 ms; or None."""
    text = subprocess.run([tools / "memdump", "--format=asm", trace], check=True, capture_output=True,
                          text=True).stdout
    best = None
    for line in text.splitlines():
        words = line.split()
        if len(words) > 3 and words[1] == "rss" and words[2] == f"process={process}":
            away = abs(int(words[0]) - at)
            if away <= 20_000_000 and (not best or away < best[0]):
                best = away, int(words[3].split("[")[1].rstrip("]"))
    return best and best[1]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tools = pathlib.Path(sys.argv[1]).resolve()
    names = sys.argv[2:] or ["clang", "py_numpy", "py_torch", "redis", "postgres", "duckdb"]
    wrong = False
    print("| program | resident | sum against RSS | not recorded | largest parts |\n|---|---|---|---|---|")
    for name in names:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="memkit-resident-", dir="/tmp"))
        folder.chmod(0o755)
        try:
            trace = record(tools, name, folder)
            text = subprocess.run([tools / "memstat", "--format=json", trace], check=True,
                                  capture_output=True).stdout
            of = max(json.loads(text)["resident"], key=lambda one: one["highest"]["bytes"])
            high = of["highest"]
            total, parts = high["bytes"], high["parts"]
            rss = rss_near(tools, trace, of["process"], high["time_ns"])
            share = parts["other"] / total
            wrong |= share > LIMIT
            largest = sorted(parts.items(), key=lambda item: -item[1])[:5]
            print(f"| {name} | {total / 2**20:.1f} MiB | {f'{100 * (total - rss) / rss:+.1f} %' if rss else '-'} | "
                  f"{100 * share:.2f} % | " +
                  ", ".join(f"{part} {100 * size / total:.1f} %" for part, size in largest) + " |", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
