// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All events of a trace as a table.

#include "EventsTable.h"
#include "TableMaker.h"
#include "TraceText/EnumNames.h"
#include "memkit/Model/Replay.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace llvm;

namespace memkit {

namespace {

enum EventField {
  EF_Time,
  EF_Process,
  EF_Rank,
  EF_Thread,
  EF_Kind,
  EF_Block,
  EF_Size,
  EF_Heap,
  EF_Stack,
  EF_Scope,
  EF_Layer,
  NumEventFields
};

struct FieldInfo {
  StringLiteral Name;
  ColumnType Type;
  bool IsNullable;
};
constexpr FieldInfo Fields[NumEventFields] = {
    {"time_ns", ColumnType::Int64, false},
    {"process", ColumnType::UInt32, false},
    {"rank", ColumnType::Int64, true},
    {"thread", ColumnType::UInt32, false},
    {"kind", ColumnType::Choice, false},
    {"block", ColumnType::Int64, false},
    {"size", ColumnType::Int64, false},
    {"heap", ColumnType::Choice, false},
    {"stack", ColumnType::UInt32, false},
    {"scope", ColumnType::Choice, true},
    {"layer", ColumnType::Choice, true},
};

/// What ids of a trace mean in columns.
struct EventNames {
  std::shared_ptr<const TextList> Kinds, Heaps, Scopes, Layers;
  std::vector<int32_t> LayerOf; ///< by scope path: a layer, or -1
  std::vector<uint32_t> Pids;   ///< by process
  std::vector<int64_t> Ranks;   ///< by process; -1: not known
  std::vector<uint32_t> Tids;   ///< by thread
};

/// The columns of a batch while rows are added.
class EventBatch {
public:
  EventBatch(const EventNames &Names, ArrayRef<EventField> Wanted);
  void add(const ReplayedEvent &E);
  /// Rows of R from time FromNs on.
  void add(const ReplayedRows &R, uint64_t FromNs);
  size_t rows() const { return Rows; }
  TableBatch take();

private:
  bool has(EventField F) const { return Data[F].Values != nullptr; }
  template <class T> T *values(EventField F) {
    return reinterpret_cast<T *>(Data[F].Values.get()) + Rows;
  }
  void addThreads(const EventTable &E, size_t Row, size_t Count);
  void addAllocations(const ReplayedRows &R, size_t First);
  void addReferences(const ReplayedRows &R, size_t First);
  int32_t layerOf(uint32_t ScopePath) const {
    return ScopePath < Names.LayerOf.size() ? Names.LayerOf[ScopePath] : -1;
  }
  void markMissing(ColumnData &Of, ColumnType Type);

  const EventNames &Names;
  ArrayRef<EventField> Wanted;
  ColumnData Data[NumEventFields];
  size_t Rows = 0;
};

class EventStream : public TableStream {
public:
  EventStream(std::shared_ptr<SharedTrace> Of, Selection Sel,
              std::shared_ptr<const EventNames> Names,
              std::vector<EventField> Wanted)
      : Of(std::move(Of)), Sel(std::move(Sel)), Names(std::move(Names)),
        Wanted(std::move(Wanted)) {}
  ~EventStream() override {
    std::lock_guard<std::mutex> Hold(Of->Lock);
    Run.reset();
  }
  Expected<std::optional<TableBatch>> next() override;

private:
  Error start();
  Error fill();
  bool hasRoom() const { return Now->rows() + Largest <= MaxBatchRows; }
  /// The most events that come at once.
  static constexpr size_t Largest = 1024;

  std::shared_ptr<SharedTrace> Of;
  Selection Sel;
  std::shared_ptr<const EventNames> Names;
  std::vector<EventField> Wanted;
  std::unique_ptr<Replay> Run;
  std::optional<EventBatch> Now;
  bool Ended = false;
};

class EventsTable : public TypedTable {
public:
  EventsTable(std::shared_ptr<SharedTrace> Of, Selection Sel,
              std::shared_ptr<const EventNames> Names,
              std::vector<EventField> Wanted);
  std::optional<uint64_t> rows() const override { return std::nullopt; }
  Expected<std::unique_ptr<TableStream>> stream() const override {
    return std::make_unique<EventStream>(Of, Sel, Names, Wanted);
  }

private:
  std::shared_ptr<SharedTrace> Of;
  Selection Sel;
  std::shared_ptr<const EventNames> Names;
  std::vector<EventField> Wanted;
};

} // namespace

//===----------------------------------------------------------------------===//
// A batch
//===----------------------------------------------------------------------===//

static int64_t positive(uint64_t Value) {
  return int64_t(std::min<uint64_t>(Value, INT64_MAX));
}

EventBatch::EventBatch(const EventNames &Names, ArrayRef<EventField> Wanted)
    : Names(Names), Wanted(Wanted) {
  for (EventField F : Wanted)
    Data[F].Values = makeBuffer(MaxBatchRows *
                                (Fields[F].Type == ColumnType::Int64 ? 8 : 4));
}

void EventBatch::add(const ReplayedEvent &E) {
  if (has(EF_Time))
    *values<int64_t>(EF_Time) = positive(E.TimeNs);
  if (has(EF_Process))
    *values<uint32_t>(EF_Process) = Names.Pids[E.Process];
  if (has(EF_Rank))
    *values<int64_t>(EF_Rank) = Names.Ranks[E.Process];
  if (has(EF_Thread))
    *values<uint32_t>(EF_Thread) = Names.Tids[E.Thread];
  if (has(EF_Kind))
    *values<int32_t>(EF_Kind) = int32_t(E.Kind);
  if (has(EF_Block))
    *values<int64_t>(EF_Block) = positive(E.Block);
  if (has(EF_Size))
    *values<int64_t>(EF_Size) = positive(E.Size);
  if (has(EF_Heap))
    *values<int32_t>(EF_Heap) = int32_t(E.Heap) - 1;
  if (has(EF_Stack))
    *values<uint32_t>(EF_Stack) = E.Stack;
  if (has(EF_Scope))
    *values<int32_t>(EF_Scope) = int32_t(E.ScopePath) - 1;
  if (has(EF_Layer))
    *values<int32_t>(EF_Layer) = layerOf(E.ScopePath);
  ++Rows;
}

void EventBatch::add(const ReplayedRows &R, uint64_t FromNs) {
  const EventTable &E = *R.Table;
  size_t First = std::lower_bound(E.TimeNs.begin() + R.Row,
                                  E.TimeNs.begin() + R.End, FromNs) -
                 E.TimeNs.begin();
  size_t Count = R.End - First;
  if (!Count)
    return;
  if (has(EF_Time))
    std::transform(E.TimeNs.begin() + First, E.TimeNs.begin() + R.End,
                   values<int64_t>(EF_Time), positive);
  if (has(EF_Process))
    std::fill_n(values<uint32_t>(EF_Process), Count, Names.Pids[E.Process]);
  if (has(EF_Rank))
    std::fill_n(values<int64_t>(EF_Rank), Count, Names.Ranks[E.Process]);
  if (has(EF_Thread))
    addThreads(E, First, Count);
  if (has(EF_Kind))
    std::transform(E.Kind.begin() + First, E.Kind.begin() + R.End,
                   values<int32_t>(EF_Kind),
                   [](EventKind K) { return int32_t(K); });
  addAllocations(R, First);
  addReferences(R, First);
  Rows += Count;
}

void EventBatch::addThreads(const EventTable &E, size_t Row, size_t Count) {
  auto *To = values<uint32_t>(EF_Thread);
  if (E.Thread.empty()) {
    std::fill_n(To, Count, Names.Tids[E.Threads[0]]);
    return;
  }
  uint32_t Tids[MaxSectionThreads];
  for (size_t I = 0; I != E.Threads.size(); ++I)
    Tids[I] = Names.Tids[E.Threads[I]];
  for (size_t I = 0; I != Count; ++I)
    To[I] = Tids[E.Thread[Row + I]];
}

/// First: the first row of the batch.
void EventBatch::addAllocations(const ReplayedRows &R, size_t First) {
  const EventTable &E = *R.Table;
  size_t Begin = R.Alloc;
  while (Begin != E.AllocRow.size() && E.AllocRow[Begin] < First)
    ++Begin;
  size_t End =
      std::lower_bound(E.AllocRow.begin() + Begin, E.AllocRow.end(), R.End) -
      E.AllocRow.begin();
  // Writes From of each allocation to its row.
  auto Each = [&](EventField F, auto *To, auto &&From) {
    if (has(F))
      for (size_t At = Begin; At != End; ++At)
        To[E.AllocRow[At] - First] = From(At);
  };
  Each(EF_Block, values<int64_t>(EF_Block), [&](size_t At) {
    return positive(E.FirstAllocationId + E.AllocationOffset[At]);
  });
  Each(EF_Size, values<int64_t>(EF_Size),
       [&](size_t At) { return positive(E.AllocSize[At]); });
  Each(EF_Heap, values<int32_t>(EF_Heap),
       [&](size_t At) { return int32_t(E.Heap[At]) - 1; });
  Each(EF_Stack, values<uint32_t>(EF_Stack),
       [&](size_t At) { return E.Stack[At]; });
  auto Path = [&](size_t At) {
    return E.ScopePath.empty() ? 0 : E.ScopePath[At];
  };
  Each(EF_Scope, values<int32_t>(EF_Scope),
       [&](size_t At) { return int32_t(Path(At)) - 1; });
  Each(EF_Layer, values<int32_t>(EF_Layer),
       [&](size_t At) { return layerOf(Path(At)); });
}

void EventBatch::addReferences(const ReplayedRows &R, size_t First) {
  const EventTable &E = *R.Table;
  size_t Begin = R.Ref;
  while (Begin != E.RefRow.size() && E.RefRow[Begin] < First)
    ++Begin;
  size_t End =
      std::lower_bound(E.RefRow.begin() + Begin, E.RefRow.end(), R.End) -
      E.RefRow.begin();
  auto Each = [&](EventField F, auto *To, auto &&From) {
    if (has(F))
      for (size_t At = Begin; At != End; ++At) {
        uint32_t Row = E.RefRow[At];
        To[Row - First] = From(At, R.Changes[Row - R.Row]);
      }
  };
  Each(EF_Block, values<int64_t>(EF_Block),
       [&](size_t At, const Change &) { return positive(E.Block[At]); });
  Each(EF_Size, values<int64_t>(EF_Size), [&](size_t At, const Change &C) {
    bool IsFree = E.Kind[E.RefRow[At]] == EventKind::Free;
    return positive(IsFree ? C.Bytes : E.RefSize[At]);
  });
  Each(EF_Heap, values<int32_t>(EF_Heap), [&](size_t, const Change &C) {
    return int32_t(R.Blocks->heapOf(C.Row)) - 1;
  });
  Each(EF_Stack, values<uint32_t>(EF_Stack),
       [&](size_t, const Change &C) { return R.Blocks->stackOf(C.Row); });
  // With BlocksOnly the row of a scope path is the scope path.
  Each(EF_Scope, values<int32_t>(EF_Scope),
       [&](size_t, const Change &C) { return int32_t(C.ScopeRow) - 1; });
  Each(EF_Layer, values<int32_t>(EF_Layer),
       [&](size_t, const Change &C) { return layerOf(C.ScopeRow); });
}

/// Marks values below 0 as missing. They become 0: some readers look at the
/// numbers of missing texts, too.
template <class T> static void markBelowZero(ColumnData &Of, size_t Rows) {
  size_t Bytes = (Rows + 7) / 8;
  Of.Valid = makeBuffer(Bytes);
  std::memset(Of.Valid.get(), 0xff, Bytes);
  T *Values = reinterpret_cast<T *>(Of.Values.get());
  for (size_t Row = 0; Row != Rows; ++Row) {
    if (Values[Row] >= 0)
      continue;
    Values[Row] = 0;
    Of.Valid.get()[Row / 8] &= ~(1u << Row % 8);
    ++Of.Nulls;
  }
}

void EventBatch::markMissing(ColumnData &Of, ColumnType Type) {
  if (Type == ColumnType::Int64)
    markBelowZero<int64_t>(Of, Rows);
  else
    markBelowZero<int32_t>(Of, Rows);
}

TableBatch EventBatch::take() {
  TableBatch Out;
  Out.Rows = Rows;
  for (EventField F : Wanted) {
    if (Fields[F].IsNullable)
      markMissing(Data[F], Fields[F].Type);
    Out.Columns.push_back(std::move(Data[F]));
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// The stream
//===----------------------------------------------------------------------===//

Error EventStream::start() {
  const Trace &T = *Of->T;
  const TimeWindow &W = Sel.times();
  bool FromSnapshot = W.Since && !W.Since->IsEnd && Sel.canStartNear();
  if (Error E = requireEvents(T, "a table of events needs",
                              FromSnapshot ? &*W.Since : nullptr))
    return E;
  uint64_t FromNs = W.Since ? W.Since->TimeNs : 0;
  ReplayOptions Options;
  if (Sel.hasAllBlocks()) {
    Options.BlocksOnly = true;
    Options.OnEvents = [this, FromNs](const ReplayedRows &R) {
      Now->add(R, FromNs);
      return hasRoom();
    };
  } else {
    Options.Select = [this](const Allocation &B) { return Sel.hasBlock(B); };
  }
  Options.OnEvent = [this, FromNs](const ReplayedEvent &E) {
    if (E.TimeNs >= FromNs)
      Now->add(E);
    return hasRoom();
  };
  Expected<std::unique_ptr<Replay>> Made = Replay::create(T.reader(), Options);
  if (!Made)
    return Made.takeError();
  Run = std::move(*Made);
  return FromSnapshot ? Run->startNear(FromNs) : Error::success();
}

Error EventStream::fill() {
  if (Run)
    return Run->resume();
  if (Error E = start())
    return E;
  return runTo(*Run, Sel.times().last());
}

Expected<std::optional<TableBatch>> EventStream::next() {
  std::lock_guard<std::mutex> Hold(Of->Lock);
  const TimePoint *Last = Sel.times().last();
  if (Ended || (Last && !Last->IsEnd && !Last->TimeNs && !Last->Events))
    return std::nullopt;
  Now.emplace(*Names, Wanted);
  Error Failed = fill();
  Ended = Failed || !Run || Run->isAtEnd();
  if (Ended)
    Run.reset();
  if (Failed)
    return std::move(Failed);
  if (!Now->rows())
    return std::nullopt;
  return Now->take();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::shared_ptr<const TextList>
listOf(size_t Count, function_ref<std::string(size_t)> Text) {
  TextList Out;
  for (size_t I = 0; I != Count; ++I)
    if (!Out.add(Text(I)))
      Out.Offsets.push_back(Out.Offsets.back());
  if (!Count)
    Out.add(""); // for the numbers of missing texts
  return std::make_shared<const TextList>(std::move(Out));
}

/// The layers of scope paths.
static void nameLayers(const Trace &T, EventNames &Names) {
  ChoiceList Layers;
  Names.LayerOf.assign(T.scopePaths().size() + 1, -1);
  // A parent's id is lower.
  for (uint32_t P = 1; P < Names.LayerOf.size(); ++P) {
    const ScopePath &Path = T.scopePaths()[P - 1];
    const ScopeRecord &S = T.scopes()[Path.Scope - 1];
    Names.LayerOf[P] = S.Kind == ScopeKind::Layer ? Layers.of(T.string(S.Name))
                                                  : Names.LayerOf[Path.Parent];
  }
  Names.Layers = Layers.take();
}

static std::shared_ptr<const EventNames> namesOf(const Trace &T,
                                                 ArrayRef<EventField> Wanted) {
  auto Out = std::make_shared<EventNames>();
  Out->Kinds = listOf(NumEventKinds, [](size_t K) {
    return enumName(static_cast<EventKind>(K)).str();
  });
  Out->Heaps = listOf(T.heaps().size(),
                      [&](size_t I) { return T.heapName(I + 1).str(); });
  if (is_contained(Wanted, EF_Scope))
    Out->Scopes = listOf(T.scopePaths().size(),
                         [&](size_t I) { return T.scopePathText(I + 1); });
  if (is_contained(Wanted, EF_Layer))
    nameLayers(T, *Out);
  Out->Pids.push_back(0);
  Out->Ranks.push_back(-1);
  for (const ProcessRecord &P : T.processes()) {
    Out->Pids.push_back(P.Pid);
    Out->Ranks.push_back(P.Place.Rank);
  }
  Out->Tids.push_back(0);
  for (const memkit::Thread &Th : T.threads())
    Out->Tids.push_back(Th.Tid);
  return Out;
}

EventsTable::EventsTable(std::shared_ptr<SharedTrace> O, Selection S,
                         std::shared_ptr<const EventNames> N,
                         std::vector<EventField> W)
    : Of(std::move(O)), Sel(std::move(S)), Names(std::move(N)),
      Wanted(std::move(W)) {
  for (EventField F : Wanted) {
    Columns.push_back(
        {Fields[F].Name.str(), Fields[F].Type, Fields[F].IsNullable, nullptr});
    if (F == EF_Kind)
      Columns.back().Choices = Names->Kinds;
    if (F == EF_Heap)
      Columns.back().Choices = Names->Heaps;
    if (F == EF_Scope)
      Columns.back().Choices = Names->Scopes;
    if (F == EF_Layer)
      Columns.back().Choices = Names->Layers;
  }
}

std::vector<std::string> eventColumnNames() {
  std::vector<std::string> Out;
  for (const FieldInfo &F : Fields)
    Out.push_back(F.Name.str());
  return Out;
}

std::vector<std::string> usualEventColumns() {
  return {"time_ns", "process", "thread", "kind",
          "block",   "size",    "heap",   "stack"};
}

Expected<TableRef> eventsTable(std::shared_ptr<SharedTrace> Of, Selection Sel,
                               ArrayRef<std::string> Columns) {
  if (Error E = Of->T->requireReader("a table of events needs"))
    return std::move(E);
  std::vector<EventField> Wanted;
  for (const std::string &Name : Columns) {
    const auto *At =
        find_if(Fields, [&](const FieldInfo &F) { return F.Name == Name; });
    if (At == std::end(Fields))
      return makeRequestError("no column '" + Name + "'; events have " +
                              join(eventColumnNames(), ", "));
    auto Field = static_cast<EventField>(At - Fields);
    if (is_contained(Wanted, Field))
      return makeRequestError("the column '" + Name + "' twice");
    Wanted.push_back(Field);
  }
  if (Wanted.empty())
    return makeRequestError("no columns");
  std::shared_ptr<const EventNames> Names = namesOf(*Of->T, Wanted);
  return std::make_shared<EventsTable>(std::move(Of), std::move(Sel),
                                       std::move(Names), std::move(Wanted));
}

} // namespace memkit
