// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a trace in pieces, each replayed on its own.

#include "EventPieces.h"
#include "ReplayPieces.h"
#include "Support/RunEach.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

unsigned memkit::wantedEventPieces(const TraceReader &R) {
  // Many small pieces: the text of a piece waits for the pieces before.
  constexpr uint64_t EventsOfPiece = 1 << 18, MaxPieces = 4096;
  unsigned Parallel = wantedPieces(R, 0);
  if (Parallel == 1 || hasWantedPieces())
    return Parallel;
  uint64_t Events = 0;
  for (const SectionInfo &B : R.sections())
    Events += B.Kind == SectionKind::Events ? B.Events : 0;
  return unsigned(std::min(Events / EventsOfPiece, MaxPieces));
}

std::optional<EventPieces> EventPieces::divide(TraceReader &R,
                                               unsigned NumPieces) {
  EventPieces Out(R);
  if (NumPieces > 1)
    Out.Cuts = cutTimes(R, NumPieces);
  if (Out.Cuts.empty())
    return std::nullopt;
  std::vector<char> IsUsable(Out.Cuts.size());
  runEach(Out.Cuts.size(), [&](size_t At) {
    PieceCut Cut;
    Cut.TimeNs = Out.Cuts[At];
    Expected<std::unique_ptr<TraceReader>> Own = R.again();
    if (Own)
      IsUsable[At] = readCut(**Own, Cut);
    else
      consumeError(Own.takeError());
  });
  if (is_contained(IsUsable, false))
    return std::nullopt;
  return Out;
}

Error EventPieces::replay(
    size_t At, std::function<bool(const Allocation &)> Select,
    std::function<bool(const LiveStats &, const ReplayedEvent &)> OnEvent)
    const {
  Expected<std::unique_ptr<TraceReader>> Own = R->again();
  if (!Own)
    return Own.takeError();
  const LiveStats *A = nullptr;
  ReplayOptions Options;
  Options.Select = std::move(Select);
  Options.OnEvent = [&](const ReplayedEvent &E) { return OnEvent(*A, E); };
  if (At)
    Options.OnEventFromNs = Cuts[At - 1] + 1;
  Expected<std::unique_ptr<Replay>> Run = Replay::create(**Own, Options);
  if (!Run)
    return Run.takeError();
  A = &(*Run)->stats();
  if (At)
    if (Error E = (*Run)->startNear(Cuts[At - 1] + 1))
      return E;
  Error E = At < Cuts.size() ? (*Run)->run(Cuts[At]) : (*Run)->run();
  std::lock_guard<std::mutex> Guard(*Lock);
  R->joinUnknown(**Own);
  return E;
}
