// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metrics of conditions that samples tell.

#include "MarkMetrics.h"
#include "memkit/Trace/HeapStats.h"
#include "memkit/Trace/Summary.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

ArrayRef<MetricForms> memkit::sampledMetrics() {
  using enum ConditionMetric;
  constexpr unsigned Bytes = CF_Value | CF_Share | CF_PerHeap;
  static constexpr MetricForms All[] = {{Rss, CF_Value | CF_Share},
                                        {Used, Bytes},
                                        {Reserved, Bytes},
                                        {Unaccounted, Bytes},
                                        {Fragmentation, CF_Share | CF_PerHeap},
                                        {Oom, CF_Any | CF_Value},
                                        {Swapped, CF_Any | CF_Value}};
  return All;
}

static uint64_t valueAt(const Mark &M, size_t I) {
  return I < M.Values.size() && M.Values[I] != UnknownBytes ? M.Values[I] : 0;
}

static double sumOf(const std::map<uint32_t, uint64_t> &OfProcesses) {
  uint64_t Sum = 0;
  for (auto [Process, Bytes] : OfProcesses)
    Sum += Bytes;
  return double(Sum);
}

void MarkMetrics::seeDevice(const Mark &M, MetricSink Tell) {
  auto Device = uint32_t(M.Id);
  if (uint64_t Total = valueAt(M, 1))
    TotalOf[Device] = Total;
  uint64_t Used = valueAt(M, 0);
  Tell({ConditionMetric::Used, true, Device, double(Used)});
  uint64_t Known =
      valueAt(M, 2) + valueAt(M, 3) + valueAt(M, 4) + valueAt(M, 5);
  if (M.Values.size() > 2 && M.Values[2] != UnknownBytes)
    Tell({ConditionMetric::Unaccounted, true, Device,
          double(Used - std::min(Used, Known))});
}

void MarkMetrics::seeReserved(const Mark &M, uint64_t Live, MetricSink Tell) {
  uint64_t Reserved = ReservedOf[M.Heap] = valueAt(M, 0), Sum = 0;
  uint32_t Space = spaceOf(M.Heap);
  for (auto [Heap, Bytes] : ReservedOf)
    Sum += spaceOf(Heap) == Space ? Bytes : 0;
  Tell({ConditionMetric::Reserved, false, M.Heap, double(Reserved)});
  Tell({ConditionMetric::Reserved, true, Space, double(Sum)});
  constexpr double Millionths = 1e6;
  double Share = // of this heap alone
      double(fragmentationPpm(Reserved, Live)) / Millionths;
  Tell({ConditionMetric::Fragmentation, false, M.Heap, Share});
  Tell({ConditionMetric::Fragmentation, true, Space, Share});
}

void MarkMetrics::see(const Mark &M, function_ref<uint64_t(uint32_t)> LiveOf,
                      MetricSink Tell) {
  switch (M.Kind) {
  case MarkKind::Rss:
    Resident[M.Process] = valueAt(M, 0);
    Tell({ConditionMetric::Rss, true, 0, sumOf(Resident)});
    if (M.Values.size() <= 2 || M.Values[2] == UnknownBytes)
      return;
    Swapped[M.Process] = valueAt(M, 2);
    return Tell({ConditionMetric::Swapped, true, 0, sumOf(Swapped)});
  case MarkKind::ProcessEnd:
    Resident.erase(M.Process);
    Swapped.erase(M.Process);
    return;
  case MarkKind::DeviceUsed:
    return seeDevice(M, Tell);
  case MarkKind::HeapReserved:
    return seeReserved(M, LiveOf(M.Heap), Tell);
  case MarkKind::Oom:
    return Tell({ConditionMetric::Oom, true, 0, double(++Ooms)});
  case MarkKind::Loss:
    // Events that were left out on request are no loss.
    if (lossKindOf(M.Id) != LossKind::Events)
      Tell({ConditionMetric::Lost, true, 0, double(Lost += valueAt(M, 0))});
    return;
  default:
    return;
  }
}

std::optional<uint64_t> MarkMetrics::totalOf(uint32_t Space) const {
  auto At = TotalOf.find(Space);
  return At == TotalOf.end() ? std::nullopt : std::optional(At->second);
}

uint32_t MarkMetrics::spaceOf(uint32_t Heap) const {
  auto At = SpaceOf.find(Heap);
  return At == SpaceOf.end() ? 0 : At->second;
}
