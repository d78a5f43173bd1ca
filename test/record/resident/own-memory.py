# memrec's library gives its memory back: after hundreds of searches for names, memory that
# the library maps later is still known as the library's, and the program's is not.
#
# REQUIRES: python
# RUN: memrec -q --force -o %t.fb -- %python %s
# RUN: memstat --format=json %t.fb > %t.json
# RUN: %python -c "import json; p = json.load(open('%t.json'))['resident'][0]['last']['parts']; assert p['other'] < 512 << 10 < p['recorder'], p"

import time

import memkit

for _ in range(400):
    memkit.holders(limit=0.01, blocks=16, objects=20_000)
# New code after the searches needs new memory of the library.
for number in range(12000):
    exec(f"def f{number}(): return bytearray(600)\nkept = f{number}()")
time.sleep(2.5)  # a sample or two
