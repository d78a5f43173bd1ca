// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a trace is cut to be replayed in pieces.

#include "PieceCuts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// The process with the most events; 0: none, or R lacks the first events of a
/// process.
static uint32_t mainProcess(const TraceReader &R) {
  DenseMap<uint32_t, uint64_t> Events;
  DenseSet<uint32_t> HasSnapshot;
  uint32_t Most = 0;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind == SectionKind::Snapshot)
      HasSnapshot.insert(B.Process);
    if (B.Kind != SectionKind::Events || B.Events == 0)
      continue;
    if (!Events.count(B.Process) && HasSnapshot.count(B.Process))
      return 0;
    Events[B.Process] += B.Events;
    if (Events[B.Process] > Events.lookup(Most))
      Most = B.Process;
  }
  return Most;
}

std::vector<uint64_t> memkit::cutTimes(const TraceReader &R,
                                       unsigned NumPieces) {
  uint32_t Main = mainProcess(R);
  std::vector<std::pair<uint64_t, uint64_t>> Snapshots; // time, events before
  uint64_t Events = 0;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind == SectionKind::Snapshot && B.Process == Main && Events &&
        (Snapshots.empty() || B.BeginNs > Snapshots.back().first))
      Snapshots.push_back({B.BeginNs, Events});
    Events += B.Kind == SectionKind::Events ? B.Events : 0;
  }
  std::vector<uint64_t> Times;
  for (unsigned Piece = 1; Piece < NumPieces && Main; ++Piece) {
    uint64_t Wanted = Events / NumPieces * Piece;
    auto At = partition_point(Snapshots,
                              [&](const auto &S) { return S.second < Wanted; });
    if (At != Snapshots.end() && (Times.empty() || At->first > Times.back()))
      Times.push_back(At->first);
  }
  return Times;
}

std::unique_ptr<Replay> memkit::openAt(TraceReader &R, ReplayOptions Options,
                                       ReplayObserver *Observer,
                                       const uint64_t *TimeNs) {
  Expected<std::unique_ptr<Replay>> Run =
      Replay::create(R, std::move(Options), Observer);
  if (!Run) {
    consumeError(Run.takeError());
    return nullptr;
  }
  if (TimeNs)
    if (Error E = (*Run)->startNear(*TimeNs + 1)) {
      consumeError(std::move(E));
      return nullptr;
    }
  return std::move(*Run);
}

bool memkit::readCut(TraceReader &R, PieceCut &Cut) {
  ReplayOptions Options;
  Options.BlocksOnly = true;
  std::unique_ptr<Replay> Run = openAt(R, Options, nullptr, &Cut.TimeNs);
  if (!Run)
    return false;
  bool IsUsable = true;
  Cut.Processes.resize(Run->limits().Processes + size_t(1));
  for (uint32_t Id = 1; Id < Cut.Processes.size(); ++Id) {
    PieceCut::CutProcess &P = Cut.Processes[Id];
    P.Events = Run->eventsOf(Id);
    Run->forEachLive(Id, [&](const LiveBlock &B, uint32_t) {
      P.Live.push_back(B.AllocationId);
      // A snapshot does not tell what encloses a block whose enclosing block
      // is gone.
      bool IsEnclosed = !B.Enclosing || (B.Enclosing <= B.AllocationId &&
                                         Run->lives(Id, B.Enclosing - 1));
      IsUsable &= IsEnclosed && B.Weight == 0;
    });
  }
  return IsUsable;
}
