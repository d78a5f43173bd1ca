# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pure Python: dictionaries, lists, strings and JSON. py_pure.py [ROUNDS]"""

import json
import sys

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40


def make_record(i):
    return {
        "id": i,
        "name": "user-%d" % i,
        "tags": ["t%d" % (i * k % 97) for k in range(8)],
        "score": i * 0.37,
        "nested": {"a": [i, i + 1, i + 2], "b": {"c": str(i) * 3}},
    }


def make_batch(size):
    return [make_record(i) for i in range(size)]


def through_json(batch):
    return json.loads(json.dumps(batch))


def index(batch):
    result = {}
    for record in batch:
        for tag in record["tags"]:
            result.setdefault(tag, []).append(record["id"])
        result[record["name"]] = record
    return result


def count_words(batch):
    words = " ".join(r["name"] + ":" + ",".join(r["tags"]) for r in batch).split()
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:100]


def at_depth(batch, depth):
    """Converts `batch` to JSON and back, below `depth` calls of this function."""
    if depth:
        return at_depth(batch, depth - 1)
    return through_json(batch)


def main():
    kept = []
    for round_number in range(ROUNDS):
        batch = at_depth(make_batch(4000), round_number % 20)
        kept.append((index(batch), count_words(batch)))
        if len(kept) > 5:
            kept.pop(0)
    print(len(kept), len(kept[-1][0]))


main()
