// Growth is measured where the program is recorded: a part of its steps, up to a call of memkit_stop(),
// and from the program's own steps on.
//
// RUN: %cc -O1 -g -I %src_root/include %s -o %t.exe
// RUN: memrec -q --force --start=step:20 --stop=step:60 -o %t.part.fb -- %t.exe
// RUN: memleak %t.part.fb | FileCheck %s --check-prefix=PART
// RUN: memleak -q --fail-on=growth %t.part.fb > %t.out; test $? -eq 3
// PART: {{^}}LEAK  recorded-part.c:[[#]] leak  +{{.*}} per step
// PART-NEXT: Last = malloc(20000);
// PART-NEXT: steps 2{{[0-9]}} to {{5[0-9]|60}}
// RUN: memrec -q --force -o %t.stop.fb -- %t.exe 40
// RUN: memleak %t.stop.fb | FileCheck %s --check-prefix=STOP
// STOP: {{^}}LEAK  recorded-part.c:[[#]] leak  +{{.*}} per step
// STOP: Nothing else grows (measured: steps 1 to {{3[0-9]|40}})

#include <memkit/memkit.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *volatile Last;

__attribute__((noinline)) static void leak(void) {
  Last = malloc(20000);
  memset(Last, 1, 20000);
}

int main(int Count, char **Arguments) {
  int StopAt = Count > 1 ? atoi(Arguments[1]) : 0;
  for (int Step = 1; Step <= 100; ++Step) {
    memkit_step();
    if (Step == StopAt)
      memkit_stop();
    leak();
    free(malloc(500000));
    // A busy machine's memrec may be late to start and to stop.
    usleep(Step == 20 || Step == 60 ? 500000 : 3000);
  }
  return 0;
}
