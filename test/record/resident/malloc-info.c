// What the allocator says of itself at the exit, beside what memrec saw from outside: each
// within 1 % of what the program has made, and of each other.
//
// RUN: %cc -O1 -g -pthread %s -o %t.exe
// RUN: memrec -o %t.fb --malloc-info --resident-at=end %t.exe 2> %t.err
// RUN: memdump --check %t.fb
// RUN: memstat --format=json %t.fb > %t.json
// RUN: %python %S/Inputs/malloc-info.py %t.json
// RUN: memdump %t.fb > %t.txt
// RUN: FileCheck %s --check-prefix=EXIT < %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: memstat --show=resident %t.fb | FileCheck %s --check-prefix=STAT
//
// EXIT: resident at exit malloc
// CHECK: allocator glibc {{[0-9.]+}} in use {{.*}} MiB free {{.*}} MiB in mappings of their own 16 MiB from the system {{.*}} MiB
// CHECK: allocator glibc {{[0-9.]+}} arena 0 in use {{.*}} free {{.*}}
// CHECK: allocator glibc {{[0-9.]+}} arena 1 in use {{.*}} free {{.*}}
// CHECK-NOT: allocator
//
// STAT: glibc {{[0-9.]+}} of {{.*}} in use free mapped apart from the system
// STAT: at exit, by itself {{.*}} MiB {{.*}} MiB 16 MiB {{.*}} MiB
// STAT: arena 0 {{.*}}
// STAT: arena 1 {{.*}}
// STAT: by memrec, resident {{.*}} MiB {{.*}} MiB
// STAT: of resident memory took {{.*}} of processor time
//
// Nobody is asked without the option, and none of what asking takes is recorded.
// RUN: memrec -o %t.no.fb --resident-at=end %t.exe
// RUN: memdump %t.no.fb | FileCheck %s --check-prefix=NO
// NO-NOT: {{^.*}} allocator
// RUN: memdump --summary --format=json %t.fb > %t.with.json
// RUN: memdump --summary --format=json %t.no.fb > %t.without.json
// RUN: %python -c "import json; a, b = [next(h['allocations'] for h in json.load(open(f))['heaps'] if h['name'] == 'host.malloc') for f in (r'%t.with.json', r'%t.without.json')]; assert a == b > 0, (a, b)"
//
// A program that ends otherwise is not asked.
// RUN: memrec -q -o %t.quick.fb --malloc-info %t.exe quick
// RUN: memdump %t.quick.fb | FileCheck %s --check-prefix=NO
// RUN: %{status} 137 memrec -q -o %t.kill.fb --malloc-info %t.exe kill
// RUN: memdump %t.kill.fb | FileCheck %s --check-prefix=NO
// A child of fork is asked, too, if it allocates or frees.
// RUN: memrec -q -o %t.fork.fb --malloc-info %t.exe fork
// RUN: memdump %t.fork.fb | grep -c 'allocator .* from the system' | FileCheck %s --check-prefix=BOTH
// BOTH: 2
// Without samples of resident memory the figures stand alone.
// RUN: memrec -q -o %t.alone.fb --malloc-info --sample-interval=0 %t.exe
// RUN: memstat --show=resident %t.alone.fb | FileCheck %s --check-prefix=ALONE
// ALONE: at exit, by itself {{.*}} 16 MiB
// ALONE-NOT: by memrec

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { Blocks = 32 << 10, Each = 1000 };
static char *volatile Kept[2][Blocks];

// 31 MiB, of which each second block is free: in each arena.
static void *fill(void *Which) {
  int Arena = (int)(long)Which;
  for (int I = 0; I != Blocks; ++I)
    memset(Kept[Arena][I] = malloc(Each), 1, Each);
  for (int I = 0; I < Blocks; I += 2)
    free(Kept[Arena][I]);
  return NULL;
}

int main(int Argc, char **Argv) {
  pthread_t T;
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  char *Apart = malloc((16 << 20) - 8192);
  memset(Apart, 1, (16 << 20) - 8192);
  fill(NULL);
  pthread_create(&T, NULL, fill, (void *)1);
  pthread_join(T, NULL);
  const char *How = Argc > 1 ? Argv[1] : "";
  if (!strcmp(How, "quick"))
    _exit(0);
  if (!strcmp(How, "kill"))
    raise(SIGKILL);
  if (!strcmp(How, "fork")) {
    pid_t Child = fork();
    free(Kept[0][1]);
    if (Child)
      wait(NULL);
  }
  usleep(50000);
  return 0;
}
