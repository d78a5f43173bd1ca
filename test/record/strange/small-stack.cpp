// A program that executes another one on a small stack: a crash handler on an alternate stack,
// which forks, and a child of clone. The hooks need at most 2 KiB more than libc.
//
// RUN: %cxx -std=c++20 -O1 %s -o %t.exe
// RUN: %python %S/Inputs/small_stack.py %t.exe %t.fb

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *How;

/// Executes /bin/true in the way of the last letter of How.
static int execute(void *) {
  const char *const Argv[] = {"true", nullptr};
  char Long[] = "A=1";
  char *const Env[] = {Long, nullptr};
  switch (How[strlen(How) - 1]) {
  case 'p':
    execvp("true", const_cast<char **>(Argv));
    break;
  case 'l':
    execlp("true", "true", nullptr);
    break;
  case 'e':
    execve("/bin/true", const_cast<char **>(Argv), Env);
    break;
  default:
    execv("/bin/true", const_cast<char **>(Argv));
  }
  _exit(77);
}

static int statusOf(pid_t Child) {
  int Status = 0;
  waitpid(Child, &Status, 0);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 100 + WTERMSIG(Status);
}

static void handler(int) {
  pid_t Child = strncmp(How, "vfork", 5) ? fork() : vfork();
  if (Child == 0)
    execute(nullptr);
  _exit(statusOf(Child));
}

int main(int, char **Argv) {
  size_t Bytes = strtoul(Argv[1], nullptr, 0);
  How = Argv[2];
  // Wide gaps on both sides, so that nothing steps over them.
  constexpr size_t Gap = 1 << 20;
  auto *Room = static_cast<char *>(mmap(nullptr, 3 * Gap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) + Gap;
  mprotect(Room, (Bytes + 4095) & ~size_t(4095), PROT_READ | PROT_WRITE);
  if (strncmp(How, "clone", 5) == 0)
    return statusOf(clone(execute, Room + Bytes, SIGCHLD | CLONE_VM | CLONE_VFORK, nullptr));
  stack_t Stack = {};
  Stack.ss_sp = Room, Stack.ss_size = Bytes;
  if (sigaltstack(&Stack, nullptr))
    return 99;
  struct sigaction Action = {};
  Action.sa_handler = handler, Action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &Action, nullptr);
  raise(SIGSEGV);
}
