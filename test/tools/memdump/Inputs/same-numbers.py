"""same-numbers.py BEFORE AFTER: two JSON files have the same numbers in the same places."""
import json
import sys


def numbers(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, path + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from numbers(inner, path + (index,))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


before, after = (list(numbers(json.load(open(path, encoding="utf-8")))) for path in sys.argv[1:3])
assert len(before) > 50, len(before)
assert before == after, [pair for pair in zip(before, after) if pair[0] != pair[1]][:5]
