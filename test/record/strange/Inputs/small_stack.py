"""On which stack, in bytes, a program executes another one alone and recorded."""
import subprocess
import sys

program, trace = sys.argv[1:]
MORE, STEP = 2048, 256


def works(command):
    return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


for how in "fork-p", "fork-l", "fork-e", "fork-v", "vfork-p", "vfork-e", "clone-p", "clone-e", "clone-v":
    alone = next(n for n in range(1024, 16384, STEP) if works([program, str(n), how]))
    # Less may work too, where a system call reports that its buffer is not there.
    for more in range(MORE, 3 * MORE, STEP):
        recorded = ["memrec", "-q", "--force", "-o", trace, program, str(alone + more), how]
        assert works(recorded), f"{how}: alone {alone} bytes are enough, recorded {alone + more} are not"
