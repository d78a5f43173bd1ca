# `import memkit` works from the first line of a recorded program, and so does each function of docs/Api.md, with
# each option of memrec that changes what is recorded, alone and in pairs.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && %python %s %t %src_root/docs/Api.md
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys

PROGRAM = '''
import memkit
assert isinstance(memkit.recording(), bool)
with memkit.scope("load") as load:
    kept = [bytes(10000) for _ in range(10)]
@memkit.scope("round")
def work():
    return bytearray(100000)
for _ in range(5):
    memkit.step()
    work()
memkit.mark("done")
memkit.stop()
memkit.start()
memkit.stats(), load.stats
with memkit.measure("all") as m:
    work()
m.peak, m.net
@memkit.measure()
def measured():
    pass
measured()
memkit.profile(work)
assert memkit.results("all")[0].calls == 1 if hasattr(m, "calls") else True
assert str(memkit.summary())
memkit.reset()
memkit.alert("host:live>1TiB", lambda alert: None)
memkit.watchdog("99%", clean=())
memkit.on_snapshot(lambda stats: None, every=0.01)
memkit.register_collector("npu:0", lambda: {"used": 1, "total": 2}, every=0.001)
memkit.allocated("pool", 0x1000, 16)
memkit.freed("pool", 0x1000)
memkit.check()
assert memkit.unregister_collector("npu:0")
memkit.holders(limit=0.01)
class Model:
    """What trace() asks of a module."""
try:
    memkit.trace(Model())
except TypeError:
    pass
try:
    memkit.layers()
except memkit.Error:
    pass
try:
    memkit.record("x.fb", "-q")
except memkit.RequestError:
    pass
print("well")
'''

# Options of which one excludes the other.
GROUPS = [
    ["--heap=torch.*", "--heap=tf.*", "--heap=cuda*", "--heap=host.mmap"],
    ["--start=off", "--start=after:1s", "--start=step:3"],
    ["--events=none", "--events=last:1MiB"],
    ["--sample=512KiB", "--sample=1GiB"],
    ["--torch=none", "--torch=heaps"],
    ["--python-objects"],
    ["--no-follow"],
    ["--stacks=native", "--stacks=none"],
    ["--min-size=1MiB"],
    ["--no-symbols"],
]
EXCLUDED = [{"--python-objects", "--sample"}]

folder, page = sys.argv[1:]


def is_excluded(options):
    names = {o.split("=")[0] for o in options}
    return any(pair <= names for pair in EXCLUDED)


def run(options):
    trace = os.path.join(folder, re.sub(r"\W+", "_", " ".join(options)) + ".fb")
    # Neither site-packages nor the folder of the program: nothing else can have brought the package.
    done = subprocess.run(["memrec", "-q", "-o", trace, *options, "--", sys.executable, "-S", "-I", "-c", PROGRAM],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if (done.returncode, done.stdout) != (0, "well\n"):
        return "%s: status %d: %s" % (" ".join(options), done.returncode, done.stdout + done.stderr)
    os.unlink(trace)
    return None


# The program calls what the page has.
with open(page, encoding="utf-8") as file:
    named = set(re.findall(r"`@?memkit\.([a-z_]+)\(", file.read()))
missing = {name for name in named if not re.search(r"\bmemkit\.%s\(" % name, PROGRAM)}
assert missing <= {"open", "predict"}, missing

sets = [(option,) for group in GROUPS for option in group]
sets += [pair for a, b in itertools.combinations(GROUPS, 2) for pair in itertools.product(a, b)]
sets = [options for options in sets if not is_excluded(options)]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    bad = [text for text in pool.map(run, sets) if text]
print("\n".join(bad))
print("%d of %d sets of options fail" % (len(bad), len(sets)))
sys.exit(1 if bad else 0)
