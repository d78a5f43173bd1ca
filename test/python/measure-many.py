# memkit.summary() has the calls and times of the whole run; the bytes of the first and last uses of a name, and it says
# of how many. A result that the program keeps has its numbers, however many scopes end after it.
#
# REQUIRES: python
# RUN: memrec -q -o %t.fb --force -- %python %s recorded
# RUN: env PYTHONPATH=%src_root/python %python %s
import sys
import threading
import warnings

import memkit

is_recorded = sys.argv[1:] == ["recorded"]


@memkit.measure()
def once():
    return bytearray(5_000_000)


@memkit.measure()
def often():
    return bytearray(1000)


with memkit.measure("kept") as kept:
    data = bytearray(3_000_000)
once()
for _ in range(3000):
    often()
rows = {row.name: row for row in memkit.summary()}
assert (rows["once"].calls, rows["often"].calls, rows["kept"].calls) == (1, 3000, 1), rows
assert len(memkit.results()) == 1024
if is_recorded:
    assert rows["once"].allocated >= 5_000_000 and rows["once"].known == 1, rows
    known = rows["often"].known
    assert 1000 <= known < 1100 and rows["often"].allocated >= known * 1000, rows
    assert "\nbytes of often: of %s of the calls; memdump --scopes has all" % f"{known:,}" in str(memkit.summary())
    assert rows["once"].rise >= 5_000_000 > rows["often"].rise
    assert 3_000_000 <= kept.net < 4_000_000 and kept.peak >= 3_000_000
else:
    assert rows["once"].allocated is None and rows["once"].known == 0 and kept.peak is None

# Scopes make the recorder forget, too.
with memkit.measure("before") as before:
    more = bytearray(2_000_000)
for _ in range(3000):
    with memkit.scope("between"):
        pass
assert not is_recorded or 2_000_000 <= before.net < 3_000_000, before

memkit.reset()
assert memkit.summary() == [] and (kept.peak is None) != is_recorded
assert str(memkit.summary()) == "nothing was measured since the start, or since memkit.reset()"

# Further names than 10,000 are one row.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for number in range(11_100):
        with memkit.measure(f"n{number}"):
            pass
rows = memkit.summary()
assert len(rows) == 10_001 and sum(row.calls for row in rows) == 11_100
assert next(row.calls for row in rows if row.name == "(other names)") == 1100
assert len([w for w in said if "10000 names" in str(w.message)]) >= 1

# Threads at once, which take turns as on a busy machine.
memkit.reset()
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=lambda: [often() for _ in range(1000)]) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert memkit.summary()[0].calls == 4000, memkit.summary()
