#ifdef CALLER
void calls(void);
int main(void) {
  calls();
  return 0;
}
#else
#include <errno.h>
#include <memkit/memkit.h>
#include <stdio.h>

void calls(void);
void calls(void) {
  struct memkit_stats S;
  uint64_t Scope;
  int Recording, Stats;
  errno = 77;
  memkit_step();
  memkit_mark("mark");
  memkit_stop();
  memkit_start();
  Recording = memkit_recording();
  Scope = memkit_scope_begin("scope");
  memkit_scope_end(Scope);
  Stats = memkit_stats(Scope, &S);
  printf("recording %d scope %d stats %d errno %d\n", Recording, Scope != 0,
         Stats, errno);
}
#ifndef IN_LIBRARY
int main(void) {
  calls();
  return 0;
}
#endif
#endif
