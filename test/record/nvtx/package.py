# The package nvtx of PyPI: annotate as context and decorator, domains, colors, marks;
# in children of fork too. Without a recorder it is as it was.
#
# REQUIRES: python, nvtx-package
# RUN: env PYTHONPATH=%nvtx_package memrec -q -o %t.fb -- %python %s | FileCheck %s --check-prefix=ENABLED
# RUN: memdump --check %t.fb
# RUN: memdump --scopes --format=csv %t.fb | FileCheck %s --check-prefix=SCOPES
# RUN: memdump %t.fb | FileCheck %s --check-prefix=MARKS
# RUN: memflame --group-by=scope --format=collapsed --metric=allocated %t.fb | FileCheck %s --check-prefix=FLAME
# RUN: memdump --format=asm %t.fb | FileCheck %s --check-prefix=COLOR
# RUN: env PYTHONPATH=%nvtx_package %python %s
#
# ENABLED: domain: Domain
# SCOPES-DAG: {{^}}load,2,
# SCOPES-DAG: {{^}}Mine:fit,3,
# MARKS: user {{.*}}half
# FLAME-DAG: {{.*}}load;Mine:fit {{[0-9]+}}
# COLOR: scope {{[0-9]+}} range name={{[0-9]+}} color=0xff
import os

import nvtx

print("domain:", type(nvtx.get_domain("Mine")).__name__)


@nvtx.annotate("fit", domain="Mine", color="red")
def fit():
    return bytearray(1000000)


with nvtx.annotate("load", color="blue"):
    kept = fit()
fit()
nvtx.mark("half")
nvtx.end_range(nvtx.start_range("between"))
child = os.fork()
if child == 0:
    with nvtx.annotate("load"):
        fit()
    os._exit(0)
os.waitpid(child, 0)
