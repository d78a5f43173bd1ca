// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that are watched while a program is recorded.

#include "Session/AlertRules.h"
#include "Stats/MarkMetrics.h"
#include "Support/Rounding.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace memkit;

ArrayRef<MetricForms> memkit::alertMetrics() {
  using enum ConditionMetric;
  static const std::vector<MetricForms> Metrics = [] {
    std::vector<MetricForms> Own = {
        {Live, CF_Value | CF_Share | CF_PerHeap},
        {Peak, CF_Value | CF_Share | CF_PerHeap},
        {Growth, CF_PerStep | CF_PerTime | CF_PerHeap},
        {Lost, CF_Any | CF_Value}};
    append_range(Own, sampledMetrics());
    return Own;
  }();
  return Metrics;
}

Expected<AlertRule> memkit::parseAlert(StringRef Text) {
  Expected<Condition> C = parseCondition(Text, alertMetrics());
  if (!C)
    return C.takeError();
  AlertRule R;
  R.C = std::move(*C);
  R.Metric =
      R.C.Metric == ConditionMetric::Peak ? ConditionMetric::Live : R.C.Metric;
  if (isOfRun(R.Metric))
    R.Targets.push_back({true, 0, "", {}, true, 0, 0, {}});
  return R;
}

AlertTarget *AlertRule::find(bool IsSpace, uint32_t Id) {
  for (AlertTarget &T : Targets)
    if (T.IsSpace == IsSpace && T.Id == Id)
      return &T;
  return nullptr;
}

void AlertRule::addIfMeant(bool IsSpace, uint32_t Id, StringRef Name) {
  if (isOfRun(Metric))
    return;
  bool IsMeant = C.Heap.empty() ? IsSpace : C.isOfHeap(Name);
  if (IsMeant && !find(IsSpace, Id))
    Targets.push_back({IsSpace, Id, Name.str(), {}, true, 0, 0, {}});
}

bool AlertRule::isAbove(const AlertTarget &T, double Value) const {
  if (!T.Bound)
    return false;
  return C.OrEqual ? Value >= *T.Bound : Value > *T.Bound;
}

bool AlertRule::mayArm(const AlertTarget &T, double Value,
                       uint64_t NowNs) const {
  constexpr double Below = 0.95;
  return T.Bound && NowNs >= T.FiredNs + T.RestNs && Value < *T.Bound * Below;
}

void AlertRule::rest(AlertTarget &T, uint64_t NowNs) {
  constexpr uint64_t Least = 100'000'000, Most = 60'000'000'000,
                     Soon = 10'000'000'000;
  bool IsSoon = T.RestNs && NowNs < T.FiredNs + T.RestNs + Soon;
  T.RestNs = IsSoon ? std::min(2 * T.RestNs, Most) : Least;
  T.FiredNs = NowNs;
  T.IsArmed = false;
}

/// A value of a metric, as people read it.
static std::string valueText(const AlertRule &R, double Value) {
  uint64_t Bytes = floorUnsigned(Value);
  switch (R.Metric) {
  case ConditionMetric::Lost:
  case ConditionMetric::Oom:
    return formatCount(Bytes);
  case ConditionMetric::Fragmentation:
    return formatv("{0:f1} %", Value * 100);
  case ConditionMetric::Growth: {
    if (R.C.What == Condition::ConditionKind::PerStep)
      return formatSize(Bytes) + " per step";
    bool IsPerMinute = R.C.UnitSeconds > 1;
    return formatSize(floorUnsigned(Value * R.C.UnitSeconds)) +
           (IsPerMinute ? " per minute" : " per second");
  }
  default:
    return formatSize(Bytes);
  }
}

/// What stands behind a value of a metric.
static StringRef wordsFor(ConditionMetric M, double Value) {
  switch (M) {
  case ConditionMetric::Rss:
    return "resident";
  case ConditionMetric::Unaccounted:
    return "unexplained";
  case ConditionMetric::Lost:
    return Value == 1 ? "event lost" : "events lost";
  case ConditionMetric::Oom:
    return Value == 1 ? "time out of memory" : "times out of memory";
  default:
    return metricWord(M);
  }
}

uint64_t memkit::alertAmount(ConditionMetric M, double Value) {
  constexpr double Millionths = 1e6;
  return M == ConditionMetric::Fragmentation
             ? nearestUnsigned(Value * Millionths)
             : floorUnsigned(Value);
}

uint64_t AlertRule::watchedBound(const AlertTarget &T) const {
  if (!C.OrEqual)
    return floorUnsigned(*T.Bound);
  uint64_t Least = floorUnsigned(std::ceil(*T.Bound));
  return Least ? Least - 1 : 0;
}

std::string memkit::alertText(const AlertRule &R, const AlertTarget &T,
                              double Value) {
  std::string Text = T.Name.empty() ? "" : T.Name + ": ";
  if (R.Metric == ConditionMetric::Growth)
    Text += "rose " + valueText(R, Value);
  else
    Text += valueText(R, Value) + " " + wordsFor(R.Metric, Value).str();
  if (T.Bound && *T.Bound > 0)
    Text += (R.C.OrEqual ? ", at least " : ", above ") + valueText(R, *T.Bound);
  return Text + " (" + R.C.Text + ")";
}
