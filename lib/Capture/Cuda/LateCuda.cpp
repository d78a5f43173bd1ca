// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's driver in a program that runs already.
//
// The driver has started without the CUDA library, and the program keeps
// pointers to the driver's functions. CUPTI reports their calls also to a
// subscriber that comes late. To subscribe takes locks of the loader, of CUPTI
// and of the driver, which the thread that memrec borrows may hold. So a thread
// of this library subscribes, and ends. Another one unsubscribes when the
// recording ends.

#include "Cuda/LateCuda.h"

#include "Cuda/Library.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"

#include <atomic>
#include <cstring>
#include <link.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

using namespace memkit;
using namespace memkit::capture;

static struct {
  std::atomic<pid_t> Worker; ///< the process that has a thread at work; 0: none
  std::atomic<bool> IsWanted; ///< CUPTI should report to memkit
  std::atomic<bool> IsDone;   ///< it was asked to
} Late;

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

/// A child of fork lacks the thread of its parent.
static bool takeWork() {
  auto Own = pid_t(sys::call(SYS_getpid));
  pid_t Is = Late.Worker.load();
  return Is != Own && Late.Worker.compare_exchange_strong(Is, Own);
}

static void listen(bool On) {
  if (auto *Listen = reinterpret_cast<void (*)(bool)>(
          cuda::libraryFunction("memrec_cuda_listen")))
    Listen(On);
  Late.IsDone.store(On);
}

static void *work(void *) {
  sys::call(SYS_prctl, PR_SET_NAME, long("memkit-cuda"));
  if (auto *Detach =
          reinterpret_cast<int (*)(pthread_t)>(nextSymbol("pthread_detach")))
    Detach(pthread_self());
  bool On;
  do {
    On = Late.IsWanted.load();
    if (On != Late.IsDone.load())
      listen(On);
    Late.Worker.store(0);
    // Who has changed the wish meanwhile may have met the worker.
  } while (On != Late.IsWanted.load() && takeWork());
  return nullptr;
}

static void want(bool On) {
  Late.IsWanted.store(On);
  if (On == Late.IsDone.load() || !takeWork())
    return;
  sys::SignalBlock Block;
  Quiet Q;
  auto *Create =
      reinterpret_cast<decltype(&pthread_create)>(nextSymbol("pthread_create"));
  pthread_t Thread;
  if (!Create || Create(&Thread, nullptr, work, nullptr))
    Late.Worker.store(0);
}

//===----------------------------------------------------------------------===//
// When
//===----------------------------------------------------------------------===//

static int isDriver(dl_phdr_info *Info, size_t, void *) {
  const char *Slash = strrchr(Info->dlpi_name, '/');
  return strncmp(Slash ? Slash + 1 : Info->dlpi_name, "libcuda.so", 10) == 0;
}

/// The driver may be loaded now.
static void lookForDriver() {
  if (Proc.Ctl && Proc.Ctl->Settings.Cuda && !Late.IsWanted.load() &&
      dl_iterate_phdr(isDriver, nullptr))
    want(true);
}

/// While the program subscribes, the CUDA library does not.
static const FrameworkHook SubscriberHooks[] = {
    {"libcupti.so", "cuptiSubscribe"},
    {"libcupti.so", "cuptiSubscribe_v2"},
    {"libcupti.so", "cuptiUnsubscribe"},
    {}};

constinit const Source cuda::LateSource = {.FrameworkHooks = SubscriberHooks,
                                           .Bound = lookForDriver,
                                           .Opened = lookForDriver,
                                           .Leave = [] { want(false); }};
