"""Counts the words of generated books and compares the books."""
import math
import random
from array import array
from multiprocessing import Pipe, Process, connection, popen_fork  # noqa: F401
from threading import Thread  # noqa: F401

VOCABULARY = 4096
WORDS = 300_000


def write_book(seed):
    """A book: the numbers of its words."""
    rng = random.Random(seed)
    words = array("i", bytes(4 * WORDS))
    for i in range(0, WORDS, 4):
        word = int(rng.expovariate(0.002)) % VOCABULARY
        words[i] = words[i + 1] = words[i + 2] = word
        words[i + 3] = (word * 31 + seed) % VOCABULARY
    return words


def count_pairs(words, buckets):
    """How often does a word follow another one? Hashed into buckets."""
    counts = array("H", bytes(2 * buckets))
    for i in range(0, len(words) - 1, 2):
        bucket = (words[i] * 40503 + words[i + 1]) % buckets
        counts[bucket] = min(counts[bucket] + 1, 65535)
    return counts


def signature(counts, bands=32):
    width = len(counts) // bands
    return [sum(counts[band * width:(band + 1) * width:7]) for band in range(bands)]


def analyse(seeds):
    signatures = []
    shelf = []
    for seed in seeds:
        book = write_book(seed)
        shelf.append(book)
        signatures.append(signature(count_pairs(book, 1 << 20)))
    return signatures, sum(len(book) for book in shelf)


def distance(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)))


def main():
    signatures, words = analyse(range(6))
    best = min((distance(a, b), i, j) for i, a in enumerate(signatures)
               for j, b in enumerate(signatures) if i < j)
    print(words, "words; nearest books:", best[1:], round(best[0], 2))


if __name__ == "__main__":
    main()
