# Reads memsim's JSON: the replay with glibc is within 10 % of the recorded memory, and a single arena takes less than
# half.
import json
import sys

answer = json.load(sys.stdin)
recorded = answer["recorded"]["resident_peak_bytes"]
threads, single = (a["resident_peak_bytes"] for a in answer["allocators"])
if abs(threads - recorded) > recorded / 10 or single > recorded / 2 or answer["threads"] != 5:
    sys.exit(f"recorded {recorded}, replayed {threads}, with one arena {single}")
