# What glibc says of itself against what the program has made, and what memrec saw.
import json
import sys

said = json.load(open(sys.argv[1]))
glibc = said["allocators"][0]
parts = said["resident"][0]["exit"]["parts"]

BLOCKS, CHUNK, APART = 32 << 10, 1008, 16 << 20


def close(is_, should_be, what, share=0.01):
    assert abs(is_ - should_be) <= should_be * share, (what, is_, should_be)


close(glibc["in_use_bytes"], BLOCKS * CHUNK, "in use")
close(glibc["free_bytes"], BLOCKS * CHUNK, "free", 0.02)
close(glibc["mapped_apart_bytes"], APART, "mapped apart")
assert glibc["in_use_bytes"] + glibc["free_bytes"] == glibc["reserved_bytes"], glibc
assert len(glibc["arenas"]) == 2, glibc
for arena in glibc["arenas"]:
    close(arena["in_use_bytes"], BLOCKS * CHUNK / 2, "an arena")
assert sum(arena["free_bytes"] for arena in glibc["arenas"]) == glibc["free_bytes"], glibc
# From outside: blocks as they were requested, and pages that were touched.
close(parts["malloc"], BLOCKS * 1000 + APART, "live blocks")
close(parts["malloc"] + parts["malloc-free"], glibc["reserved_bytes"] + glibc["mapped_apart_bytes"], "all")
