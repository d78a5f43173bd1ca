# list-firefox-scopes.py FILE: the intervals of threads, `BEGIN-END KIND NAME` in ns, in order.
import json
import sys

profile = json.load(open(sys.argv[1]))
rows = []
for thread in profile["threads"]:
    markers = thread["markers"]
    strings = thread.get("stringArray") or profile["shared"]["stringArray"]
    for name, begin, end, data in zip(markers["name"], markers["startTime"], markers["endTime"], markers["data"], strict=True):
        if data["type"] in ("layer", "operator", "range", "user", "phase"):
            rows.append((round(begin * 1e6), -round(end * 1e6), data["type"], strings[name]))
for begin, end, kind, name in sorted(rows):
    print("%d-%d %s %s" % (begin, -end, kind, name))
