// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlatBuffers to summaries.

#include "DecodeHelpers.h"
#include "RowTables.h"
#include <algorithm>
#include <array>
#include <optional>

using namespace memkit;

namespace {

/// A column of sums, in the planes' order. With a Base, the column holds the
/// differences Base - Member, zigzag.
struct SumColumn {
  const fb::Planes *Planes;
  uint64_t StackStats::*Member;
  uint64_t StackStats::*Base = nullptr;
};

/// Rows decoded at a time, few enough to stay in the first-level cache.
constexpr size_t RowsAtOnce = 128;

} // namespace

/// Sets the member of N rows, which are zero, from the values of a column from
/// index From on.
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

/// The columns after those of heap and key, in the order of
/// StackStats::fields(); a column's base comes before the column.
template <class Table>
static std::array<SumColumn, NumFields<StackStats>> sumColumns(const Table *T) {
  constexpr size_t First = 4; // process, count, heap, key
  static_assert(listsFields<Table, StackStats, First>(),
                "fields() is not as the schema");
  std::array<SumColumn, NumFields<StackStats>> Columns;
  forEachField<StackStats>([&](auto I) {
    constexpr auto F = fieldAt<StackStats, I>;
    Columns[I] = {T->template get_field<First + I>(), F.Member, F.Base};
  });
  return Columns;
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
  const auto Columns = sumColumns(T);
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
  return {};
}

/// Calls Do for each table of V.
template <class V, class F> static std::string eachRow(const V *Tables, F Do) {
  if (Tables && Tables->size() > MaxSectionRows)
    return "too many rows in a summary";
  if (Tables)
    for (const auto *X : *Tables)
      if (std::string P = Do(X); !P.empty())
        return P;
  return {};
}

/// How readers treat unknown values of an enumeration.
template <class E> struct UnknownRule;
template <> struct UnknownRule<LossKind> {
  static constexpr uint8_t NumKnown = NumLossKinds;
  static constexpr auto Where = UnknownValues::Losses;
  static constexpr const char *Name = "kind of loss";
  static constexpr std::optional<LossKind> ReadAs = LossKind::Unknown;
};
template <> struct UnknownRule<ScopeKind> {
  static constexpr uint8_t NumKnown = NumScopeKinds;
  static constexpr auto Where = UnknownValues::Layers;
  static constexpr const char *Name = "kind of scope";
  /// The row is skipped.
  static constexpr std::optional<ScopeKind> ReadAs = std::nullopt;
};
template <> struct UnknownRule<TensorCategory> {
  static constexpr uint8_t NumKnown = NumTensorCategories;
  static constexpr auto Where = UnknownValues::Categories;
  static constexpr const char *Name = "category of tensors";
  static constexpr std::optional<TensorCategory> ReadAs =
      TensorCategory::Unknown;
};

template <> struct UnknownRule<OomKind> {
  static constexpr uint8_t NumKnown = NumOomKinds;
  static constexpr auto Where = UnknownValues::Ooms;
  static constexpr const char *Name = "kind of out-of-memory event";
  static constexpr std::optional<OomKind> ReadAs = OomKind::Failed;
};
template <> struct UnknownRule<LimitKind> {
  static constexpr uint8_t NumKnown = NumLimitKinds;
  static constexpr auto Where = UnknownValues::Ooms;
  static constexpr const char *Name = "kind of limit";
  static constexpr std::optional<LimitKind> ReadAs = LimitKind::Unknown;
};

template <> struct UnknownRule<WorkKind> {
  static constexpr uint8_t NumKnown = NumWorkKinds;
  static constexpr auto Where = UnknownValues::DeviceTimes;
  static constexpr const char *Name = "kind of device work";
  static constexpr std::optional<WorkKind> ReadAs = WorkKind::Unknown;
};

template <class E>
Decoder::Problem Decoder::readEnum(uint8_t Value, E &Out, bool &Keep) {
  using OfEnum = UnknownRule<E>;
  Out = E(Value);
  if (Value < OfEnum::NumKnown)
    return {};
  TRY(unknown(OfEnum::Where, OfEnum::Name, Value));
  Keep = OfEnum::ReadAs.has_value();
  Out = OfEnum::ReadAs.value_or(E());
  return {};
}

template <class Table, class Row>
Decoder::Problem Decoder::readRow(const Table *T, Row &Out, bool &Keep) {
  static_assert(listsFields<Table, Row>(), "fields() is not as the schema");
  constexpr unsigned FirstField = 4; // its VT_ constant
  TRY(known(T, FirstField + 2 * (NumFields<Row> - 1)));
  Problem P;
  forEachField<Row>([&](auto I) {
    auto &Field = Out.*fieldAt<Row, I>.Member;
    using F = std::remove_reference_t<decltype(Field)>;
    auto Value = T->template get_field<I>();
    if constexpr (std::is_arithmetic_v<F>) {
      Field = Value;
    } else if constexpr (std::is_enum_v<F>) {
      if (P.empty())
        P = readEnum(Value, Field, Keep);
    } else if (Value && P.empty()) {
      P = readList(*Value, Field);
    }
  });
  return P;
}

/// Reads the size classes of a heap.
template <class V>
Decoder::Problem Decoder::readList(const V &From, std::vector<uint64_t> &Out) {
  if (From.size() > NumSizeClasses)
    return "too many classes of sizes";
  Out.assign(From.begin(), From.end());
  return {};
}

template <class V>
Decoder::Problem Decoder::readList(const V &From, SpaceShares &Out) {
  TRY(charge(From.size() * sizeof(SpaceShare)));
  TRY(readRows(&From, Out));
  for (size_t I = 1; I < Out.size(); ++I)
    if (Out[I].Space <= Out[I - 1].Space)
      return "shares of spaces that do not rise";
  return {};
}

template <class V, class Row>
Decoder::Problem Decoder::readRows(const V *Tables, std::vector<Row> &Out) {
  return eachRow(Tables, [&](const auto *X) {
    bool Keep = true;
    Problem P = readRow(X, Out.emplace_back(), Keep);
    if (!Keep)
      Out.pop_back();
    return P;
  });
}

Decoder::Problem Decoder::decodeTotals(Summary &Out) {
  const fb::Summary *T = Root->body_as_Summary();
  TRY(known(T, fb::Summary::VT_DEVICE_TIMES));
  Out = Summary();
  Out.Number = T->number();
  Out.EndNs = T->end_ns();
  Out.Complete = T->complete();
  Out.Events = T->events();
  Out.Marks = T->marks();
  TRY(readRows(T->heaps(), Out.Heaps));
  TRY(readRows(T->spaces(), Out.Spaces));
  TRY(readRows(T->processes(), Out.Processes));
  TRY(readRows(T->steps(), Out.Steps));
  TRY(readRows(T->layers(), Out.Layers));
  TRY(readRows(T->losses(), Out.Losses));
  TRY(readRows(T->threads(), Out.Threads));
  TRY(readRows(T->parameters(), Out.Parameters));
  TRY(readRows(T->device_times(), Out.DeviceTimes));
  TRY(readRows(T->categories(), Out.Categories));
  TRY(readRows(T->ooms(), Out.Ooms));
  return readRows(T->oom_heaps(), Out.OomHeaps);
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
  return {};
}

Decoder::Problem Decoder::decode(Partial &Out) {
  const fb::Partial *T = Root->body_as_Partial();
  TRY(known(T, fb::Partial::VT_DEVICE_TIMES));
  Out = Partial();
  Out.Number = T->number();
  Out.EndNs = T->end_ns();
  Out.Complete = T->complete();
  TRY(readRows(T->processes(), Out.Processes));
  TRY(readRows(T->layers(), Out.Layers));
  TRY(readRows(T->parameters(), Out.Parameters));
  TRY(readRows(T->device_times(), Out.DeviceTimes));
  TRY(readRows(T->categories(), Out.Categories));
  TRY(readRows(T->ooms(), Out.Ooms));
  return readRows(T->oom_heaps(), Out.OomHeaps);
}

Decoder::Problem Decoder::decode(BlockCategories &Out) {
  const fb::BlockCategories *T = Root->body_as_BlockCategories();
  TRY(known(T, fb::BlockCategories::VT_DTYPE));
  uint32_t N = T->count();
  Out.Process = T->process();
  Out.Rows.clear();
  if (N > MaxSectionRows)
    return "too many categories of blocks in a section";
  std::vector<uint8_t> Category, Dtype;
  if (!decodePlanes(T->allocation_id(), N, Wide[0]) ||
      !copyBytes(T->category(), N, Category) ||
      !copyBytes(T->dtype(), T->dtypes() ? N : 0, Dtype))
    return "a column of categories of blocks has the wrong length";
  if (T->dtypes() && T->dtypes()->size() > BlockCategories::MaxDtypes)
    return "too many dtypes in a section";
  Out.Rows.resize(N);
  uint64_t Id = 0;
  for (uint32_t I = 0; I != N; ++I) {
    if ((I && !Wide[0][I]) || Wide[0][I] > UINT64_MAX - Id)
      return "the categories of blocks are out of order";
    Id += Wide[0][I];
    Out.Rows[I].AllocationId = Id;
    if (!Dtype.empty() && Dtype[I]) {
      if (Dtype[I] > T->dtypes()->size())
        return "a dtype of a block is out of range";
      Out.Rows[I].Dtype = T->dtypes()->Get(Dtype[I] - 1u);
    }
    using UnknownCategory = UnknownRule<TensorCategory>;
    if (Category[I] < UnknownCategory::NumKnown ||
        Category[I] == uint8_t(TensorCategory::None))
      Out.Rows[I].Category = TensorCategory(Category[I]);
    else
      TRY(unknown(UnknownCategory::Where, UnknownCategory::Name, Category[I]));
  }
  return "";
}

Decoder::Problem Decoder::decode(ScopeTimes &Out) {
  const fb::ScopeTimes *T = Root->body_as_ScopeTimes();
  TRY(known(T, fb::ScopeTimes::VT_SCOPE_PATH));
  uint32_t N = T->count();
  Out = ScopeTimes();
  Out.Process = T->process();
  if (N > MaxSectionRows || (T->threads() && T->threads()->size() > N))
    return "too many changes of scopes in a section";
  std::vector<uint8_t> Gaps;
  if (!copyBytes(T->gap(), N, Gaps) ||
      !decodePlanes(T->scope_path(), N, Narrow[0]))
    return "a column of scope times has the wrong length";
  size_t At = 0;
  for (uint32_t I = 0; T->threads() && I != T->threads()->size(); ++I) {
    const fb::ThreadScopes *Of = T->threads()->Get(I);
    size_t Count = Of->changes();
    // Times are added up.
    constexpr uint64_t MaxTimeNs = uint64_t(1) << 62;
    if (!Count || Count > N - At || Of->first_time_ns() > MaxTimeNs ||
        Of->first_time_ns() % TimeUnitNs)
      return "the changes of a thread's scopes are malformed";
    ThreadScopes &To = Out.Threads.emplace_back();
    To.Thread = Of->thread();
    To.FirstNs = Of->first_time_ns();
    To.Gaps.assign(Gaps.begin() + ptrdiff_t(At),
                   Gaps.begin() + ptrdiff_t(At + Count));
    To.ScopePaths.assign(Narrow[0].begin() + ptrdiff_t(At),
                         Narrow[0].begin() + ptrdiff_t(At + Count));
    At += Count;
  }
  return At == N ? "" : "changes of scopes belong to no thread";
}

/// Reads the column of field I into the rows of Out.
template <size_t I>
Decoder::Problem Decoder::spanColumn(const fb::DeviceSpans *T,
                                     DeviceSpans &Out) {
  constexpr auto F = fieldAt<DeviceSpan, I>;
  constexpr size_t First = 2; // process, count
  using V = std::remove_reference_t<decltype(Out.Rows[0].*F.Member)>;
  constexpr bool IsDifference = F.Name == DeviceSpan::Difference;
  // Times are added up.
  constexpr uint64_t Max = sizeof(V) == 4 ? UINT32_MAX : uint64_t(1) << 62;
  std::vector<uint64_t> &Values = Wide[0];
  if (!decodePlanes(T->template get_field<First + I>(), Out.Rows.size(),
                    Values) ||
      (IsDifference && !undoDifferences(Values, Max)))
    return "a column of device spans is malformed";
  for (size_t Row = 0; Row != Values.size(); ++Row) {
    auto &To = Out.Rows[Row].*F.Member;
    if constexpr (std::is_enum_v<V>) {
      bool Keep = true;
      TRY(readEnum(uint8_t(std::min<uint64_t>(Values[Row], UINT8_MAX)), To,
                   Keep));
    } else {
      if (Values[Row] > Max)
        return "a value of device spans is out of range";
      To = V(Values[Row]);
    }
  }
  return {};
}

Decoder::Problem Decoder::decode(DeviceSpans &Out) {
  const fb::DeviceSpans *T = Root->body_as_DeviceSpans();
  TRY(known(T, fb::DeviceSpans::VT_DURATION_NS));
  Out = DeviceSpans();
  Out.Process = T->process();
  if (T->count() > MaxSectionRows)
    return "too many device spans in a section";
  TRY(charge(T->count() * sizeof(DeviceSpan)));
  Out.Rows.resize(T->count());
  Problem P;
  forEachField<DeviceSpan>([&](auto I) {
    if (P.empty())
      P = spanColumn<I>(T, Out);
  });
  return P;
}
