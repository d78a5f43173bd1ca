"""Three tests of different memory; none leaks."""
import json
import re


def test_words():
    text = " ".join("word%d" % number for number in range(100000))
    assert len(set(re.findall(r"\w+", text))) == 100000


def test_many_blocks():
    x = [bytes(1000) for _ in range(50000)]
    assert sum(map(len, x)) == 50000000


def test_json():
    for number in range(200):
        table = {"key %d" % key: [key] * 10 for key in range(number, number + 1000)}
        assert json.loads(json.dumps(table)) == table
