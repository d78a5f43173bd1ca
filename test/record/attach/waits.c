// Threads that wait in calls which the kernel ends with EINTR at a stop wait on, and see no EINTR; one
// that a handler of a signal wakes sees it each time.
//
// RUN: %cc -O1 -g %s -o %t.exe -pthread
// RUN: %python %S/Inputs/attach.py once %t.fb -- %t.exe | FileCheck %s
// REQUIRES: python
//
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: {{.*}}errors 0
// CHECK-NEXT: the program's status: 0

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t Stop;
static void stop(int Signal) { Stop = Signal; }
static void wake(int Signal) { (void)Signal; }
static int Errors, Woken; // atomic
static pthread_t Waker;

static void fail(int Result) {
  if (Result < 0 && errno == EINTR && !Stop)
    __atomic_fetch_add(&Errors, 1, __ATOMIC_RELAXED);
}

static void *inEpoll(void *P) {
  struct epoll_event E;
  for (int Fd = epoll_create1(0);;)
    fail(epoll_wait(Fd, &E, 1, 30000));
  return P;
}
static void *inSigtimedwait(void *P) {
  sigset_t S;
  sigemptyset(&S);
  sigaddset(&S, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &S, 0);
  struct timespec T = {30, 0};
  for (;;)
    fail(sigtimedwait(&S, 0, &T));
  return P;
}
static int Semaphore;
static void *inSemop(void *P) {
  struct sembuf Down = {0, -1, 0};
  for (;;) {
    int Result = semop(Semaphore, &Down, 1);
    fail(Result);
    if (Result < 0 && errno != EINTR)
      return P; // it is removed
  }
}
static void *inRecv(void *P) {
  int Pair[2];
  struct timeval T = {30, 0};
  char Byte;
  socketpair(AF_UNIX, SOCK_STREAM, 0, Pair);
  setsockopt(Pair[0], SOL_SOCKET, SO_RCVTIMEO, &T, sizeof(T));
  for (;;)
    fail((int)recv(Pair[0], &Byte, 1, 0));
  return P;
}
static void *isWoken(void *P) {
  struct epoll_event E;
  for (int Fd = epoll_create1(0);;)
    if (epoll_wait(Fd, &E, 1, -1) < 0 && errno == EINTR)
      __atomic_fetch_add(&Woken, 1, __ATOMIC_RELEASE);
  return P;
}

int main(void) {
  struct sigaction Wake = {.sa_handler = wake}; // no SA_RESTART
  sigaction(SIGUSR1, &Wake, 0);
  signal(SIGTERM, stop);
  Semaphore = semget(IPC_PRIVATE, 1, 0600);
  pthread_t T;
  void *(*Waits[])(void *) = {inEpoll, inSigtimedwait, inSemop, inRecv};
  sigset_t Term;
  sigemptyset(&Term);
  sigaddset(&Term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &Term, 0);
  for (unsigned I = 0; I != sizeof(Waits) / sizeof(*Waits); ++I)
    pthread_create(&T, 0, Waits[I], 0);
  pthread_create(&Waker, 0, isWoken, 0);
  pthread_sigmask(SIG_UNBLOCK, &Term, 0);
  puts("ready");
  fflush(stdout);
  // A signal that comes just before the wait ends nothing: it is sent again.
  while (!Stop) {
    int Before = __atomic_load_n(&Woken, __ATOMIC_ACQUIRE);
    for (int Turn = 0; !Stop; ++Turn) {
      if (Turn % 10 == 0)
        pthread_kill(Waker, SIGUSR1);
      usleep(2000);
      free(malloc(100));
      if (__atomic_load_n(&Woken, __ATOMIC_ACQUIRE) != Before)
        break;
      if (Turn == 5000) {
        __atomic_fetch_add(&Errors, 1, __ATOMIC_RELAXED);
        break;
      }
    }
  }
  semctl(Semaphore, 0, IPC_RMID);
  printf("woken %s, errors %d\n", Woken > 5 ? "often" : "seldom", Errors);
  return Errors != 0;
}
