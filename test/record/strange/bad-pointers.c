// What exec, posix_spawn, mmap, malloc and their kin say of invalid arguments is what they say
// alone: each call in a child, its result, errno and signal.
//
// RUN: %cc -O0 -w -fno-builtin %s -o %t.exe
// RUN: cd %T && %t.exe > %t.alone 2> %t.alone.err
// RUN: memrec -q -o %t.fb %t.exe > %t.recorded 2> %t.recorded.err
// RUN: diff %t.alone %t.recorded
// RUN: diff %t.alone.err %t.recorded.err
// RUN: memdump --check %t.fb
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char *Bad = (char *)8, *High = (char *)-4096, *EdgeText, **EdgeList;
static char *Args[] = {"true", NULL};
#define TRY(...)                                                               \
  do {                                                                         \
    fflush(stdout);                                                            \
    pid_t P = fork();                                                          \
    if (P == 0) {                                                              \
      errno = 0;                                                               \
      long R = (long)(__VA_ARGS__);                                            \
      printf("%s: %s, %s\n", #__VA_ARGS__, R == -1 ? "-1" : R == 0 ? "0" : "other", strerror(errno)); \
      fflush(stdout);                                                          \
      _exit(0);                                                                \
    }                                                                          \
    int S;                                                                     \
    waitpid(P, &S, 0);                                                         \
    if (S)                                                                     \
      printf("%s: status %x\n", #__VA_ARGS__, S & ~0x80);                               \
  } while (0)
static int spawnResult(int R) { errno = R; return R ? -1 : 0; }
int main(void) {
  char *M = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(M + 4096, 4096);
  EdgeText = M + 4096 - 5;
  memcpy(EdgeText, "/bin/", 5); // no end
  EdgeList = (char **)(M + 4096 - 16);
  pid_t P;
  char *EnvBad[] = {"A=1", Bad, NULL};
  char Long[5000];
  memset(Long, 'a', 4999), Long[4999] = 0;
  TRY(execve(Bad, Args, environ));
  TRY(execve(High, Args, environ));
  TRY(execve(NULL, Args, environ));
  TRY(execve("", Args, environ));
  TRY(execve(EdgeText, Args, environ));
  TRY(execve(Long, Args, environ));
  TRY(execve("/bin/true", (char **)Bad, environ));
  TRY(execve("/bin/true", Args, (char **)Bad));
  TRY(execve("/bin/true", Args, (char **)High));
  TRY(execve("/bin/true", Args, (char **)9));
  TRY(execve("/bin/true", Args, EnvBad));
  EdgeList[0] = "B=1", EdgeList[1] = "C=1";
  TRY(execve("/bin/true", Args, EdgeList));
  TRY(execve("/bin/true", Args, NULL));
  TRY(execve("/bin/true", NULL, NULL));
  TRY(execve("/none", Args, environ));
  TRY(execve("/", Args, environ));
  TRY(execve("/etc/passwd", Args, environ));
  TRY(execve("/etc/passwd/x", Args, environ));
  TRY(execv(Bad, Args));
  TRY(execv(High, Args));
  TRY(execv("/none", Args));
  TRY(execvp(Bad, Args));
  TRY(execvp("", Args));
  TRY(execvp(Long, Args));
  TRY(execvp("none", Args));
  TRY(execvpe("true", Args, (char **)Bad));
  TRY(execvpe("true", Args, EnvBad));
  TRY(execl(Bad, "true", NULL));
  TRY(execle("/bin/true", "true", NULL, (char **)Bad));
  TRY(execlp("none", "true", NULL));
  TRY(fexecve(-1, Args, environ));
  TRY(fexecve(99, Args, environ));
  TRY(fexecve(0, Args, (char **)Bad));
  TRY(execveat(AT_FDCWD, Bad, Args, environ, 0));
  TRY(execveat(99, "x", Args, environ, 0));
  TRY(execveat(AT_FDCWD, "/bin/true", Args, environ, 0x10000));
  TRY(execveat(AT_FDCWD, "", Args, environ, 0));
  TRY(execveat(AT_FDCWD, NULL, Args, environ, AT_EMPTY_PATH));
  TRY(spawnResult(posix_spawn(&P, Bad, NULL, NULL, Args, environ)));
  TRY(spawnResult(posix_spawn(&P, "/bin/true", NULL, NULL, Args, (char **)Bad)));
  TRY(spawnResult(posix_spawn(&P, "/bin/true", NULL, NULL, Args, EnvBad)));
  TRY(spawnResult(posix_spawn(&P, "/none", NULL, NULL, Args, environ)));
  TRY(spawnResult(posix_spawn(NULL, "/bin/true", NULL, NULL, Args, environ)));
  TRY(spawnResult(posix_spawn((pid_t *)Bad, "/bin/true", NULL, NULL, Args, environ)));
  TRY(spawnResult(posix_spawnp(&P, "none", NULL, NULL, Args, environ)));
  TRY(spawnResult(posix_spawnp(&P, Bad, NULL, NULL, Args, environ)));
  TRY(spawnResult(posix_spawnp(&P, "true", NULL, NULL, (char **)Bad, environ)));
  TRY(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  TRY(mmap(NULL, 4096, PROT_READ, 0, -1, 0));
  TRY(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0));
  TRY(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 1));
  TRY(mmap((void *)1, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  TRY(mmap(M, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  TRY(mmap(NULL, (size_t)-1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  TRY(munmap(M + 1, 4096));
  TRY(munmap(M, 0));
  TRY(munmap(High, 4096));
  TRY(munmap((void *)-4096, (size_t)-1));
  TRY(mremap(M + 1, 4096, 8192, MREMAP_MAYMOVE));
  TRY(mremap(Bad, 4096, 8192, MREMAP_MAYMOVE));
  TRY(mremap((void *)4096, 4096, 8192, MREMAP_MAYMOVE));
  TRY(mremap(M, 4096, 0, MREMAP_MAYMOVE));
  TRY(mremap(M, 4096, 8192, 99));
  TRY(mremap(M, 4096, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, M + 1));
  TRY(brk((void *)8));
  TRY(sbrk((long)1 << 60));
  TRY(malloc((size_t)-1));
  TRY(malloc((size_t)1 << 62));
  TRY(calloc((size_t)1 << 40, (size_t)1 << 40));
  TRY(realloc(NULL, (size_t)-1));
  char *B = malloc(100);
  TRY(realloc(B, (size_t)-1));
  TRY(reallocarray(B, (size_t)1 << 40, (size_t)1 << 40));
  TRY(realloc(B + 1, 100));
  TRY(realloc(B + 16, 100));
  TRY(realloc(Bad, 100));
  TRY((free(B + 1), 0));
  TRY((free(B), free(B), 0));
  TRY((free(Bad), 0));
  void *A;
  TRY(spawnResult(posix_memalign(&A, 3, 100)));
  TRY(spawnResult(posix_memalign(&A, 0, 100)));
  TRY(spawnResult(posix_memalign(&A, 16, (size_t)-1)));
  TRY(aligned_alloc(3, 100));
  TRY(aligned_alloc(0, 100));
  TRY(memalign(3, 100));
  TRY(memalign((size_t)1 << 63, 100));
  TRY(memalign(64, (size_t)-1));
  TRY(valloc((size_t)-1));
  TRY(pvalloc((size_t)-1));
  TRY(malloc_usable_size(NULL));
  return 0;
}
