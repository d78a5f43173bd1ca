import pytest


@pytest.mark.limit_memory("nonsense")
def test_size():
    pass


@pytest.mark.limit_leaks()
def test_no_size():
    pass
