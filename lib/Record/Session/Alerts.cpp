// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Watches conditions while a program is recorded, and raises alerts.

#include "Session/Alerts.h"
#include "Output/Recording.h"
#include "Session/RecordOptions.h"
#include "Shared/MemoryGroup.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include <sys/sysinfo.h>

using namespace llvm;
using namespace memkit;

/// The limit of the control group, else the memory of the machine.
static uint64_t hostLimit() {
  struct sysinfo S = {};
  uint64_t Machine =
      sysinfo(&S) == 0 ? uint64_t(S.totalram) * S.mem_unit : UINT64_MAX;
  uint64_t Group = MemoryGroup::own().limit();
  return Group ? std::min(Group, Machine) : Machine;
}

Alerts::Alerts(const RecordOptions &O, Recording &R)
    : O(O), R(R), Rules(O.Alerts), HostLimit(hostLimit()) {
  R.heaps().OnHeap = [this](uint32_t Heap, StringRef Name, uint32_t Space,
                            StringRef SpaceName) {
    addHeap(Heap, Name, Space, SpaceName);
  };
  R.addListener(*this);
  R.heaps().tellOfAll();
}

Alerts::~Alerts() {
  R.heaps().OnHeap = {};
  R.removeListener(*this);
  if (Reads && R.stats().isInMoment())
    R.stats().endMoment();
}

void Alerts::askedForAlert(uint32_t Process, uint32_t Number,
                           const std::string &Text) {
  if (Error E = add(Text, Process, Number))
    O.Warn("memkit.alert: " + toString(std::move(E)));
}

Error Alerts::add(StringRef Text, uint32_t Process, uint32_t Number) {
  // A rule's place stays, so the rules of ended processes stay, too.
  constexpr size_t MaxRules = 4096;
  if (Rules.size() == MaxRules)
    return makeRequestError("too many alerts");
  Expected<AlertRule> New = parseAlert(Text);
  if (!New)
    return New.takeError();
  New->Process = Process;
  New->Number = Number;
  Rules.push_back(std::move(*New));
  R.heaps().tellOfAll();
  return Error::success();
}

void Alerts::removeOf(uint32_t Process) {
  // A rule's place stays: an alert may wait to be written.
  for (AlertRule &Rule : Rules)
    if (Rule.Process == Process)
      Rule.Targets.clear();
  HasNewBounds = true;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// What N% is of; none: not known yet.
std::optional<double> Alerts::wholeOf(const AlertRule &Rule,
                                      const AlertTarget &T) const {
  if (Rule.Metric == ConditionMetric::Fragmentation)
    return 1;
  uint32_t Space = T.IsSpace ? T.Id : Measured.spaceOf(T.Id);
  if (!Space)
    return double(HostLimit);
  std::optional<uint64_t> Total = Measured.totalOf(Space);
  return Total ? std::optional(double(*Total)) : std::nullopt;
}

void Alerts::setShares(AlertRule &Rule, AlertTarget &T) {
  if (T.Bound)
    return;
  using Kind = Condition::ConditionKind;
  if (Rule.C.What == Kind::Any)
    T.Bound = 0;
  else if (Rule.C.What == Kind::PerTime)
    T.Bound = double(Rule.C.Bound) / Rule.C.UnitSeconds;
  else if (Rule.C.What != Kind::Share)
    T.Bound = double(Rule.C.Bound);
  else if (std::optional<double> Whole = wholeOf(Rule, T))
    T.Bound = *Whole * Rule.C.Share;
}

void Alerts::addHeap(uint32_t Heap, StringRef Name, uint32_t Space,
                     StringRef SpaceName) {
  Measured.addHeap(Heap, Space);
  for (AlertRule &Rule : Rules) {
    Rule.addIfMeant(true, Space, SpaceName);
    Rule.addIfMeant(false, Heap, Name);
  }
  // Before the first event of the heap.
  setBounds();
}

/// Tells LiveStats which live bytes to watch.
void Alerts::setBounds() {
  // What was crossed is not watched again.
  if (R.stats().hasCrossings())
    takeCrossings();
  HasNewBounds = false;
  std::map<std::pair<bool, uint32_t>, std::vector<uint64_t>> Of;
  for (AlertRule &Rule : Rules)
    for (AlertTarget &T : Rule.Targets) {
      setShares(Rule, T);
      if (Rule.Metric != ConditionMetric::Live)
        continue;
      std::vector<uint64_t> &Bounds = Of[{T.IsSpace, T.Id}];
      if (!T.IsArmed || !T.Bound)
        continue;
      Bounds.push_back(Rule.watchedBound(T));
    }
  for (auto &[Key, Bounds] : Of) {
    llvm::sort(Bounds);
    Bounds.erase(std::unique(Bounds.begin(), Bounds.end()), Bounds.end());
    if (Key.first ? Key.second < R.stats().numSpaces()
                  : R.stats().hasHeap(Key.second))
      R.stats().setBounds(Key.first, Key.second, Bounds);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Alerts::takeCrossings() {
  for (const LiveStats::Crossing &C : R.stats().takeCrossings())
    for (size_t I = 0; I != Rules.size(); ++I) {
      AlertRule &Rule = Rules[I];
      if (Rule.Metric != ConditionMetric::Live)
        continue;
      AlertTarget *T = Rule.find(C.IsSpace, C.Id);
      if (!T || !T->IsArmed || !Rule.isAbove(*T, double(C.LiveBytes)))
        continue;
      // A higher bound is crossed by a later event, of its own.
      if (Rule.watchedBound(*T) != C.Bound)
        continue;
      fire(I, *T, double(C.LiveBytes), C.TimeNs, C.Process);
    }
}

/// A value was measured.
void Alerts::look(const MarkMetric &V, uint64_t TimeNs, uint32_t Process) {
  for (size_t I = 0; I != Rules.size(); ++I) {
    AlertRule &Rule = Rules[I];
    if (Rule.Metric != V.Metric)
      continue;
    AlertTarget *T = Rule.find(V.IsSpace, V.Id);
    if (!T)
      continue;
    setShares(Rule, *T);
    if (!T->IsArmed)
      T->IsArmed = Rule.mayArm(*T, V.Value, TimeNs);
    else if (Rule.isAbove(*T, V.Value))
      fire(I, *T, V.Value, TimeNs, Process);
  }
}

void Alerts::addingMark(const Mark &M) {
  // Bounds in per cent of a device are known from its first mark on.
  bool IsFirst =
      M.Kind == MarkKind::DeviceUsed && !Measured.totalOf(uint32_t(M.Id));
  Measured.see(
      M, [&](uint32_t Heap) { return R.stats().liveBytes(false, Heap); },
      [&](const MarkMetric &V) { look(V, M.TimeNs, M.Process); });
  HasNewBounds |= IsFirst && Measured.totalOf(uint32_t(M.Id));
  if (M.Kind == MarkKind::ProcessEnd)
    removeOf(M.Process);
  else if (M.Kind == MarkKind::Step)
    noteStep(M);
}

/// Growth a step: over ten steps of the first process with steps.
void Alerts::noteStep(const Mark &M) {
  constexpr size_t Steps = 10;
  if (!SteppingProcess)
    SteppingProcess = M.Process;
  if (M.Process != SteppingProcess)
    return;
  for (AlertRule &Rule : Rules) {
    if (Rule.Metric != ConditionMetric::Growth ||
        Rule.C.What != Condition::ConditionKind::PerStep)
      continue;
    for (AlertTarget &T : Rule.Targets) {
      uint64_t Live = R.stats().liveBytes(T.IsSpace, T.Id);
      T.History.push_back({M.TimeNs, Live});
      if (T.History.size() <= Steps)
        continue;
      double Rise = double(Live) - double(T.History.front().second);
      T.History.pop_front();
      look({ConditionMetric::Growth, T.IsSpace, T.Id, Rise / double(Steps)},
           M.TimeNs, M.Process);
    }
  }
}

/// Growth by time: over the last minute, or ten seconds for `/s`.
void Alerts::sampleGrowth(uint64_t NowNs) {
  constexpr uint64_t Second = 1'000'000'000;
  constexpr size_t Short = 10, Long = 60;
  if (NowNs < NextSecondNs)
    return;
  NextSecondNs = NowNs + Second;
  for (AlertRule &Rule : Rules) {
    if (Rule.Metric != ConditionMetric::Growth ||
        Rule.C.What != Condition::ConditionKind::PerTime)
      continue;
    size_t Seconds = Rule.C.UnitSeconds > 1 ? Long : Short;
    for (AlertTarget &T : Rule.Targets) {
      uint64_t Live = R.stats().liveBytes(T.IsSpace, T.Id);
      T.History.push_back({NowNs, Live});
      if (T.History.size() <= Seconds)
        continue;
      auto [SinceNs, Before] = T.History.front();
      T.History.pop_front();
      double Rate = (double(Live) - double(Before)) /
                    (double(NowNs - SinceNs) / double(Second));
      look({ConditionMetric::Growth, T.IsSpace, T.Id, Rate},
           R.boundaryNs(NowNs), 1);
    }
  }
}

//===----------------------------------------------------------------------===//
// Alerts
//===----------------------------------------------------------------------===//

void Alerts::fire(size_t Rule, AlertTarget &T, double Value, uint64_t TimeNs,
                  uint32_t Process) {
  const AlertRule &Of = Rules[Rule];
  AlertRule::rest(T, TimeNs);
  HasNewBounds |= Of.Metric == ConditionMetric::Live;
  Fired F;
  F.Rule = Rule;
  F.IsSpace = T.IsSpace;
  F.Id = T.Id;
  F.Value = Value;
  F.Bound = T.Bound.value_or(0);
  F.TimeNs = TimeNs;
  F.Process = std::max(Process, 1u);
  F.Text = alertText(Of, T, Value);
  Told.push_back(F);
  Pending.push_back(std::move(F));
}

/// Conditions whose value has fallen are watched again.
void Alerts::rearm(uint64_t NowNs) {
  constexpr uint64_t EveryNs = 50'000'000;
  if (NowNs < NextArmNs)
    return;
  NextArmNs = NowNs + EveryNs;
  for (AlertRule &Rule : Rules) {
    if (Rule.Metric != ConditionMetric::Live)
      continue;
    for (AlertTarget &T : Rule.Targets)
      if (!T.IsArmed &&
          Rule.mayArm(T, double(R.stats().liveBytes(T.IsSpace, T.Id)), NowNs)) {
        T.IsArmed = true;
        HasNewBounds = true;
      }
  }
}

void Alerts::take(uint64_t NowNs, AlertActions &Runs) {
  Runs.reap();
  if (R.stats().hasCrossings())
    takeCrossings();
  if (Rules.empty())
    return;
  sampleGrowth(NowNs);
  rearm(NowNs);
  if (HasNewBounds)
    setBounds();
  for (const Fired &F : std::exchange(Told, {})) {
    const AlertRule &Of = Rules[F.Rule];
    if (OnAlert)
      OnAlert(F.Process);
    if (O.Alert)
      O.Alert("alert at " + formatTime(F.TimeNs) + ": " + F.Text);
    if (Of.Process) {
      if (OnProcessAlert)
        OnProcessAlert(Of.Process, Of.Number, alertAmount(Of.Metric, F.Value),
                       alertAmount(Of.Metric, F.Bound));
      continue; // the program acts
    }
    AlertFacts Facts{Of.C.Text, F.Text,
                     std::to_string(alertAmount(Of.Metric, F.Value)),
                     std::to_string(alertAmount(Of.Metric, F.Bound)), F.TimeNs};
    for (const std::string &Problem : Runs.run(Facts))
      O.Warn("--on-alert: " + Problem);
  }
  readTop();
}

/// Whether most of the memory was freed before the recorder could look at it:
/// what lives now did not raise the alert.
bool Alerts::isGone(const Fired &F) const {
  return Rules[F.Rule].Metric == ConditionMetric::Live &&
         double(R.stats().liveBytes(F.IsSpace, F.Id)) < F.Value / 2;
}

/// Reads the largest stacks of the moment for the first alert that waits, a
/// part at a time.
void Alerts::readTop() {
  constexpr size_t RowsAtOnce = 256, Kept = 5;
  if (Pending.empty())
    return;
  Fired &F = Pending.front();
  if (!Reads) {
    // A reader of the whole recording reads its moment first.
    if (R.stats().isInMoment())
      return;
    if (isGone(F)) {
      addMark(F);
      Pending.erase(Pending.begin());
      return;
    }
    R.stats().beginMoment();
    Reads = true;
  }
  Part.clear();
  bool More = R.stats().momentPart(RowsAtOnce, Part);
  auto BytesOf = [&](const MomentRow &Row) {
    if (!F.IsSpace)
      return Row.Stats.Heap == F.Id ? Row.Stats.LiveBytes : 0;
    return Measured.spaceOf(Row.Stats.Heap) == F.Id ? Row.Stats.LiveExclusive
                                                    : 0;
  };
  for (const MomentRow &Row : Part) {
    if (Row.IsScopePath || !BytesOf(Row) ||
        (F.Top.size() == Kept && BytesOf(Row) <= BytesOf(F.Top.back())))
      continue;
    if (F.Top.size() == Kept)
      F.Top.pop_back();
    F.Top.insert(llvm::upper_bound(F.Top, Row,
                                   [&](const MomentRow &A, const MomentRow &B) {
                                     return BytesOf(A) > BytesOf(B);
                                   }),
                 Row);
  }
  if (More)
    return;
  Reads = false;
  addMark(F);
  Pending.erase(Pending.begin());
}

void Alerts::finish(AlertActions &Runs) {
  take(R.nowNs(), Runs);
  while (!Pending.empty())
    readTop();
}

void Alerts::addMark(const Fired &F) {
  Mark M;
  M.Kind = MarkKind::Alert;
  M.Process = F.Process;
  M.TimeNs = F.TimeNs;
  M.Name = R.names().Names.string(F.Text);
  M.Heap = F.IsSpace ? 0 : F.Id;
  ConditionMetric Metric = Rules[F.Rule].Metric;
  M.Values = {alertAmount(Metric, F.Value), alertAmount(Metric, F.Bound)};
  for (const MomentRow &Row : F.Top) {
    if (!M.Stack)
      M.Stack = Row.Stats.Key;
    M.Values.push_back(F.IsSpace ? Row.Stats.LiveExclusive
                                 : Row.Stats.LiveBytes);
    M.Values.push_back(Row.Stats.Key);
  }
  R.addMark(std::move(M));
}

void Alerts::warnOfMissing() const {
  for (const AlertRule &Rule : Rules)
    if (!Rule.Process && Rule.Targets.empty() && !Rule.C.MayLack &&
        !Rule.C.Heap.empty())
      O.Warn("--alert='" + Rule.C.Text + "': no heap or memory space called '" +
             Rule.C.Heap + "' ever appeared");
}
