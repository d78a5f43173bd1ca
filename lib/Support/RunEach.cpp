// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a function for many items, on all processors.

#include "RunEach.h"
#include "llvm/ADT/SmallVector.h"
#include <atomic>
#include <exception>
#include <pthread.h>
#include <sched.h>

using namespace llvm;

namespace memkit {

namespace {
struct SharedWork {
  size_t Count;
  function_ref<void(size_t)> Function;
  std::atomic<size_t> Next = 0;
};
struct Worker {
  SharedWork *Of = nullptr;
  std::exception_ptr Thrown; ///< std::bad_alloc
  pthread_t Thread{};
  void run() {
    try {
      for (size_t I = Of->Next++; I < Of->Count; I = Of->Next++)
        Of->Function(I);
    } catch (...) {
      Thrown = std::current_exception();
    }
  }
};
} // namespace

static void *callWorker(void *W) {
  static_cast<Worker *>(W)->run();
  return nullptr;
}

size_t usableProcessors() {
  cpu_set_t Set;
  return sched_getaffinity(0, sizeof(Set), &Set) == 0
             ? static_cast<size_t>(CPU_COUNT(&Set))
             : 1;
}

void runEach(size_t Count, function_ref<void(size_t)> Work) {
  constexpr size_t MaxThreads = 16;
  SharedWork Shared{Count, Work};
  size_t Wanted = std::min({Count, usableProcessors(), MaxThreads});
  // This thread is a worker, too. Workers must not move.
  SmallVector<Worker, MaxThreads> Workers(std::max<size_t>(Wanted, 1));
  size_t Started = 1;
  for (Worker &W : Workers)
    W.Of = &Shared;
  while (Started < Wanted && pthread_create(&Workers[Started].Thread, nullptr,
                                            callWorker, &Workers[Started]) == 0)
    ++Started;
  Workers[0].run();
  for (size_t I = 1; I < Started; ++I)
    pthread_join(Workers[I].Thread, nullptr);
  for (const Worker &W : Workers)
    if (W.Thrown)
      std::rethrow_exception(W.Thrown);
}

} // namespace memkit
