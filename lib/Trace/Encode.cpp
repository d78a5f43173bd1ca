// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections to FlatBuffers.

#include "Encode.h"
#include "llvm/ADT/STLExtras.h"

using namespace memkit;
using namespace llvm;
using flatbuffers::Offset;

namespace {
/// Shorter columns do not pay for an entropy table of their own.
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
  fb::Clock Start = clock(H.Start);
  return finish(fb::Body::Header,
                fb::CreateHeader(B, H.Container, H.Format, Tool, Command, Host,
                                 BootId, H.Pid, H.Rank, H.WorldSize, Options,
                                 &Start, H.TscHz, H.PageSize, H.Cpus, Os)
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
  // The rows of all intervals, without a copy of them.
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
  // The columns of what rows have, of all rows, without a copy.
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

template <class Table, class Builder>
Offset<Table> Encoder::stackStatsRows(const StackStatsRows &R) {
  const auto &V = R.Rows;
#define COLUMN(NAME)                                                           \
  auto NAME = column(V, [](const StackStats &S) { return S.NAME; })
  COLUMN(Heap);
  auto Key = differences(V, [](const StackStats &S) { return S.Key; });
  COLUMN(Allocations);
  COLUMN(AllocatedBytes);
  COLUMN(Splits);
  COLUMN(Temporaries);
  COLUMN(LiveBlocks);
  COLUMN(LiveBytes);
  // What is nearly always equal to another column is kept as the difference.
  auto Exclusive = column(V, [](const StackStats &S) {
    return zigzag(int64_t(S.LiveBytes - S.LiveExclusive));
  });
  COLUMN(PeakBytes);
  COLUMN(HeapPeakBlocks);
  COLUMN(HeapPeakBytes);
  auto SpaceBlocks = column(V, [](const StackStats &S) {
    return zigzag(int64_t(S.HeapPeakBlocks - S.SpacePeakBlocks));
  });
  auto SpaceBytes = column(V, [](const StackStats &S) {
    return zigzag(int64_t(S.HeapPeakBytes - S.SpacePeakBytes));
  });
#undef COLUMN
  Builder T(B);
  T.add_process(R.Process);
  T.add_count(uint32_t(V.size()));
  T.add_heap(Heap);
  if constexpr (std::is_same_v<Table, fb::StackRows>)
    T.add_stack(Key);
  else
    T.add_scope_path(Key);
  T.add_allocations(Allocations);
  T.add_allocated_bytes(AllocatedBytes);
  T.add_splits(Splits);
  T.add_temporaries(Temporaries);
  T.add_live_blocks(LiveBlocks);
  T.add_live_bytes(LiveBytes);
  T.add_live_exclusive(Exclusive);
  T.add_peak_bytes(PeakBytes);
  T.add_heap_peak_blocks(HeapPeakBlocks);
  T.add_heap_peak_bytes(HeapPeakBytes);
  T.add_space_peak_blocks(SpaceBlocks);
  T.add_space_peak_bytes(SpaceBytes);
  return T.Finish();
}

/// None take no room.
Encoder::OffVector<Encoder::Off<fb::SpaceShare>>
Encoder::shares(const SpaceShares &V) {
  if (V.empty())
    return 0;
  std::vector<Off<fb::SpaceShare>> All;
  for (const SpaceShare &S : V)
    All.push_back(fb::CreateSpaceShare(
        B, S.Space, S.Allocations, S.Frees, S.AllocatedBytes, S.FreedBytes,
        S.LiveBytes, S.PeakBytes, S.RiseBytes, S.ReservedPeakBytes));
  return B.CreateVector(All);
}

Bytes Encoder::encode(const Summary &S) {
  begin();
  std::vector<Off<fb::StackRows>> Stacks;
  for (const StackStatsRows &R : S.Stacks)
    Stacks.push_back(stackStatsRows<fb::StackRows, fb::StackRowsBuilder>(R));
  std::vector<Off<fb::ScopeRows>> ScopePaths;
  for (const StackStatsRows &R : S.ScopePaths)
    ScopePaths.push_back(
        stackStatsRows<fb::ScopeRows, fb::ScopeRowsBuilder>(R));
  std::vector<Off<fb::HeapStats>> Heaps;
  for (const HeapStats &H : S.Heaps)
    Heaps.push_back(fb::CreateHeapStats(
        B, H.Id, H.Allocations, H.Frees, H.AllocatedBytes, H.FreedBytes,
        H.Temporaries, H.LiveBlocks, H.LiveBytes, H.PeakBytes, H.PeakBlocks,
        H.PeakTimeNs, H.ReservedKnown, H.ReservedBytes, H.ReservedPeakBytes,
        H.ReservedAtPeakBytes, H.GrowthFragmentationPpm,
        H.Sizes.empty() ? 0 : B.CreateVector(H.Sizes)));
  std::vector<Off<fb::SpaceStats>> Spaces;
  for (const TotalStats &H : S.Spaces)
    Spaces.push_back(fb::CreateSpaceStats(
        B, H.Id, H.Allocations, H.Frees, H.AllocatedBytes, H.FreedBytes,
        H.Temporaries, H.LiveBlocks, H.LiveBytes, H.PeakBytes, H.PeakBlocks,
        H.PeakTimeNs));
  std::vector<Off<fb::ProcessStats>> Processes;
  for (const ProcessStats &I : S.Processes)
    Processes.push_back(fb::CreateProcessStats(
        B, I.Process, I.EndNs, I.Ended, I.ExitStatus, I.Signal, I.Allocations,
        I.Frees, I.InheritedFrees, I.Lost, I.LiveBytes, I.PeakBytes, I.Role,
        I.RssPeakBytes, I.PssPeakBytes, shares(I.Shares)));
  std::vector<Off<fb::StepStats>> Steps;
  for (const StepStats &T : S.Steps)
    Steps.push_back(fb::CreateStepStats(
        B, T.Process, T.Step, T.BeginNs, T.EndNs, T.Allocations, T.Frees,
        T.AllocatedBytes, T.FreedBytes, T.PeakBytes, T.LiveBytes,
        shares(T.Shares)));
  std::vector<Off<fb::LayerStats>> Layers;
  for (const LayerStats &T : S.Layers)
    Layers.push_back(fb::CreateLayerStats(
        B, T.Process, T.Name, T.Backward, T.Calls, T.DurationNs, T.Allocations,
        T.Frees, T.AllocatedBytes, T.PeakBytes, T.ReservedPeakBytes,
        T.FragmentationPpm, uint8_t(T.Kind), T.RiseBytes, T.TensorAllocations,
        T.TensorFrees, T.TensorAllocatedBytes, T.TensorFreedBytes,
        T.TensorPeakBytes, shares(T.Shares)));
  std::vector<Off<fb::Loss>> Losses;
  for (const Loss &X : S.Losses)
    Losses.push_back(fb::CreateLoss(B, X.Process, uint8_t(X.Kind), X.Count));
  std::vector<Off<fb::CategoryStats>> Categories;
  for (const CategoryStats &T : S.Categories)
    Categories.push_back(
        fb::CreateCategoryStats(B, T.Heap, T.Process, uint8_t(T.Category),
                                T.Oom, T.Layer, T.Stack, T.Blocks, T.Bytes));
  std::vector<Off<fb::OomRecord>> Ooms;
  for (const OomRecord &T : S.Ooms)
    Ooms.push_back(fb::CreateOomRecord(B, T.Number, T.Process, T.Heap, T.Thread,
                                       T.TimeNs, T.Stack, T.ScopePath,
                                       T.Requested, T.Skipped));
  std::vector<Off<fb::OomHeap>> OomHeaps;
  for (const OomHeap &H : S.OomHeaps)
    OomHeaps.push_back(fb::CreateOomHeap(B, H.Oom, H.Heap, H.LiveBlocks,
                                         H.LiveBytes, H.ReservedKnown,
                                         H.ReservedBytes));
  auto Vector = [&](const auto &V) { return B.CreateVector(V); };
  // What a trace without tensors does not have takes no room.
  auto Some = [&](const auto &V) {
    return V.empty() ? decltype(B.CreateVector(V))() : B.CreateVector(V);
  };
  auto CategoriesV = Some(Categories);
  auto OomsV = Some(Ooms);
  auto OomHeapsV = Some(OomHeaps);
  std::vector<Off<fb::ThreadStats>> Threads;
  for (const ThreadStats &T : S.Threads)
    Threads.push_back(fb::CreateThreadStats(B, T.Thread, T.Allocations,
                                            T.AllocatedBytes, T.NestedBytes));
  auto ThreadsV = Some(Threads);
  auto StacksV = Vector(Stacks);
  auto ScopePathsV = Vector(ScopePaths);
  auto HeapsV = Vector(Heaps);
  auto SpacesV = Vector(Spaces);
  auto ProcessesV = Vector(Processes);
  auto StepsV = Vector(Steps);
  auto LayersV = Vector(Layers);
  auto LossesV = Vector(Losses);
  return finish(fb::Body::Summary,
                fb::CreateSummary(B, S.Number, S.EndNs, S.Complete, S.Events,
                                  S.Marks, StacksV, ScopePathsV, HeapsV,
                                  SpacesV, ProcessesV, StepsV, LayersV, LossesV,
                                  CategoriesV, OomsV, OomHeapsV, ThreadsV)
                    .Union());
}

Bytes Encoder::encode(const Index &I) {
  IndexLog Log;
  for (const SectionInfo &X : I.Sections)
    Log.add(X);
  return encode(Log);
}

/// Column by column from the log, so that the index of a long trace needs no
/// more memory than its columns.
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
