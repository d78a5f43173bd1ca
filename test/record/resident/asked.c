// Samples of resident memory out of turn: at an alert, at a step, at the exit. The exit
// waits for the sample, and what the program frees at its end is free then.
//
// RUN: %cc -O1 -g -I%src_root/include %s -o %t.exe
// RUN: memrec -q -o %t.fb --sample-interval=10s --alert='live>40MiB' --resident-at=step:3,end,step:2 %t.exe 2> %t.err
// RUN: memdump %t.fb | FileCheck %s
// RUN: memstat --show=resident %t.fb | FileCheck --check-prefix=STAT %s
// RUN: memstat --format=json %t.fb | %python -c "import json, sys; r = json.load(sys.stdin)['resident'][0]; print([s['parts']['malloc'] >> 20 for s in r['samples'] if s['step']], [s['parts']['malloc'] >> 20 for s in r['samples'] if s['exit']], r['exit']['parts']['malloc'] >> 20, r['last']['time_ns'] < r['exit']['time_ns'])" | FileCheck --check-prefix=JSON %s
//
// CHECK-DAG: resident at an alert malloc {{[45].*}} MiB
// CHECK-DAG: resident at a step malloc 20 MiB
// CHECK-DAG: resident at a step malloc 30 MiB
// CHECK-DAG: resident at exit malloc 5 MiB
//
// STAT: resident: {{.*}} at {{.*}} share step at {{.*}} step at {{.*}} exit at
// The alert's sample is the highest one, unless a usual sample follows it.
// STAT: live blocks of malloc {{[45].*}} MiB {{.*}} 20 MiB 30 MiB {{(.* )?}}5 MiB
//
// The sample of the exit is not the last one of the running program.
// JSON: [20, 30] [5] 5 True
//
// _exit and quick_exit wait, too; a killed program cannot. Without the option, an exit
// waits for a two-hundredth of the run only: this run is too short.
// RUN: memrec -q -o %t.quick.fb --sample-interval=10s --resident-at=end %t.exe quick
// RUN: memdump %t.quick.fb | FileCheck --check-prefix=QUICK %s
// RUN: %{status} 137 memrec -q -o %t.kill.fb --sample-interval=10s --resident-at=end %t.exe kill
// RUN: memdump %t.kill.fb | FileCheck --allow-empty --check-prefix=NONE %s
// RUN: memrec -q -o %t.usual.fb %t.exe
// RUN: memdump %t.usual.fb | FileCheck --check-prefix=NONE %s
// QUICK: resident at exit malloc 50{{.*}} MiB
// NONE-NOT: at exit
//
// RUN: memrec -o %t.few.fb --resident-at=step:100 %t.exe 2>&1 | FileCheck --check-prefix=FEW %s
// FEW: warning: --resident-at=step:100: the program had only 5 steps
// RUN: %{status} 125 memrec --resident-at=step:0 %t.exe 2>&1 | FileCheck --check-prefix=BAD %s
// BAD: --resident-at=step:0: should be end or step:N
// RUN: %{status} 125 memrec --sample-interval=0 --resident-at=end %t.exe 2>&1 | FileCheck --check-prefix=OFF %s
// OFF: --resident-at needs samples, not --sample-interval=0

#include <memkit/memkit.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *Blocks[50];

static void freeMost(void) {
  for (int I = 5; I != 50; ++I)
    free(Blocks[I]);
}

int main(int Count, char **Words) {
  usleep(50000);
  for (int Step = 0; Step != 5; ++Step) {
    for (int I = 0; I != 10; ++I) {
      char *New = malloc(1 << 20);
      Blocks[10 * Step + I] = memset(New, 1, 1 << 20);
    }
    memkit_step();
    struct memkit_stats Sync; // of a recorder that knows of the step
    memkit_stats(0, &Sync);
    usleep(100000);
  }
  if (Count > 1 && !strcmp(Words[1], "quick"))
    _exit(0);
  if (Count > 1)
    kill(getpid(), SIGKILL);
  atexit(freeMost);
  return 0;
}
