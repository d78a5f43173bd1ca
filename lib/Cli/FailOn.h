// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that make a tool fail.
//
// One grammar for all tools:
//
//   condition := [HEAP:]METRIC            the value is above 0
//              | [HEAP:]METRIC>BOUND      above the bound; `>=`: or equal
//   BOUND     := SIZE                     bytes (of a counted metric: a number)
//              | +SIZE | +N%              a change from before to after
//              | SIZE/step | SIZE/s       a rate
//
// HEAP is a glob of names of heaps and memory spaces (`host`, `cuda:0`). A name
// without a heap or space in the trace is an error, unless a `?` stands behind
// the name. A condition without HEAP is about each memory space, and holds when
// one space meets the condition; bytes of several spaces are never added.
// `METRIC:SIZE` is another way to write `METRIC>=SIZE`. A tool names its
// metrics and the forms of each metric.

#ifndef MEMKIT_LIB_CLI_FAILON_H
#define MEMKIT_LIB_CLI_FAILON_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// Forms of conditions that a metric takes.
enum FailForm : unsigned {
  FF_Any = 1,      ///< `METRIC`
  FF_Value = 2,    ///< `METRIC>SIZE`
  FF_Change = 4,   ///< `METRIC>+SIZE`, `METRIC>+N%`
  FF_PerStep = 8,  ///< `METRIC>SIZE/step`
  FF_PerTime = 16, ///< `METRIC>SIZE/s`
  FF_PerHeap = 32, ///< `HEAP:` may stand before the metric
  FF_Count = 64,   ///< the bounds are numbers, not bytes
};

struct FailMetric {
  llvm::StringRef Name;
  unsigned Forms = FF_Any; ///< of FailForm
};

/// A condition of --fail-on.
struct FailCondition {
  enum class ConditionKind {
    Any,
    Value,
    Change,
    ChangeShare,
    PerStep,
    PerTime
  };

  std::string Text;     ///< the user's words
  std::string Metric;   ///< one of the tool's metrics
  std::string Heap;     ///< a glob; empty: none was given
  bool MayLack = false; ///< a trace without the heap is fine
  ConditionKind What = ConditionKind::Any;
  bool OrEqual = false; ///< `>=`
  /// Bytes, or a number; of a rate: for each step or second.
  uint64_t Bound = 0;
  double Share = 0; ///< of ChangeShare: 0.05 is `+5%`

  /// Whether Value (bytes, a number, or bytes for each step or second) is above
  /// the bound. Any: whether it is above 0.
  bool isAbove(double Value) const;
  /// Whether the change from Before to After is above the bound; for Change and
  /// ChangeShare only. A change from 0 is above every share.
  bool isChangeAbove(uint64_t Before, uint64_t After) const;
  /// Whether the condition applies to the heap or memory space Name.
  bool isOfHeap(llvm::StringRef Name) const;
};

/// Reads a condition; the UsageError of a bad condition shows the right forms.
llvm::Expected<FailCondition>
parseFailCondition(llvm::StringRef Text, llvm::ArrayRef<FailMetric> Metrics);

/// The flags --fail-on=CONDITION,... and --error-exitcode=N of a tool.
class FailOn {
public:
  /// Registers the flags; Help describes the conditions. --error-exitcode alone
  /// asks for the first metric. Metrics and Help must live as long.
  FailOn(llvm::ArrayRef<FailMetric> Metrics, llvm::StringRef Help);

  /// Reads the flags; errors are UsageErrors. Call once, before the functions
  /// below.
  llvm::Error check();
  llvm::ArrayRef<FailCondition> conditions() const { return Conditions; }
  /// A UsageError for a condition on a heap or memory space without a place in
  /// Names.
  llvm::Error checkNames(llvm::ArrayRef<std::string> Names) const;
  /// Whether any condition is about this metric.
  bool asksFor(llvm::StringRef Metric) const;
  /// Calls Holds for each condition and reports the conditions that hold
  /// (unless -q). Returns ExitOk if none holds, else the status of
  /// --error-exitcode, or ExitCondition.
  int status(llvm::function_ref<bool(const FailCondition &)> Holds) const;

private:
  llvm::ArrayRef<FailMetric> Metrics;
  llvm::cl::list<std::string> Given;
  llvm::cl::opt<unsigned> ExitCode;
  std::vector<FailCondition> Conditions;
};

} // namespace memkit

#endif // MEMKIT_LIB_CLI_FAILON_H
