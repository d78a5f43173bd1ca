// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function by which a program asks for its stats.
//
// The function behind memkit_stats() of include/memkit/memkit.h and of the
// Python package. The recorder answers.

#include "Runtime/Hook.h"
#include "Runtime/Questions.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

/// Asks for the stats of the scope Number, or of the meaning of number 0 in an
/// Ask record. Writes up to \p Size bytes; false: no answer.
MEMKIT_EXPORT int memrec_stats(uint64_t Number, void *To, size_t Size) {
  wire::Reply R;
  if (!ask(wire::AskRecord{Number, 0, 0}, R))
    return false;
  memcpy(To, &R, Size < sizeof(R) ? Size : sizeof(R));
  return true;
}
