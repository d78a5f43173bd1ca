// A program with TensorFlow that runs already (a library with the same symbols): its
// tensors, operators and layers are recorded from then on.
//
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: c++ -std=c++17 -shared -fPIC -DFRAMEWORK %S/../tensorflow/fake-tensorflow.cpp -o %t.lib/libtensorflow_framework.so.2 -Wl,-soname,libtensorflow_framework.so.2
// RUN: c++ -std=c++17 -shared -fPIC -I%src_root/include -DCC %S/../tensorflow/fake-tensorflow.cpp -o %t.lib/libtensorflow_cc.so.2 -Wl,-soname,libtensorflow_cc.so.2 %t.lib/libtensorflow_framework.so.2
// RUN: c++ -std=c++17 %s -o %t.exe -ldl
// RUN: env LD_LIBRARY_PATH=%t.lib %python %S/Inputs/attach.py once %t.fb -- %t.exe | FileCheck %s --check-prefix=RAN
// RAN: memrec's status: 0
// RAN-NEXT: the program: ran
// RAN-NEXT: the program's status: 0
// RUN: memdump --check %t.fb
// RUN: memdump --layers %t.fb | FileCheck %s --check-prefix=LAYERS
// RUN: memflame --format=collapsed --group-by=scope-path --heap=tf.cpu --metric=allocated %t.fb | FileCheck %s --check-prefix=SCOPES
// LAYERS-DAG: net/enc forward
// LAYERS-DAG: net/enc backward
// SCOPES-DAG: train_step;forward;net;net/enc;_FusedMatMul {{[0-9]+}}
// SCOPES-DAG: train_step;optimizer;adam;Mul {{[0-9]+}}
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

static volatile sig_atomic_t Ends;

int main() {
  signal(SIGTERM, [](int) { Ends = 1; });
  void *Library = dlopen("libtensorflow_cc.so.2", RTLD_LAZY | RTLD_LOCAL);
  if (!Library)
    return puts(dlerror());
  auto Run = reinterpret_cast<void (*)()>(dlsym(Library, "runAll"));
  Run();
  puts("ready");
  fflush(stdout);
  while (!Ends) {
    Run();
    usleep(50'000);
  }
  puts("ran");
}
