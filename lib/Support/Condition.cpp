// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions on memory.

#include "Condition.h"
#include "NearName.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include <cmath>
#include <tuple>

using namespace llvm;

namespace memkit {

using ConditionKind = Condition::ConditionKind;

//===----------------------------------------------------------------------===//
// Grammar
//===----------------------------------------------------------------------===//

/// The grammar of a metric: `[HEAP:]peak[>SIZE|+SIZE|+N%]`.
static std::string grammarOf(const MetricForms &M) {
  std::string Size = isCounted(M.Metric) ? "N" : "SIZE";
  SmallVector<std::string, 4> Bounds;
  if (M.Forms & CF_Value)
    Bounds.push_back(Size);
  if (M.Forms & CF_Share)
    Bounds.push_back("N%");
  if (M.Forms & CF_Change)
    Bounds.append({"+" + Size, "+N%"});
  if (M.Forms & CF_PerStep)
    Bounds.push_back(Size + "/step");
  if (M.Forms & CF_PerTime)
    Bounds.append({Size + "/s", Size + "/min"});
  std::string Text = M.Forms & CF_PerHeap ? "[HEAP:]" : "";
  Text += metricWord(M.Metric);
  if (Bounds.empty())
    return Text;
  bool Must = !(M.Forms & CF_Any);
  return Text + (Must ? ">" : "[>") + join(Bounds, "|") + (Must ? "" : "]");
}

static Expected<Condition> readCondition(StringRef Text,
                                         ArrayRef<MetricForms> Metrics);

/// The condition that Text may mean: `peak>5%` is `peak>+5%`, and metrics may
/// be misspelt. Empty: no idea.
static std::string nearCondition(StringRef Text,
                                 ArrayRef<MetricForms> Metrics) {
  std::string Try = Text.str();
  auto IsFine = [&] {
    if (Expected<Condition> C = readCondition(Try, Metrics))
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
  for (const MetricForms &M : Metrics)
    Names.push_back(metricWord(M.Metric));
  StringRef Near = nearestName(Name.trim(), Names);
  if (Near.empty() || Near == Name)
    return "";
  Try.replace(size_t(Name.data() - Try.data()), Name.size(), Near.str());
  return IsFine() ? Try : "";
}

static Error notACondition(StringRef Text, ArrayRef<MetricForms> Metrics) {
  if (std::string Near = nearCondition(Text, Metrics); !Near.empty())
    return makeRequestError("'" + Text + "'; did you mean '" + Near + "'?");
  SmallVector<std::string, 8> All;
  for (const MetricForms &M : Metrics)
    All.push_back(grammarOf(M));
  return makeRequestError("'" + Text + "' is not one of " + join(All, ", "));
}

static const MetricForms *findMetric(ArrayRef<MetricForms> Metrics,
                                     StringRef Name) {
  const MetricForms *At = find_if(Metrics, [&](const MetricForms &M) {
    return metricWord(M.Metric) == Name;
  });
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
static bool readBound(StringRef Text, unsigned Forms, Condition &Out) {
  Text = Text.trim();
  bool IsCount = isCounted(Out.Metric);
  if (Text.consume_back("/step")) {
    Out.What = ConditionKind::PerStep;
    return (Forms & CF_PerStep) && readAmount(Text, IsCount, Out.Bound);
  }
  constexpr double SecondsOfMinute = 60;
  bool IsPerMinute = Text.consume_back("/min");
  if (IsPerMinute || Text.consume_back("/s")) {
    Out.What = ConditionKind::PerTime;
    Out.UnitSeconds = IsPerMinute ? SecondsOfMinute : 1;
    return (Forms & CF_PerTime) && readAmount(Text, IsCount, Out.Bound);
  }
  if ((Forms & CF_Share) && !Text.starts_with("+") && Text.ends_with("%")) {
    Out.What = ConditionKind::Share;
    return readShare(Text.drop_back(), Out.Share);
  }
  if (!Text.consume_front("+")) {
    Out.What = ConditionKind::Value;
    return (Forms & CF_Value) && readAmount(Text, IsCount, Out.Bound);
  }
  if (!(Forms & CF_Change))
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
static bool readName(StringRef Text, ArrayRef<MetricForms> Metrics,
                     Condition &Out, unsigned &Forms) {
  StringRef Heap, Name;
  std::tie(Heap, Name) = Text.rsplit(':');
  bool HasHeap = Text.contains(':');
  const MetricForms *M = findMetric(Metrics, (HasHeap ? Name : Text).trim());
  if (!M || (HasHeap && (!(M->Forms & CF_PerHeap) || Heap.trim().empty())))
    return false;
  Out.Metric = M->Metric;
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

/// As parseCondition(); the error has no text.
static Expected<Condition> readCondition(StringRef Text,
                                         ArrayRef<MetricForms> Metrics) {
  Condition C;
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
    Fine = Forms & CF_Any;
  } else {
    // METRIC:SIZE.
    auto [Name, Size] = Text.split(':');
    C.OrEqual = true;
    Fine = readName(Name, Metrics, C, Forms) && (Forms & CF_Value) &&
           readBound(Size, CF_Value, C);
  }
  if (!Fine)
    return makeRequestError("");
  return C;
}

Expected<Condition> parseCondition(StringRef Text,
                                   ArrayRef<MetricForms> Metrics) {
  Expected<Condition> C = readCondition(Text, Metrics);
  if (!C) {
    consumeError(C.takeError());
    return notACondition(Text.trim(), Metrics);
  }
  Expected<GlobPattern> Heap = GlobPattern::create(C->Heap);
  if (!Heap)
    return makeRequestError("'" + C->Text + "': " + toString(Heap.takeError()));
  return C;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

bool Condition::isAbove(double Value, std::optional<double> Whole) const {
  if (What == ConditionKind::Any)
    return Value > 0;
  if (What == ConditionKind::Share && !Whole)
    return false;
  double Min = What == ConditionKind::Share ? *Whole * Share
                                            : static_cast<double>(Bound);
  if (What == ConditionKind::PerTime)
    Value *= UnitSeconds;
  return OrEqual ? Value >= Min : Value > Min;
}

bool Condition::isChangeAbove(uint64_t Before, uint64_t After) const {
  double Change = static_cast<double>(After) - static_cast<double>(Before);
  double Min = What == ConditionKind::ChangeShare
                   ? Share * static_cast<double>(Before)
                   : static_cast<double>(Bound);
  return OrEqual ? Change >= Min : Change > Min;
}

bool Condition::isOfHeap(StringRef Name) const {
  return Heap.empty() || cantFail(GlobPattern::create(Heap)).match(Name);
}

bool isMeant(const Condition &C, const MetricValue &V) {
  if (V.Metric != C.Metric)
    return false;
  return C.Heap.empty() ? V.IsMeantByAll
                        : !V.Name.empty() && C.isOfHeap(V.Name);
}

bool isMet(const Condition &C, ArrayRef<MetricValue> Values) {
  return any_of(Values, [&](const MetricValue &V) {
    return isMeant(C, V) && C.isAbove(V.Value, V.Whole);
  });
}

} // namespace memkit
