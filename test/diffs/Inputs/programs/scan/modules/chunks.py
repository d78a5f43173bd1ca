"""Reads chunks of an image."""

CHUNK = 512 * 1024


def read_chunk(image, number):
    """One chunk, and some bytes of the next one."""
    start = number * CHUNK
    return bytes(image[start:start + CHUNK + 16])
