// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, as profiles of several times.

#include "OverTime.h"
#include "memkit/Model/LiveBlocks.h"
#include "memkit/Model/Query.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace memkit {

/// A replay stops before the events of a time, so the last time is behind the
/// end.
static std::vector<uint64_t> timesOf(const Trace &T) {
  constexpr uint64_t Times = 40;
  std::vector<uint64_t> Out;
  for (uint64_t I = 1; I < Times; ++I)
    if (uint64_t Ns = T.summary().EndNs / Times * I;
        Ns && (Out.empty() || Ns != Out.back()))
      Out.push_back(Ns);
  Out.push_back(T.summary().EndNs + 1);
  return Out;
}

static std::string labelOf(const Trace &T, uint64_t TimeNs, uint64_t Bytes) {
  TimeNs = std::min(TimeNs, T.summary().EndNs);
  std::string Label = formatTime(TimeNs);
  if (std::optional<uint64_t> Step = stepAt(T, TimeNs))
    Label += ", step " + std::to_string(*Step);
  return Label + ": " + formatSize(Bytes);
}

Expected<std::vector<ProfileCourse>> liveOverTime(const ProfileQuery &P) {
  const Trace &T = P.trace();
  bool IsOuter = P.stats().selection().isOuterView();
  bool IsByStack = P.keys() == StatsBy::Stacks;
  MapVector<uint32_t, ProfileCourse> Courses; // by memory space
  auto Take = [&](uint64_t TimeNs, std::vector<LivePart> &Parts) -> Error {
    MapVector<uint32_t, MapVector<uint32_t, uint64_t>> Sums;
    for (const LivePart &Part : Parts)
      if (uint64_t Bytes = IsOuter ? Part.AllBytes : Part.Bytes)
        Sums[IsOuter ? 0 : T.heap(Part.Heap).Space]
            [IsByStack ? Part.Stack : Part.ScopePath] += Bytes;
    for (const auto &[Space, Of] : Sums) {
      ProfileCourse::CourseMoment M;
      for (const auto &[Key, Bytes] : Of) {
        M.Of.Values.push_back({Key, Bytes});
        M.Of.Total += Bytes;
      }
      M.Label = labelOf(T, TimeNs, M.Of.Total);
      ProfileCourse &C = Courses[Space];
      C.Name =
          (IsOuter ? StringRef("selected heaps") : T.spaceName(Space)).str() +
          ": live over time";
      C.Moments.push_back(std::move(M));
    }
    return Error::success();
  };
  if (Error E = forEachLiveMoment(T, P.stats().selection(), timesOf(T),
                                  "live bytes over time need", Take))
    return std::move(E);
  std::vector<ProfileCourse> Out;
  for (auto &[Space, C] : Courses)
    Out.push_back(std::move(C));
  return Out;
}

} // namespace memkit
