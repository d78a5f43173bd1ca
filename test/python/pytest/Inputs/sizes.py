import os

import pytest

kept = []


def test_small():
    assert [bytes(50) for i in range(1000)]


def test_big():
    bytearray(int(os.environ.get("SIZE", "10000000")))


def test_pieces():
    for _ in range(int(os.environ.get("PIECES", "10"))):
        bytearray(100000)


def test_import_first():
    import xml.dom.minidom


def test_import():
    import xml.dom.minidom


def test_skipped():
    pytest.skip("no memory")
