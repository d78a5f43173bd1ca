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

FailOn::FailOn(ArrayRef<MetricForms> Metrics, StringRef Help)
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
static const MetricForms *metricWithoutUnit(const Condition &C,
                                            ArrayRef<MetricForms> Metrics) {
  constexpr uint64_t Most = 100;
  const MetricForms *M = find_if(
      Metrics, [&](const MetricForms &Of) { return Of.Metric == C.Metric; });
  bool IsAmount = C.What == Condition::ConditionKind::Value ||
                  C.What == Condition::ConditionKind::Change;
  bool Is = M != Metrics.end() && !isCounted(C.Metric) && IsAmount && C.Bound &&
            C.Bound <= Most && C.Text.find('>') != std::string::npos &&
            isDigit(C.Text.back());
  return Is ? M : nullptr;
}

Error FailOn::check() {
  if (ExitCode.getNumOccurrences() && (ExitCode == 0 || ExitCode > 255))
    return makeUsageError("--error-exitcode must be 1 to 255");
  for (StringRef Text : Given) {
    Expected<Condition> C = parseCondition(Text, Metrics);
    if (!C)
      return makeUsageError("--fail-on: " + toString(C.takeError()));
    if (const MetricForms *M = metricWithoutUnit(*C, Metrics)) {
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
    First.Metric = Metrics.front().Metric;
    First.Text = metricWord(First.Metric).str();
  }
  return Error::success();
}

Error FailOn::checkNames(ArrayRef<std::string> Names) const {
  for (const Condition &C : Conditions)
    if (!C.Heap.empty() && !C.MayLack && !isOfScopes(C.Metric) &&
        none_of(Names, [&](StringRef Name) { return C.isOfHeap(Name); }))
      return makeUsageError("--fail-on: '" + C.Text +
                            "': no heap or memory space is called '" + C.Heap +
                            "'; names: " + join(Names, ", ") + "; write '" +
                            C.Heap + "?' if it may be missing");
  return Error::success();
}

void FailOn::noteNoAnswer(std::string Text) {
  if (NoAnswer.empty())
    NoAnswer = std::move(Text);
}

bool FailOn::asksFor(ConditionMetric Metric) const {
  return any_of(Conditions,
                [&](const Condition &C) { return C.Metric == Metric; });
}

Expected<int>
FailOn::status(function_ref<Expected<bool>(const Condition &)> Holds) const {
  bool Any = false;
  for (const Condition &C : Conditions) {
    Expected<bool> Is = Holds(C);
    if (!Is)
      return Is.takeError();
    if (!*Is)
      continue;
    say("--fail-on: " + C.Text + " holds");
    Any = true;
  }
  if (!Any && !Conditions.empty() && !NoAnswer.empty())
    return cannotJudge(Conditions.front(), NoAnswer);
  if (!Any)
    return ExitOk;
  return ExitCode.getNumOccurrences() ? static_cast<int>(ExitCode)
                                      : ExitCondition;
}

Error cannotJudge(const Condition &C, const Twine &Why) {
  return makeError("--fail-on=" + C.Text + ": cannot judge " +
                   metricWord(C.Metric) + ": " + Why);
}

Expected<bool> judge(const Condition &C, ArrayRef<MetricValue> Values) {
  auto Is = [&](const MetricValue &V) { return isMeant(C, V); };
  bool IsShare = C.What == Condition::ConditionKind::Share;
  if (none_of(Values, Is) && !C.MayLack)
    return cannotJudge(C, "the trace does not have it");
  if (IsShare && none_of(Values, [&](auto &V) { return Is(V) && V.Whole; }) &&
      !C.MayLack)
    return cannotJudge(C, "the size of the whole is not known");
  return isMet(C, Values);
}

} // namespace memkit
