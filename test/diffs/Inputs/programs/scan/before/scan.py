"""Searches a (synthetic) disk image for signatures of files."""
import hashlib
import random
import struct

SIGNATURES = {"png": b"\x89PNG", "zip": b"PK\x03\x04", "elf": b"\x7fELF"}
CHUNK = 512 * 1024


def make_image(chunks, seed=4):
    """An image: each chunk begins with the signature of some file."""
    rng = random.Random(seed)
    image = bytearray(chunks * CHUNK)
    names = sorted(SIGNATURES)
    for number in range(chunks):
        at = number * CHUNK + rng.randrange(0, CHUNK - 16, 16)
        signature = SIGNATURES[rng.choice(names)]
        image[at:at + len(signature)] = signature
        struct.pack_into("<I", image, number * CHUNK, number)
    return image


def read_chunk(image, number):
    """One chunk, and some bytes of the next one."""
    start = number * CHUNK
    return bytes(image[start:start + CHUNK + 16])


def find_signatures(chunk):
    found = []
    for kind, signature in SIGNATURES.items():
        at = chunk.find(signature)
        while at >= 0:
            found.append((kind, at))
            at = chunk.find(signature, at + 1)
    return found


class Scanner:
    def __init__(self, image):
        self.image = image
        self.hits = []
        self.digests = {}
        self.map = bytearray(len(image) // 8)

    def feed(self, number):
        chunk = read_chunk(self.image, number)
        self.digests[number] = hashlib.sha256(chunk).hexdigest()
        for kind, at in find_signatures(chunk):
            position = number * CHUNK + at
            self.hits.append((kind, position))
            self.map[position // 8] = 1

    def report(self):
        by_kind = {}
        for kind, position in self.hits:
            by_kind.setdefault(kind, []).append(position)
        return {kind: len(positions) for kind, positions in by_kind.items()}


def main():
    image = make_image(180)
    scanner = Scanner(image)
    for number in range(len(image) // CHUNK):
        scanner.feed(number)
    print(scanner.report(), len(scanner.digests))


if __name__ == "__main__":
    main()
