// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that are watched while a program is recorded.

#ifndef MEMKIT_LIB_RECORD_SESSION_ALERTRULES_H
#define MEMKIT_LIB_RECORD_SESSION_ALERTRULES_H

#include "Support/Condition.h"
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// The metrics of alerts, with their forms.
llvm::ArrayRef<MetricForms> alertMetrics();

/// A heap or a memory space that a rule is about.
struct AlertTarget {
  bool IsSpace = true;
  uint32_t Id = 0; ///< heap or memory space; 0 for rss, lost, oom, too
  std::string Name;
  /// The bound in bytes, or in events; none: the whole that N% is of is not
  /// known yet.
  std::optional<double> Bound;
  bool IsArmed = true;
  uint64_t FiredNs = 0; ///< 0: never
  uint64_t RestNs = 0;  ///< after FiredNs; longer after each alert that soon
                        ///< follows another
  /// Of growth: live bytes at the starts of seconds, or of steps.
  std::deque<std::pair<uint64_t, uint64_t>> History;
};

/// A condition, and what it is about. Plain data.
struct AlertRule {
  Condition C;
  /// Live for `peak`, too: live bytes above a bound are a peak above the bound.
  ConditionMetric Metric = ConditionMetric::Live;
  uint32_t Process = 0; ///< the process that set the alert; 0: memrec
  uint32_t Number = 0;  ///< of the process's alerts, from 1
  std::vector<AlertTarget> Targets;

  /// The target of a heap or memory space; null: none.
  AlertTarget *find(bool IsSpace, uint32_t Id);
  /// Adds a target if the condition is about the name. Without a name in the
  /// condition, the targets are memory spaces.
  void addIfMeant(bool IsSpace, uint32_t Id, llvm::StringRef Name);
  /// Whether Value is above the bound of T.
  bool isAbove(const AlertTarget &T, double Value) const;
  /// The highest whole number that is not above the bound of T, which is known.
  uint64_t watchedBound(const AlertTarget &T) const;
  /// Whether the value has fallen so far below the bound that the next crossing
  /// is news: 5 % of the bound, after the rest.
  bool mayArm(const AlertTarget &T, double Value, uint64_t NowNs) const;
  /// Notes an alert: the target rests for 0.1 s, and twice as long after each
  /// alert within 10 s of the alert before, up to a minute.
  static void rest(AlertTarget &T, uint64_t NowNs);
};

/// Reads a condition of an alert. Errors: RequestError, with the right forms.
llvm::Expected<AlertRule> parseAlert(llvm::StringRef Text);

/// A value or bound as scripts and traces have it: bytes, of growth bytes a
/// second or a step; a count; of fragmentation millionths.
uint64_t alertAmount(ConditionMetric M, double Value);

/// `host: 2.01 GiB live, above 2 GiB`.
std::string alertText(const AlertRule &R, const AlertTarget &T, double Value);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_ALERTRULES_H
