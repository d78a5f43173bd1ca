// A child of fork runs operators and functions, also in threads of its own: its tensors,
// layers and steps are those of its own process. Nothing is looked up in the child.
//
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: c++ -std=c++17 -shared -fPIC -DFRAMEWORK %s -o %t.lib/libtensorflow_framework.so.2 -Wl,-soname,libtensorflow_framework.so.2
// RUN: c++ -std=c++17 -shared -fPIC -I%src_root/include -DFORK -DCC %s -o %t.lib/libtensorflow_cc.so.2 -Wl,-soname,libtensorflow_cc.so.2 %t.lib/libtensorflow_framework.so.2
// RUN: c++ -std=c++17 %s -o %t.exe -ldl
// RUN: env LD_LIBRARY_PATH=%t.lib memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=END
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// RUN: memdump --layers %t.fb | FileCheck %s --check-prefix=LAYERS
// END: 0 lost
// CHECK: 2 steps
// CHECK: tf.cpu 24 6 3.15 MiB
// RUN: memflame --format=collapsed --group-by=scope-path --heap=tf.cpu --metric=allocated %t.fb | FileCheck %s --check-prefix=SCOPES
// SCOPES: epoch;train_step;forward;net;net/enc;_FusedMatMul 2097152
// LAYERS: net/enc backward 4
// LAYERS: net/enc forward 2
#include "Inputs/run-all.h"
