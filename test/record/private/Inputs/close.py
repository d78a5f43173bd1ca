# usage: close.py TRACE HEAP FILE [PERCENT]: the heap's live bytes are those that FILE has, within 1 %.
import json
import subprocess
import sys

trace, name, counts, *percent = sys.argv[1:]
said = subprocess.run(["memdump", "--table=heaps", "--format=json", trace], check=True, stdout=subprocess.PIPE).stdout
heaps = {heap["heap"]: heap for heap in json.loads(said)["heaps"]}
if name not in heaps:
    sys.exit("no heap %s: %s" % (name, list(heaps)))
with open(counts) as file:
    wanted = int(file.read())
found = heaps[name]["live_at_exits_bytes"]
if abs(found - wanted) > float(percent[0] if percent else 1) / 100 * wanted:
    sys.exit("live bytes: %d recorded, %d of the allocator" % (found, wanted))
