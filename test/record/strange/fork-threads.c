// A program whose threads allocate without end forks again and again; the children
// allocate, and some execute another program.
//
// RUN: %cc -O1 -g -pthread %s -o %t.exe
// RUN: %{same} --processes=61 %t.fb -- %t.exe

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int Stop;
static void *volatile Sink;

static void *churn(void *Unused) {
  (void)Unused;
  while (!Stop)
    free(malloc(123));
  return NULL;
}

int main(int Count, char **Args) {
  if (Count > 1) {
    free(malloc(9));
    return 5;
  }
  pthread_t Threads[3];
  for (int I = 0; I != 3; ++I)
    pthread_create(&Threads[I], NULL, churn, NULL);
  int Sum = 0;
  for (int I = 0; I != 40; ++I) {
    pid_t Child = fork();
    if (Child == 0) {
      Sink = malloc(1000);
      if (I % 2)
        execl(Args[0], Args[0], "again", (char *)NULL);
      _exit(5);
    }
    int Status;
    waitpid(Child, &Status, 0);
    Sum += WEXITSTATUS(Status);
  }
  Stop = 1;
  for (int I = 0; I != 3; ++I)
    pthread_join(Threads[I], NULL);
  printf("%d\n", Sum);
  return 0;
}
