# A merged trace is written into a new file that only the user can read, and nothing else is left.
#
# REQUIRES: libmemkit
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%obj_root/share/memkit/python %python %s %t
import os
import sys

import memkit.job

folder = sys.argv[1]
os.umask(0o022)
merged = memkit.job.Merged(b"a trace")
path = folder + "/job.fb"
with open(path, "wb") as to:
    to.write(b"an old file")
with open(path, "rb") as reader:
    merged.write(path)
    assert reader.read() == b"an old file"
os.chdir(folder)
merged.write("here.fb")
for name in ("job.fb", "here.fb"):
    with open(name, "rb") as of:
        assert of.read() == b"a trace"
    assert os.stat(name).st_mode & 0o777 == 0o600, name
os.mkdir("folder.fb")
try:
    merged.write("folder.fb")
    raise AssertionError("a folder was overwritten")
except OSError:
    pass
assert sorted(os.listdir(".")) == ["folder.fb", "here.fb", "job.fb"], os.listdir(".")
