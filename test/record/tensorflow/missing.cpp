// A TensorFlow without the symbols that are needed runs unharmed, and one line says what
// is not recorded; the remainder is.
//
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: c++ -std=c++17 -shared -fPIC -DFRAMEWORK %s -o %t.lib/libtensorflow_framework.so.2 -Wl,-soname,libtensorflow_framework.so.2
// RUN: c++ -std=c++17 -shared -fPIC -I%src_root/include -DCC %s -o %t.lib/libtensorflow_cc.so.2 -Wl,-soname,libtensorflow_cc.so.2 %t.lib/libtensorflow_framework.so.2
// RUN: c++ -std=c++17 %s -o %t.exe -ldl
//
// A later version: other names of abseil's, a function of the C API less, another place of
// the operator's type.
// RUN: c++ -std=c++17 -shared -fPIC -DNEWER -DFRAMEWORK %s -o %t.lib/libtensorflow_framework.so.2 -Wl,-soname,libtensorflow_framework.so.2
// RUN: c++ -std=c++17 -shared -fPIC -DNEWER -I%src_root/include -DCC %s -o %t.lib/libtensorflow_cc.so.2 -Wl,-soname,libtensorflow_cc.so.2 %t.lib/libtensorflow_framework.so.2
// RUN: env LD_LIBRARY_PATH=%t.lib memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: memdump --summary %t.fb | FileCheck %s
// RUN: memdump %t.fb | FileCheck %s --check-prefix=ALERT
// RUN: memflame --format=collapsed --group-by=scope-path --heap=tf.cpu --metric=allocated %t.fb | sort | FileCheck %s --check-prefix=SCOPES
// WARN: TensorFlow 2.99.0: not recorded: types of operators, the callers of operators in other threads, data types: expected symbols are missing
// WARN-NOT: TensorFlow
// WARN: 0 lost
// CHECK: tf.cpu 12 3 1.57 MiB
// ALERT: alert {{.*}}TensorFlow 2.99.0: not recorded
// The last part of the name stands for the type; the thread has no scopes of its caller.
// SCOPES: backward;net;net/enc;MatMul 600000
// SCOPES: epoch;train_step 10
// SCOPES-NEXT: forward;net;net/enc;Relu 1048576
//
// A version whose classes have other names.
// RUN: rm -rf %t.other && mkdir %t.other
// RUN: c++ -std=c++17 -shared -fPIC -DRENAMED -DFRAMEWORK %s -o %t.other/libtensorflow_framework.so.2 -Wl,-soname,libtensorflow_framework.so.2
// RUN: c++ -std=c++17 -shared -fPIC -DRENAMED -I%src_root/include -DCC %s -o %t.other/libtensorflow_cc.so.2 -Wl,-soname,libtensorflow_cc.so.2 %t.other/libtensorflow_framework.so.2
// RUN: env LD_LIBRARY_PATH=%t.other memrec -o %t.other.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: TensorFlow{{.*}}: not recorded: tensors, operators and layers
// OTHER: 0 lost
#include "Inputs/run-all.h"
