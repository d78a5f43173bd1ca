"""Fetches files from (synthetic) mirrors and keeps the newest of each."""
import asyncio  # noqa: F401
import zlib


def fetch(mirror, name):
    """The age and the bytes of a file at a mirror."""
    seed = zlib.crc32(f"{mirror}/{name}".encode())
    return seed % 1000, seed.to_bytes(4, "little") * 8192


def newest(name, mirrors):
    best = None
    for mirror in mirrors:
        age, data = fetch(mirror, name)
        if best is None or age < best[0]:
            best = (age, data)
    return best


def fetch_all(names, mirrors):
    files = {}
    for name in names:
        files[name] = newest(name, mirrors)
    return files


def main():
    names = [f"package-{number}.tar" for number in range(600)]
    files = fetch_all(names, ["north", "south", "west"])
    total = sum(len(data) for age, data in files.values())
    print(len(files), "files,", total, "bytes")


if __name__ == "__main__":
    main()
