// Without oneDNN's operators the host's tensors come from an allocator whose functions
// have no symbols: the same tensors are recorded, freed with or without their size.
//
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: c++ -std=c++17 -shared -fPIC -DPLAIN -DFRAMEWORK %s -o %t.lib/libtensorflow_framework.so.2 -Wl,-soname,libtensorflow_framework.so.2
// RUN: c++ -std=c++17 -shared -fPIC -I%src_root/include -DSIZED -DCC %s -o %t.lib/libtensorflow_cc.so.2 -Wl,-soname,libtensorflow_cc.so.2 %t.lib/libtensorflow_framework.so.2
// RUN: c++ -std=c++17 %s -o %t.exe -ldl
// RUN: env LD_LIBRARY_PATH=%t.lib memrec -q -o %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// RUN: memflame --format=collapsed --group-by=scope-path --heap=tf.cpu --metric=allocated %t.fb | FileCheck %s --check-prefix=SCOPES
//
// RUN: env LD_LIBRARY_PATH=%t.lib memrec -q --torch=none -o %t.none.fb -- %t.exe
// RUN: memdump --summary %t.none.fb | FileCheck %s --check-prefix=NONE
// NONE-NOT: tf.cpu
//
// CHECK: tf.cpu 12 3 1.57 MiB
// SCOPES: epoch;train_step;forward;net;net/enc;_FusedMatMul 1048576
#include "Inputs/run-all.h"
