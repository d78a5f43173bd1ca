// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that make a tool fail.

#include "FailOn.h"
#include "HelpText.h"
#include "ToolMain.h"
#include "UsageText.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include <cmath>
#include <tuple>

using namespace llvm;

namespace memkit {

using ConditionKind = FailCondition::ConditionKind;

//===----------------------------------------------------------------------===//
// Grammar
//===----------------------------------------------------------------------===//

/// The grammar of a metric: `[HEAP:]peak[>SIZE|+SIZE|+N%]`.
static std::string grammarOf(const FailMetric &M) {
  std::string Size = M.Forms & FF_Count ? "N" : "SIZE";
  SmallVector<std::string, 4> Bounds;
  if (M.Forms & FF_Value)
    Bounds.push_back(Size);
  if (M.Forms & FF_Change)
    Bounds.append({"+" + Size, "+N%"});
  if (M.Forms & FF_PerStep)
    Bounds.push_back(Size + "/step");
  if (M.Forms & FF_PerTime)
    Bounds.push_back(Size + "/s");
  std::string Text = M.Forms & FF_PerHeap ? "[HEAP:]" : "";
  Text += M.Name;
  if (Bounds.empty())
    return Text;
  bool Must = !(M.Forms & FF_Any);
  return Text + (Must ? ">" : "[>") + join(Bounds, "|") + (Must ? "" : "]");
}

static Expected<FailCondition> parseCondition(StringRef Text,
                                              ArrayRef<FailMetric> Metrics);

/// The condition that Text may mean: `peak>5%` is `peak>+5%`, and metrics may
/// be misspelt. Empty: no idea.
static std::string nearCondition(StringRef Text, ArrayRef<FailMetric> Metrics) {
  std::string Try = Text.str();
  auto IsFine = [&] {
    if (Expected<FailCondition> C = parseCondition(Try, Metrics))
      return true;
    else
      consumeError(C.takeError());
    return false;
  };
  size_t Above = Try.find('>');
  if (Above != std::string::npos && Text.trim().ends_with("%") &&
      !Text.contains('+')) {
    Try.insert(Above + 1, "+");
    if (IsFine())
      return Try;
  }
  StringRef Name = StringRef(Try).take_front(std::min(Above, Try.size()));
  Name = Name.substr(Name.rfind(':') + 1);
  SmallVector<StringRef, 8> Names;
  for (const FailMetric &M : Metrics)
    Names.push_back(M.Name);
  StringRef Near = nearestName(Name.trim(), Names);
  if (Near.empty() || Near == Name)
    return "";
  Try.replace(size_t(Name.data() - Try.data()), Name.size(), Near.str());
  return IsFine() ? Try : "";
}

static Error notACondition(StringRef Text, ArrayRef<FailMetric> Metrics) {
  if (std::string Near = nearCondition(Text, Metrics); !Near.empty())
    return makeUsageError("--fail-on: '" + Text + "'; did you mean '" + Near +
                          "'?");
  SmallVector<std::string, 8> All;
  for (const FailMetric &M : Metrics)
    All.push_back(grammarOf(M));
  return makeUsageError("--fail-on: '" + Text + "' is not one of " +
                        join(All, ", "));
}

static const FailMetric *findMetric(ArrayRef<FailMetric> Metrics,
                                    StringRef Name) {
  const FailMetric *At =
      find_if(Metrics, [&](const FailMetric &M) { return M.Name == Name; });
  return At == Metrics.end() ? nullptr : At;
}

/// Reads bytes, or with IsCount a number.
static bool readAmount(StringRef Text, bool IsCount, uint64_t &Out) {
  if (IsCount)
    return !Text.trim().getAsInteger(10, Out);
  Expected<uint64_t> Bytes = parseSize(Text);
  if (!Bytes) {
    consumeError(Bytes.takeError());
    return false;
  }
  Out = *Bytes;
  return true;
}

static bool readShare(StringRef Text, double &Out) {
  double Percent;
  if (Text.trim().getAsDouble(Percent) || !std::isfinite(Percent) ||
      Percent < 0)
    return false;
  Out = Percent / 100;
  return true;
}

/// Reads the bound after `>`; false if the metric does not take this form.
static bool readBound(StringRef Text, unsigned Forms, FailCondition &Out) {
  Text = Text.trim();
  bool IsCount = Forms & FF_Count;
  if (Text.consume_back("/step")) {
    Out.What = ConditionKind::PerStep;
    return (Forms & FF_PerStep) && readAmount(Text, IsCount, Out.Bound);
  }
  if (Text.consume_back("/s")) {
    Out.What = ConditionKind::PerTime;
    return (Forms & FF_PerTime) && readAmount(Text, IsCount, Out.Bound);
  }
  if (!Text.consume_front("+")) {
    Out.What = ConditionKind::Value;
    return (Forms & FF_Value) && readAmount(Text, IsCount, Out.Bound);
  }
  if (!(Forms & FF_Change))
    return false;
  if (Text.consume_back("%")) {
    Out.What = ConditionKind::ChangeShare;
    return readShare(Text, Out.Share);
  }
  Out.What = ConditionKind::Change;
  return readAmount(Text, IsCount, Out.Bound);
}

/// Splits `host.malloc:peak` at the last `:`. Names of heaps may contain a `:`
/// (torch.cuda:0), names of metrics do not.
static bool readName(StringRef Text, ArrayRef<FailMetric> Metrics,
                     FailCondition &Out, unsigned &Forms) {
  StringRef Heap, Name;
  std::tie(Heap, Name) = Text.rsplit(':');
  bool HasHeap = Text.contains(':');
  const FailMetric *M = findMetric(Metrics, (HasHeap ? Name : Text).trim());
  if (!M || (HasHeap && (!(M->Forms & FF_PerHeap) || Heap.trim().empty())))
    return false;
  Out.Metric = M->Name.str();
  Heap = HasHeap ? Heap.trim() : "";
  // A `?` at the end marks a heap that may be missing, except in the glob
  // `torch.cuda:?`, which matches any device.
  if (Heap.size() > 1 && Heap.ends_with("?") && !Heap.ends_with(":?")) {
    Out.MayLack = true;
    Heap = Heap.drop_back();
  }
  Out.Heap = Heap.str();
  Forms = M->Forms;
  return true;
}

/// As parseFailCondition(); the error has no text.
static Expected<FailCondition> parseCondition(StringRef Text,
                                              ArrayRef<FailMetric> Metrics) {
  FailCondition C;
  C.Text = Text.trim().str();
  unsigned Forms = 0;
  size_t Above = Text.find('>');
  bool Fine;
  if (Above != StringRef::npos) {
    StringRef Bound = Text.drop_front(Above + 1);
    C.OrEqual = Bound.consume_front("=");
    Fine = readName(Text.take_front(Above), Metrics, C, Forms) &&
           readBound(Bound, Forms, C);
  } else if (readName(Text, Metrics, C, Forms)) {
    Fine = Forms & FF_Any;
  } else {
    // METRIC:SIZE.
    auto [Name, Size] = Text.split(':');
    C.OrEqual = true;
    Fine = readName(Name, Metrics, C, Forms) && (Forms & FF_Value) &&
           readBound(Size, FF_Value | (Forms & FF_Count), C);
  }
  if (!Fine)
    return makeUsageError("");
  return C;
}

Expected<FailCondition> parseFailCondition(StringRef Text,
                                           ArrayRef<FailMetric> Metrics) {
  Expected<FailCondition> C = parseCondition(Text, Metrics);
  if (!C) {
    consumeError(C.takeError());
    return notACondition(Text.trim(), Metrics);
  }
  Expected<GlobPattern> Heap = GlobPattern::create(C->Heap);
  if (!Heap)
    return makeUsageError("--fail-on: '" + C->Text +
                          "': " + toString(Heap.takeError()));
  return C;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

bool FailCondition::isAbove(double Value) const {
  if (What == ConditionKind::Any)
    return Value > 0;
  double Min = static_cast<double>(Bound);
  return OrEqual ? Value >= Min : Value > Min;
}

bool FailCondition::isChangeAbove(uint64_t Before, uint64_t After) const {
  double Change = static_cast<double>(After) - static_cast<double>(Before);
  double Min = What == ConditionKind::ChangeShare
                   ? Share * static_cast<double>(Before)
                   : static_cast<double>(Bound);
  return OrEqual ? Change >= Min : Change > Min;
}

bool FailCondition::isOfHeap(StringRef Name) const {
  return Heap.empty() || cantFail(GlobPattern::create(Heap)).match(Name);
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

FailOn::FailOn(ArrayRef<FailMetric> Metrics, StringRef Help)
    : Metrics(Metrics),
      Given("fail-on", cl::value_desc("condition"), cl::CommaSeparated,
            cl::desc(Help), cl::cat(helpGroup(HelpGroup::Gates))),
      ExitCode(
          "error-exitcode", cl::value_desc("n"),
          cl::desc("Exit status instead of 3 when a condition holds; without "
                   "--fail-on, tests its first condition"),
          cl::cat(helpGroup(HelpGroup::Gates))) {}

Error FailOn::check() {
  if (ExitCode.getNumOccurrences() && (ExitCode == 0 || ExitCode > 255))
    return makeUsageError("--error-exitcode must be 1 to 255");
  for (StringRef Text : Given) {
    Expected<FailCondition> C = parseFailCondition(Text, Metrics);
    if (!C)
      return C.takeError();
    Conditions.push_back(std::move(*C));
  }
  if (Given.empty() && ExitCode.getNumOccurrences()) {
    FailCondition &First = Conditions.emplace_back();
    First.Text = First.Metric = Metrics.front().Name.str();
  }
  return Error::success();
}

Error FailOn::checkNames(ArrayRef<std::string> Names) const {
  for (const FailCondition &C : Conditions)
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
                [&](const FailCondition &C) { return C.Metric == Metric; });
}

int FailOn::status(function_ref<bool(const FailCondition &)> Holds) const {
  bool Any = false;
  for (const FailCondition &C : Conditions)
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
