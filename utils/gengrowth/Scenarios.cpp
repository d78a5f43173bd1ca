// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All kinds of programs.

#include "Scenarios.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DJB.h"

namespace memkit::gengrowth {

Program Scenario::make(uint64_t Seed) const {
  Program P = Make(Seed + 2 * uint64_t(llvm::djbHash(Name)));
  P.Name = Name.str();
  return P;
}

std::vector<Scenario> allScenarios() {
  std::vector<Scenario> All;
  for (llvm::ArrayRef<Scenario> List :
       {sessionScenarios(), cleanScenarios(), importScenarios(),
        drainScenarios(), freeScenarios(), containerScenarios(),
        loadScenarios(), leakScenarios(), idleScenarios(), burstScenarios(),
        pythonScenarios(), crowdScenarios()})
    llvm::append_range(All, List);
  auto OrderOf = [](const Scenario &S) {
    return S.Is == Nature::Fills ? Nature::Leaks : S.Is;
  };
  llvm::stable_sort(All, [&](const Scenario &X, const Scenario &Y) {
    return OrderOf(X) < OrderOf(Y);
  });
  return All;
}

} // namespace memkit::gengrowth
