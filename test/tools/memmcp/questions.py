# REQUIRES: python
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: memas --summarize %S/../memview/page/Inputs/training.mas -o training.fb
# RUN: for n in before after requests gap; do memas --summarize %src_root/docs/examples/$n.mkt -o $n.fb || exit; done
# RUN: memas %S/../memdump/oom-limits.mas -o oom.fb
# RUN: cp %S/../memimport/Inputs/memray-1.20.0.bin memray.bin && cp %S/../memimport/Inputs/heaptrack-1.5.0.gz heaptrack.gz
# RUN: printf 'import time\ndef fill():\n    return bytearray(30_000_000)\nkept = fill()\ntime.sleep(0.1)\n' > fill.py
# RUN: memrec -q -o fill.fb -- %python fill.py
# RUN: %python %src_root/utils/genjob/genjob --ranks=16 --stacks=40 --steps=40 --seed=3 -o job
# RUN: %python %s
#
# Twenty questions with known answers, by a raw client.

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from client import Client
from questions import QUESTIONS, judge

assert len(QUESTIONS) == 20
client = Client(".")
answers = []
for _, calls, _ in QUESTIONS:
    answers.append([])
    for name, arguments in calls:
        text, is_error = client.call(name, **arguments)
        assert not is_error, (name, arguments, text)
        answers[-1].append(text)
assert client.end() == 0
sizes = [sum(len(text.encode()) for text in given) for given in answers]
print("bytes of an answer: %d in the median, %d at most" % (sorted(sizes)[10], max(sizes)))
status = 0
for question, missing, given in judge(answers):
    print(question, missing, *given, sep="\n")
    status = 1
sys.exit(status)
