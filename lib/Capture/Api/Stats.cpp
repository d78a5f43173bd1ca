// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program asks of itself.
//
// The function behind memkit_stats() of include/memkit/memkit.h and the Python
// package's: the recorder knows the answer.

#include "Runtime/Hook.h"
#include "Runtime/Questions.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

/// About the scope Number, or what number 0 stands for in an Ask record. Writes
/// up to \p Size bytes; false: there is no answer.
MEMKIT_EXPORT int memrec_stats(uint64_t Number, void *To, size_t Size) {
  wire::Reply R;
  if (!ask(wire::AskRecord{Number, 0, 0}, R))
    return false;
  memcpy(To, &R, Size < sizeof(R) ? Size : sizeof(R));
  return true;
}
