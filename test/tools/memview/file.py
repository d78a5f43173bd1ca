# A page as a file: no request, no address of another host, and no markup from a trace.
#
# RUN: memas --summarize %S/Inputs/hostile.mas -o %t.fb
# RUN: memview -o %t.html %t.fb
# RUN: memflame --format=html -o %t.flame.html %t.fb
# RUN: %python %s %t.html | FileCheck %s
# RUN: %python %s %t.flame.html | FileCheck %s
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import file_answers

page = open(sys.argv[1], encoding="utf-8").read()
text, answers = file_answers.read(sys.argv[1])
# CHECK: own policy: True
policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
print("own policy:", bool(policy) and "default-src 'none'" in policy[1] and
      "unsafe" not in policy[1] and "connect-src" not in policy[1])
# CHECK-NEXT: before any script and style: True
print("before any script and style:", policy.start() < min(page.index("<style"), page.index("<script")))
# CHECK-NEXT: scripts: 2
print("scripts:", page.count("<script"))
# CHECK-NEXT: names are packed: True
print("names are packed:", "<" not in text and "alert" not in text and "<script>alert(1)" in json.dumps(answers))
# CHECK-NEXT: code: at most 300 KB
code = len(page.encode()) - len(text.encode())
print("code:", "at most 300 KB" if code <= 300_000 else code)
