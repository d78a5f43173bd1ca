// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs two functions at the same time.

#include "RunBoth.h"
#include <exception>
#include <pthread.h>

using namespace llvm;

namespace memkit {

namespace {
struct PairedWork {
  function_ref<void()> Function;
  std::exception_ptr Thrown; ///< std::bad_alloc
  void run() {
    try {
      Function();
    } catch (...) {
      Thrown = std::current_exception();
    }
  }
};
} // namespace

static void *callWork(void *Of) {
  static_cast<PairedWork *>(Of)->run();
  return nullptr;
}

// std::thread would report failure by an exception.
void runBoth(function_ref<void()> Here, function_ref<void()> There) {
  PairedWork First{Here, nullptr}, Second{There, nullptr};
  pthread_t Other;
  bool Started = pthread_create(&Other, nullptr, callWork, &Second) == 0;
  First.run();
  if (Started)
    pthread_join(Other, nullptr);
  else
    Second.run();
  for (const PairedWork *W : {&First, &Second})
    if (W->Thrown)
      std::rethrow_exception(W->Thrown);
}

} // namespace memkit
