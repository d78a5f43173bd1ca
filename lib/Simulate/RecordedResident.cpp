// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured of a recorded process.

#include "RecordedResident.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

static PartsSample partsOf(const Mark &M) {
  auto Sum = [&M](std::initializer_list<ResidentPart> Parts) {
    uint64_t Bytes = 0;
    for (ResidentPart P : Parts)
      if (size_t(P) < M.Values.size())
        Bytes = SaturatingAdd(Bytes, M.Values[size_t(P)]);
    return Bytes;
  };
  return {M.TimeNs, Sum({ResidentPart::Malloc, ResidentPart::MallocFree}),
          Sum({ResidentPart::Mapping, ResidentPart::Object,
               ResidentPart::ObjectFree, ResidentPart::Reserved}),
          Sum({ResidentPart::Recorder})};
}

Expected<RecordedSamples> memkit::readRecordedSamples(const Trace &T,
                                                      uint32_t Process) {
  RecordedSamples Out;
  Error E = T.forEachMark([&](const Mark &M) {
    if (M.Process != Process || M.Values.size() < 2)
      return;
    uint64_t Files = std::min(M.Values[0], M.Values[1]);
    if (M.Kind == MarkKind::Rss)
      Out.Rss.push_back({M.TimeNs, M.Values[0] - Files, Files});
    else if (M.Kind == MarkKind::Resident)
      Out.Parts.push_back(partsOf(M));
  });
  if (E)
    return std::move(E);
  auto IsBefore = [](const auto &A, const auto &B) {
    return A.TimeNs < B.TimeNs;
  };
  llvm::stable_sort(Out.Rss, IsBefore);
  llvm::stable_sort(Out.Parts, IsBefore);
  return Out;
}

/// Own: Private is what a replay has.
static void summarize(ArrayRef<MemorySample> Own, HostTarget &To) {
  RecordedResident &R = To.Recorded;
  R.PointBytes.assign(wire::MaxReplayPoints, 0);
  uint32_t Point = 0;
  auto NotePoint = [&](uint32_t At, uint64_t Bytes) {
    for (; Point < At; ++Point)
      R.PointBytes[Point + 1] = R.EndBytes;
    R.PointBytes[Point] = std::max(R.PointBytes[Point], Bytes);
  };
  bool IsAfter = false;
  for (const MemorySample &P : Own) {
    R.IsKnown = true;
    NotePoint(To.pointOf(P.TimeNs), P.Private);
    R.EndBytes = P.Private;
    if (P.Private > R.PeakBytes) {
      R.PeakBytes = P.Private;
      R.PeakNs = P.TimeNs;
    }
    if (!IsAfter)
      R.LivePeakBytes = P.TimeNs < To.PeakNs
                            ? P.Private
                            : std::max(P.Private, R.LivePeakBytes);
    IsAfter |= P.TimeNs >= To.PeakNs;
  }
  NotePoint(wire::MaxReplayPoints - 1, R.EndBytes);
}

void memkit::noteRecordedResident(RecordedSamples Samples, HostTarget &To) {
  std::vector<MemorySample> &Own = Samples.Rss;
  if (Own.empty())
    return;
  // The trace may have no totals.
  To.EndNs = std::max(To.EndNs, Own.back().TimeNs);
  OtherMemory Others(Own, Samples.Parts);
  RecordedResident &R = To.Recorded;
  auto First = llvm::find_if(
      Own, [&](const MemorySample &P) { return P.TimeNs >= To.FirstNs; });
  if (First != Own.begin())
    R.BeforeBytes = std::prev(First)->Private;
  Own.erase(Own.begin(), First);
  R.IsOfMalloc = !Samples.Parts.empty();
  for (MemorySample &P : Own)
    P.Private -=
        std::min(P.Private, R.IsOfMalloc ? Others.bytesAt(P) : R.BeforeBytes);
  summarize(Own, To);
}
