# every-python.py LIBRARY SAMPLES EVERY [--objects] -- SCRIPT ARGS..: runs the script by each
# interpreter that there is, recorded by LIBRARY (libmemrec-python-oracle.so), which
# compares one stack in EVERY with those of a plain walk. SAMPLES must have been
# compared and none be different.
import os
import struct
import subprocess
import sys
import tempfile

from pythons import interpreters

at = sys.argv.index("--")
library, wanted, every = sys.argv[1], int(sys.argv[2]), sys.argv[3]
bad = 0
for python in interpreters():
    with tempfile.TemporaryDirectory() as folder:
        counts = os.path.join(folder, "counts")
        with open(counts, "wb") as f:
            f.write(bytes(64))
        run = subprocess.run(
            ["wiredrain", "--library", library, "--frames", "3", "--discard"]
            + sys.argv[4:at] + ["--", python] + sys.argv[at + 1:],
            stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, MEMREC_ORACLE=counts, MEMREC_ORACLE_EVERY=every,
                     PYTHONMALLOC="malloc"))
        with open(counts, "rb") as f:
            samples, frames, most, different = struct.unpack("8Q", f.read())[:4]
        print(python)
        print("\n".join(line for line in run.stdout.splitlines()
                        if not line.startswith("process") or " python " in line))
        print("plain walk: samples %d frames %.1f most %d different %d" % (
            samples, frames / max(samples, 1), most, different))
        if os.path.exists(counts + ".txt"):
            print(open(counts + ".txt").read())
        if run.returncode or different or samples < wanted:
            print("FAILED")
            bad += 1
sys.exit(bad != 0)
