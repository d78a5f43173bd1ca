// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The samples of devices that a merged summary keeps.

#include "DeviceMarks.h"
#include "memkit/Analysis/DeviceGaps.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

/// The samples to keep, by device and time.
static Expected<std::set<std::pair<uint64_t, uint64_t>>>
samplesToKeep(const Trace &T) {
  Expected<MarkSeries> Marks = readMarkSeries(T);
  if (!Marks)
    return Marks.takeError();
  LiveSeries None;
  None.Heaps.resize(T.heaps().size() + 1);
  std::set<std::pair<uint64_t, uint64_t>> Out;
  for (const DeviceGap &G : findGaps(T, *Marks, None)) {
    Out.insert({G.Device, G.MaxUsed.TimeNs});
    Out.insert({G.Device, G.Largest.TimeNs});
  }
  return Out;
}

Error DeviceMarks::add(const Trace &T, uint64_t ShiftNs) {
  if (T.devices().empty() || !T.hasReader())
    return Error::success();
  Expected<std::set<std::pair<uint64_t, uint64_t>>> Wanted = samplesToKeep(T);
  if (!Wanted)
    return Wanted.takeError();
  return T.forEachMark([&](const Mark &M) {
    if (M.Kind != MarkKind::DeviceUsed || !Wanted->count({M.Id, M.TimeNs}))
      return;
    Mark New;
    New.Kind = M.Kind;
    New.Process = Names.process(M.Process);
    New.TimeNs = M.TimeNs + ShiftNs;
    New.Id = Names.device(static_cast<uint32_t>(M.Id));
    New.Values = M.Values;
    All.push_back(std::move(New));
  });
}

Error DeviceMarks::write(TraceWriter &Out) {
  stable_sort(All,
              [](const Mark &A, const Mark &B) { return A.TimeNs < B.TimeNs; });
  if (Error E = Names.flush())
    return E;
  for (ArrayRef<Mark> Left = All; !Left.empty();) {
    ArrayRef<Mark> Now =
        Left.take_front(std::min<size_t>(Left.size(), MaxSectionRows));
    Marks Section;
    Section.Rows = Now.vec();
    if (Error E = Out.write(Section))
      return E;
    Left = Left.drop_front(Now.size());
  }
  return Error::success();
}

} // namespace memkit
