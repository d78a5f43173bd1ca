# check-trim.py JSON OUT: the bytes that the last sample calls free whole pages, and those that
# malloc_trim(0) gave back.

import json
import sys

sample = json.load(open(sys.argv[1]))["resident"][0]["last"]
said = sum(arena["free_page_bytes"] for arena in sample["arenas"])
given = int(open(sys.argv[2]).read())
assert said > 60 << 20, said
assert abs(said - given) <= 0.1 * given, (said, given)
