// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends the recording when the recorder has no memory.

#include "Launch/NoMemory.h"
#include "llvm/Support/ErrorHandling.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
constexpr int ExitFailed = 125;
constexpr size_t StackBytes = 64 << 10;

std::atomic<pid_t> Program{0};
std::atomic<bool> Ended{false};
bool HasWaiter = false;
pthread_t Recorder;
sem_t NoMemory;
} // namespace

/// The signal that ends the recorder's thread.
static int endSignal() { return SIGRTMIN; }

static void endThread(int) { syscall(SYS_exit, 0); }

/// Waits for the program, and ends with its status.
[[noreturn]] static void exitAsProgram() {
  int Status = 0;
  while (waitpid(Program, &Status, 0) < 0 && errno == EINTR)
    ;
  int Exit = WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
  _exit(Exit ? Exit : ExitFailed);
}

static void *waitForEnd(void *) {
  while (sem_wait(&NoMemory) != 0)
    ;
  pthread_kill(Recorder, endSignal());
  exitAsProgram();
}

/// Ends the recording. Calls no function that may allocate.
[[noreturn]] static void end() {
  if (!Ended.exchange(true)) {
    const char Text[] = "memrec: error: out of memory: the recording ends "
                        "here; the program continues\n";
    (void)!write(STDERR_FILENO, Text, sizeof(Text) - 1);
    if (!Program)
      _exit(ExitFailed);
    // The program notices that this thread stands still.
    if (!HasWaiter)
      exitAsProgram();
    sem_post(&NoMemory);
  }
  for (;;) {
    if (pthread_equal(pthread_self(), Recorder))
      endThread(0);
    pause();
  }
}

void memkit::prepareForNoMemory() {
  Recorder = pthread_self();
  struct sigaction Action{};
  Action.sa_handler = endThread;
  sigaction(endSignal(), &Action, nullptr);
  std::set_new_handler(end);
  // The C++ library may throw, for example when a thread cannot start.
  std::set_terminate(end);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { end(); });
  pthread_attr_t Attributes;
  pthread_t Waiter;
  sigset_t All, Old;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  sem_init(&NoMemory, 0, 0);
  pthread_attr_init(&Attributes);
  pthread_attr_setstacksize(&Attributes, StackBytes);
  pthread_attr_setdetachstate(&Attributes, PTHREAD_CREATE_DETACHED);
  HasWaiter = pthread_create(&Waiter, &Attributes, waitForEnd, nullptr) == 0;
  pthread_attr_destroy(&Attributes);
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
}

void memkit::waitWithoutMemoryFor(pid_t Pid) { Program = Pid; }
