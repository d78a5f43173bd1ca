# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: cp %S/../memimport/Inputs/heaptrack-1.5.0.gz %S/../memimport/Inputs/lsan.log .
# RUN: cp %S/../memimport/Inputs/memray-1.1.0.bin memray.bin && memimport -q memray.bin -o memray.fb
# RUN: memas --summarize %src_root/docs/examples/after.mkt -o after.fb
# RUN: %python %s
#
# Recordings of other tools are traces; they are imported once.

import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from client import Client

client = Client(".")


def held():
    folder = "/proc/%d/fd" % client.process.pid
    return sum("memmcp-import" in os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder))


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


for _ in range(2):
    text, is_error = client.call("leaks", trace="memray.bin")
    assert not is_error and text == said("memleak", "-q", "memray.fb"), text
    assert held() == 1
text, is_error = client.call("query", trace="memray.bin", table="lines", top=2)
assert not is_error and text.startswith("heap,name,"), text
# A trace beside a recording.
text, is_error = client.call("diff", before="memray.bin", after="after.fb")
assert not is_error and "peak" in text, text
for number, name in enumerate(("heaptrack-1.5.0.gz", "lsan.log"), 2):
    text, is_error = client.call("overview", trace=name)
    assert not is_error, text
    assert held() == number
# A recording that changed is imported again; the last four are kept.
time.sleep(0.01)
shutil.copyfile("heaptrack-1.5.0.gz", "memray.bin")
text, is_error = client.call("overview", trace="memray.bin")
assert not is_error and text.startswith("shop: peak 278 KiB"), text
assert held() == 4
shutil.copyfile("lsan.log", "other.log")
assert not client.call("overview", trace="other.log")[1]
assert held() == 4

# What is no recording either: the tool's own words; nothing is kept.
with open("text.fb", "w") as file:
    file.write("nothing\n")
text, is_error = client.call("overview", trace="text.fb")
assert is_error and "text.fb: not a memkit trace" in text, text
text, is_error = client.call("diff", before="text.fb", after="after.fb")
assert is_error and "text.fb: not a memkit trace" in text, text
assert held() == 4
assert client.end() == 0
