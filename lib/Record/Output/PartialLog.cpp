// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a killed recorder would lose, for the next Partial section.

#include "Output/PartialLog.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>
#include <utility>

using namespace llvm;
using namespace memkit;

uint64_t PartialLog::intervalNs(uint64_t NowNs) {
  constexpr uint64_t ShortestNs = 500'000'000, SteadyNs = 128'000'000'000;
  uint64_t Interval = ShortestNs;
  for (uint64_t Ns = NowNs; Ns >= SteadyNs; Ns /= 2)
    Interval *= 2;
  return Interval;
}

uint64_t PartialLog::allowedBytes(uint64_t FileBytes, uint64_t MaxBytes) {
  constexpr uint64_t SmallBytes = 1 << 20;
  return std::max(MaxBytes ? MaxBytes / 100 : SmallBytes, FileBytes / 100);
}

bool PartialLog::isDue(uint64_t NowNs, uint64_t Bytes, uint64_t Allowed) const {
  // A program may run out of memory again and again.
  constexpr uint64_t UrgentNs = 100'000'000;
  if (Bytes > Allowed)
    return false;
  return NowNs >= LastNs + (IsUrgent ? UrgentNs : intervalNs(NowNs));
}

void PartialLog::add(const ProcessStats &P) {
  auto Values = [](const ProcessStats &Of) {
    return std::tie(Of.Role, Of.InheritedFrees, Of.Lost, Of.RssPeakBytes,
                    Of.PssPeakBytes);
  };
  auto [It, New] = Known.try_emplace(P.Process, P);
  if (!New && Values(It->second) == Values(P))
    return;
  It->second = P;
  Next.Processes.push_back(P);
}

void PartialLog::add(std::vector<LayerStats> Rows) {
  append_range(Next.Layers, Rows);
}

void PartialLog::add(std::vector<DeviceTimeStats> Rows) {
  append_range(Next.DeviceTimes, Rows);
}

void PartialLog::add(ArrayRef<ParameterStats> Rows) {
  for (size_t I = 0; I != Rows.size(); ++I)
    if (I >= KnownParameters.size() || KnownParameters[I] != Rows[I])
      Next.Parameters.push_back(Rows[I]);
  KnownParameters.assign(Rows.begin(), Rows.end());
}

void PartialLog::add(const OomLog &Of) {
  for (const OomLog::OomTimePoint &M : Of.timePoints()) {
    if (M.What.Number <= LastOom)
      continue;
    LastOom = M.What.Number;
    Next.Ooms.push_back(M.What);
    append_range(Next.OomHeaps, M.Heaps);
    append_range(Next.Categories, M.Categories);
  }
}

/// Moves the first rows, as many as fit a section, from From to To.
template <class Row>
static void moveRows(std::vector<Row> &From, std::vector<Row> &To) {
  auto End =
      From.begin() + ptrdiff_t(rowsThatFit(From, 0, size_t(MaxSectionRows)));
  To.assign(std::make_move_iterator(From.begin()),
            std::make_move_iterator(End));
  From.erase(From.begin(), End);
}

std::vector<Partial> PartialLog::take(uint64_t NowNs) {
  LastNs = NowNs;
  IsUrgent = false;
  std::vector<Partial> Out;
  auto HasMore = [&] {
    return !Next.Processes.empty() || !Next.Layers.empty() ||
           !Next.Ooms.empty() || !Next.OomHeaps.empty() ||
           !Next.Categories.empty() || !Next.Parameters.empty() ||
           !Next.DeviceTimes.empty();
  };
  if (HasMore())
    ++Next.Number;
  while (HasMore()) {
    Partial Part;
    Part.Number = Next.Number;
    Part.EndNs = NowNs;
    moveRows(Next.Processes, Part.Processes);
    moveRows(Next.Layers, Part.Layers);
    moveRows(Next.Ooms, Part.Ooms);
    moveRows(Next.OomHeaps, Part.OomHeaps);
    moveRows(Next.Categories, Part.Categories);
    moveRows(Next.Parameters, Part.Parameters);
    moveRows(Next.DeviceTimes, Part.DeviceTimes);
    Part.Complete = !HasMore();
    Out.push_back(std::move(Part));
  }
  return Out;
}
