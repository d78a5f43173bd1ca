/* Starts a program in the way that the first argument names, with the rest as its
   arguments, and ends with its status. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void become(const char *How, char **Args) {
  if (!strcmp(How, "execvp") || !strcmp(How, "vfork"))
    execvp(Args[0], Args);
  else if (!strcmp(How, "execve"))
    execve(Args[0], Args, environ);
  else if (!strcmp(How, "fexecve"))
    fexecve(open(Args[0], O_PATH | O_CLOEXEC), Args, environ);
  else if (!strcmp(How, "execveat"))
    execveat(open("/", O_PATH), Args[0] + 1, Args, environ, 0);
  _exit(99);
}

int main(int Argc, char **Argv) {
  if (Argc < 3)
    return 98;
  const char *How = Argv[1];
  char **Args = Argv + 2;
  pid_t P;
  if (!strcmp(How, "spawn")) {
    if (posix_spawn(&P, Args[0], 0, 0, Args, environ))
      return 97;
  } else if (!strcmp(How, "spawnp")) {
    if (posix_spawnp(&P, Args[0], 0, 0, Args, environ))
      return 97;
  } else if (!strcmp(How, "vfork")) {
    if (!(P = vfork()))
      become(How, Args);
  } else {
    become(How, Args);
  }
  int Status;
  if (waitpid(P, &Status, 0) != P || !WIFEXITED(Status))
    return 96;
  return WEXITSTATUS(Status);
}
