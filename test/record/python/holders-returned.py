# Names that are looked for at the end are not those of a function that has returned: the tools say which
# condition finds them, and it does.
#
# REQUIRES: python
# RUN: memrec -q --holders=end -o %t.fb --force -- %python %s
# RUN: memdump --holders %t.fb | FileCheck %s
# RUN: memleak %t.fb | FileCheck %s
# CHECK: Names were looked for at the end, when functions have returned; for those at the peak, look earlier, at host:live>{{[0-9]+}}MiB
# RUN: memdump --holders %t.fb | sed -n "s/.*look earlier, at //p" > %t.when
# RUN: memrec -q --holders="$(cat %t.when)" -o %t.at.fb --force -- %python %s
# RUN: memdump --holders %t.at.fb | FileCheck %s --check-prefix=AT --implicit-check-not="at the end"
# AT: host.malloc __main__.load():orders[*]

import time


def load():
    orders = []
    for number in range(20000):
        orders.append(bytes(4000 + number))
    for _ in range(100):  # for a recorder that is behind
        time.sleep(0.01)
        bytes(4000)
    return len(orders)


load()
