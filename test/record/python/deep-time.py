# RUN: memrec -q --force --python-objects -o %t.fb %python %s 20000
# RUN: memdump --check %t.fb
# RUN: memdump --summary --format=json %t.fb | %python -c "import json, sys; s = json.load(sys.stdin)['duration_ns'] / 1e9; assert s < 10, s"
# RUN: memflame --format=collapsed --heap=python.object %t.fb | FileCheck %s
#
# An object made in each of 20,000 levels of a recursion costs no walk of all the frames.
#
# CHECK: deep-time.py:{{[0-9]+}} down;{{.*}};[frames left out];{{.*}}down
import sys
import threading

levels = int(sys.argv[1])
kept = []


def down(i):
    kept.append([i])
    return down(i + 1) + 1 if i < levels else 0


sys.setrecursionlimit(10**7)
threading.stack_size(1 << 30)
thread = threading.Thread(target=down, args=(0,))
thread.start()
thread.join()
