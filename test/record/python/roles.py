# Each process has its script's name, and what it is to the others.
#
# REQUIRES: python3.11
# RUN: memrec -q -o %t.fb -- %python3.11 %s
# RUN: memdump --summary --format=json %t.fb | FileCheck %s
# RUN: memleak -v --process='roles.py (spawn)' %t.fb | FileCheck %s --check-prefix=ONE
# RUN: not memleak -v --process=none %t.fb 2>&1 | FileCheck %s --check-prefix=THERE
# RUN: memrec -q -o %t.module.fb -- %python3.11 -m json.tool --help
# RUN: memdump --summary %t.module.fb | FileCheck %s --check-prefix=MODULE
# RUN: memrec -q -o %t.code.fb -- %python3.11 -Bc pass
# RUN: memdump --summary %t.code.fb | FileCheck %s --check-prefix=CODE
#
# CHECK-DAG: "role": "roles.py"
# CHECK-DAG: "role": "roles.py (fork)"
# CHECK-DAG: "role": "roles.py (spawn)"
# CHECK-DAG: "role": "roles.py (resource_tracker)"
# CHECK-DAG: "role": "roles.py (forkserver)"
# CHECK-DAG: "role": "roles.py (forkserver child)"
# ONE: live at the end
# THERE: (roles.py (fork))
# MODULE: exit 0  json.tool  {{.*}}-m json.tool --help
# CODE: exit 0  -c    {{.*}}-Bc pass
import multiprocessing


def work(x):
    return x


if __name__ == "__main__":
    for how in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(how).Pool(1) as pool:
            pool.map(work, [1])
