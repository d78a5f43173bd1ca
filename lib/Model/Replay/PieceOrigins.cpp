// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What snapshots lack of their blocks.

#include "PieceOrigins.h"
#include "Support/RunEach.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

/// The sections of events in file order; none: one is of no process.
std::vector<PieceOrigins::EventPart>
PieceOrigins::partsOf(const TraceReader &R, const IdLimits &Limits) {
  std::vector<EventPart> Parts;
  std::vector<uint64_t> Before(Limits.Processes + size_t(1));
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Events || B.Events == 0)
      continue;
    if (B.Process == 0 || B.Process > Limits.Processes)
      return {};
    EventPart &P = Parts.emplace_back();
    P.Section = &B;
    P.EventsBefore = Before[B.Process];
    Before[B.Process] += B.Events;
  }
  return Parts;
}

void PieceOrigins::wantLive(const std::vector<PieceCut> &Cuts,
                            size_t NumProcesses) {
  Processes.resize(NumProcesses);
  for (size_t Id = 0; Id != NumProcesses; ++Id) {
    std::vector<uint64_t> &Ids = Processes[Id].Ids;
    for (const PieceCut &Cut : Cuts)
      append_range(Ids, Cut.Processes[Id].Live);
    sort(Ids);
    Ids.erase(std::unique(Ids.begin(), Ids.end()), Ids.end());
    Processes[Id].Origins.resize(Ids.size());
  }
}

/// The origin of a block that E allocates; not known: a split made the block.
PieceOrigins::BlockOrigin PieceOrigins::originIn(const EventTable &E,
                                                 uint64_t Id) {
  auto Offset = static_cast<uint32_t>(Id - E.FirstAllocationId);
  auto At = lower_bound(E.AllocationOffset, Offset);
  if (At == E.AllocationOffset.end() || *At != Offset)
    return BlockOrigin();
  size_t Alloc = At - E.AllocationOffset.begin();
  return {E.AllocSize[Alloc], E.threadOf(E.AllocRow[Alloc]), true};
}

/// Finds the last allocation of each thread before each cut in the section.
void PieceOrigins::noteLast(EventPart &Of, const EventTable &E,
                            const std::vector<PieceCut> &Cuts,
                            const Selects &Select) {
  std::vector<uint64_t> Last(E.Threads.size()); // an id + 1
  size_t Cut = 0;
  auto IsPast = [&](size_t Row) {
    return Cut != Cuts.size() &&
           Cuts[Cut].Processes[E.Process].Events <= Of.EventsBefore + Row;
  };
  auto Flush = [&] {
    for (size_t T = 0; T != Last.size(); ++T)
      if (Last[T])
        Of.LastOnes.push_back({Cut, E.Threads[T], Last[T] - 1});
    std::fill(Last.begin(), Last.end(), 0);
  };
  while (IsPast(0))
    ++Cut;
  for (size_t At = 0; At != E.allocations(); ++At) {
    uint32_t Row = E.AllocRow[At];
    if (LLVM_UNLIKELY(IsPast(Row))) {
      Flush();
      while (IsPast(Row))
        ++Cut;
    }
    uint64_t Id = E.FirstAllocationId + E.AllocationOffset[At];
    if (Select && !Select({E.TimeNs[Row], E.AllocSize[At], E.Process,
                           E.threadOf(Row), E.Heap[At], E.Stack[At],
                           E.ScopePath.empty() ? 0 : E.ScopePath[At], Id}))
      continue;
    Last[E.Thread.empty() ? 0 : E.Thread[Row]] = Id + 1;
  }
  Flush();
}

void PieceOrigins::readPart(EventPart &Of, const EventTable &E,
                            const std::vector<PieceCut> &Cuts,
                            const Selects &Select) {
  Of.FirstId = E.FirstAllocationId;
  uint64_t NumSplits = 0;
  if (!E.RefSize.empty())
    for (size_t Ref = 0; Ref != E.references(); ++Ref)
      if (E.Kind[E.RefRow[Ref]] == EventKind::Split) {
        Of.Splits.push_back({Of.FirstId + E.RefCreated[Ref], E.Block[Ref]});
        ++NumSplits;
      }
  Of.EndId = Of.FirstId + E.allocations() + NumSplits;
  ProcessOrigins &To = Processes[E.Process];
  for (auto At = lower_bound(To.Ids, Of.FirstId);
       At != To.Ids.end() && *At < Of.EndId; ++At)
    To.Origins[At - To.Ids.begin()] = originIn(E, *At);
  noteLast(Of, E, Cuts, Select);
  Of.IsUsable = true;
}

/// Finds the origins of blocks that splits have made: those of the first block.
bool PieceOrigins::followSplits(const TraceReader &R,
                                const std::vector<EventPart> &Parts) {
  struct WantedBlock {
    const EventPart *In;
    uint64_t Root;
    BlockOrigin *To;
  };
  std::vector<WantedBlock> Wanted;
  std::vector<std::vector<const EventPart *>> PartsOf(Processes.size());
  for (const EventPart &P : Parts)
    PartsOf[P.Section->Process].push_back(&P);
  for (size_t Id = 0; Id != Processes.size(); ++Id) {
    ProcessOrigins &P = Processes[Id];
    for (size_t At = 0; At != P.Ids.size(); ++At) {
      if (P.Origins[At].IsKnown)
        continue;
      // Each block is made after the block that is split.
      uint64_t Root = P.Ids[At];
      for (auto S = P.SplitFrom.find(Root); S != P.SplitFrom.end();
           S = P.SplitFrom.find(Root)) {
        if (S->second >= Root)
          return false;
        Root = S->second;
      }
      auto In = partition_point(
          PartsOf[Id], [&](const EventPart *Of) { return Of->EndId <= Root; });
      if (In == PartsOf[Id].end() || Root < (*In)->FirstId)
        return false;
      Wanted.push_back({*In, Root, &P.Origins[At]});
    }
  }
  stable_sort(Wanted, [](const WantedBlock &A, const WantedBlock &B) {
    return A.In < B.In;
  });
  TraceReader::EventReader Reader(R);
  EventTable E;
  const EventPart *Is = nullptr;
  for (const WantedBlock &W : Wanted) {
    if (W.In != Is)
      if (Error Err = Reader.read(*W.In->Section, E)) {
        consumeError(std::move(Err));
        return false;
      }
    Is = W.In;
    *W.To = originIn(E, W.Root);
    if (!W.To->IsKnown)
      return false;
  }
  return true;
}

bool PieceOrigins::find(const TraceReader &R, const IdLimits &Limits,
                        std::vector<PieceCut> &Cuts, const Selects &Select) {
  constexpr size_t MaxSplits = 1 << 20, Together = 16;
  std::vector<EventPart> Parts = partsOf(R, Limits);
  wantLive(Cuts, Limits.Processes + size_t(1));
  runEach(divideCeil(Parts.size(), Together), [&](size_t Group) {
    TraceReader::EventReader Reader(R);
    EventTable E;
    size_t End = std::min(Parts.size(), (Group + 1) * Together);
    for (size_t At = Group * Together; At != End; ++At) {
      const SectionInfo &B = *Parts[At].Section;
      if (Error Err = Reader.read(B, E)) {
        consumeError(std::move(Err));
        return;
      }
      if (E.rows() != B.Events || E.Process != B.Process ||
          !E.Columns.Weight.empty() || !Limits.check(E).empty())
        return;
      readPart(Parts[At], E, Cuts, Select);
    }
  });
  size_t NumSplits = 0;
  for (const EventPart &P : Parts) {
    NumSplits += P.Splits.size();
    if (!P.IsUsable || NumSplits > MaxSplits)
      return false;
    for (auto [New, From] : P.Splits)
      Processes[P.Section->Process].SplitFrom[New] = From;
  }
  std::vector<DenseMap<uint32_t, uint64_t>> Last(Processes.size());
  for (size_t At = 0; At != Cuts.size(); ++At) {
    for (const EventPart &P : Parts)
      for (const EventPart::LastOne &L : P.LastOnes)
        if (L.Cut == At)
          Last[P.Section->Process][L.Thread] = L.Id;
    for (size_t Id = 0; Id != Processes.size(); ++Id)
      if (Cuts[At].Processes[Id].Events)
        Cuts[At].Processes[Id].LastAllocations.assign(Last[Id].begin(),
                                                      Last[Id].end());
  }
  return followSplits(R, Parts);
}

void PieceOrigins::complete(Allocation &B) const {
  const ProcessOrigins &Of = Processes[B.Process];
  auto At = lower_bound(Of.Ids, B.Block);
  if (At == Of.Ids.end() || *At != B.Block)
    return;
  const BlockOrigin &Is = Of.Origins[At - Of.Ids.begin()];
  B.Thread = Is.Thread;
  B.Size = Is.Size;
}
