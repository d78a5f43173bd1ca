# held.py JSON NAME: what the allocator says that the program holds, within 1 %; from outside
# the blocks are the same.
import json
import sys

said = json.load(open(sys.argv[1]))
own = said["allocators"][0]
parts = said["resident"][0]["exit"]["parts"]
assert own["name"].startswith(sys.argv[2]), own
assert abs(parts["malloc"] / (64 << 20) - 1) < 0.01, parts
if own["in_use_bytes"] is not None:
    assert abs(own["in_use_bytes"] / (64 << 20) - 1) < 0.01, own
    assert own["in_use_bytes"] + own["free_bytes"] == own["reserved_bytes"], own
# mimalloc takes 32 MiB at a time.
assert 64 << 20 <= own["reserved_bytes"] <= 128 << 20, own
print(own["name"])
