// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes over time, with the peaks of layers.

#include "ScopeTimeline.h"
#include "LayerPeaks.h"
#include "ScopeMerge.h"

using namespace llvm;

namespace memkit {

Error ScopeTimeline::run(OccurrenceCallback Do) {
  std::vector<std::unique_ptr<LayerPeaks>> Peaks; // by process
  const LiveStats *Live = nullptr;
  ScopeMerge Scopes(T, Sel, [&](const Occurrence &Is, bool Begins) {
    bool IsLayer =
        T.scopes()[T.scopePaths()[Is.ScopePath - 1].Scope - 1].Kind ==
        ScopeKind::Layer;
    LayerPeaks &Of = *Peaks[T.threads()[Is.Thread - 1].Process];
    if (IsLayer && Begins)
      Of.begin(Is.Thread, Is.Depth, *Live);
    LayerPeaks::SpacePeaks At;
    if (IsLayer && !Begins)
      At = Of.end(Is.Thread, Is.Depth);
    Do(Is, Begins, At);
  });
  for (uint32_t Process = 0; Process <= T.processes().size(); ++Process)
    Peaks.push_back(Process && Scopes.has(Process)
                        ? std::make_unique<LayerPeaks>(T, Process)
                        : nullptr);
  Error Bad = Error::success();
  ReplayOptions Options;
  Options.BlocksOnly = false;
  Options.OnEvent = [&](const ReplayedEvent &E) {
    Bad = joinErrors(std::move(Bad), Scopes.before(E));
    if (!Bad && Peaks[E.Process])
      Peaks[E.Process]->event(E, *Live);
    return !Bad;
  };
  Expected<std::unique_ptr<Replay>> R = Replay::create(T.reader(), Options);
  if (!R)
    return joinErrors(R.takeError(), std::move(Bad));
  Live = &(*R)->stats();
  Error Ran = runTo(**R, Sel.times().last());
  if (Bad || Ran)
    return joinErrors(std::move(Ran), std::move(Bad));
  return Scopes.finish();
}

} // namespace memkit
