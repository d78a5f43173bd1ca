// The hooks of TensorFlow, on libraries that are made here with the same symbols, those
// of 2.16 and of 2.21: each tensor is in the heap tf.cpu, with the operator, the layers
// of the node's name, and the scopes of the thread that called the function.
//
// RUN: rm -rf %t.new %t.old && mkdir %t.new %t.old
// RUN: c++ -std=c++17 -shared -fPIC -DFRAMEWORK %s -o %t.new/libtensorflow_framework.so.2 -Wl,-soname,libtensorflow_framework.so.2
// RUN: c++ -std=c++17 -shared -fPIC -I%src_root/include -DCC %s -o %t.new/libtensorflow_cc.so.2 -Wl,-soname,libtensorflow_cc.so.2 %t.new/libtensorflow_framework.so.2
// RUN: c++ -std=c++17 %s -o %t.exe -ldl
// RUN: env LD_LIBRARY_PATH=%t.new memrec -v -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefixes=HEAD,CHECK
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=PARENT
// RUN: memflame --format=collapsed --group-by=scope-path --heap=tf.cpu --metric=allocated %t.fb | sort | FileCheck %s --check-prefix=SCOPES
// RUN: memflame --format=collapsed --group-by=scope-path --heap=host.malloc --metric=allocated %t.fb | FileCheck %s --check-prefix=REGIONS
// RUN: memdump --layers %t.fb | FileCheck %s --check-prefix=LAYERS
// RUN: memstat --show=dtypes %t.fb | FileCheck %s --check-prefix=DTYPES
// RUN: not memflame --format=collapsed --group-by=category %t.fb 2>&1 | FileCheck %s --check-prefix=CATEGORY
// RUN: memdump %t.fb | FileCheck %s --check-prefix=MARKS
//
// RUN: c++ -std=c++17 -shared -fPIC -DOLD -DFRAMEWORK %s -o %t.old/libtensorflow_framework.so.2 -Wl,-soname,libtensorflow_framework.so.2
// RUN: c++ -std=c++17 -shared -fPIC -DOLD -I%src_root/include -DCC %s -o %t.old/libtensorflow_cc.so.2 -Wl,-soname,libtensorflow_cc.so.2 %t.old/libtensorflow_framework.so.2
// RUN: env LD_LIBRARY_PATH=%t.old memrec -q -o %t.old.fb -- %t.exe
// RUN: memdump --summary %t.old.fb | FileCheck %s --check-prefixes=HEAD,CHECK
// RUN: memflame --format=collapsed --group-by=scope-path --heap=tf.cpu --metric=allocated %t.old.fb | sort | FileCheck %s --check-prefix=SCOPES
//
// RUN: env LD_LIBRARY_PATH=%t.new memrec -q --torch=heaps -o %t.heaps.fb -- %t.exe
// RUN: memdump --summary %t.heaps.fb | FileCheck %s
// RUN: memflame --format=collapsed --group-by=scope-path --heap=tf.cpu --metric=allocated %t.heaps.fb | FileCheck %s --check-prefix=HEAPS
// HEAPS-NOT: MatMul
// RUN: env LD_LIBRARY_PATH=%t.new memrec -q --torch=none -o %t.none.fb -- %t.exe
// RUN: memdump --summary %t.none.fb | FileCheck %s --check-prefix=NONE
// NONE-NOT: tf.cpu
//
// The hooks change nothing: the program checks arguments and results by itself.
// NOTE: TensorFlow 2.99.0: its tensors, operators and layers are recorded
// NOTE: 0 lost
// HEAD: 1 step, 4 layers
// CHECK: tf.cpu 12 3 1.57 MiB
// PARENT: "name": "tf.cpu"
// PARENT: "parent": "host.malloc"
//
// 2^20 + 600,000 bytes of the regions, the remainder of 4 MiB is no layer's.
// REGIONS-DAG: tf.cpu regions {{[0-9]+}}
// SCOPES: (no scope path) 300
// SCOPES-NEXT: MatMul 1000
// SCOPES-NEXT: backward;Mul 40
// SCOPES-NEXT: epoch;gradient of g;backward;net;net/enc;_FusedMatMul 80
// SCOPES-NEXT: epoch;train_step 10
// SCOPES-NEXT: epoch;train_step;Async 60
// SCOPES-NEXT: epoch;train_step;backward;net;net/enc;MatMul (float16) 600000
// SCOPES-NEXT: epoch;train_step;forward;net;net/enc;_FusedMatMul 1048576
// SCOPES-NEXT: epoch;train_step;optimizer;adam;Mul 50
// SCOPES-NEXT: epoch;train_step;train_step;XLA step 70
// LAYERS-DAG: net/enc forward 1
// LAYERS-DAG: net/enc backward 2
// LAYERS-DAG: net backward 2
// MARKS: version {{.*}}tensorflow=2.99.0
// DTYPES: dtype {{.*}}at peak
// DTYPES: float16 tf.cpu 586 KiB
// CATEGORY: the trace has no categories of tensors
#include "Inputs/run-all.h"
