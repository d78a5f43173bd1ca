// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs two functions at the same time.

#include "RunBoth.h"
#include <pthread.h>

using namespace llvm;

namespace memkit {

static void *callWork(void *Work) {
  (*static_cast<function_ref<void()> *>(Work))();
  return nullptr;
}

// std::thread would report failure by an exception.
void runBoth(function_ref<void()> Here, function_ref<void()> There) {
  pthread_t Other;
  bool Started = pthread_create(&Other, nullptr, callWork, &There) == 0;
  Here();
  if (Started)
    pthread_join(Other, nullptr);
  else
    There();
}

} // namespace memkit
