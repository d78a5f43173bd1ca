# usage: heap.py TRACE HEAP FILE: the heap has the live bytes and the allocations that FILE has.
import json
import subprocess
import sys

trace, name, counts = sys.argv[1:]
said = subprocess.run(["memdump", "--table=heaps", "--format=json", trace], check=True, stdout=subprocess.PIPE).stdout
heaps = {heap["heap"]: heap for heap in json.loads(said)["heaps"]}
if name not in heaps:
    sys.exit("no heap %s: %s" % (name, list(heaps)))
with open(counts) as file:
    wanted = [int(word) for word in file.read().split()]
found = [heaps[name]["live_at_exits_bytes"], heaps[name]["allocations"]]
if found != wanted:
    sys.exit("live bytes, allocations: %s recorded, %s of the program" % (found, wanted))
