# RUN: %python %s %t
#
# SIGTERM to the whole group, as batch systems and supervisors send it: memrec ends after the program,
# with the program's status, and the trace has the program's end. SIGTERM to memrec alone ends the
# recording and leaves the program alone.

import json
import os
import signal
import subprocess
import sys
import time

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
HANDLER = "trap 'sleep 0.3; exit 7' TERM; touch READY; while :; do sleep 0.02; done"


def run(name, command, to_group):
    trace, ready = f"{folder}/{name}.fb", f"{folder}/{name}.ready"
    if os.path.exists(ready):
        os.remove(ready)
    recorder = subprocess.Popen(["memrec", "--force", "-o", trace, "sh", "-c", command.replace("READY", ready)],
                                start_new_session=True, stderr=subprocess.PIPE, text=True)
    while not os.path.exists(ready):
        time.sleep(0.02)
    time.sleep(0.2)
    began = time.monotonic()
    (os.killpg if to_group else os.kill)(recorder.pid, signal.SIGTERM)
    status = recorder.wait(60)
    seconds = time.monotonic() - began
    summary = json.loads(subprocess.run(["memdump", "--summary", "--format=json", trace], check=True,
                                        capture_output=True, text=True).stdout)
    try:
        os.killpg(recorder.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return status, seconds, summary["processes"][0], recorder.stderr.read()


status, _, process, said = run("handler", HANDLER, True)
assert status == 7 and process["exit_status"] == 7, (status, process, said)
assert "still runs" not in said, said

status, _, process, said = run("default", "touch READY; exec sleep 60", True)
assert status == 128 + signal.SIGTERM, (status, said)
assert "killed by signal 15" in said, said

status, seconds, process, said = run("alone", "touch READY; exec sleep 60", False)
assert status == 0 and "the program still runs" in said, (status, said)
assert seconds < 10 and process["exit_status"] is None, (seconds, process)
