# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: env PYTHONPATH=%S/Inputs:%src_root/test/Inputs LC_ALL=C.UTF-8 %python %s %python
#
# Tools have a program that runs look for the names that hold its memory, without an option of
# memrec: memdump waits for the names.

import json
import sys

from live import recording, run, wait_for

with open("serve.py", "w", encoding="utf-8") as script:
    script.write("""
import time
kept = [bytes(500_000)]
def handle():
    return bytearray(5000)
while True:
    handle()
    time.sleep(0.005)
""")

with recording("-o", "serve.fb", sys.argv[1], "serve.py") as memrec:
    wait_for(memrec, "serve.py:3")
    name = f"live:{memrec.pid}"
    text, err = run("memdump", "--holders", name)
    assert "serve.kept[0]" in text and "no process" not in err, (text, err)
    # Each call asks again.
    text, _ = run("memdump", "--holders", "--format=json", name)
    assert len(json.loads(text)["searches"]) == 2, text

# A program without Python has no names.
with recording("-o", "sleep.fb", "sleep", "600") as memrec:
    wait_for(memrec, "sleep")
    text, err = run("memdump", "--holders", f"live:{memrec.pid}")
    assert "no names were looked for" in text, text
    assert "no process has looked for names within 3 s: none runs Python" in err, err
