// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events as rows of chosen columns.

#include "EventRows.h"
#include "Model/Names/ScopeOccurrences.h"
#include "OrderedText.h"
#include "PathTable.h"
#include "ScopeMerge.h"
#include "StackText.h"
#include "Support/CsvField.h"
#include "Support/JobQueue.h"
#include "Support/RunEach.h"
#include "memkit/Model/BlockCategories.h"
#include "memkit/Model/Replay.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Format.h"
#include <cstdlib>

using namespace llvm;

namespace memkit {

namespace {

/// The values of a row; empty texts and missing numbers are nulls.
struct EventValues {
  uint64_t TimeNs = 0;
  uint32_t Process = 0, Thread = 0;
  StringRef Kind;
  std::optional<uint64_t> Block, Size;
  uint32_t Heap = 0;
  std::optional<uint32_t> Stack;
  uint32_t ScopePath = 0;
  StringRef Layer, Scope;
  std::optional<uint64_t> Allocated, Reserved;
  StringRef Category;
};

/// The text of rows.
class RowText {
public:
  RowText(raw_ostream &OS, const Trace &T, ArrayRef<EventColumn> Columns,
          bool Json)
      : OS(OS), T(T), Columns(Columns), Json(Json) {}
  void head();
  void write(const EventValues &R);

private:
  void field(const EventValues &R, EventColumn C);
  void text(StringRef Text);
  template <typename NumberT> void number(std::optional<NumberT> N) {
    if (N)
      OS << *N;
    else if (Json)
      OS << "null";
  }
  StringRef pathOf(uint32_t Stack);

  raw_ostream &OS;
  const Trace &T;
  ArrayRef<EventColumn> Columns;
  bool Json;
  std::string Path;
};

/// Makes the text of rows on several threads: text takes most of the time of a
/// table of events.
class RowTexts {
public:
  /// One thread adds rows; so many others, Helpers, call help().
  RowTexts(raw_ostream &OS, const Trace &T, ArrayRef<EventColumn> Columns,
           bool Json, function_ref<bool()> Failed, size_t Helpers)
      : Text(OS, Failed), T(T), Columns(Columns), Json(Json),
        Jobs(2 * Helpers) {}

  /// Returns whether more rows are wanted.
  bool add(const EventValues &R) {
    Rows.push_back(R);
    return Rows.size() < RowsAtOnce || give();
  }
  /// After the last row.
  void end() {
    give();
    Jobs.end();
  }
  /// Lets the helpers go; after end(), or when rows are lost.
  void stop() { Jobs.stop(); }
  void help() { Jobs.help(); }

private:
  static constexpr size_t RowsAtOnce = 8192;
  bool give();
  void write(ArrayRef<EventValues> Of, size_t Number);

  OrderedText Text;
  const Trace &T;
  ArrayRef<EventColumn> Columns;
  bool Json;
  JobQueue Jobs;
  std::vector<EventValues> Rows; ///< not given yet
  size_t NumGiven = 0;
};

/// Replays a trace and makes its rows.
class RowMaker {
public:
  RowMaker(const Trace &T, const Selection &Sel, ArrayRef<EventColumn> Columns,
           RowTexts &Out)
      : T(T), Sel(Sel), Out(Out),
        WithLayers(is_contained(Columns, EventColumn::Layer)),
        WithScopes(is_contained(Columns, EventColumn::Scope)) {
    if (WithLayers || WithScopes) {
      ByAllocations.emplace(T.scopePaths());
      ByTimes.emplace(T, Sel,
                      [this](const ScopeOccurrences::ScopeOccurrence &S,
                             bool Begins) { bySection(S, Begins); });
    }
    if (!WithLayers)
      return;
    // A parent's id is lower.
    LayerOf.resize(T.scopePaths().size() + 1);
    for (uint32_t C = 1; C < LayerOf.size(); ++C) {
      const ScopePath &Co = T.scopePaths()[C - 1];
      const ScopeRecord &S = T.scopes()[Co.Scope - 1];
      LayerOf[C] =
          S.Kind == ScopeKind::Layer ? T.string(S.Name) : LayerOf[Co.Parent];
    }
  }
  void setCategories(CategoryGroups Of) { Categories.emplace(std::move(Of)); }

  Error run();

private:
  void event(const LiveStats &A, const ReplayedEvent &E);
  void bySection(const ScopeOccurrences::ScopeOccurrence &S, bool Begins);
  Error scopesBefore(const ReplayedEvent &E);
  Error lastScopes();
  void scope(const ScopeOccurrences::ScopeOccurrence &S, bool Begins,
             uint64_t TimeNs);
  void add(const EventValues &R) { IsWanted = Out.add(R) && IsWanted; }

  const Trace &T;
  const Selection &Sel;
  RowTexts &Out;
  bool WithLayers, WithScopes, IsWanted = true;
  /// With layers or scopes: those of processes with times of scopes, and of
  /// the others.
  std::optional<ScopeMerge> ByTimes;
  std::optional<ScopeOccurrences> ByAllocations;
  std::vector<StringRef> LayerOf; ///< by scope path; with layers
  std::optional<CategoryGroups> Categories;
  uint64_t LastNs = 0, UntilNs = 0; ///< of the rows now
  /// The scopes' begins and ends after the last event.
  struct LateScope {
    ScopeOccurrences::ScopeOccurrence Is;
    bool Begins;
    uint64_t timeNs() const { return Begins ? Is.BeginNs : Is.LastNs; }
  };
  std::vector<LateScope> Late;
  bool IsLate = false;
};

} // namespace

static StringRef columnName(EventColumn C) {
  static constexpr StringLiteral Names[] = {
      "time_ns",       "process",         "thread",
      "kind",          "block",           "size",
      "heap",          "stack",           "layer",
      "scope_path",    "allocated_bytes", "reserved_bytes",
      "fragmentation", "category",        "scope"};
  return Names[static_cast<size_t>(C)];
}

static StringRef kindName(EventKind K) {
  static constexpr StringLiteral Names[] = {"alloc", "free", "resize", "split"};
  return Names[static_cast<size_t>(K)];
}

void RowText::text(StringRef Text) {
  if (!Json)
    printField(OS, Text);
  else
    OS << jsonTextOrNull(Text);
}

StringRef RowText::pathOf(uint32_t Stack) {
  Path.clear();
  std::vector<ShownFrame> Frames = T.shownStack(Stack);
  for (const ShownFrame &F : reverse(Frames)) {
    if (!Path.empty())
      Path += ';';
    Path += pathName(F.Label);
  }
  return Path;
}

void RowText::field(const EventValues &R, EventColumn C) {
  switch (C) {
  case EventColumn::Time:
    OS << R.TimeNs;
    return;
  case EventColumn::Process:
    OS << T.processes()[R.Process - 1].Pid;
    return;
  case EventColumn::Thread:
    OS << T.threads()[R.Thread - 1].Tid;
    return;
  case EventColumn::Kind:
    return text(R.Kind);
  case EventColumn::Block:
    return number(R.Block);
  case EventColumn::Size:
    return number(R.Size);
  case EventColumn::Heap:
    return text(R.Heap ? T.heapName(R.Heap) : StringRef());
  case EventColumn::Stack:
    return text(R.Stack ? pathOf(*R.Stack) : StringRef());
  case EventColumn::Layer:
    return text(R.Layer);
  case EventColumn::Scope:
    return text(R.Scope);
  case EventColumn::ScopePath:
    return text(T.scopePathText(R.ScopePath));
  case EventColumn::Allocated:
    return number(R.Allocated);
  case EventColumn::Reserved:
    return number(R.Reserved);
  case EventColumn::Category:
    return text(R.Category);
  case EventColumn::Fragmentation: {
    if (!R.Reserved || !*R.Reserved || !R.Allocated)
      return number(std::optional<uint64_t>());
    uint32_t Ppm = fragmentationPpm(*R.Reserved, *R.Allocated);
    OS << format("%u.%06u", Ppm / 1'000'000, Ppm % 1'000'000);
    return;
  }
  }
  llvm_unreachable("all columns are handled");
}

void RowText::write(const EventValues &R) {
  if (Json)
    OS << '{';
  for (size_t I = 0; I != Columns.size(); ++I) {
    if (I)
      OS << ',';
    if (Json)
      OS << '"' << columnName(Columns[I]) << "\":";
    field(R, Columns[I]);
  }
  OS << (Json ? "}\n" : "\n");
}

void RowMaker::scope(const ScopeOccurrences::ScopeOccurrence &S, bool Begins,
                     uint64_t TimeNs) {
  const ScopeRecord &Sc = T.scopes()[T.scopePaths()[S.ScopePath - 1].Scope - 1];
  bool IsLayer = Sc.Kind == ScopeKind::Layer;
  if (!WithScopes && !IsLayer)
    return;
  EventValues R;
  R.TimeNs = TimeNs;
  R.Thread = S.Thread;
  R.Process = T.threads()[S.Thread - 1].Process;
  R.Kind = Begins ? "enter" : "exit";
  R.Scope = T.string(Sc.Name);
  if (IsLayer)
    R.Layer = R.Scope;
  R.ScopePath = S.ScopePath;
  add(R);
}

/// The times of scopes are rounded; rows come in order of time.
void RowMaker::bySection(const ScopeOccurrences::ScopeOccurrence &S,
                         bool Begins) {
  if (!Sel.hasScopePath(S.ScopePath))
    return;
  if (IsLate) {
    Late.push_back({S, Begins});
    return;
  }
  LastNs = std::clamp(Begins ? S.BeginNs : S.LastNs, LastNs,
                      std::max(LastNs, UntilNs));
  scope(S, Begins, LastNs);
}

Error RowMaker::scopesBefore(const ReplayedEvent &E) {
  UntilNs = E.TimeNs;
  if (Error Bad = ByTimes->advance(E.TimeNs))
    return Bad;
  if (ByTimes->has(E.Process))
    return ByTimes->before(E);
  if (E.Kind == EventKind::Allocate)
    ByAllocations->allocation(E.Thread, E.ScopePath, E.TimeNs,
                              [&](const ScopeOccurrences::ScopeOccurrence &S,
                                  bool Begins) { scope(S, Begins, E.TimeNs); });
  return Error::success();
}

Error RowMaker::lastScopes() {
  IsLate = true;
  if (Error Bad = ByTimes->finish())
    return Bad;
  ByAllocations->finish(LastNs, [&](const ScopeOccurrences::ScopeOccurrence &S,
                                    bool Begins) { scope(S, Begins, LastNs); });
  stable_sort(Late, [](const LateScope &A, const LateScope &B) {
    return A.timeNs() < B.timeNs();
  });
  for (const LateScope &S : Late)
    scope(S.Is, S.Begins, LastNs = std::max(LastNs, S.timeNs()));
  return Error::success();
}

void RowMaker::event(const LiveStats &A, const ReplayedEvent &E) {
  EventValues R;
  R.TimeNs = E.TimeNs;
  R.Process = E.Process;
  R.Thread = E.Thread;
  R.Kind = kindName(E.Kind);
  R.Block = E.Block;
  R.Size = E.Size;
  R.Heap = E.Heap;
  R.Stack = E.Stack;
  R.ScopePath = E.ScopePath;
  if (WithLayers)
    R.Layer = LayerOf[E.ScopePath];
  if (WithScopes && E.ScopePath)
    R.Scope =
        T.string(T.scopes()[T.scopePaths()[E.ScopePath - 1].Scope - 1].Name);
  R.Allocated = A.heapLiveBytes(E.Heap);
  R.Reserved = A.heapReserved(E.Heap);
  if (Categories)
    if (uint32_t Group = Categories->of(E.Process, E.Heap, E.Block))
      R.Category = CategoryGroups::name(Group);
  add(R);
}

void RowText::head() {
  for (size_t I = 0; I != Columns.size(); ++I)
    OS << (I ? "," : "") << columnName(Columns[I]);
  OS << '\n';
}

bool RowTexts::give() {
  if (!Rows.empty())
    Jobs.add([this, Of = std::move(Rows), Number = NumGiven++] {
      write(Of, Number);
    });
  Rows = {};
  Rows.reserve(RowsAtOnce);
  return !Text.isStopped();
}

void RowTexts::write(ArrayRef<EventValues> Of, size_t Number) {
  OrderedText::TextPart Part(Text, Number);
  RowText To(Part.os(), T, Columns, Json);
  for (const EventValues &R : Of) {
    To.write(R);
    if (!Part.advance())
      break;
  }
  Part.finish();
}

/// Whether a table can begin at a snapshot.
static bool isFromSnapshot(const Selection &Sel) {
  const TimeWindow &W = Sel.times();
  return W.Since && !W.Since->IsEnd && Sel.canStartNear();
}

Error RowMaker::run() {
  const TimeWindow &W = Sel.times();
  ReplayOptions Options;
  LiveStats *A = nullptr;
  if (!Sel.hasAllBlocks())
    Options.Select = [this](const Allocation &B) { return Sel.hasBlock(B); };
  Error Bad = Error::success();
  Options.OnEvent = [&](const ReplayedEvent &E) {
    if (W.Since && E.TimeNs < W.Since->TimeNs)
      return true;
    if (ByTimes)
      Bad = joinErrors(std::move(Bad), scopesBefore(E));
    LastNs = E.TimeNs;
    event(*A, E);
    return IsWanted && !Bad;
  };
  Expected<std::unique_ptr<Replay>> R = Replay::create(T.reader(), Options);
  if (!R)
    return joinErrors(R.takeError(), std::move(Bad));
  A = &(*R)->stats();
  Error Ran =
      isFromSnapshot(Sel) ? (*R)->startNear(W.Since->TimeNs) : Error::success();
  if (!Ran)
    Ran = runTo(**R, W.last());
  if (Ran || Bad)
    return joinErrors(std::move(Ran), std::move(Bad));
  return ByTimes && IsWanted ? lastScopes() : Error::success();
}

/// The threads that make text beside the thread that replays.
static size_t wantedHelpers() {
  constexpr size_t MaxThreads = 16;
  size_t Threads = usableProcessors();
  if (const char *Given = std::getenv("MEMKIT_REPLAY_PIECES"))
    Threads = size_t(std::max(1, std::atoi(Given)));
  return std::min(Threads, MaxThreads) - 1;
}

Error writeEventRows(raw_ostream &OS, const Trace &T, const Selection &Sel,
                     ArrayRef<EventColumn> Columns, bool Json,
                     function_ref<bool()> Failed) {
  if (Error E =
          requireEvents(T, "a table of events needs",
                        isFromSnapshot(Sel) ? &*Sel.times().Since : nullptr))
    return E;
  size_t Helpers = wantedHelpers();
  RowTexts Texts(OS, T, Columns, Json, Failed, Helpers);
  RowMaker Rows(T, Sel, Columns, Texts);
  if (is_contained(Columns, EventColumn::Category)) {
    auto Table = BlockCategoryTable::read(T.reader());
    if (!Table)
      return Table.takeError();
    if ((*Table)->size())
      Rows.setCategories(CategoryGroups(T, std::move(*Table)));
  }
  if (!Json)
    RowText(OS, T, Columns, Json).head();
  Error Result = Error::success();
  runEach(1 + Helpers, [&](size_t At) {
    if (At)
      return Texts.help();
    auto Last = make_scope_exit([&] { Texts.stop(); });
    Result = joinErrors(std::move(Result), Rows.run());
    Texts.end();
  });
  return Result;
}

} // namespace memkit
