"""What memkit measures: a result for each call, and their sums."""

import memkit


@memkit.measure()
def load(n):
    return [bytearray(n) for _ in range(10)]


with memkit.measure("all") as m:
    kept = load(100_000)
    load(200_000)

print(m.allocated >= 3_000_000, m.net >= 1_000_000, m.end > m.begin, m.rss > 0)
print([r.net >= 1_000_000 for r in memkit.results("load")])
print(memkit.summary())
memkit.reset()
print(memkit.summary())
