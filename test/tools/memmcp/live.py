# RUN: rm -rf %t && mkdir -m 700 %t && cd %t
# RUN: %python %s
#
# A recording that still runs, and what became of it.

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from client import Client

PROGRAM = """
import sys
def fill():
    return bytearray(30_000_000)
kept = fill()
print("filled", flush=True)
sys.stdin.read()
"""
with open("fill.py", "w") as file:
    file.write(PROGRAM)
# Where the recording listens: here, whatever other recordings of the user there are.
os.environ["XDG_RUNTIME_DIR"] = os.getcwd()
recorded = subprocess.Popen(
    ["memrec", "-q", "-o", "fill.fb", "--", sys.executable, "fill.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)
assert recorded.stdout.readline() == b"filled\n"
client = Client(".")
# The recorder may not have taken all yet.
deadline = time.monotonic() + 60
while True:
    text, is_error = client.call("overview", trace="live:%d" % recorded.pid)
    assert not is_error, text
    if "fill.py:4 fill" in text:
        break
    assert time.monotonic() < deadline, text
    time.sleep(0.1)
recorded.stdin.close()
assert recorded.wait(60) == 0
text, is_error = client.call("overview", trace="live:%d" % recorded.pid)
assert is_error and str(recorded.pid) in text, text
assert "fill.py:4 fill" in client.call("overview", trace="fill.fb")[0]
assert client.end() == 0
