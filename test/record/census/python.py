# A census of each Python that the tests find: objects by type, held by the variables of their modules.
#
# REQUIRES: python
# RUN: %python %s %S/Inputs/holders.py %t
import collections
import csv
import io
import os
import re
import subprocess
import sys

program, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
found = {sys.executable}
root = os.environ.get("MEMKIT_PYTHONS", os.path.expanduser("~/.pyenv/versions"))
for place in root.split(os.pathsep):
    for version in sorted(os.listdir(place)) if os.path.isdir(place) else []:
        python = os.path.join(place, version, "bin", "python3")
        if os.path.exists(python):
            found.add(python)


def rows(trace):
    """Blocks by holder and kind."""
    said = subprocess.run(["memflame", "--format=collapsed", "--metric=count", trace], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    counts = collections.Counter()
    for line in said.splitlines():
        path, blocks = line.rsplit(" ", 1)
        counts[tuple(re.sub(r" \(.*\)", "", name) for name in path.split(";"))] += int(blocks)
    return counts


for python in sorted(found):
    version = subprocess.run([python, "-c", "import sys, sysconfig; print('%d.%d' % sys.version_info[:2], "
                              "sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    if tuple(map(int, version[0].split("."))) < (3, 6) or version[1] == "1":
        continue
    target = subprocess.Popen([python, program], stdout=subprocess.PIPE, text=True)
    assert target.stdout.readline() == "ready\n"
    trace = "%s/%s.fb" % (folder, version[0])
    memrec = subprocess.run(["memrec", "--census", str(target.pid), "-o", trace, "--force"], check=False,
                            stderr=subprocess.PIPE, text=True, timeout=60)
    said = memrec.stderr
    target.terminate()
    assert memrec.returncode == 0, (python, memrec.returncode, said)
    blocks = int(target.communicate(timeout=60)[0].split()[0])
    assert target.returncode == 0, (python, target.returncode)
    subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
    counts = rows(trace)
    where = (python, said, {k: v for k, v in counts.items() if v > 1000})

    def of(*path):
        return sum(count for key, count in counts.items() if all(name in key for name in path) and key[0] == path[0])

    # An object, its dictionary with its table, its text, and what they share; instances may share a table.
    assert 20000 <= sum(count for key, count in counts.items() if key[:1] == ("cache",) and key[-1] == "Session"), where
    assert of("cache") >= 80000, where
    assert 5000 <= of("points", "Point") <= 20000, where
    assert 50000 <= of("table") <= 70000, where
    assert of("text") == 2, where
    # Attributes of variables of the program.
    assert of("Store.known") >= 3000, where
    assert 1950 <= of("store.rows", "list") <= 2100 and 1950 <= of("store.inner.rows", "list") <= 2100, where
    assert of("store.inner.inner.rows", "list") >= 1950 and of("store") < 100, where
    assert 1950 <= of("other.rows", "list") <= 2100 and 1450 <= of("other.later", "list") <= 1600, where
    # All small blocks of the interpreter, but for what it made since.
    told = int(re.search(r"of Python in ([0-9,]+) small blocks", said).group(1).replace(",", ""))
    large = int(re.search(r"of malloc in ([0-9,]+) blocks", said).group(1).replace(",", ""))
    assert blocks * 0.99 <= told + large and told <= blocks * 1.01, (where, blocks)
    lost = re.search(r"([0-9.]+ [KM]iB) to which no pointer", said)
    assert not lost or not lost.group(1).endswith("MiB"), where
    print(version, "is right")
