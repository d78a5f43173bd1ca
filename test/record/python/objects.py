# Every object of Python's own allocators, as a block of python.object: so many as the
# program makes, with its lines; a large one lies in a block of malloc, all others in the
# interpreter's arenas, and no byte counts twice. On each version, statically linked or
# not, and with each allocator that the interpreter can have below.
#
# REQUIRES: python
# RUN: %each_python memrec -q --python-objects -o %t.fb -- PYTHON %s --- memdump --check %t.fb --- %python %S/Inputs/check-objects.py %t.fb
# RUN: env PYTHONMALLOC=malloc memrec -q --python-objects -o %t.fb -- %python %s && memdump --check %t.fb && %python %S/Inputs/check-objects.py %t.fb
# RUN: env PYTHONMALLOC=debug memrec -q --python-objects -o %t.fb -- %python %s && memdump --check %t.fb && %python %S/Inputs/check-objects.py %t.fb
# RUN: env PYTHONMALLOC=malloc_debug memrec -q --python-objects -o %t.fb -- %python %s && memdump --check %t.fb && %python %S/Inputs/check-objects.py %t.fb
# RUN: memrec -q --python-objects --stacks=native -o %t.fb -- %python %s && memdump --check %t.fb
# RUN: memrec -q --python-objects --stacks=python -o %t.fb -- %python %s && memdump --check %t.fb
# RUN: memrec -q --python-objects --stacks=none -o %t.fb -- %python %s && memdump --check %t.fb
import os


def make_objects():
    return [object() for i in range(12345)]


def make_tuples():
    return [(i, i, i) for i in range(2345)]


def make_large():
    return [bytes(100000 + i) for i in range(17)]


def grow():
    text = bytearray()
    for i in range(100):
        text += b"0123456789" * 100
    return text


def churn():
    # So many that what lives is written before the end, too.
    for i in range(200):
        [object() for i in range(1000)]
        bytes(1000)


kept = [make_objects(), make_tuples(), make_large(), grow()]
churn()
os._exit(0)
