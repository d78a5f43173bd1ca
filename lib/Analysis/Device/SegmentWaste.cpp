// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What expandable segments of PyTorch would have saved.

#include "SegmentWaste.h"
#include "memkit/Analysis/DeviceMap.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace memkit {

/// Only an error of the file is one. A trace without the events, or with too
/// many blocks for a map, leaves the suggestion as it is.
static Error unlessNoMap(Error E) {
  return handleErrors(
      std::move(E),
      [](std::unique_ptr<TraceError> OfFile) -> Error {
        return Error(std::move(OfFile));
      },
      [](const ErrorInfoBase &) {});
}

/// The map of a device right after TimeNs; nothing: there is no map.
static Expected<std::optional<DeviceMap>>
mapAfter(const Trace &T, uint32_t Device, uint64_t TimeNs) {
  SelectionSpec Spec;
  Spec.At.emplace();
  Spec.At->K = TimePointSpec::TimePointKind::Time;
  // A time point is before the events of its time.
  Spec.At->Number = SaturatingAdd<uint64_t>(TimeNs, 1);
  Expected<Selection> At = Selection::create(T, Spec);
  std::optional<DeviceMap> Found;
  Error E = At.takeError();
  if (!E) {
    Expected<std::vector<DeviceMap>> Maps =
        mapDevices(T, *At, MapTimePoint::At, Device);
    E = Maps.takeError();
    if (!E && !Maps->empty())
      Found = std::move(Maps->front());
  }
  if (Error Left = unlessNoMap(std::move(E)))
    return std::move(Left);
  return Found;
}

/// Of the segments of one heap: the free part, in millionths, that is of the
/// newest segment's stream and pool. Nothing: no segments.
static std::optional<uint32_t> freeOfNewest(const DeviceMap &M, uint32_t Heap) {
  const MappedSegment *Newest = nullptr;
  auto KeyOf = [](const MappedSegment &S) {
    return std::pair(S.Self.AllocatedNs, S.Self.AllocationId);
  };
  for (const MappedSegment &S : M.Segments)
    if (S.Self.Heap == Heap && (!Newest || KeyOf(S) > KeyOf(*Newest)))
      Newest = &S;
  if (!Newest)
    return std::nullopt;
  auto GroupOf = [](const MappedBlock &B) {
    return std::tuple(B.Process, B.Stream, B.Pool);
  };
  double All = 0, Free = 0;
  for (const MappedSegment &S : M.Segments) {
    if (S.Self.Heap != Heap)
      continue;
    All += double(S.Self.Size);
    // The newest one has no blocks yet.
    if (&S != Newest && GroupOf(S.Self) == GroupOf(Newest->Self))
      Free += double(S.FreeBytes);
  }
  return All ? uint32_t(Free / All * 1e6) : 0;
}

Error checkSegmentWaste(const SelectedStats &S,
                        std::vector<Suggestion> &Suggestions) {
  const Trace &T = S.trace();
  for (Suggestion &A : Suggestions) {
    if (A.What != Advice::ExpandableSegments)
      continue;
    uint32_t Segments = T.heap(A.Heap).Parent;
    if (!Segments || !T.heapName(Segments).ends_with(".segments"))
      continue;
    Expected<std::optional<DeviceMap>> Map =
        mapAfter(T, T.heap(A.Heap).Space, T.heapStats(Segments).PeakTimeNs);
    if (!Map)
      return Map.takeError();
    if (*Map)
      A.Ppm = freeOfNewest(**Map, Segments).value_or(A.Ppm);
  }
  erase_if(Suggestions, [](const Suggestion &A) {
    return A.What == Advice::ExpandableSegments && A.Ppm < limits::UnusedPpm;
  });
  return Error::success();
}

} // namespace memkit
