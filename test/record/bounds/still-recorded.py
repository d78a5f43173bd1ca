# A trace that memrec still writes: tools say so, and a leak is found.
#
# RUN: %python %s %t.fb
import subprocess
import sys
import time

trace = sys.argv[1]
program = """
import select, sys
kept = []
# Ends when its input ends, so that nothing is left running.
while not select.select([sys.stdin], [], [], 0.01)[0]:
    kept.append(bytearray(300000))
    for number in range(15):
        bytearray(300000)
"""
recorder = subprocess.Popen(["memrec", "-q", "--force", "-o", trace, "--", sys.executable, "-c", program],
                            stdin=subprocess.PIPE)
try:
    for _ in range(100):
        time.sleep(0.3)
        stat = subprocess.run(["memstat", trace], capture_output=True, text=True, check=False)
        if "LEAK" in stat.stdout:
            break
    assert "LEAK" in stat.stdout, stat
    assert f"{trace}: still being recorded: this is the run up to " in stat.stderr, stat.stderr
    assert stat.stderr.count("\n") == 1, stat.stderr
    assert "trace     still being recorded" in stat.stdout, stat.stdout
    leak = subprocess.run(["memleak", trace], capture_output=True, text=True, check=True)
    assert leak.stdout.startswith("LEAK  <string>:6 <module>"), leak.stdout
    assert leak.stderr.count("\n") == 1, leak.stderr
finally:
    recorder.communicate()
# Then the trace is complete.
stat = subprocess.run(["memstat", trace], capture_output=True, text=True, check=True)
assert "still being recorded" not in stat.stdout + stat.stderr, stat
