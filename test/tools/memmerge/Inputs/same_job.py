"""Compares two jobs as memstat prints them as JSON, without what merging changes:
traces, ids, times since the start."""

import json
import sys

NAMES = {"trace", "process_id", "pid", "time_ns"}


def plain(value):
    if isinstance(value, dict):
        # The trace of one rank knows the peak of its processes together, a merged one an upper bound.
        if value.get("name") == "host" and "peak_is_upper_bound" in value:
            value = {k: v for k, v in value.items() if k not in ("peak_bytes", "peak_is_upper_bound")}
        return {k: plain(v) for k, v in value.items() if k not in NAMES}
    return [plain(v) for v in value] if isinstance(value, list) else value


# Which lines grew, intervals tell, which a merged trace has not.
LEFT_OUT = {"traces", "differences", "format_version"}
first, second = ({k: plain(v) for k, v in json.load(open(path)).items() if k not in LEFT_OUT} for path in sys.argv[1:3])
for key in sorted(first.keys() | second.keys()):
    if first.get(key) != second.get(key):
        sys.exit(f"{key}: {first.get(key)!r:.2000} {second.get(key)!r:.2000}")
