// Alerts of what is measured now and then: resident memory, in bytes and of the machine;
// growth a second; growth a step.
//
// RUN: %cc -O1 -g -I%src_root/include %s -o %t.exe
// RUN: memrec -q -o %t.fb --sample-interval=5ms --alert='rss>40MiB' --alert='rss>99%%' --alert='growth>1MiB/step' --alert='lost' %t.exe 2> %t.err
// RUN: FileCheck %s --input-file=%t.err
// RUN: memdump --check %t.fb

#include <memkit/memkit.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  for (int I = 0; I != 40; ++I) {
    memkit_step();
    size_t Size = I < 20 ? 1000 : 3 << 20;
    memset(malloc(Size), 1, Size);
    usleep(10000);
  }
  return 0;
}

// CHECK-DAG: alert at {{.*}}: {{[0-9.]+}} MiB resident, above 40 MiB (rss>40MiB)
// CHECK-DAG: alert at {{.*}}: host: rose {{[0-9.]+}} MiB per step, above 1 MiB per step (growth>1MiB/step)
// CHECK-NOT: 99%
// CHECK-NOT: lost
