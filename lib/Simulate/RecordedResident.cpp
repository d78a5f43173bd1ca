// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured of a recorded process.

#include "RecordedResident.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

namespace {
/// Bytes at a time.
struct ResidentAt {
  uint64_t TimeNs, Bytes;
};
} // namespace

/// The value at a time, between the points before and after; at the ends that
/// of the first or the last. Of: not empty, by rising time.
static uint64_t valueAt(ArrayRef<ResidentAt> Of, uint64_t TimeNs) {
  const ResidentAt *After =
      llvm::lower_bound(Of, TimeNs, [](const ResidentAt &P, uint64_t Ns) {
        return P.TimeNs < Ns;
      });
  if (After == Of.begin() || After == Of.end())
    return After == Of.begin() ? Of.front().Bytes : Of.back().Bytes;
  const ResidentAt *Before = After - 1;
  double Share =
      double(TimeNs - Before->TimeNs) / double(After->TimeNs - Before->TimeNs);
  double Bytes =
      double(Before->Bytes) * (1 - Share) + double(After->Bytes) * Share;
  return Bytes < 0x1p63 ? uint64_t(Bytes) : INT64_MAX;
}

/// Makes Own the memory of malloc alone, by the samples of its part: what is
/// not malloc's changes evenly between the samples.
static void keepMalloc(MutableArrayRef<ResidentAt> Own,
                       ArrayRef<ResidentAt> Malloc) {
  std::vector<ResidentAt> Others;
  for (const ResidentAt &M : Malloc) {
    uint64_t Then = valueAt(Own, M.TimeNs);
    Others.push_back({M.TimeNs, Then - std::min(Then, M.Bytes)});
  }
  for (ResidentAt &P : Own)
    P.Bytes -= std::min(P.Bytes, valueAt(Others, P.TimeNs));
}

/// Reads private resident memory, and malloc's part of resident memory.
static Error readSamples(const Trace &T, const HostTarget &To,
                         std::vector<ResidentAt> &Own,
                         std::vector<ResidentAt> &Malloc) {
  Error E = T.forEachMark([&](const Mark &M) {
    if (M.Process != To.Process || M.Values.size() < 2)
      return;
    if (M.Kind == MarkKind::Rss)
      Own.push_back(
          {M.TimeNs, M.Values[0] - std::min(M.Values[0], M.Values[1])});
    else if (M.Kind == MarkKind::Resident)
      Malloc.push_back(
          {M.TimeNs,
           SaturatingAdd(M.Values[size_t(ResidentPart::Malloc)],
                         M.Values[size_t(ResidentPart::MallocFree)])});
  });
  for (auto *Of : {&Own, &Malloc})
    llvm::stable_sort(*Of, [](const ResidentAt &A, const ResidentAt &B) {
      return A.TimeNs < B.TimeNs;
    });
  return E;
}

static void summarize(ArrayRef<ResidentAt> Own, HostTarget &To) {
  RecordedResident &R = To.Recorded;
  R.PointBytes.assign(wire::MaxReplayPoints, 0);
  uint32_t Point = 0;
  auto NotePoint = [&](uint32_t At, uint64_t Bytes) {
    for (; Point < At; ++Point)
      R.PointBytes[Point + 1] = R.EndBytes;
    R.PointBytes[Point] = std::max(R.PointBytes[Point], Bytes);
  };
  bool IsAfter = false;
  for (const ResidentAt &P : Own) {
    R.IsKnown = true;
    NotePoint(To.pointOf(P.TimeNs), P.Bytes);
    R.EndBytes = P.Bytes;
    if (P.Bytes > R.PeakBytes) {
      R.PeakBytes = P.Bytes;
      R.PeakNs = P.TimeNs;
    }
    if (!IsAfter)
      R.LivePeakBytes =
          P.TimeNs < To.PeakNs ? P.Bytes : std::max(P.Bytes, R.LivePeakBytes);
    IsAfter |= P.TimeNs >= To.PeakNs;
  }
  NotePoint(wire::MaxReplayPoints - 1, R.EndBytes);
}

Error memkit::readRecordedResident(const Trace &T, HostTarget &To) {
  std::vector<ResidentAt> Own, Malloc;
  if (Error E = readSamples(T, To, Own, Malloc))
    return E;
  // The trace may have no totals.
  if (!Own.empty())
    To.EndNs = std::max(To.EndNs, Own.back().TimeNs);
  RecordedResident &R = To.Recorded;
  auto First = llvm::find_if(
      Own, [&](const ResidentAt &P) { return P.TimeNs >= To.FirstNs; });
  if (First != Own.begin())
    R.BeforeBytes = std::prev(First)->Bytes;
  Own.erase(Own.begin(), First);
  R.IsOfMalloc = !Malloc.empty();
  if (Own.empty())
    return Error::success();
  if (R.IsOfMalloc)
    keepMalloc(Own, Malloc);
  else
    for (ResidentAt &P : Own)
      P.Bytes -= std::min(P.Bytes, R.BeforeBytes);
  summarize(Own, To);
  return Error::success();
}
