# Every recording, cut off anywhere and with bytes changed, gives a trace or an error that names
# the file: no crash, no hang, no file from a failed import.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %S/Inputs

import pathlib
import random
import subprocess
import sys

random.seed(1)
names = [p for p in sorted(pathlib.Path(sys.argv[1]).iterdir()) if p.suffix not in (".md", ".py")]
assert len(names) > 10
for path in names:
    whole = path.read_bytes()
    cuts = {random.randrange(len(whole)) for _ in range(12)}
    changed = []
    for _ in range(12):
        data = bytearray(whole)
        for _ in range(random.choice((1, 1, 4))):
            data[random.randrange(len(data))] = random.randrange(256)
        changed.append(bytes(data))
    for data in [whole[:cut] for cut in cuts] + changed:
        bad, out = pathlib.Path("bad" + path.suffix), pathlib.Path("out.fb")
        bad.write_bytes(data)
        out.unlink(missing_ok=True)
        done = subprocess.run(["memimport", bad, "-o", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", errors="replace", timeout=60, check=False)
        assert done.returncode in (0, 1), (path, done)
        if done.returncode == 1:
            assert "memimport: error: " in done.stderr, (path, done.stderr)
            assert not out.exists(), path
        else:
            subprocess.run(["memdump", "--check", "-q", out], check=True, stdout=subprocess.DEVNULL)
