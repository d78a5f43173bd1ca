# oracle.py LIBRARY SAMPLES [EVERY [OPTIONS]] -- PROGRAM ARGS..: runs the program with the
# capture library that compares its stacks with libgcc's. At least SAMPLES must have
# been compared and none be different. Prints the counts. OPTIONS are wiredrain's.
import os
import struct
import subprocess
import sys
import tempfile

at = sys.argv.index("--")
library, wanted = sys.argv[1], int(sys.argv[2])
with tempfile.TemporaryDirectory() as folder:
    counts = os.path.join(folder, "counts")
    with open(counts, "wb") as f:
        f.write(bytes(64))
    environment = dict(os.environ, MEMREC_ORACLE=counts)
    if at > 3:
        environment["MEMREC_ORACLE_EVERY"] = sys.argv[3]
    run = subprocess.run(
        ["wiredrain", "--library", library, "--discard"] + sys.argv[4:at] + sys.argv[at:],
        env=environment, stdout=subprocess.PIPE, text=True)
    with open(counts, "rb") as f:
        samples, frames, most, different, beyond, marked, _, _ = struct.unpack("8Q", f.read())
    print("samples %d frames %.1f most %d different %d beyond %d marked %d" % (
        samples, frames / max(samples, 1), most, different, beyond, marked))
    if os.path.exists(counts + ".txt"):
        print(open(counts + ".txt").read())
    print("\n".join(line for line in run.stdout.splitlines() if "lost" in line or "status" in line))
    sys.exit(run.returncode or different != 0 or samples < wanted)
