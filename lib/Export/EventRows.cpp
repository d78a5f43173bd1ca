// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events as rows of chosen columns.

#include "EventRows.h"
#include "Model/EventPieces.h"
#include "Model/ScopeOccurrences.h"
#include "OrderedText.h"
#include "PathTable.h"
#include "StackText.h"
#include "Support/CsvField.h"
#include "Support/RunEach.h"
#include "memkit/Model/BlockCategories.h"
#include "memkit/Model/Replay.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

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
  StringRef Layer;
  std::optional<uint64_t> Allocated, Reserved;
  StringRef Category;
};

class RowWriter {
public:
  RowWriter(raw_ostream &OS, const Trace &T, const Selection &Sel,
            ArrayRef<EventColumn> Columns, bool Json)
      : OS(OS), T(T), Sel(Sel), Columns(Columns), Json(Json),
        WithLayers(is_contained(Columns, EventColumn::Layer)),
        WithStacks(is_contained(Columns, EventColumn::Stack)) {
    if (!WithLayers)
      return;
    Spans.emplace(T.scopePaths());
    // A parent's id is lower.
    LayerOf.resize(T.scopePaths().size() + 1);
    for (uint32_t C = 1; C < LayerOf.size(); ++C) {
      const ScopePath &Co = T.scopePaths()[C - 1];
      const ScopeRecord &S = T.scopes()[Co.Scope - 1];
      LayerOf[C] =
          S.Kind == ScopeKind::Layer ? T.string(S.Name) : LayerOf[Co.Parent];
    }
  }

  Error run(function_ref<bool()> Failed);

private:
  bool mayBeInPieces() const;
  Error runPieces(const EventPieces &Pieces, function_ref<bool()> Failed);
  std::function<bool(const Allocation &)> selects() const;
  void head();
  void event(const LiveStats &A, const ReplayedEvent &E);
  void layer(const ScopeOccurrences::ScopeOccurrence &S, bool Begins,
             uint64_t TimeNs);
  void write(const EventValues &R);
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
  const Selection &Sel;
  ArrayRef<EventColumn> Columns;
  bool Json, WithLayers, WithStacks;
  std::optional<ScopeOccurrences> Spans; ///< with layers
  std::vector<StringRef> LayerOf;        ///< by scope path; with layers
  std::optional<CategoryGroups> Categories;
  std::string Path;
  uint64_t LastNs = 0;
};

} // namespace

static StringRef columnName(EventColumn C) {
  static constexpr StringLiteral Names[] = {
      "time_ns",       "process",         "thread",
      "kind",          "block",           "size",
      "heap",          "stack",           "layer",
      "scope_path",    "allocated_bytes", "reserved_bytes",
      "fragmentation", "category"};
  return Names[static_cast<size_t>(C)];
}

static StringRef kindName(EventKind K) {
  static constexpr StringLiteral Names[] = {"alloc", "free", "resize", "split"};
  return Names[static_cast<size_t>(K)];
}

void RowWriter::text(StringRef Text) {
  if (!Json)
    printField(OS, Text);
  else
    OS << jsonTextOrNull(Text);
}

StringRef RowWriter::pathOf(uint32_t Stack) {
  Path.clear();
  std::vector<ShownFrame> Frames = T.shownStack(Stack);
  for (const ShownFrame &F : reverse(Frames)) {
    if (!Path.empty())
      Path += ';';
    Path += pathName(F.Label);
  }
  return Path;
}

void RowWriter::field(const EventValues &R, EventColumn C) {
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

void RowWriter::write(const EventValues &R) {
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

void RowWriter::layer(const ScopeOccurrences::ScopeOccurrence &S, bool Begins,
                      uint64_t TimeNs) {
  const ScopeRecord &Sc = T.scopes()[T.scopePaths()[S.ScopePath - 1].Scope - 1];
  if (Sc.Kind != ScopeKind::Layer)
    return;
  EventValues R;
  R.TimeNs = TimeNs;
  R.Thread = S.Thread;
  R.Process = T.threads()[S.Thread - 1].Process;
  R.Kind = Begins ? "enter" : "exit";
  R.Layer = T.string(Sc.Name);
  R.ScopePath = S.ScopePath;
  write(R);
}

void RowWriter::event(const LiveStats &A, const ReplayedEvent &E) {
  const TimeWindow &W = Sel.times();
  if (W.Since && E.TimeNs < W.Since->TimeNs)
    return;
  LastNs = E.TimeNs;
  if (WithLayers && E.Kind == EventKind::Allocate)
    Spans->allocation(E.Thread, E.ScopePath, E.TimeNs,
                      [&](const ScopeOccurrences::ScopeOccurrence &S,
                          bool Begins) { layer(S, Begins, E.TimeNs); });
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
  R.Allocated = A.heapLiveBytes(E.Heap);
  R.Reserved = A.heapReserved(E.Heap);
  if (Categories)
    if (uint32_t Group = Categories->of(E.Process, E.Heap, E.Block))
      R.Category = CategoryGroups::name(Group);
  write(R);
}

void RowWriter::head() {
  for (size_t I = 0; I != Columns.size(); ++I)
    OS << (I ? "," : "") << columnName(Columns[I]);
  OS << '\n';
}

/// Layers and categories follow from all events before.
bool RowWriter::mayBeInPieces() const {
  return !WithLayers && !Categories && !Sel.times().Since &&
         !Sel.times().last() && Sel.canStartNear();
}

std::function<bool(const Allocation &)> RowWriter::selects() const {
  if (Sel.hasAllBlocks())
    return nullptr;
  return [this](const Allocation &B) { return Sel.hasBlock(B); };
}

Error RowWriter::runPieces(const EventPieces &Pieces,
                           function_ref<bool()> Failed) {
  OrderedText Text(OS, Failed);
  runEach(Pieces.size(), [&](size_t At) {
    OrderedText::TextPart Part(Text, At);
    RowWriter Rows(Part.os(), T, Sel, Columns, Json);
    Part.finish(Pieces.replay(At, selects(),
                              [&](const LiveStats &A, const ReplayedEvent &E) {
                                Rows.event(A, E);
                                return Part.advance();
                              }));
  });
  return Text.takeError();
}

Error RowWriter::run(function_ref<bool()> Failed) {
  const TimeWindow &W = Sel.times();
  bool FromSnapshot = W.Since && !W.Since->IsEnd && Sel.canStartNear();
  if (Error E = requireEvents(T, "a table of events needs",
                              FromSnapshot ? &*W.Since : nullptr))
    return E;
  if (is_contained(Columns, EventColumn::Category)) {
    auto Table = BlockCategoryTable::read(T.reader());
    if (!Table)
      return Table.takeError();
    if ((*Table)->size())
      Categories.emplace(T, std::move(*Table));
  }
  if (!Json)
    head();
  if (mayBeInPieces())
    if (auto Pieces =
            EventPieces::divide(T.reader(), wantedEventPieces(T.reader())))
      return runPieces(*Pieces, Failed);
  ReplayOptions Options;
  LiveStats *A = nullptr;
  Options.Select = selects();
  Options.OnEvent = [&](const ReplayedEvent &E) {
    event(*A, E);
    return !Failed();
  };
  Expected<std::unique_ptr<Replay>> R = Replay::create(T.reader(), Options);
  if (!R)
    return R.takeError();
  A = &(*R)->stats();
  if (FromSnapshot)
    if (Error E = (*R)->startNear(W.Since->TimeNs))
      return E;
  if (Error E = runTo(**R, W.last()))
    return E;
  if (Spans)
    Spans->finish(LastNs, [&](const ScopeOccurrences::ScopeOccurrence &S,
                              bool Begins) { layer(S, Begins, LastNs); });
  return Error::success();
}

Error writeEventRows(raw_ostream &OS, const Trace &T, const Selection &Sel,
                     ArrayRef<EventColumn> Columns, bool Json,
                     function_ref<bool()> Failed) {
  return RowWriter(OS, T, Sel, Columns, Json).run(Failed);
}

} // namespace memkit
