// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few of a run's steps.

#include "memkit/Model/StepSample.h"
#include "memkit/Trace/SummaryStats.h"
#include <map>

using namespace llvm;

namespace memkit {

uint64_t stepStride(uint64_t LastStep) {
  uint64_t Stride = 1;
  while (LastStep / Stride >= MaxSampledSteps)
    Stride *= 2;
  return Stride;
}

namespace {
struct StepsOfProcess {
  size_t First = 0, Last = 0; ///< by number
  struct Highest {
    size_t At = 0;
    uint64_t PeakBytes = 0;
  };
  std::map<uint32_t, Highest> Spaces;
};
} // namespace

std::vector<bool> sampleSteps(ArrayRef<StepStats> Steps) {
  std::map<uint32_t, StepsOfProcess> Of;
  for (size_t I = 0; I != Steps.size(); ++I) {
    const StepStats &S = Steps[I];
    auto [At, IsNew] = Of.try_emplace(S.Process);
    StepsOfProcess &P = At->second;
    if (IsNew)
      P.First = P.Last = I;
    if (S.Step < Steps[P.First].Step)
      P.First = I;
    if (S.Step >= Steps[P.Last].Step)
      P.Last = I;
    for (const SpaceShare &Share : allShares(S)) {
      StepsOfProcess::Highest &H = P.Spaces[Share.Space];
      if (Share.PeakBytes > H.PeakBytes)
        H = {I, Share.PeakBytes};
    }
  }
  std::vector<bool> Out(Steps.size());
  for (const auto &[Process, P] : Of) {
    Out[P.First] = Out[P.Last] = true;
    for (const auto &[Space, H] : P.Spaces)
      if (H.PeakBytes)
        Out[H.At] = true;
  }
  for (size_t I = 0; I != Steps.size(); ++I)
    if (Steps[I].Step %
            stepStride(Steps[Of.find(Steps[I].Process)->second.Last].Step) ==
        0)
      Out[I] = true;
  return Out;
}

} // namespace memkit
