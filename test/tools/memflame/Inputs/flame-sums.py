# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For the first profile of each file: its total, and the frames it draws.

Fails when the events do not nest, overlap, or leave their profile.
"""

import json
import sys

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    names = [frame["name"] for frame in data["shared"]["frames"]]
    profile = data["profiles"][0]
    opened, drawn, last = [], [], profile["startValue"]
    for event in profile["events"]:
        assert event["at"] >= last, "events go back"
        last = event["at"]
        if event["type"] == "O":
            opened.append((event["frame"], last, len(drawn)))
            drawn.append(None)
        else:
            frame, begin, place = opened.pop()
            assert frame == event["frame"], "events do not nest"
            drawn[place] = f"{names[frame]} {last - begin}"
    assert not opened and last <= profile["endValue"]
    print(f"total {profile['endValue']}, frames drawn {len(drawn)}: {', '.join(drawn)}")
