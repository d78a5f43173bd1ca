import ctypes
import sys
import threading


def first(engine):
    assert engine.backward(1000001, 3, 0) == 42


def second(engine):
    assert engine.backward(2000003, 4, 0) == 42


def third(engine):
    assert engine.backward(600011, 2, 1) == 42


engine = ctypes.CDLL(sys.argv[1])
engine.backward.argtypes = [ctypes.c_size_t, ctypes.c_int, ctypes.c_int]
for passes in [(first, second), (third,), (first,)]:
    threads = [threading.Thread(target=f, args=(engine,)) for f in passes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
