// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags for conditions that make a tool fail.

#ifndef MEMKIT_LIB_CLI_FAILON_H
#define MEMKIT_LIB_CLI_FAILON_H

#include "Support/Condition.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

/// The flags --fail-on=CONDITION,... and --error-exitcode=N of a tool.
class FailOn {
public:
  /// Registers the flags; Help describes the conditions. --error-exitcode alone
  /// asks for the first metric. Metrics and Help must live as long.
  FailOn(llvm::ArrayRef<MetricForms> Metrics, llvm::StringRef Help);

  /// Reads the flags; errors are UsageErrors. Call once, before the functions
  /// below.
  llvm::Error check();
  llvm::ArrayRef<Condition> conditions() const { return Conditions; }
  /// A UsageError for a condition on a heap or memory space without a place in
  /// Names.
  llvm::Error checkNames(llvm::ArrayRef<std::string> Names) const;
  /// Notes why a trace cannot answer (cannotAnswerText()): a condition that
  /// does not hold of it is not judged. Empty: the trace can answer.
  void noteNoAnswer(std::string Text);
  /// Whether any condition is about this metric.
  bool asksFor(ConditionMetric Metric) const;
  /// Calls Holds for each condition and reports the conditions that hold
  /// (unless -q). Returns ExitOk if none holds, else the status of
  /// --error-exitcode, or ExitCondition. Errors: of Holds; none holds, and a
  /// trace is cut off. A condition that cannot be judged must not count as met,
  /// nor as not met.
  llvm::Expected<int> status(
      llvm::function_ref<llvm::Expected<bool>(const Condition &)> Holds) const;

private:
  llvm::ArrayRef<MetricForms> Metrics;
  llvm::cl::list<std::string> Given;
  llvm::cl::opt<unsigned> ExitCode;
  std::vector<Condition> Conditions;
  std::string NoAnswer; ///< the first that was noted
};

/// The error of Holds for a condition without an answer.
llvm::Error cannotJudge(const Condition &C, const llvm::Twine &Why);
/// isMet(); an error if C is about none of the values, unless its heap may be
/// missing.
llvm::Expected<bool> judge(const Condition &C,
                           llvm::ArrayRef<MetricValue> Values);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_FAILON_H
