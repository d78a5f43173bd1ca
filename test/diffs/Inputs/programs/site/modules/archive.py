"""Archives of compressed members."""
import struct
import zlib


class Archive:
    """Collects members, compresses them and writes a directory."""

    def __init__(self, level=0):
        self.level = level
        self.blocks = []
        self.directory = []
        self.checksums = {}
        self.offset = 0

    def members(self, count):
        names = []
        for number in range(count):
            names.append((f"pages/{number:05}.html", number))
        return names

    def checksum(self, name, data):
        self.checksums[name] = zlib.crc32(data)

    def compress(self, data):
        packer = zlib.compressobj(self.level)
        return packer.compress(data) + packer.flush()

    def add(self, name, data):
        self.checksum(name, data)
        block = self.compress(data)
        padded = block + bytes(-len(block) % 512)
        self.blocks.append(padded)
        self.directory.append((name, self.offset, len(block), len(data)))
        self.offset += len(padded)

    def directory_bytes(self):
        parts = []
        for name, offset, size, original in self.directory:
            encoded = name.encode()
            parts.append(struct.pack("<H", len(encoded)) + encoded)
            parts.append(struct.pack("<QIII", offset, size, original, self.checksums[name]))
        return b"".join(parts)

    def finish(self):
        body = b"".join(self.blocks)
        listing = self.directory_bytes()
        return body + listing + struct.pack("<QI", len(body), len(self.directory))
