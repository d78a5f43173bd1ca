// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that leak, or only seem to.

#ifndef MEMKIT_UTILS_GENGROWTH_SCENARIOS_H
#define MEMKIT_UTILS_GENGROWTH_SCENARIOS_H

#include "Program.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace memkit::gengrowth {

enum class Truth {
  Clean,
  Leaks,
  Either, ///< one run cannot decide: both answers are right
};

/// A kind of program; leaking sites have `leak` in their stacks.
struct Scenario {
  llvm::StringRef Name;
  Truth Is;
  llvm::StringRef What; ///< a short description
  Program (*Make)(uint64_t Seed);
};

// Cleans.cpp, Leaks.cpp
llvm::ArrayRef<Scenario> cleanScenarios();
llvm::ArrayRef<Scenario> leakScenarios();

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_SCENARIOS_H
