// Forks 20 children that allocate, in less than argv[1] seconds.
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *volatile Sink;

int main(int Argc, char **Argv) {
  Sink = malloc(10);
  usleep(100000); // the recorder has seen it
  time_t Begun = time(0);
  for (int I = 0; I < 20; ++I) {
    pid_t P = fork();
    if (!P) {
      Sink = malloc(11);
      _exit(0);
    }
    waitpid(P, 0, 0);
  }
  return time(0) - Begun >= atol(Argv[1]);
}
