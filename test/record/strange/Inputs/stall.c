// Preloaded into memrec: its writes to files *.fb do not return while the file that
// STALL_WHILE names is there, as those to a server that is away.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int isTrace(int Fd) {
  char Link[64], Path[4096];
  snprintf(Link, sizeof(Link), "/proc/self/fd/%d", Fd);
  ssize_t Length = readlink(Link, Path, sizeof(Path));
  return Length > 3 && !memcmp(Path + Length - 3, ".fb", 3);
}

ssize_t write(int Fd, const void *Data, size_t Size) {
  static ssize_t (*Real)(int, const void *, size_t);
  if (!Real)
    Real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  const char *Stalled = getenv("STALL_WHILE");
  if (Stalled && isTrace(Fd))
    while (!access(Stalled, F_OK))
      usleep(10000);
  return Real(Fd, Data, Size);
}
