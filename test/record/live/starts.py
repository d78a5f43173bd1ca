# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: %cc -shared -fPIC %S/Inputs/slow-listen.c -o slow.so
# RUN: env PYTHONPATH=%S/Inputs %python %s
#
# A recording that starts while another one is just about to listen leaves its socket alone.

import os
import time

from live import recording, socket_of, wait_for

slow = dict(os.environ, LD_PRELOAD=os.path.abspath("slow.so"))
with recording("-o", "a.fb", "sleep", "60", env=slow) as a:
    time.sleep(1)
    with recording("-o", "b.fb", "sleep", "60") as b:
        wait_for(b, "sleep")
        wait_for(a, "sleep")
        assert os.path.exists(socket_of(a))
assert os.listdir(os.path.dirname(socket_of(a))) == []
