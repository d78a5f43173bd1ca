# What two selections hold that share no block adds up to what both hold: the bytes of a block in a
# chosen one are not the chosen one's, whether the inner block is chosen or not.
#
# RUN: memkit-gentrace --nested --threads=3 --processes=2 --heaps=4 --events=60000 --stacks=300 --nodes=900 --live=2000 -o %t.fb
# RUN: %python %s %t.fb
import subprocess
import sys

TRACE = sys.argv[1]


def total(*options):
    """The bytes of a folded flame graph."""
    asked = ["memflame", "--format=collapsed", *options, TRACE]
    lines = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    return sum(int(line.rsplit(" ", 1)[1]) for line in lines)


asked = ["memdump", "--columns=time,thread", TRACE]
rows = [line.split(",") for line in subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()[1:]]
threads = sorted({thread for _, thread in rows})
assert len(threads) > 2, threads
times = [int(rows[len(rows) * part // 8][0]) for part in range(1, 8)]
for time in times:
    at = ["--metric=live", f"--at={time}ns"]
    whole = total(*at)
    parts = [total(*at, f"--thread={thread}") for thread in threads]
    assert whole and sum(parts) == whole, (time, whole, parts)
    assert sum(part > 0 for part in parts) > 1, parts
# The peak of a part is no lower than what the part holds at any time.
for thread in threads:
    peak = total("--metric=peak", f"--thread={thread}")
    assert peak >= max(total("--metric=live", f"--at={time}ns", f"--thread={thread}") for time in times), thread
