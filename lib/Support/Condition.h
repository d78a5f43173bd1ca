// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions on memory.
//
// One grammar for --fail-on of the tools, --alert of memrec and alerts of a
// program:
//
//   condition := [HEAP:]METRIC            the value is above 0
//              | [HEAP:]METRIC>BOUND      above the bound; `>=`: or equal
//   BOUND     := SIZE                     bytes (of a counted metric: a number)
//              | N%                       of what there is: a device, a limit
//              | +SIZE | +N%              a change from before to after
//              | SIZE/step | SIZE/min | SIZE/s       a rate
//
// HEAP is a glob of names of heaps and memory spaces (`host`, `cuda:0`), of
// some metrics of scopes. A name
// without a heap or space is an error, unless a `?` stands behind the name. A
// condition without HEAP is about each memory space, and holds when one space
// meets the condition; bytes of several spaces are never added. `METRIC:SIZE`
// is another way to write `METRIC>=SIZE`. The user of the grammar names the
// metrics and the forms of each metric.

#ifndef MEMKIT_LIB_SUPPORT_CONDITION_H
#define MEMKIT_LIB_SUPPORT_CONDITION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace memkit {

/// Forms of conditions that a metric takes.
enum ConditionForm : unsigned {
  CF_Any = 1,      ///< `METRIC`
  CF_Value = 2,    ///< `METRIC>SIZE`
  CF_Change = 4,   ///< `METRIC>+SIZE`, `METRIC>+N%`
  CF_PerStep = 8,  ///< `METRIC>SIZE/step`
  CF_PerTime = 16, ///< `METRIC>SIZE/s`, `METRIC>SIZE/min`
  CF_PerHeap = 32, ///< `HEAP:` may stand before the metric
  CF_Share = 64,   ///< `METRIC>N%`
};

/// What a condition is about. A new metric also has a row of MetricWords.
enum class ConditionMetric : uint8_t {
  Lost, ///< events
  Peak, ///< live bytes at their highest
  Live, ///< live bytes at the end, or now
  Allocated,
  Count,       ///< of allocations
  Temporary,   ///< number of blocks freed by their thread before its next one
  Suggestions, ///< of memstat
  Differences, ///< of memdiff
  Leaks,
  Growth,        ///< LEAK alone
  Growing,       ///< LEAK and `grows`
  Outliers,      ///< of memleak
  Rss,           ///< of all recorded processes
  Used,          ///< of a device, by anybody
  Reserved,      ///< by allocators
  Unaccounted,   ///< used bytes of a device that nothing accounts for
  Fragmentation, ///< share of reserved bytes in no live block
  Oom,           ///< times out of memory
  Swapped,       ///< out, of all recorded processes
  Kept,          ///< of a scope: allocated in it, and not freed in it
  Rise,          ///< of a scope: the peak above its begin
};

/// The words of the metrics, and what their values are.
inline constexpr struct {
  llvm::StringLiteral Word;
  bool IsCounted = false; ///< the bounds are numbers, not bytes
  bool IsOfRun = false;   ///< not of a heap or memory space
  bool IsOfScopes = false;
} MetricWords[] = {
    {"lost", true, true},
    {"peak"},
    {"live"},
    {"allocated"},
    {"count", true},
    {"temporary", true},
    {"suggestions", false, true},
    {"differences", true, true},
    {"leaks"},
    {"growth"},
    {"growing"},
    {"outliers"},
    {"rss", false, true},
    {"used"},
    {"reserved"},
    {"unaccounted"},
    {"fragmentation"},
    {"oom", true, true},
    {"swapped", false, true},
    {"kept", false, false, true},
    {"rise", false, false, true},
};
static_assert(std::size(MetricWords) == size_t(ConditionMetric::Rise) + 1);
constexpr llvm::StringRef metricWord(ConditionMetric M) {
  return MetricWords[size_t(M)].Word;
}
constexpr bool isCounted(ConditionMetric M) {
  return MetricWords[size_t(M)].IsCounted;
}
constexpr bool isOfScopes(ConditionMetric M) {
  return MetricWords[size_t(M)].IsOfScopes;
}
constexpr bool isOfRun(ConditionMetric M) {
  return MetricWords[size_t(M)].IsOfRun;
}

/// A metric of a tool, and the forms of its conditions there.
struct MetricForms {
  ConditionMetric Metric = ConditionMetric::Lost;
  unsigned Forms = CF_Any; ///< of ConditionForm
};

/// A condition on one value.
struct Condition {
  enum class ConditionKind {
    Any,
    Value,
    Share,
    Change,
    ChangeShare,
    PerStep,
    PerTime
  };

  std::string Text; ///< the user's words
  ConditionMetric Metric = ConditionMetric::Lost;
  std::string Heap;     ///< a glob; empty: none was given
  bool MayLack = false; ///< a trace without the heap is fine
  ConditionKind What = ConditionKind::Any;
  bool OrEqual = false; ///< `>=`
  /// Bytes, or a number; of a rate: for each step or UnitSeconds.
  uint64_t Bound = 0;
  double Share = 0;       ///< of ChangeShare: 0.05 is `+5%`; of Share: `5%`
  double UnitSeconds = 1; ///< of PerTime: 60 is `/min`

  /// Whether Value (bytes, a number, or bytes for each step or second) is above
  /// the bound. Any: whether Value is above 0. Share: of Whole; never of an
  /// unknown one.
  bool isAbove(double Value, std::optional<double> Whole = {}) const;
  /// Whether the change from Before to After is above the bound; for Change and
  /// ChangeShare only. A change from 0 is above every share.
  bool isChangeAbove(uint64_t Before, uint64_t After) const;
  /// Whether the condition applies to the heap or memory space Name.
  bool isOfHeap(llvm::StringRef Name) const;
};

/// A measured value of a metric.
struct MetricValue {
  ConditionMetric Metric = ConditionMetric::Lost;
  std::string Name; ///< of the heap or memory space; empty: of the run
  double Value = 0; ///< bytes, or a number; of fragmentation a share
  /// What `N%` is of; none: not known.
  std::optional<double> Whole = std::nullopt;
  /// Conditions without a heap are about the value, too.
  bool IsMeantByAll = true;
};

/// Whether V is a value that C is about.
bool isMeant(const Condition &C, const MetricValue &V);
/// Whether one of the values that C is about is above C's bound; not for
/// changes.
bool isMet(const Condition &C, llvm::ArrayRef<MetricValue> Values);

/// Reads a condition; the RequestError of a bad condition shows the right
/// forms.
llvm::Expected<Condition> parseCondition(llvm::StringRef Text,
                                         llvm::ArrayRef<MetricForms> Metrics);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_CONDITION_H
