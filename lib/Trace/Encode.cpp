// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections to FlatBuffers.

#include "Encode.h"
#include "RowTables.h"
#include "llvm/ADT/STLExtras.h"

using namespace memkit;
using namespace llvm;
using flatbuffers::Offset;

namespace {
/// Shorter columns do not repay the cost of an entropy table of their own.
constexpr size_t SmallestCut = 1024;
} // namespace

void Encoder::begin() {
  B.Clear();
  Vectors.clear();
  Cuts.clear();
}

Bytes Encoder::finish(fb::Body Kind, Off<void> Body) {
  fb::FinishSizePrefixedSectionBuffer(B, fb::CreateSection(B, Kind, Body));
  const uint8_t *Begin = B.GetBufferPointer();
  size_t Size = B.GetSize();
  // An offset counts back from the end; a vector begins with its length.
  for (auto V : Vectors) {
    size_t At = Size - V.o;
    auto *Vector =
        reinterpret_cast<const flatbuffers::Vector<uint8_t> *>(Begin + At);
    if (Vector->size() < SmallestCut)
      continue;
    size_t Data = At + sizeof(flatbuffers::uoffset_t);
    Cuts.push_back(Data);
    Cuts.push_back(Data + Vector->size());
  }
  llvm::sort(Cuts);
  Cuts.erase(std::unique(Cuts.begin(), Cuts.end()), Cuts.end());
  return Bytes(Begin, Size);
}

Encoder::OffVector<uint8_t> Encoder::bytes(ArrayRef<uint8_t> V) {
  if (V.empty())
    return 0;
  auto Out = B.CreateVector(V.data(), V.size());
  Vectors.push_back(Out);
  return Out;
}

Encoder::OffVector<Offset<flatbuffers::String>>
Encoder::strings(const std::vector<std::string> &V) {
  std::vector<Off<flatbuffers::String>> Out;
  for (const std::string &S : V)
    Out.push_back(B.CreateString(S));
  return B.CreateVector(Out);
}

static fb::Clock clock(const ClockTriple &C) {
  return fb::Clock(C.Tsc, C.MonotonicNs, C.RealtimeNs);
}

Bytes Encoder::encode(const Header &H) {
  begin();
  auto Tool = B.CreateString(H.Tool);
  auto Command = strings(H.Command);
  auto Host = B.CreateString(H.Host);
  auto BootId = B.CreateString(H.BootId);
  auto Options = strings(H.Options);
  auto Os = B.CreateString(H.Os);
  // A header without facts is written as before facts were known.
  auto Machine = H.Machine.empty() ? decltype(Options)() : strings(H.Machine);
  auto Imported =
      H.Imported.empty() ? decltype(Options)() : strings(H.Imported);
  fb::Clock Start = clock(H.Start);
  return finish(fb::Body::Header,
                fb::CreateHeader(B, H.Container, H.Format, Tool, Command, Host,
                                 BootId, H.Pid, H.Rank, H.WorldSize, Options,
                                 &Start, H.TscHz, H.PageSize, H.Cpus, Os,
                                 Machine, Imported)
                    .Union());
}

Bytes Encoder::encode(const Marks &M) {
  begin();
  std::vector<Off<fb::Mark>> Rows;
  for (const Mark &R : M.Rows) {
    auto Values = R.Values.empty() ? 0 : B.CreateVector(R.Values);
    fb::Clock C = clock(R.Clock);
    Rows.push_back(fb::CreateMark(
        B, uint8_t(R.Kind), R.Process, R.TimeNs, R.Thread, R.Name, R.Id, R.Heap,
        R.Stack, R.ScopePath, Values, R.Clock == ClockTriple() ? nullptr : &C));
  }
  return finish(fb::Body::Marks,
                fb::CreateMarks(B, B.CreateVector(Rows)).Union());
}

Bytes Encoder::encode(const Intervals &S) {
  begin();
  std::vector<fb::IntervalHead> Heads;
  uint32_t Count = 0;
  for (const Interval &R : S.Rows) {
    Heads.emplace_back(R.Index, R.FirstStep, R.LastStep, R.BeginNs, R.EndNs,
                       uint32_t(R.Rows.size()));
    Count += uint32_t(R.Rows.size());
  }
  // A column over the rows of all intervals, without a copy of the rows.
  auto Column = [&](auto Get) {
    Wide.clear();
    Wide.reserve(Count);
    for (const Interval &R : S.Rows)
      for (const IntervalRow &Row : R.Rows)
        Wide.push_back(Get(Row));
    return planes(ArrayRef<uint64_t>(Wide));
  };
  auto Heap = Column([](const IntervalRow &R) { return R.Heap; });
  uint64_t Last = 0;
  auto Stack = Column([&](const IntervalRow &R) {
    return zigzag(int64_t(R.Stack - std::exchange(Last, R.Stack)));
  });
  auto Blocks = Column([](const IntervalRow &R) { return R.LiveBlocks; });
  auto Live = Column([](const IntervalRow &R) { return R.LiveBytes; });
  auto Allocations = Column([](const IntervalRow &R) { return R.Allocations; });
  auto Allocated =
      Column([](const IntervalRow &R) { return R.AllocatedBytes; });
  auto Temporaries = Column([](const IntervalRow &R) { return R.Temporaries; });
  std::vector<uint8_t> Stats;
  for (const Interval &R : S.Rows)
    Stats.push_back(static_cast<uint8_t>(R.Detail));
  return finish(fb::Body::Intervals,
                fb::CreateIntervals(B, S.Process,
                                    B.CreateVectorOfStructs(Heads), Count, Heap,
                                    Stack, Blocks, Live, bytes(Stats),
                                    Allocations, Allocated, Temporaries)
                    .Union());
}

Bytes Encoder::encode(const Lifetimes &L) {
  begin();
  // A column over all rows' lists Member, without a copy of the lists.
  auto Column = [&](auto Member, auto Get) {
    Wide.clear();
    for (const LifetimeRow &R : L.Rows)
      for (const auto &X : R.*Member)
        Wide.push_back(Get(X));
    return planes(ArrayRef<uint64_t>(Wide));
  };
  auto Byte = [&](auto Get) {
    std::vector<uint8_t> V;
    for (const LifetimeRow &R : L.Rows)
      for (const LateFrees &F : R.Frees)
        V.push_back(Get(F));
    return bytes(V);
  };
  auto Cohorts = &LifetimeRow::Cohorts;
  auto Frees = &LifetimeRow::Frees;
  std::vector<fb::LifetimeCut> Cuts;
  for (const LifetimeCut &C : L.Cuts)
    Cuts.emplace_back(C.Space, C.Intervals);
  uint32_t NumCohorts = 0, NumFrees = 0;
  for (const LifetimeRow &R : L.Rows) {
    NumCohorts += uint32_t(R.Cohorts.size());
    NumFrees += uint32_t(R.Frees.size());
  }
  uint64_t Before = 0;
  auto Heap = column(L.Rows, [](const LifetimeRow &R) { return R.Heap; });
  auto Stack =
      differences(L.Rows, [](const LifetimeRow &R) { return R.Stack; });
  auto CohortsOf =
      column(L.Rows, [](const LifetimeRow &R) { return R.Cohorts.size(); });
  auto FreesOf =
      column(L.Rows, [](const LifetimeRow &R) { return R.Frees.size(); });
  auto Interval = Column(Cohorts, [&](const Cohort &C) {
    return zigzag(int64_t(C.Interval) -
                  int64_t(std::exchange(Before, C.Interval)));
  });
  auto More =
      Column(Cohorts, [](const Cohort &C) { return C.Last - C.Interval; });
  auto Blocks = Column(Cohorts, [](const Cohort &C) { return C.Blocks; });
  auto Live = Column(Cohorts, [](const Cohort &C) { return C.Bytes; });
  auto Steps = Byte([](const LateFrees &F) { return F.Age.Steps; });
  auto Time = Byte([](const LateFrees &F) { return F.Age.Time; });
  auto In = Column(Frees, [](const LateFrees &F) { return F.Intervals; });
  auto Freed = Column(Frees, [](const LateFrees &F) { return F.Blocks; });
  auto FreedBytes = Column(Frees, [](const LateFrees &F) { return F.Bytes; });
  return finish(
      fb::Body::Lifetimes,
      fb::CreateLifetimes(B, L.Process, L.Last, B.CreateVectorOfStructs(Cuts),
                          uint32_t(L.Rows.size()), Heap, Stack, CohortsOf,
                          FreesOf, NumCohorts, Interval, More, Blocks, Live,
                          NumFrees, Steps, Time, In, Freed, FreedBytes)
          .Union());
}

Bytes Encoder::encode(const Snapshot &K) {
  begin();
  const auto &V = K.Blocks;
  uint64_t Last = 0;
  auto AllocationId = column(V, [&](const LiveBlock &L) {
    uint64_t D = L.AllocationId - Last;
    Last = L.AllocationId;
    return D;
  });
  auto Stack = column(V, [](const LiveBlock &L) { return L.Stack; });
  auto ScopePath = column(V, [](const LiveBlock &L) { return L.ScopePath; });
  auto Heap = column(V, [](const LiveBlock &L) { return L.Heap; });
  auto Size = column(V, [](const LiveBlock &L) { return L.Size; });
  auto AllocationTime = column(V, [&](const LiveBlock &L) {
    return (K.TimeNs - L.AllocatedNs) / TimeUnitNs;
  });
  auto Address = column(V, [](const LiveBlock &L) { return L.Address; });
  auto Enclosing = column(V, [](const LiveBlock &L) { return L.Enclosing; });
  auto Weight = column(V, [](const LiveBlock &L) { return L.Weight; });
  return finish(fb::Body::Snapshot,
                fb::CreateSnapshot(B, K.Process, K.TimeNs, K.Events,
                                   K.NextAllocationId, K.Part, K.Last,
                                   uint32_t(V.size()), AllocationId, Stack,
                                   ScopePath, Heap, Size, AllocationTime,
                                   Address, Enclosing, Weight)
                    .Union());
}

template <class Table>
Offset<Table> Encoder::stackStatsRows(const StackStatsRows &R) {
  const auto &V = R.Rows;
  auto Heap = column(V, [](const StackStats &S) { return S.Heap; });
  auto Key = differences(V, [](const StackStats &S) { return S.Key; });
  Off<fb::Planes> Columns[NumFields<StackStats>];
  forEachField<StackStats>([&](auto I) {
    constexpr auto F = fieldAt<StackStats, I>;
    Columns[I] = column(V, [&](const StackStats &S) {
      if constexpr (F.Base != nullptr)
        return zigzag(int64_t(S.*F.Base - S.*F.Member));
      else
        return S.*F.Member;
    });
  });
  auto Start = B.StartTable();
  B.AddElement<uint32_t>(Table::VT_PROCESS, R.Process, 0);
  B.AddElement<uint32_t>(Table::VT_COUNT, uint32_t(V.size()), 0);
  flatbuffers::voffset_t At = Table::VT_HEAP;
  auto Add = [&](Off<fb::Planes> Column) {
    B.AddOffset(At, Column);
    At += sizeof(flatbuffers::voffset_t);
  };
  Add(Heap);
  Add(Key);
  for (Off<fb::Planes> Column : Columns)
    Add(Column);
  return Off<Table>(B.EndTable(Start));
}

/// Null for an empty vector, which then takes no room in the file.
template <class T>
Encoder::OffVector<T> Encoder::some(const std::vector<T> &V) {
  return V.empty() ? OffVector<T>() : B.CreateVector(V);
}

template <class T> auto Encoder::stored(const T &Value) {
  if constexpr (std::is_enum_v<T>)
    return uint8_t(Value);
  else if constexpr (std::is_same_v<T, SpaceShares>)
    return some(rows<fb::SpaceShare>(Value));
  else if constexpr (std::is_same_v<T, std::vector<uint64_t>>)
    return some(Value);
  else
    return Value;
}

template <class Table, class Row>
std::vector<Offset<Table>> Encoder::rows(const std::vector<Row> &V) {
  static_assert(listsFields<Table, Row>(), "fields() is not as the schema");
  std::vector<Off<Table>> All;
  All.reserve(V.size());
  for (const Row &R : V)
    All.push_back(std::apply(
        [&](const auto &...F) {
          return Table::Traits::Create(B, stored(R.*F.Member)...);
        },
        Row::fields()));
  return All;
}

Bytes Encoder::encode(const Summary &S) {
  begin();
  std::vector<Off<fb::StackRows>> Stacks;
  for (const StackStatsRows &R : S.Stacks)
    Stacks.push_back(stackStatsRows<fb::StackRows>(R));
  std::vector<Off<fb::ScopeRows>> ScopePaths;
  for (const StackStatsRows &R : S.ScopePaths)
    ScopePaths.push_back(stackStatsRows<fb::ScopeRows>(R));
  auto Heaps = rows<fb::HeapStats>(S.Heaps);
  auto Spaces = rows<fb::SpaceStats>(S.Spaces);
  auto Processes = rows<fb::ProcessStats>(S.Processes);
  auto Steps = rows<fb::StepStats>(S.Steps);
  auto Layers = rows<fb::LayerStats>(S.Layers);
  auto Losses = rows<fb::Loss>(S.Losses);
  auto Categories = rows<fb::CategoryStats>(S.Categories);
  auto Ooms = rows<fb::OomRecord>(S.Ooms);
  auto OomHeaps = rows<fb::OomHeap>(S.OomHeaps);
  // Null if empty: the lists of tensors take no room in a trace without
  // tensors.
  auto CategoriesV = some(Categories);
  auto OomsV = some(Ooms);
  auto OomHeapsV = some(OomHeaps);
  auto ThreadsV = some(rows<fb::ThreadStats>(S.Threads));
  auto ParametersV = some(rows<fb::ParameterStats>(S.Parameters));
  auto DeviceTimesV = some(rows<fb::DeviceTimeStats>(S.DeviceTimes));
  auto StacksV = B.CreateVector(Stacks);
  auto ScopePathsV = B.CreateVector(ScopePaths);
  auto HeapsV = B.CreateVector(Heaps);
  auto SpacesV = B.CreateVector(Spaces);
  auto ProcessesV = B.CreateVector(Processes);
  auto StepsV = B.CreateVector(Steps);
  auto LayersV = B.CreateVector(Layers);
  auto LossesV = B.CreateVector(Losses);
  return finish(fb::Body::Summary,
                fb::CreateSummary(B, S.Number, S.EndNs, S.Complete, S.Events,
                                  S.Marks, StacksV, ScopePathsV, HeapsV,
                                  SpacesV, ProcessesV, StepsV, LayersV, LossesV,
                                  CategoriesV, OomsV, OomHeapsV, ThreadsV,
                                  ParametersV, DeviceTimesV)
                    .Union());
}

Bytes Encoder::encode(const BlockCategories &C) {
  begin();
  uint64_t Before = 0;
  auto AllocationId = column(C.Rows, [&](const BlockCategory &R) {
    return R.AllocationId - std::exchange(Before, R.AllocationId);
  });
  std::vector<uint8_t> Category, Dtype;
  std::vector<uint32_t> Dtypes;
  for (const BlockCategory &R : C.Rows) {
    Category.push_back(uint8_t(R.Category));
    auto At = std::find(Dtypes.begin(), Dtypes.end(), R.Dtype);
    if (R.Dtype && At == Dtypes.end())
      At = Dtypes.insert(At, R.Dtype);
    Dtype.push_back(R.Dtype ? uint8_t(At - Dtypes.begin() + 1) : 0);
  }
  assert(Dtypes.size() <= BlockCategories::MaxDtypes);
  auto CategoryV = bytes(Category);
  auto DtypesV = some(Dtypes);
  auto DtypeV = Dtypes.empty() ? OffVector<uint8_t>() : bytes(Dtype);
  return finish(fb::Body::BlockCategories,
                fb::CreateBlockCategories(B, C.Process, uint32_t(C.Rows.size()),
                                          AllocationId, CategoryV, DtypesV,
                                          DtypeV)
                    .Union());
}

Bytes Encoder::encode(const ScopeTimes &S) {
  begin();
  std::vector<fb::ThreadScopes> Threads;
  std::vector<uint8_t> Gaps;
  std::vector<uint32_t> ScopePaths;
  for (const ThreadScopes &T : S.Threads) {
    Threads.emplace_back(T.Thread, uint32_t(T.size()), T.FirstNs);
    append_range(Gaps, T.Gaps);
    append_range(ScopePaths, T.ScopePaths);
  }
  auto ThreadsV = B.CreateVectorOfStructs(Threads);
  auto GapV = bytes(Gaps);
  auto ScopePathV = planes(ArrayRef<uint32_t>(ScopePaths));
  return finish(fb::Body::ScopeTimes,
                fb::CreateScopeTimes(B, S.Process, uint32_t(Gaps.size()),
                                     ThreadsV, GapV, ScopePathV)
                    .Union());
}

Bytes Encoder::encode(const DeviceSpans &S) {
  constexpr size_t First = 2; // process, count
  static_assert(listsFields<fb::DeviceSpans, DeviceSpan, First>(),
                "fields() is not as the schema");
  begin();
  Off<fb::Planes> Columns[NumFields<DeviceSpan>];
  forEachField<DeviceSpan>([&](auto I) {
    constexpr auto F = fieldAt<DeviceSpan, I>;
    if constexpr (F.Name == DeviceSpan::Difference)
      Columns[I] =
          differences(S.Rows, [](const DeviceSpan &R) { return R.*F.Member; });
    else
      Columns[I] = column(
          S.Rows, [](const DeviceSpan &R) { return uint64_t(R.*F.Member); });
  });
  return finish(fb::Body::DeviceSpans,
                std::apply(
                    [&](auto... Column) {
                      return fb::CreateDeviceSpans(
                          B, S.Process, uint32_t(S.Rows.size()), Column...);
                    },
                    std::to_array(Columns))
                    .Union());
}

Bytes Encoder::encode(const Partial &P) {
  begin();
  auto Processes = some(rows<fb::ProcessStats>(P.Processes));
  auto Layers = some(rows<fb::LayerStats>(P.Layers));
  auto Categories = some(rows<fb::CategoryStats>(P.Categories));
  auto Ooms = some(rows<fb::OomRecord>(P.Ooms));
  auto OomHeaps = some(rows<fb::OomHeap>(P.OomHeaps));
  auto Parameters = some(rows<fb::ParameterStats>(P.Parameters));
  auto DeviceTimes = some(rows<fb::DeviceTimeStats>(P.DeviceTimes));
  return finish(fb::Body::Partial,
                fb::CreatePartial(B, P.Number, P.EndNs, P.Complete, Processes,
                                  Layers, Categories, Ooms, OomHeaps,
                                  Parameters, DeviceTimes)
                    .Union());
}

Bytes Encoder::encode(const Index &I) {
  IndexLog Log;
  for (const SectionInfo &X : I.Sections)
    Log.add(X);
  return encode(Log);
}

/// Encodes the log column by column, so the index of a long trace needs memory
/// for its columns only.
Bytes Encoder::encode(const IndexLog &I) {
  begin();
  std::vector<uint8_t> Kinds;
  Kinds.reserve(I.size());
  I.forEach([&](const SectionInfo &X) { Kinds.push_back(uint8_t(X.Kind)); });
  auto Kind = bytes(Kinds);
  auto Column = [&](auto Get) {
    Wide.clear();
    Wide.reserve(I.size());
    I.forEach([&](const SectionInfo &X) { Wide.push_back(Get(X)); });
    return planes(ArrayRef<uint64_t>(Wide));
  };
#define COLUMN(NAME)                                                           \
  auto NAME = Column([](const SectionInfo &X) { return X.NAME; })
  COLUMN(Compressed);
  COLUMN(Raw);
  COLUMN(Process);
  COLUMN(Epoch);
  COLUMN(BeginNs);
  COLUMN(Events);
#undef COLUMN
  auto End = Column([](const SectionInfo &X) { return X.EndNs - X.BeginNs; });
  return finish(fb::Body::Index,
                fb::CreateIndex(B, uint32_t(I.size()), Kind, Compressed, Raw,
                                Process, Epoch, BeginNs, End, Events)
                    .Union());
}
