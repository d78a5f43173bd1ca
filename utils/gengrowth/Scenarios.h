//===- Scenarios.h - How the memory of a made-up program moves --*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_UTILS_GENGROWTH_SCENARIOS_H
#define MEMKIT_UTILS_GENGROWTH_SCENARIOS_H

#include "../gentrace/Random.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit::gengrowth {

/// What the live bytes of a part of a program are at the end of each step.
struct Scenario {
  llvm::StringRef Name;
  bool IsLeak;
  llvm::StringRef What; ///< in a few words
  /// Live bytes of each of one or more stacks below one caller.
  std::vector<std::vector<double>> (*Make)(gentrace::Random &R, size_t Steps);
};
llvm::ArrayRef<Scenario> scenarios();

/// The text form of a trace of a program with Steps steps in which a part moves
/// as S says, seeded. Its stacks go through `subject`; others do not grow.
std::string makeTrace(const Scenario &S, uint64_t Seed, size_t Steps);

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_SCENARIOS_H
