// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of stats from a replay in pieces, on all processors.

#include "ReplayPieces.h"
#include "Model/Replay/PieceOrigins.h"
#include "Support/RunEach.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <cstdlib>
#include <tuple>

using namespace llvm;
using namespace memkit;

static bool fails(Error E) {
  bool Is = static_cast<bool>(E);
  consumeError(std::move(E));
  return Is;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

namespace {

/// The progress of all pieces. A thread other than the caller's reports
/// nothing.
class PieceProgress {
public:
  PieceProgress(const ProgressCallback &Tell, const TraceReader &R)
      : Tell(Tell), What(("replaying " + R.name()).str()),
        Caller(pthread_self()) {
    for (const SectionInfo &B : R.sections())
      Total += B.Events;
    add(0);
  }
  ~PieceProgress() {
    if (Tell)
      Tell(What, Total, Total);
  }
  void add(uint64_t Events) {
    uint64_t Now = Done += Events;
    if (Tell && pthread_equal(pthread_self(), Caller))
      Tell(What, std::min(Now, Total), Total);
  }

private:
  const ProgressCallback &Tell;
  std::string What;
  pthread_t Caller;
  uint64_t Total = 0;
  std::atomic<uint64_t> Done{0};
};

class PieceObserver : public ReplayObserver {
public:
  explicit PieceObserver(PieceProgress &To) : To(To) {}
  uint64_t nextEventStop(uint32_t Process) override {
    return Next.try_emplace(Process, Every).first->second;
  }
  Error eventStop(uint32_t Process, uint64_t) override {
    Next[Process] += Every;
    To.add(Every);
    return Error::success();
  }
  /// Call before the piece runs, behind a snapshot.
  void startAt(const Replay &Run) {
    for (uint32_t Id = 1; Id <= Run.limits().Processes; ++Id)
      if (uint64_t Events = Run.eventsOf(Id))
        Next[Id] = Events + Every;
  }

private:
  static constexpr uint64_t Every = 1 << 18;
  PieceProgress &To;
  DenseMap<uint32_t, uint64_t> Next; ///< by process
};

/// Numbers groups in the order of their first use.
class GroupNumbers {
public:
  uint32_t of(uint64_t Group) {
    auto [At, New] = Numbers.try_emplace(Group, Groups.size());
    if (New)
      Groups.push_back(Group);
    return At->second;
  }
  std::vector<uint64_t> Groups{0}; ///< by number, from 1

private:
  DenseMap<uint64_t, uint32_t> Numbers;
};

/// The rows of a piece. Keys of stacks are numbers of Groups, if there are any.
struct PieceResult {
  PieceRows Rows;
  std::vector<uint64_t> HeapPeaks, SpacePeaks;
  std::vector<bool> IsEnded; ///< by process: before the piece
  GroupNumbers Groups;
  bool IsRight = false;
};

} // namespace

/// Replays the events after the cut Begin (null: from the start) up to the cut
/// End (null: to the end).
static void replayPiece(TraceReader &R, const PieceRequest &Wanted,
                        const PieceOrigins &Origins, const PieceCut *Begin,
                        const PieceCut *End, PieceProgress &Bar,
                        PieceResult &Out) {
  ReplayOptions Options;
  Options.Select = Wanted.Select;
  Options.BytesCountOnce = Wanted.BytesCountOnce;
  Options.Complete = [&](Allocation &B) { Origins.complete(B); };
  if (Wanted.GroupOf)
    Options.KeyOf = [&](const Allocation &B) {
      return Out.Groups.of(Wanted.GroupOf(B));
    };
  PieceObserver Observer(Bar);
  std::unique_ptr<Replay> Run =
      openAt(R, Options, &Observer, Begin ? &Begin->TimeNs : nullptr);
  if (!Run)
    return;
  LiveStats &A = Run->stats();
  Out.IsEnded.resize(Run->limits().Processes + size_t(1));
  if (Begin) {
    for (uint32_t Id = 1; Id < Begin->Processes.size(); ++Id) {
      if (Run->eventsOf(Id) != Begin->Processes[Id].Events)
        return;
      for (auto [Thread, Block] : Begin->Processes[Id].LastAllocations)
        A.noteAllocations(Thread, Block, 0, 0);
    }
    Observer.startAt(*Run);
    if (fails(Run->run(Begin->TimeNs)))
      return;
    A.countFromNow();
    for (uint32_t Id = 1; Id < Out.IsEnded.size(); ++Id)
      Out.IsEnded[Id] = A.hasProcess(Id) && A.isEnded(Id);
  }
  if (fails(End ? Run->run(End->TimeNs) : Run->run()))
    return;
  auto Take = [&](const Summary &Part) {
    append_range(Out.Rows.Stacks, Part.Stacks);
    append_range(Out.Rows.ScopePaths, Part.ScopePaths);
    return Error::success();
  };
  if (fails(A.summary(1, Run->endNs(), Take)))
    return;
  for (uint32_t Heap = 0; Heap <= Run->limits().Heaps; ++Heap)
    Out.HeapPeaks.push_back(A.hasHeap(Heap) ? A.heapStats(Heap).PeakBytes : 0);
  for (uint32_t Space = 0; Space != A.numSpaces(); ++Space)
    Out.SpacePeaks.push_back(A.spaceStats(Space).PeakBytes);
  Out.IsRight = true;
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

namespace {

/// The highest peaks of heaps or memory spaces, over the pieces so far.
class HighestPeaks {
public:
  /// Peaks: of the next piece.
  void add(ArrayRef<uint64_t> Peaks) {
    Highest.resize(std::max(Highest.size(), Peaks.size()));
    Risen.assign(Highest.size(), false);
    for (size_t At = 0; At != Peaks.size(); ++At) {
      Risen[At] = Peaks[At] > Highest[At];
      Highest[At] = std::max(Highest[At], Peaks[At]);
    }
  }
  /// Whether the last piece has the first of the highest peaks.
  bool hasRisen(uint32_t Id) const { return Risen[Id]; }

private:
  std::vector<uint64_t> Highest;
  std::vector<bool> Risen;
};

/// By heap; nothing: the heap is outside the totals.
using SpaceOfHeap = std::vector<std::optional<uint32_t>>;

/// Joins the rows of one kind.
class RowJoin {
public:
  using JoinedKey = std::tuple<uint32_t, uint32_t, uint32_t>;
  /// Of the next piece, which begins with processes in IsEnded ended. False:
  /// the piece does not begin with the blocks that are live so far.
  bool add(ArrayRef<StackStatsRows> From,
           function_ref<uint32_t(uint32_t)> KeyOf,
           const std::vector<bool> &IsEnded);
  /// All rows, by process, heap and key, and no more.
  std::vector<StackStatsRows> take();

  /// Set before add().
  function_ref<bool(uint32_t Heap)> IsHeapPeak, IsSpacePeak;

private:
  struct JoinedRow {
    uint32_t Process = 0;
    size_t Piece = 0; ///< 1 + the last piece with the row
    StackStats Stats;
  };
  bool join(JoinedRow &To, const StackStats &S) const;
  std::vector<JoinedRow> Rows;
  DenseMap<JoinedKey, size_t> At;
  size_t NumPieces = 0;
};

} // namespace

/// The first piece has no live blocks at its begin.
bool RowJoin::join(JoinedRow &To, const StackStats &S) const {
  StackStats &Is = To.Stats;
  if (S.Allocations < Is.LiveBlocks || S.AllocatedBytes < Is.LiveBytes)
    return false;
  Is.Allocations += S.Allocations - Is.LiveBlocks;
  Is.AllocatedBytes += S.AllocatedBytes - Is.LiveBytes;
  Is.Splits += S.Splits;
  Is.Temporaries += S.Temporaries;
  Is.LiveBlocks = S.LiveBlocks;
  Is.LiveBytes = S.LiveBytes;
  Is.LiveExclusive = S.LiveExclusive;
  Is.PeakBytes = std::max(Is.PeakBytes, S.PeakBytes);
  if (IsHeapPeak(Is.Heap)) {
    Is.HeapPeakBlocks = S.HeapPeakBlocks;
    Is.HeapPeakBytes = S.HeapPeakBytes;
  }
  if (IsSpacePeak(Is.Heap)) {
    Is.SpacePeakBlocks = S.SpacePeakBlocks;
    Is.SpacePeakBytes = S.SpacePeakBytes;
  }
  To.Piece = NumPieces;
  return true;
}

bool RowJoin::add(ArrayRef<StackStatsRows> From,
                  function_ref<uint32_t(uint32_t)> KeyOf,
                  const std::vector<bool> &IsEnded) {
  ++NumPieces;
  for (const StackStatsRows &Of : From)
    for (const StackStats &S : Of.Rows) {
      uint32_t Key = KeyOf(S.Key);
      auto [Place, New] =
          At.try_emplace({Of.Process, S.Heap, Key}, Rows.size());
      if (New) {
        JoinedRow &Row = Rows.emplace_back();
        Row.Process = Of.Process;
        Row.Stats.Key = Key;
        Row.Stats.Heap = S.Heap;
      }
      if (!join(Rows[Place->second], S))
        return false;
    }
  // Rows without live blocks or events are not in the piece.
  for (JoinedRow &Row : Rows) {
    if (Row.Piece == NumPieces)
      continue;
    StackStats &Is = Row.Stats;
    if (Is.LiveBlocks && !IsEnded[Row.Process])
      return false;
    if (IsHeapPeak(Is.Heap))
      Is.HeapPeakBlocks = Is.HeapPeakBytes = 0;
    if (IsSpacePeak(Is.Heap))
      Is.SpacePeakBlocks = Is.SpacePeakBytes = 0;
  }
  return true;
}

std::vector<StackStatsRows> RowJoin::take() {
  sort(Rows, [](const JoinedRow &A, const JoinedRow &B) {
    return std::tie(A.Process, A.Stats.Heap, A.Stats.Key) <
           std::tie(B.Process, B.Stats.Heap, B.Stats.Key);
  });
  std::vector<StackStatsRows> Out;
  for (const JoinedRow &Row : Rows) {
    if (Out.empty() || Out.back().Process != Row.Process)
      Out.push_back({Row.Process, {}});
    Out.back().Rows.push_back(Row.Stats);
  }
  return Out;
}

/// Joins the results of all pieces; nothing if they do not fit together.
static std::optional<PieceRows> joinPieces(MutableArrayRef<PieceResult> Pieces,
                                           const SpaceOfHeap &SpaceOf,
                                           const PieceRequest &Wanted) {
  HighestPeaks Heaps, Spaces;
  auto IsHeapPeak = [&](uint32_t Heap) { return Heaps.hasRisen(Heap); };
  auto IsSpacePeak = [&](uint32_t Heap) {
    return SpaceOf[Heap] && Spaces.hasRisen(*SpaceOf[Heap]);
  };
  RowJoin Stacks, ScopePaths;
  for (RowJoin *Of : {&Stacks, &ScopePaths}) {
    Of->IsHeapPeak = IsHeapPeak;
    Of->IsSpacePeak = IsSpacePeak;
  }
  for (PieceResult &P : Pieces) {
    if (!P.IsRight)
      return std::nullopt;
    Heaps.add(P.HeapPeaks);
    Spaces.add(P.SpacePeaks);
    std::vector<uint32_t> Keys{0};
    for (uint64_t Group : ArrayRef(P.Groups.Groups).drop_front())
      Keys.push_back(Wanted.KeyOf(Group));
    auto KeyOf = [&](uint32_t Key) { return Wanted.GroupOf ? Keys[Key] : Key; };
    auto ScopePathOf = [](uint32_t Key) { return Key; };
    if (!Stacks.add(P.Rows.Stacks, KeyOf, P.IsEnded) ||
        !ScopePaths.add(P.Rows.ScopePaths, ScopePathOf, P.IsEnded))
      return std::nullopt;
    P = PieceResult();
  }
  return PieceRows{Stacks.take(), ScopePaths.take()};
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

unsigned memkit::wantedPieces(const TraceReader &R, size_t NumRows) {
  // A piece takes some ms to start, and a replay decodes in a second thread.
  constexpr uint64_t MinEvents = 2 << 20;
  // A piece takes some 200 bytes for a row.
  constexpr size_t MaxRows = 4 << 20;
  if (const char *Text = std::getenv("MEMKIT_REPLAY_PIECES"))
    return std::clamp(std::atoi(Text), 1, 16);
  size_t Processors = usableProcessors();
  if (Processors < 4 || !R.complete())
    return 1;
  uint64_t Events = 0;
  for (const SectionInfo &B : R.sections())
    Events += B.Kind == SectionKind::Events ? B.Events : 0;
  return std::max<uint64_t>(1,
                            std::min({uint64_t(Processors), Events / MinEvents,
                                      uint64_t(MaxRows / (NumRows + 1))}));
}

std::optional<PieceRows>
memkit::replayPieces(TraceReader &R, const PieceRequest &Wanted,
                     unsigned NumPieces, const ProgressCallback &OnProgress) {
  std::vector<PieceCut> Cuts;
  for (uint64_t TimeNs : cutTimes(R, NumPieces))
    Cuts.emplace_back().TimeNs = TimeNs;
  if (Cuts.empty())
    return std::nullopt;
  std::vector<std::unique_ptr<TraceReader>> Readers;
  for (size_t At = 0; At != Cuts.size() + 1; ++At) {
    Expected<std::unique_ptr<TraceReader>> Own = R.again();
    if (!Own) {
      consumeError(Own.takeError());
      return std::nullopt;
    }
    Readers.push_back(std::move(*Own));
  }
  std::vector<char> IsUsable(Cuts.size());
  runEach(Cuts.size(),
          [&](size_t At) { IsUsable[At] = readCut(*Readers[At], Cuts[At]); });
  if (is_contained(IsUsable, false))
    return std::nullopt;
  std::unique_ptr<Replay> First = openAt(*Readers.back(), {}, nullptr, nullptr);
  PieceOrigins Origins;
  if (!First || !Origins.find(R, First->limits(), Cuts, Wanted.Select))
    return std::nullopt;
  SpaceOfHeap SpaceOf;
  for (uint32_t Heap = 0; Heap <= First->limits().Heaps; ++Heap)
    SpaceOf.push_back(First->stats().hasHeap(Heap)
                          ? First->stats().spaceOf(Heap)
                          : std::nullopt);
  First.reset();
  std::vector<PieceResult> Pieces(Cuts.size() + 1);
  PieceProgress Bar(OnProgress, R);
  runEach(Pieces.size(), [&](size_t At) {
    replayPiece(*Readers[At], Wanted, Origins, At ? &Cuts[At - 1] : nullptr,
                At < Cuts.size() ? &Cuts[At] : nullptr, Bar, Pieces[At]);
  });
  for (const std::unique_ptr<TraceReader> &Own : Readers)
    R.joinUnknown(*Own);
  return joinPieces(Pieces, SpaceOf, Wanted);
}
