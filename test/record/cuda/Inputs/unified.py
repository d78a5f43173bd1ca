# The ledger of a device that shares the machine's memory closes: what is available, on the
# device, resident and in the rest is the machine's memory.
import json
import sys

gap = json.load(open(sys.argv[1]))["gap"][0]
total = int(open(sys.argv[2]).read().split()[1]) * 1024
assert gap["shares_machine_memory"] and gap["total_bytes"] == total, gap
last = gap["last"]
parts = [last[key] for key in ("machine_available_bytes", "resident_bytes")]
assert all(0 < part < total for part in parts), last
assert last["used_bytes"] == 480 << 20 and last["modules_bytes"] is None, last
assert last["unknown_bytes"] == 16 << 20, last
# The device's memory is no part of this machine's, so the rest may lack as much.
rest = total - sum(parts) - last["used_bytes"]
assert last["machine_rest_bytes"] == max(rest, 0), (last, rest)
