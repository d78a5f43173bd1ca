// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The private memory of a recorded process that is not malloc's.

#include "OtherMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

/// A value between From and To, which are those of the shares 0 and 1.
static uint64_t between(uint64_t From, uint64_t To, double Share) {
  double Value = double(From) * (1 - Share) + double(To) * Share;
  return Value < 0x1p63 ? uint64_t(Value) : INT64_MAX;
}

/// How far At is on the way from From to To.
static double shareOf(uint64_t From, uint64_t To, uint64_t At) {
  double Share = (double(At) - double(From)) / (double(To) - double(From));
  return std::clamp(Share, 0.0, 1.0);
}

template <class Sample>
static const Sample *firstAfter(ArrayRef<Sample> Of, uint64_t TimeNs) {
  return llvm::lower_bound(
      Of, TimeNs, [](const Sample &S, uint64_t Ns) { return S.TimeNs < Ns; });
}

MemorySample memkit::memoryAt(ArrayRef<MemorySample> Of, uint64_t TimeNs) {
  const MemorySample *After = firstAfter(Of, TimeNs);
  if (After == Of.begin() || After == Of.end())
    return After == Of.begin() ? Of.front() : Of.back();
  const MemorySample &B = After[-1];
  double Share = shareOf(B.TimeNs, After->TimeNs, TimeNs);
  return {TimeNs, between(B.Private, After->Private, Share),
          between(B.Files, After->Files, Share),
          between(B.OtherLive, After->OtherLive, Share)};
}

std::array<uint64_t, OtherMemory::NumOtherParts>
OtherMemory::progressOf(const MemorySample &S) {
  return {S.OtherLive, S.Files, S.TimeNs};
}

OtherMemory::OtherMemory(ArrayRef<MemorySample> Rss,
                         ArrayRef<PartsSample> Parts) {
  for (const PartsSample &P : Parts) {
    MemorySample S = memoryAt(Rss, P.TimeNs);
    uint64_t Others = S.Private - std::min(S.Private, P.Malloc);
    uint64_t OfMappings = std::min(P.Mapped, Others);
    uint64_t OfRecorder = std::min(P.Recorder, Others - OfMappings);
    S.TimeNs = P.TimeNs;
    Points.push_back(
        {P.TimeNs,
         {OfMappings, Others - OfMappings - OfRecorder, OfRecorder},
         progressOf(S)});
  }
}

uint64_t OtherMemory::bytesAt(const MemorySample &At) const {
  if (Points.empty())
    return 0;
  const OtherPoint *After = firstAfter(ArrayRef(Points), At.TimeNs);
  const OtherPoint *End = Points.data() + Points.size();
  const OtherPoint &To = After == End ? Points.back() : *After;
  const OtherPoint &From =
      After == Points.data() || After == End ? To : After[-1];
  // A smaller change says nothing.
  constexpr uint64_t LeastBytes = 1 << 20;
  std::array<uint64_t, NumOtherParts> Progress = progressOf(At);
  uint64_t Sum = 0;
  for (unsigned P = 0; P != NumOtherParts; ++P) {
    bool IsKnown =
        P != Recorder &&
        AbsoluteDifference(From.Progress[P], To.Progress[P]) >= LeastBytes;
    unsigned Of = IsKnown ? P : unsigned(Recorder); // else by time
    double Share = &From == &To ? 0
                                : shareOf(From.Progress[Of], To.Progress[Of],
                                          Progress[Of]);
    Sum = SaturatingAdd(Sum, between(From.Bytes[P], To.Bytes[P], Share));
  }
  return Sum;
}
