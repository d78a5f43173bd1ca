import sys


def load():
    return [bytes(1000) for _ in range(20_000)]


def merge(rows):
    joined = b"".join(rows)
    return joined[:len(joined) // 2]


def copy(rows):
    return list(map(bytearray, rows))


rows = load()
if len(sys.argv) > 1:
    backup = copy(rows)
half = merge(rows)
print(len(half))
