// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that leak, or only seem to.

#ifndef MEMKIT_UTILS_GENGROWTH_SCENARIOS_H
#define MEMKIT_UTILS_GENGROWTH_SCENARIOS_H

#include "Truth.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace memkit::gengrowth {

/// A kind of program; growing sites have `leak` in their stacks.
struct Scenario {
  llvm::StringRef Name;
  Nature Is;
  llvm::StringRef What; ///< a short description
  Program (*Make)(uint64_t Seed);
  /// Makes the program of a seed. Kinds have different random numbers; odd
  /// seeds stay odd, because in most kinds these programs have steps.
  Program make(uint64_t Seed) const;
};

/// All kinds: first those that are clean, then loads, then leaks.
std::vector<Scenario> allScenarios();

// The kinds of each file.
llvm::ArrayRef<Scenario> sessionScenarios();
llvm::ArrayRef<Scenario> cleanScenarios();
llvm::ArrayRef<Scenario> loadScenarios();
llvm::ArrayRef<Scenario> importScenarios();
llvm::ArrayRef<Scenario> drainScenarios();
llvm::ArrayRef<Scenario> freeScenarios();
llvm::ArrayRef<Scenario> containerScenarios();
llvm::ArrayRef<Scenario> leakScenarios();
llvm::ArrayRef<Scenario> idleScenarios();
llvm::ArrayRef<Scenario> burstScenarios();
llvm::ArrayRef<Scenario> pythonScenarios();
llvm::ArrayRef<Scenario> crowdScenarios();

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_SCENARIOS_H
