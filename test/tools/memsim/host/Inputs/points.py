# Reads memsim's JSON of timeline.mas: the values of intervals of 10 us, in MiB.
import json
import sys

MIB = 1 << 20
answer = json.load(sys.stdin)
recorded, replayed = answer["recorded"], answer["allocators"][0]["resident_over_time_bytes"]
was = recorded["resident_over_time_bytes"]
if not recorded["is_of_malloc"] or answer["processes"] != 2:
    sys.exit(f"{recorded['is_of_malloc']}, {answer['processes']} processes")
if answer["time_ns"][:2] != [10000, 20000] or answer["time_ns"][71:] != [720000]:
    sys.exit(f"times: {answer['time_ns']}")
# An interval without a sample has the last value before.
want = {29: 0, 30: 40, 44: 40, 45: 56, 59: 56, 60: 56, 61: 30, 71: 30}
if any(was[at] != mib * MIB for at, mib in want.items()):
    sys.exit(f"recorded: {was}")
want = {9: 0, 10: 16, 29: 16, 30: 48, 39: 48, 40: 56, 70: 56, 71: 8}
if len(replayed) != 72 or any(abs(replayed[at] - mib * MIB) > MIB for at, mib in want.items()):
    sys.exit(f"replayed: {replayed}")
