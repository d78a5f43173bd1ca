# usage: reloads.py TRACE MADE SAID: all blocks that the program made are recorded, unless memrec said that a plan
# came too late.
import json
import subprocess
import sys

trace, made, said = sys.argv[1:]
heaps = json.loads(subprocess.run(["memdump", "--table=heaps", "--format=json", trace], check=True,
                                  stdout=subprocess.PIPE).stdout)["heaps"]
found = sum(heap["allocations"] for heap in heaps if heap["heap"].startswith("private."))
with open(made) as file:
    wanted = int(file.read())
with open(said) as file:
    late = "took longer" in file.read()
if found > wanted or (found < wanted and not late):
    sys.exit("%d blocks recorded, %d made" % (found, wanted))
print("%d of %d blocks" % (found, wanted))
