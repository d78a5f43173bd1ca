// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlatBuffers to summaries.

#include "DecodeHelpers.h"
#include <algorithm>

using namespace memkit;

namespace {

/// A column of sums, in the planes' order; with a Base it is what that has
/// more.
struct SumColumn {
  const fb::Planes *Planes;
  uint64_t StackStats::*Member;
  uint64_t StackStats::*Base = nullptr;
};

/// So many rows stay in the first cache while their columns go by.
constexpr size_t RowsAtOnce = 128;

} // namespace

/// Fills N rows, that are all zero, with values From on of a column.
static void fillColumn(const SumColumn &C, size_t From, StackStats *Rows,
                       size_t N) {
  if (!C.Planes && !C.Base)
    return;
  uint64_t Values[RowsAtOnce];
  readPlanes(C.Planes, From, N, Values);
  if (C.Base)
    for (size_t I = 0; I != N; ++I)
      Rows[I].*C.Member = Rows[I].*C.Base - uint64_t(unzigzag(Values[I]));
  else
    for (size_t I = 0; I != N; ++I)
      Rows[I].*C.Member = Values[I];
}

template <class Table>
Decoder::Problem Decoder::stackStatsRows(const Table *T, StackStatsRows &Out) {
  TRY(known(T, Table::VT_SPACE_PEAK_BYTES));
  uint32_t N = T->count();
  if (N > MaxSectionRows)
    return "too many rows in a part of a summary";
  TRY(charge(N * sizeof(StackStats)));
  Out.Process = T->process();
  const fb::Planes *Key;
  if constexpr (std::is_same_v<Table, fb::StackRows>)
    Key = T->stack();
  else
    Key = T->scope_path();
  if (!decodePlanes(Key, N, Wide[0]) || !undoDifferences(Wide[0], UINT32_MAX) ||
      !decodePlanes(T->heap(), N, Narrow[0]))
    return "a column of a summary is malformed";
  // A column's base stands before it.
  const SumColumn Columns[] = {
      {T->allocations(), &StackStats::Allocations},
      {T->allocated_bytes(), &StackStats::AllocatedBytes},
      {T->splits(), &StackStats::Splits},
      {T->temporaries(), &StackStats::Temporaries},
      {T->live_blocks(), &StackStats::LiveBlocks},
      {T->live_bytes(), &StackStats::LiveBytes},
      {T->live_exclusive(), &StackStats::LiveExclusive, &StackStats::LiveBytes},
      {T->peak_bytes(), &StackStats::PeakBytes},
      {T->heap_peak_blocks(), &StackStats::HeapPeakBlocks},
      {T->heap_peak_bytes(), &StackStats::HeapPeakBytes},
      {T->space_peak_blocks(), &StackStats::SpacePeakBlocks,
       &StackStats::HeapPeakBlocks},
      {T->space_peak_bytes(), &StackStats::SpacePeakBytes,
       &StackStats::HeapPeakBytes},
  };
  for (const SumColumn &C : Columns)
    if (!planesFit<uint64_t>(C.Planes, N))
      return "a column of a summary has the wrong length";
  Out.Rows.clear();
  Out.Rows.reserve(N);
  for (size_t From = 0; From != N;) {
    size_t Count = std::min<size_t>(RowsAtOnce, N - From);
    Out.Rows.resize(From + Count);
    StackStats *Rows = Out.Rows.data() + From;
    for (size_t I = 0; I != Count; ++I) {
      Rows[I].Key = uint32_t(Wide[0][From + I]);
      Rows[I].Heap = Narrow[0][From + I];
    }
    for (const SumColumn &C : Columns)
      fillColumn(C, From, Rows, Count);
    From += Count;
  }
  return "";
}

template <class T> static void copyTotals(const T *From, TotalStats &To) {
  To.Allocations = From->allocations();
  To.Frees = From->frees();
  To.AllocatedBytes = From->allocated_bytes();
  To.FreedBytes = From->freed_bytes();
  To.Temporaries = From->temporaries();
  To.LiveBlocks = From->live_blocks();
  To.LiveBytes = From->live_bytes();
  To.PeakBytes = From->peak_bytes();
  To.PeakBlocks = From->peak_blocks();
  To.PeakTimeNs = From->peak_time_ns();
}

/// Gives each table of V to Do.
template <class V, class F> static std::string eachRow(const V *Tables, F Do) {
  if (Tables && Tables->size() > MaxSectionRows)
    return "too many rows in a summary";
  if (Tables)
    for (const auto *X : *Tables)
      if (std::string P = Do(X); !P.empty())
        return P;
  return "";
}

template <class V>
Decoder::Problem Decoder::shares(const V *From, SpaceShares &Out) {
  if (From)
    TRY(charge(From->size() * sizeof(SpaceShare)));
  return eachRow(From, [&](const fb::SpaceShare *X) -> Problem {
    TRY(known(X, fb::SpaceShare::VT_RESERVED_PEAK_BYTES));
    if (!Out.empty() && X->space() <= Out.back().Space)
      return "shares of spaces that do not rise";
    Out.push_back({X->space(), X->allocations(), X->frees(),
                   X->allocated_bytes(), X->freed_bytes(), X->live_bytes(),
                   X->peak_bytes(), X->rise_bytes(), X->reserved_peak_bytes()});
    return "";
  });
}

Decoder::Problem Decoder::decodeTotals(Summary &Out) {
  const fb::Summary *T = Root->body_as_Summary();
  TRY(known(T, fb::Summary::VT_THREADS));
  Out = Summary();
  Out.Number = T->number();
  Out.EndNs = T->end_ns();
  Out.Complete = T->complete();
  Out.Events = T->events();
  Out.Marks = T->marks();
  TRY(eachRow(T->heaps(), [&](const fb::HeapStats *X) -> Problem {
    TRY(known(X, fb::HeapStats::VT_SIZES));
    HeapStats H;
    H.Id = X->heap();
    copyTotals(X, H);
    H.ReservedKnown = X->reserved_known();
    H.ReservedBytes = X->reserved_bytes();
    H.ReservedPeakBytes = X->reserved_peak_bytes();
    H.ReservedAtPeakBytes = X->reserved_at_peak_bytes();
    H.GrowthFragmentationPpm = X->growth_fragmentation_ppm();
    if (const auto *Sizes = X->sizes()) {
      if (Sizes->size() > NumSizeClasses)
        return "too many classes of sizes";
      H.Sizes.assign(Sizes->begin(), Sizes->end());
    }
    Out.Heaps.push_back(H);
    return "";
  }));
  TRY(eachRow(T->spaces(), [&](const fb::SpaceStats *X) -> Problem {
    TRY(known(X, fb::SpaceStats::VT_PEAK_TIME_NS));
    TotalStats D;
    D.Id = X->space();
    copyTotals(X, D);
    Out.Spaces.push_back(D);
    return "";
  }));
  TRY(eachRow(T->processes(), [&](const fb::ProcessStats *X) -> Problem {
    TRY(known(X, fb::ProcessStats::VT_SHARES));
    Out.Processes.push_back({X->process(),
                             X->end_ns(),
                             X->ended(),
                             X->exit_status(),
                             X->signal(),
                             X->allocations(),
                             X->frees(),
                             X->inherited_frees(),
                             X->lost(),
                             X->live_bytes(),
                             X->peak_bytes(),
                             X->role(),
                             X->rss_peak_bytes(),
                             X->pss_peak_bytes(),
                             {}});
    return shares(X->shares(), Out.Processes.back().Shares);
  }));
  TRY(eachRow(T->steps(), [&](const fb::StepStats *X) -> Problem {
    TRY(known(X, fb::StepStats::VT_SHARES));
    Out.Steps.push_back({X->process(),
                         X->step(),
                         X->begin_ns(),
                         X->end_ns(),
                         X->allocations(),
                         X->frees(),
                         X->allocated_bytes(),
                         X->freed_bytes(),
                         X->peak_bytes(),
                         X->live_bytes(),
                         {}});
    return shares(X->shares(), Out.Steps.back().Shares);
  }));
  TRY(eachRow(T->layers(), [&](const fb::LayerStats *X) -> Problem {
    TRY(known(X, fb::LayerStats::VT_SHARES));
    if (X->kind() >= NumScopeKinds)
      return unknown(UnknownValues::Layers, "kind of scope", X->kind());
    Out.Layers.push_back({X->process(),
                          X->name(),
                          X->backward(),
                          X->calls(),
                          X->duration_ns(),
                          X->allocations(),
                          X->frees(),
                          X->allocated_bytes(),
                          X->peak_bytes(),
                          X->reserved_peak_bytes(),
                          X->fragmentation_ppm(),
                          ScopeKind(X->kind()),
                          X->rise_bytes(),
                          X->tensor_allocations(),
                          X->tensor_frees(),
                          X->tensor_allocated_bytes(),
                          X->tensor_freed_bytes(),
                          X->tensor_peak_bytes(),
                          {}});
    return shares(X->shares(), Out.Layers.back().Shares);
  }));
  TRY(eachRow(T->losses(), [&](const fb::Loss *X) -> Problem {
    TRY(known(X, fb::Loss::VT_COUNT));
    auto Kind = LossKind(X->kind());
    if (X->kind() >= NumLossKinds) {
      TRY(unknown(UnknownValues::Losses, "kind of loss", X->kind()));
      Kind = LossKind::Unknown;
    }
    Out.Losses.push_back({X->process(), Kind, X->count()});
    return "";
  }));
  TRY(eachRow(T->threads(), [&](const fb::ThreadStats *X) -> Problem {
    TRY(known(X, fb::ThreadStats::VT_NESTED_BYTES));
    Out.Threads.push_back({X->thread(), X->allocations(), X->allocated_bytes(),
                           X->nested_bytes()});
    return "";
  }));
  return decodeCategories(Out);
}

Decoder::Problem Decoder::decodeCategories(Summary &Out) {
  const fb::Summary *T = Root->body_as_Summary();
  TRY(eachRow(T->categories(), [&](const fb::CategoryStats *X) -> Problem {
    TRY(known(X, fb::CategoryStats::VT_BYTES));
    auto Category = TensorCategory(X->category());
    if (X->category() >= NumTensorCategories) {
      TRY(unknown(UnknownValues::Categories, "category of tensors",
                  X->category()));
      Category = TensorCategory::Unknown;
    }
    Out.Categories.push_back({X->heap(), X->process(), Category, X->oom(),
                              X->layer(), X->stack(), X->blocks(), X->bytes()});
    return "";
  }));
  TRY(eachRow(T->ooms(), [&](const fb::OomRecord *X) -> Problem {
    TRY(known(X, fb::OomRecord::VT_SKIPPED));
    Out.Ooms.push_back({X->number(), X->process(), X->heap(), X->thread(),
                        X->time_ns(), X->stack(), X->scope_path(),
                        X->requested(), X->skipped()});
    return "";
  }));
  return eachRow(T->oom_heaps(), [&](const fb::OomHeap *X) -> Problem {
    TRY(known(X, fb::OomHeap::VT_RESERVED_BYTES));
    Out.OomHeaps.push_back({X->oom(), X->heap(), X->live_blocks(),
                            X->live_bytes(), X->reserved_known(),
                            X->reserved_bytes()});
    return "";
  });
}

Decoder::Problem Decoder::decode(Summary &Out) {
  TRY(decodeTotals(Out));
  const fb::Summary *T = Root->body_as_Summary();
  TRY(eachRow(T->stack_rows(), [&](const fb::StackRows *X) {
    return stackStatsRows(X, Out.Stacks.emplace_back());
  }));
  TRY(eachRow(T->scope_rows(), [&](const fb::ScopeRows *X) {
    return stackStatsRows(X, Out.ScopePaths.emplace_back());
  }));
  return "";
}
