# A page as a file: no request, no address of another host, and no markup from a trace.
#
# RUN: memas --summarize %S/Inputs/hostile.mas -o %t.fb
# RUN: memview -o %t.html %t.fb
# RUN: %python %s %t.html | FileCheck %s
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
# CHECK: own policy: True
policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
print("own policy:", bool(policy) and "default-src 'none'" in policy[1] and
      "unsafe" not in policy[1] and "connect-src" not in policy[1])
# CHECK-NEXT: before any script and style: True
print("before any script and style:", policy.start() < min(page.index("<style"), page.index("<script")))
# CHECK-NEXT: scripts: 2
print("scripts:", page.count("<script"))
# CHECK-NEXT: names are in the answers, escaped: True
answers = page[page.index('id="answers">') + 13:]
answers = answers[:answers.index("</script>")]
print("names are in the answers, escaped:", "\\u003cscript>alert(1)" in answers and "<" not in answers)
