// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that are watched while a program is recorded.

#include "Session/AlertRules.h"
#include "Support/Rounding.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace memkit;

ArrayRef<ConditionMetric> memkit::alertMetrics() {
  static constexpr ConditionMetric Metrics[] = {
      {"live", CF_Value | CF_Share | CF_PerHeap},
      {"peak", CF_Value | CF_Share | CF_PerHeap},
      {"rss", CF_Value | CF_Share},
      {"used", CF_Value | CF_Share | CF_PerHeap},
      {"reserved", CF_Value | CF_Share | CF_PerHeap},
      {"unaccounted", CF_Value | CF_Share | CF_PerHeap},
      {"fragmentation", CF_Share | CF_PerHeap},
      {"growth", CF_PerStep | CF_PerTime | CF_PerHeap},
      {"lost", CF_Any | CF_Value | CF_Count},
      {"oom", CF_Any | CF_Value | CF_Count},
  };
  return Metrics;
}

AlertMetric memkit::alertMetricOf(StringRef Name) {
  size_t At =
      size_t(find_if(alertMetrics(),
                     [&](const ConditionMetric &M) { return M.Name == Name; }) -
             alertMetrics().begin());
  // `live` and `peak` are the first two.
  return AlertMetric(At ? At - 1 : 0);
}

Expected<AlertRule> memkit::parseAlert(StringRef Text) {
  Expected<Condition> C = parseCondition(Text, alertMetrics());
  if (!C)
    return C.takeError();
  AlertRule R;
  R.C = std::move(*C);
  R.Metric = alertMetricOf(R.C.Metric);
  bool IsOfRun = R.Metric == AlertMetric::Rss ||
                 R.Metric == AlertMetric::Lost || R.Metric == AlertMetric::Oom;
  if (IsOfRun)
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
  if (Metric == AlertMetric::Rss || Metric == AlertMetric::Lost ||
      Metric == AlertMetric::Oom)
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
  case AlertMetric::Lost:
  case AlertMetric::Oom:
    return formatCount(Bytes);
  case AlertMetric::Fragmentation:
    return formatv("{0:f1} %", Value * 100);
  case AlertMetric::Growth: {
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

static StringRef metricWords(AlertMetric M, double Value) {
  static constexpr StringLiteral Words[] = {
      "live",     "resident",    "used",
      "reserved", "unexplained", "fragmentation",
      "grow",     "events lost", "times out of memory"};
  if (Value == 1 && M == AlertMetric::Lost)
    return "event lost";
  if (Value == 1 && M == AlertMetric::Oom)
    return "time out of memory";
  return Words[size_t(M)];
}

uint64_t memkit::alertAmount(AlertMetric M, double Value) {
  constexpr double Millionths = 1e6;
  return M == AlertMetric::Fragmentation ? nearestUnsigned(Value * Millionths)
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
  if (R.Metric == AlertMetric::Growth)
    Text += "rose " + valueText(R, Value);
  else
    Text += valueText(R, Value) + " " + metricWords(R.Metric, Value).str();
  if (T.Bound && *T.Bound > 0)
    Text += (R.C.OrEqual ? ", at least " : ", above ") + valueText(R, *T.Bound);
  return Text + " (" + R.C.Text + ")";
}
