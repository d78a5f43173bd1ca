// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace during the recording.

#include "Output/Recording.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

Recording::~Recording() = default;

Expected<std::unique_ptr<Recording>>
Recording::create(Sink &Out, const Header &H, const TscClock &Clock,
                  const HeapChoice &Wanted, Sink *Copy) {
  std::unique_ptr<Recording> R(new Recording(Clock));
  R->Wanted = Wanted;
  auto Writer = TraceWriter::create(Out, H, Copy);
  if (!Writer)
    return Writer.takeError();
  R->Writer = std::move(*Writer);
  R->IsCopied = Copy != nullptr;
  R->Queue = std::make_unique<WriteQueue>(*R->Writer);
  R->Heaps.start();
  R->Stats.onMemoryAhead([Pages = &R->Pages](void *Begin, size_t Size) {
    Pages->touch(Begin, Size);
  });
  return R;
}

uint64_t Recording::boundaryNs(uint64_t AtLeast) {
  uint64_t Ns = Stats.boundary(std::max(AtLeast, lastNs()));
  Times.setBoundary(Ns);
  return Ns;
}

void Recording::addProcess(ProcessLog &Log) {
  Logs.push_back(&Log);
  Log.Now.takeLarger(SpareLog);
  if (TakesEvents)
    return;
  Log.Categories.end(0);
  Log.Scopes.end();
  Log.Spans.end();
}

void Recording::removeProcess(ProcessLog &Log) {
  writeCategories(Log);
  writeScopeTimes(Log);
  writeDeviceSpans(Log);
  Partials.add(Stats.processStats(Log.process(), lastNs()));
  erase(Logs, &Log);
  Log.giveMemory(SpareLog);
}

void Recording::addMark(Mark M) {
  Stats.countMarks(1);
  tell(&RecordingListener::addingMark, M);
  PendingMarks.Rows.push_back(std::move(M));
}

/// Counts events left out at the user's request. They are no loss, but marks
/// report them from time to time, because a program may run for days this way.
void Recording::addLeftOut(uint32_t Process, uint64_t Count) {
  Stats.addLoss(Process, LossKind::Events, Count);
  LeftOut[Process] += Count;
}

void Recording::reportLeftOut() {
  for (auto [Process, Count] : std::exchange(LeftOut, {}))
    addLossMark(Process, LossKind::Events, Count);
}

void Recording::addLoss(uint32_t Process, LossKind Kind, uint64_t Count) {
  if (Kind == LossKind::DeviceWork || Kind == LossKind::DeviceSpans)
    DeviceLosses[Kind] += Count;
  else
    Losses += Count;
  Stats.addLoss(Process, Kind, Count);
  addLossMark(Process, Kind, Count);
}

void Recording::addLossMark(uint32_t Process, LossKind Kind, uint64_t Count) {
  // Losses come in large numbers: one mark per flush for each process and kind.
  for (Mark &M : reverse(PendingMarks.Rows))
    if (M.Kind == MarkKind::Loss && M.Process == Process &&
        M.Id == uint64_t(Kind)) {
      M.Values[0] += Count;
      return;
    }
  Mark M;
  M.Kind = MarkKind::Loss;
  M.Process = Process;
  M.TimeNs = lastNs();
  M.Id = uint64_t(Kind);
  M.Values = {Count};
  addMark(std::move(M));
}

void Recording::addInterval(uint32_t Process, Interval &Part) {
  PendingRows += Part.Rows.size();
  if (!PendingIntervals.empty() && PendingIntervals.back().first == Process &&
      PendingIntervals.back().second.Index == Part.Index)
    append_range(PendingIntervals.back().second.Rows, Part.Rows);
  else
    PendingIntervals.emplace_back(Process, std::move(Part));
  if (PendingRows >= MaxPendingRows)
    flush();
}

uint64_t Recording::nextAllocationId(uint32_t Process) const {
  for (const ProcessLog *L : Logs)
    if (L->process() == Process)
      return L->NextAllocationId;
  return 0;
}

void Recording::cutInterval(uint32_t Process, uint64_t TimeNs) {
  while (Stats.isCutting(Process))
    goOnCutting(Process, MaxPendingRows);
  Stats.beginCut(Process, TimeNs, nextAllocationId(Process),
                 Stats.dueDetail(Process));
  while (Stats.isCutting(Process))
    goOnCutting(Process, MaxPendingRows);
}

void Recording::beginCut(uint32_t Process, uint64_t TimeNs) {
  Stats.beginCut(Process, TimeNs, nextAllocationId(Process),
                 Stats.dueDetail(Process));
  goOnCutting(Process);
}

void Recording::goOnCutting(uint32_t Process, size_t MaxRows) {
  Interval Part;
  if (Stats.cutPart(Process, MaxRows, Part))
    addInterval(Process, Part);
}

void Recording::addClockMark() {
  Mark M;
  M.Kind = MarkKind::Clock;
  M.Clock = readClocks();
  Times.Clock.adjust(M.Clock);
  M.TimeNs = Times.Clock.toNs(M.Clock.Tsc);
  addMark(std::move(M));
  ReportsLeftOut = true;
}

bool Recording::check(Error E) {
  if (!E)
    return true;
  if (Failed) {
    consumeError(std::move(E));
    return false;
  }
  Failed = true;
  Queue->clear();
  Why = toString(std::move(E));
  return false;
}

Error Recording::takeError() {
  if (Why.empty())
    return Error::success();
  return createStringError(inconvertibleErrorCode(), std::exchange(Why, ""));
}

void Recording::writeNames() {
  Dictionary &D = Names.pending();
  if (!Names.hasPending())
    return;
  if (!Failed)
    Queue->add(std::move(D));
  D = Queue->takeSpare();
}

/// Keeps scopes pending while no section refers to them: they may still be
/// renamed.
void Recording::writeMaxNames() {
  Dictionary &D = Names.pending();
  std::vector<ScopeRecord> Scopes = std::exchange(D.Scopes, {});
  std::vector<ScopePath> ScopePaths = std::exchange(D.ScopePaths, {});
  writeNames();
  D.Scopes = std::move(Scopes);
  D.ScopePaths = std::move(ScopePaths);
}

void Recording::work(uint64_t ForNs) {
  if (!canWork())
    return;
  uint64_t Begin = nowNs();
  do
    check(Queue->step());
  while (canWork() && nowNs() - Begin < ForNs);
}

void Recording::complete() {
  while (isWriting())
    check(Queue->step());
}

void Recording::leaveOutEvents() {
  if (!TakesEvents)
    return;
  flush();
  endEvents(lastNs());
}

void Recording::endEvents(uint64_t AtNs) {
  TakesEvents = false;
  EventsEndNs = AtNs;
  for (ProcessLog *L : Logs) {
    L->Categories.end(L->NextAllocationId);
    L->Scopes.end();
    L->Spans.end();
  }
}

void Recording::keepLast(std::unique_ptr<EventTail> T) {
  Tail = std::move(T);
  Writer->keepEvents(Tail.get());
}

bool Recording::turnTail() {
  for (auto [Process, Count] : Queue->takeDropped())
    addLeftOut(Process, Count);
  if (!Tail || !Tail->isHalfFull() || Queue->hasTurn())
    return false;
  flush();
  Queue->addTurn(*Tail);
  return true;
}

void Recording::emptyLogs() {
  if (TakesEvents)
    flush();
  else
    turnLogs();
}

/// Queues the events of all processes as one epoch, or drops them.
void Recording::turnLogs() {
  while (Queue->hasEvents())
    check(Queue->step());
  for (ProcessLog *Of : Logs)
    // Lanes belong to one epoch, with or without events.
    if (EventLog *L = Of->change(Epoch); L && !Failed && TakesEvents) {
      Queue->add(*L);
    } else if (L) {
      if (!TakesEvents)
        addLeftOut(Of->process(), L->size());
      L->start(0);
    }
  ++Epoch;
}

/// Whether the file would reach its maximum with another epoch as large as the
/// last, the summary at about four bytes a row, and a hundredth of the maximum
/// for marks and intervals to come.
bool Recording::nearsEnd() {
  uint64_t Epoch = bytes() - std::exchange(FlushedBytes, bytes());
  uint64_t Rest = uint64_t(Stats.numStackRows()) * 4 + MaxBytes / 100;
  return bytes() + Epoch + Rest >= MaxBytes;
}

void Recording::flush() {
  if (MaxBytes && TakesEvents && nearsEnd())
    endEvents(LastFlushNs);
  LastFlushNs = lastNs();
  while (Queue->size() > MaxWaiting)
    check(Queue->step());
  writeNames();
  turnLogs();
  if (std::exchange(ReportsLeftOut, false))
    reportLeftOut();
  Marks Part;
  for (size_t I = 0; I < PendingMarks.Rows.size(); I += MaxSectionRows) {
    auto Begin = PendingMarks.Rows.begin() + I;
    size_t Count =
        std::min<size_t>(PendingMarks.Rows.size() - I, MaxSectionRows);
    Part.Rows.assign(Begin, Begin + Count);
    if (!Failed)
      Queue->add(Part);
  }
  PendingMarks.Rows.clear();
  flushIntervals();
  for (ProcessLog *L : Logs) {
    writeScopeTimes(*L);
    writeDeviceSpans(*L);
    if (L->Categories.isDue())
      writeCategories(*L);
  }
}

void Recording::writeScopeTimes(ProcessLog &Of) {
  std::vector<ScopeTimes> All = Of.Scopes.take();
  if (!All.empty())
    writeNames();
  for (ScopeTimes &S : All)
    if (!Failed)
      Queue->add(std::move(S));
}

void Recording::writeDeviceSpans(ProcessLog &Of) {
  DeviceSpans All = Of.Spans.take(Of.process());
  if (uint64_t Cut = Of.Spans.takeCut())
    addLoss(Of.process(), LossKind::DeviceSpans, Cut);
  if (All.Rows.empty() || Failed)
    return;
  writeNames();
  Queue->add(std::move(All));
}

void Recording::writeCategories(ProcessLog &Of) {
  BlockCategories All;
  All.Process = Of.process();
  All.Rows = Of.Categories.take();
  // The process must be defined before.
  if (!All.Rows.empty())
    writeMaxNames();
  ArrayRef<BlockCategory> Rest = All.Rows;
  while (!Rest.empty() && !Failed) {
    ArrayRef<BlockCategory> Now =
        Rest.take_front(std::min<size_t>(Rest.size(), MaxSectionRows));
    Rest = Rest.drop_front(Now.size());
    Queue->add(BlockCategories{All.Process, Now.vec()});
  }
}

void Recording::gatherScopes(uint64_t NowNs) {
  Partials.add(std::vector(ScopeTotals.begin() + ptrdiff_t(NextScopeTotal),
                           ScopeTotals.end()));
  NextScopeTotal = ScopeTotals.size();
  std::vector<LayerStats> Rows;
  for (ProcessLog *L : Logs)
    if (L->AddScopes)
      L->AddScopes(NowNs, /*OnlyChanged=*/true, Rows);
  Partials.add(std::move(Rows));
}

void Recording::writePartial(uint64_t NowNs) {
  for (ProcessLog *L : Logs)
    writeCategories(*L);
  for (const ProcessLog *L : Logs)
    Partials.add(Stats.processStats(L->process(), NowNs));
  gatherScopes(NowNs);
  Partials.add(Parameters);
  // An event's scope path must be in the file before the event.
  if (Partials.isUrgent())
    flush();
  Partials.add(Ooms);
  std::vector<DeviceTimeStats> Times = DeviceTimes.takeChanged();
  bool NamesScopes = !Times.empty();
  Partials.add(std::move(Times));
  std::vector<Partial> Parts = Partials.take(NowNs);
  if (Parts.empty())
    return;
  NamesScopes ? writeNames() : writeMaxNames();
  for (Partial &P : Parts)
    if (!Failed)
      Queue->add(std::move(P));
}

/// A section holds intervals of one process. An interval with more rows than
/// may wait continues in the next section under the same index.
void Recording::flushIntervals() {
  static_assert(2 * MaxPendingRows <= MaxSectionRows);
  // An interval that is being cut waits for its other rows while there is room.
  std::vector<std::pair<uint32_t, Interval>> Rest;
  if (PendingRows < MaxPendingRows)
    erase_if(PendingIntervals, [&](auto &S) {
      bool Waits = Stats.isCutting(S.first);
      if (Waits)
        Rest.push_back(std::move(S));
      return Waits;
    });
  stable_sort(PendingIntervals, llvm::less_first());
  Intervals Section;
  auto Write = [&] {
    if (!Section.Rows.empty() && !Failed)
      Queue->add(std::move(Section));
    Section = Intervals();
  };
  for (auto &[Process, S] : PendingIntervals) {
    if (Process != Section.Process)
      Write();
    Section.Process = Process;
    Section.Rows.push_back(std::move(S));
  }
  Write();
  PendingIntervals = std::move(Rest);
  PendingRows = 0;
  for (const auto &[Process, S] : PendingIntervals)
    PendingRows += S.Rows.size();
}

void Recording::write(Snapshot K) {
  if (!Failed)
    Queue->add(std::move(K));
}

/// Writes rows as parts of a summary, before the summary's other stats.
template <class T>
void Recording::writeParts(const std::vector<T> &Rows,
                           std::vector<T> Summary::*To, uint64_t EndNs) {
  Summary Part;
  Part.Number = NumSummaries;
  Part.EndNs = EndNs;
  Part.Complete = false;
  for (size_t I = 0, Count; I < Rows.size() && !Failed; I += Count) {
    Count = rowsThatFit(Rows, I, MaxSectionRows);
    (Part.*To).assign(Rows.begin() + I, Rows.begin() + I + Count);
    check(Writer->write(Part));
  }
}

void Recording::writeOoms(uint64_t EndNs) {
  std::vector<OomRecord> What;
  std::vector<OomHeap> Heaps;
  std::vector<CategoryStats> Rows;
  for (const OomLog::OomTimePoint &M : Ooms.timePoints()) {
    What.push_back(M.What);
    append_range(Heaps, M.Heaps);
    append_range(Rows, M.Categories);
  }
  writeParts(What, &Summary::Ooms, EndNs);
  writeParts(Heaps, &Summary::OomHeaps, EndNs);
  writeParts(Rows, &Summary::Categories, EndNs);
}

void Recording::finish() {
  for (const ProcessLog *L : Logs)
    while (Stats.isCutting(L->process()))
      goOnCutting(L->process());
  for (const ProcessLog *L : Logs)
    if (L->AtEnd)
      L->AtEnd();
  addClockMark();
  for (ProcessLog *L : Logs)
    writeCategories(*L);
  flush();
  complete();
  if (Failed)
    return;
  if (Tail) {
    Writer->keepEvents(nullptr);
    if (!check(Tail->forEach([this](const SectionInfo &B, StringRef Frame) {
          return Writer->append(B, Frame);
        })))
      return;
  }
  if (writeSums())
    check(Writer->finish());
}

std::vector<ParameterStats> Recording::heldParameters() const {
  std::vector<ParameterStats> Out;
  copy_if(Parameters, std::back_inserter(Out),
          [](const ParameterStats &P) { return P.Tensors != 0; });
  return Out;
}

Summary Recording::listsNow(uint64_t NowNs) {
  Summary S;
  S.Layers = ScopeTotals;
  S.Parameters = heldParameters();
  S.DeviceTimes = DeviceTimes.rows();
  CategoryTable AtPeak = Categories;
  for (ProcessLog *L : Logs) {
    if (L->AddScopes)
      L->AddScopes(NowNs, /*OnlyChanged=*/false, S.Layers);
    if (L->AddCategories)
      L->AddCategories(AtPeak);
    writeCategories(*L);
  }
  S.Categories = AtPeak.totals();
  for (const OomLog::OomTimePoint &M : Ooms.timePoints()) {
    S.Ooms.push_back(M.What);
    append_range(S.OomHeaps, M.Heaps);
    append_range(S.Categories, M.Categories);
  }
  return S;
}

Summary Recording::totalsNow(Summary Lists) {
  Summary S = Stats.totals(++NumSummaries, std::max(nowNs(), lastNs()));
  S.Layers = std::move(Lists.Layers);
  S.Parameters = std::move(Lists.Parameters);
  S.DeviceTimes = std::move(Lists.DeviceTimes);
  S.Categories = std::move(Lists.Categories);
  S.Ooms = std::move(Lists.Ooms);
  S.OomHeaps = std::move(Lists.OomHeaps);
  if (!IsCopied && !Tail)
    return S;
  // What is read has no events, as if they were left out on request.
  erase_if(S.Losses, [](const Loss &L) { return L.Kind == LossKind::Events; });
  for (const ProcessStats &P : S.Processes)
    if (uint64_t Events = Stats.events(P.Process))
      S.Losses.push_back({P.Process, LossKind::Events, Events});
  return S;
}

void Recording::summarizeNow() {
  for (ProcessLog *L : Logs)
    writeCategories(*L);
  flush();
  complete();
  if (!Failed)
    writeSums();
}

/// Writes a summary; false if the write failed.
bool Recording::writeSums() {
  uint64_t EndNs = std::max(nowNs(), lastNs());
  ++NumSummaries;
  writeParts(ScopeTotals, &Summary::Layers, EndNs);
  writeParts(heldParameters(), &Summary::Parameters, EndNs);
  writeParts(DeviceTimes.rows(), &Summary::DeviceTimes, EndNs);
  writeParts(Categories.totals(), &Summary::Categories, EndNs);
  writeOoms(EndNs);
  if (!check(Stats.lifetimes(
          [this](const Lifetimes &L) { return Writer->write(L); })))
    return false;
  return check(Stats.summary(NumSummaries, EndNs, [this](const Summary &S) {
    return Writer->write(S);
  }));
}
