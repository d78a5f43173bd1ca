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
// HEAP is a glob of names of heaps and memory spaces (`host`, `cuda:0`). A name
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
  CF_Count = 64,   ///< the bounds are numbers, not bytes
  CF_Share = 128,  ///< `METRIC>N%`
};

struct ConditionMetric {
  llvm::StringRef Name;
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

  std::string Text;     ///< the user's words
  std::string Metric;   ///< one of the metrics
  std::string Heap;     ///< a glob; empty: none was given
  bool MayLack = false; ///< a trace without the heap is fine
  ConditionKind What = ConditionKind::Any;
  bool OrEqual = false; ///< `>=`
  /// Bytes, or a number; of a rate: for each step or UnitSeconds.
  uint64_t Bound = 0;
  double Share = 0;       ///< of ChangeShare: 0.05 is `+5%`; of Share: `5%`
  double UnitSeconds = 1; ///< of PerTime: 60 is `/min`

  /// Whether Value (bytes, a number, or bytes for each step or second) is above
  /// the bound; not for Share. Any: whether Value is above 0.
  bool isAbove(double Value) const;
  /// Whether the change from Before to After is above the bound; for Change and
  /// ChangeShare only. A change from 0 is above every share.
  bool isChangeAbove(uint64_t Before, uint64_t After) const;
  /// Whether the condition applies to the heap or memory space Name.
  bool isOfHeap(llvm::StringRef Name) const;
};

/// Reads a condition; the RequestError of a bad condition shows the right
/// forms.
llvm::Expected<Condition>
parseCondition(llvm::StringRef Text, llvm::ArrayRef<ConditionMetric> Metrics);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_CONDITION_H
