# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: %cuda env FAKECUDA_STATE=%t/state memrec --check > devices.txt
# RUN: FileCheck %s < devices.txt
# RUN: %cuda memrec --check | FileCheck %s --check-prefix=NONE
# RUN: %cuda env FAKECUDA_STATE=%t/state FAKECUDA_OTHER_BYTES=1073741824 FAKENVML_FAIL=nvmlDeviceGetCudaComputeCapability:3,nvmlDeviceGetMemoryInfo_v2:3,nvmlSystemGetCudaDriverVersion:3,nvmlDeviceGetHandleByIndex_v2:4 memrec --check | FileCheck %s --check-prefix=RIGHTS
#
# Devices of this machine, by the management library; a name with a line end stays in its line.
#
# CHECK: CUDA: yes
# CHECK-NEXT: GPU 0: Fake\n1, capability 9.0, 8 GiB, 0 B used, 8 GiB free
# CHECK-NEXT: GPU 1: Fake\n2, capability 9.0, 8 GiB, 0 B used, 8 GiB free
# CHECK-NEXT: driver: 575.51.03, CUDA 12.9
# CHECK-NEXT: machine: system
# CHECK: machine: memory {{[0-9.]+}} GiB
# CHECK: python: {{.*}}, CPython 3.
# NONE: CUDA:
# NONE-NEXT: machine:
# RIGHTS: GPU 0: not to be had by this user
# RIGHTS: driver: 575.51.03{{$}}
