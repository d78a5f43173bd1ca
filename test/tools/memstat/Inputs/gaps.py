"""Writes a trace whose gap has planted causes, or checks what memstat says of it.

gaps.py SEED: the trace as memas reads it. gaps.py SEED check: memstat's JSON from stdin against what
was planted: each cause is named, with its bytes and its time within a tenth, and no other.
"""

import json
import random
import sys

seed = int(sys.argv[1])
R = random.Random(seed)
MIB = 1 << 20
TOTAL = R.choice([8, 24, 80, 141]) * 1024 * MIB
N = R.choice([40, 200, 1500])
SECONDS = R.choice([4, 60, 3600])
TIMES = [int((i + 1) * SECONDS * 1e9 / N) for i in range(N)]
CAUSES = ["other-process", "drift", "transient", "fragmentation", "first-use"]
# Each cause alone, then two, then more.
planted = {CAUSES[seed % 5]}
if seed >= 10:
    planted.add(R.choice(CAUSES))
if seed >= 20:
    planted |= set(R.sample(CAUSES, 3))


def some(low, high):
    """Bytes: a share of the device, in pages of the device."""
    return int(TOTAL * R.uniform(low, high)) // (2 * MIB) * (2 * MIB)


want = {}
contexts, modules = [0] * N, [0] * N
others, rest = [0] * N, [0] * N
small = TOTAL // 4000  # what no cause is made of
for i in range(N):
    contexts[i] = small
    others[i] = small // 2
    rest[i] = R.randrange(small // 4 + 1) // MIB * MIB
rises = R.randrange(8, min(N // 3, 120))
each = max(some(0.02, 0.15) // rises, small // 2) // MIB * MIB + MIB
if "first-use" in planted:
    size = some(0.02, 0.12)
    at = 0 if R.random() < 0.5 else R.randrange(N // 3)
    library = some(0.01, 0.06) if R.random() < 0.7 else 0
    if library and "drift" in planted:  # one rise as small as a drift's is part of it
        library = max(library, 5 * each)
    library_at = R.randrange(1, N // 2)
    for i in range(N):
        contexts[i] += size // 2 if i >= at else 0
        modules[i] += size - size // 2 if i >= at else 0
        rest[i] += library if i >= library_at else 0
    want["first-use"] = (size + library, TIMES[at] if library <= size else TIMES[library_at])
if "other-process" in planted:
    size, at = some(0.05, 0.4), R.choice([0, R.randrange(1, N - N // 4)])
    leaves = R.random() < 0.3 and at < N // 2
    for i in range(at, N - N // 5 if leaves else N):
        others[i] += size
    want["other-process"] = (size, TIMES[at])
if "drift" in planted:
    first = R.randrange(1, N // 4)
    places = sorted({first + (N - 1 - first) * k // rises for k in range(rises)})
    for place in places:
        for i in range(place, N):
            rest[i] += each
    want["drift"] = (each * len(places), TIMES[places[0]])
if "transient" in planted:
    times, size = R.randrange(1, 6), some(0.02, 0.2)
    width = max(1, N // 40)
    places = sorted(R.sample(range(N // 8, N - N // 6, width * 2 + 1), min(times, 4)))
    for place in places:
        for i in range(place, min(place + width, N - N // 8)):
            rest[i] += size
    want["transient"] = (size, TIMES[places[0]])
reserved, active = [0] * N, [0] * N
unused = R.uniform(0.3, 0.6) if "fragmentation" in planted else 0.02
base, at = some(0.15, 0.3), R.randrange(1, N // 2)
for i in range(N):
    reserved[i] = base if i < at else int(base * 1.3) // MIB * MIB
    active[i] = int(reserved[i] * 0.98) if i < at else int(reserved[i] * (1 - unused))
if "fragmentation" in planted:
    want["fragmentation"] = (reserved[-1] - active[-1], TIMES[at])
if R.random() < 0.5:  # the program ends before the recording: its share goes
    for i in range(N - max(1, N // 50), N):
        contexts[i] = modules[i] = rest[i] = reserved[i] = active[i] = 0

if len(sys.argv) == 2:
    print("header\ndictionary")
    print(f'  device 1 name="X" space="npu:0" bytes={TOTAL}')
    print('  process 1 pid=1 exe="/bin/a"')
    print('  heap 1 name="npu:0.device" space=1')
    print("marks")
    for i, ns in enumerate(TIMES):
        used = contexts[i] + modules[i] + others[i] + rest[i] + reserved[i]
        print(f"  {ns} heap-reserved process=1 heap=1 values=[{reserved[i]} {active[i]}]")
        values = [used, TOTAL, reserved[i], contexts[i], modules[i], others[i], used - others[i]]
        print(f"  {ns} device-used process=1 id=1 values=[{' '.join(map(str, values))}]")
    print(f"summary number=1 end={TIMES[-1]}")
    print(f"  heap 1 allocations=0 reserved-known=true reserved-bytes={reserved[-1]} reserved-peak-bytes={max(reserved)}")
    print("  space 1 allocations=0")
    print(f"  process 1 end={TIMES[-1]}\ncomplete")
    sys.exit()

got = {c["cause"]: c for c in json.load(sys.stdin)["gap"][0]["causes"]}
wrong = [f"not named: {name}" for name in want if name not in got]
wrong += [f"not there: {name} {got[name]['bytes']}" for name in got if name not in want]
for name, (size, since) in want.items():
    if name not in got:
        continue
    # Noise of a page or so, and the contexts that each program has.
    if abs(got[name]["bytes"] - size) > size * 0.1 + 2 * small:
        wrong.append(f"{name}: {got[name]['bytes']} bytes, planted {size}")
    if abs(got[name]["since_ns"] - since) > TIMES[-1] * 0.1:
        wrong.append(f"{name}: since {got[name]['since_ns']}, planted {since}")
    high = got[name]["severity"] == "high"
    if high != (size >= TOTAL // 10) and abs(size - TOTAL // 10) > TOTAL // 50:
        wrong.append(f"{name}: severity {got[name]['severity']} of {size} in {TOTAL}")
if wrong:
    print(f"seed {seed}, planted {sorted(want)}:", *wrong, sep="\n  ")
sys.exit(bool(wrong))
