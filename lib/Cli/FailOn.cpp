// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that make a tool fail.

#include "FailOn.h"
#include "HelpText.h"
#include "ToolMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

FailOn::FailOn(ArrayRef<ConditionMetric> Metrics, StringRef Help)
    : Metrics(Metrics),
      Given("fail-on", cl::value_desc("condition"), cl::CommaSeparated,
            cl::desc(Help), cl::cat(helpGroup(HelpGroup::Gates))),
      ExitCode(
          "error-exitcode", cl::value_desc("n"),
          cl::desc("Exit status instead of 3 when a condition holds; without "
                   "--fail-on, tests its first condition"),
          cl::cat(helpGroup(HelpGroup::Gates))) {}

/// The metric of a condition of a few bytes without a unit: MiB or per cent may
/// be meant. Null: another condition.
static const ConditionMetric *
metricWithoutUnit(const Condition &C, ArrayRef<ConditionMetric> Metrics) {
  constexpr uint64_t Most = 100;
  const ConditionMetric *M = find_if(
      Metrics, [&](const ConditionMetric &Of) { return Of.Name == C.Metric; });
  bool IsAmount = C.What == Condition::ConditionKind::Value ||
                  C.What == Condition::ConditionKind::Change;
  bool Is = M != Metrics.end() && !(M->Forms & CF_Count) && IsAmount &&
            C.Bound && C.Bound <= Most &&
            C.Text.find('>') != std::string::npos && isDigit(C.Text.back());
  return Is ? M : nullptr;
}

Error FailOn::check() {
  if (ExitCode.getNumOccurrences() && (ExitCode == 0 || ExitCode > 255))
    return makeUsageError("--error-exitcode must be 1 to 255");
  for (StringRef Text : Given) {
    Expected<Condition> C = parseCondition(Text, Metrics);
    if (!C)
      return makeUsageError("--fail-on: " + toString(C.takeError()));
    if (const ConditionMetric *M = metricWithoutUnit(*C, Metrics)) {
      auto [Left, Bound] = Text.split('>');
      std::string Or = Text.str() + "MiB'";
      if (M->Forms & CF_Change)
        Or += " or '" + (Left + ">+" + Bound.ltrim("+=")).str() + "%'";
      return makeUsageError("--fail-on: '" + Text + "' is bytes: write '" +
                            Text + "B', or did you mean '" + Or + "?");
    }
    Conditions.push_back(std::move(*C));
  }
  if (Given.empty() && ExitCode.getNumOccurrences()) {
    Condition &First = Conditions.emplace_back();
    First.Text = First.Metric = Metrics.front().Name.str();
  }
  return Error::success();
}

Error FailOn::checkNames(ArrayRef<std::string> Names) const {
  for (const Condition &C : Conditions)
    if (!C.Heap.empty() && !C.MayLack &&
        none_of(Names, [&](StringRef Name) { return C.isOfHeap(Name); }))
      return makeUsageError("--fail-on: '" + C.Text +
                            "': no heap or memory space is called '" + C.Heap +
                            "'; names: " + join(Names, ", ") + "; write '" +
                            C.Heap + "?' if it may be missing");
  return Error::success();
}

bool FailOn::asksFor(StringRef Metric) const {
  return any_of(Conditions,
                [&](const Condition &C) { return C.Metric == Metric; });
}

int FailOn::status(function_ref<bool(const Condition &)> Holds) const {
  bool Any = false;
  for (const Condition &C : Conditions)
    if (Holds(C)) {
      say("--fail-on: " + C.Text + " holds");
      Any = true;
    }
  if (!Any)
    return ExitOk;
  return ExitCode.getNumOccurrences() ? static_cast<int>(ExitCode)
                                      : ExitCondition;
}

} // namespace memkit
