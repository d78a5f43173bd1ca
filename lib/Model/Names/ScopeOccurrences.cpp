// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes of a thread over time.

#include "ScopeOccurrences.h"
#include <algorithm>

namespace memkit {

ScopeOccurrences::OpenOccurrence &ScopeOccurrences::of(uint32_t Thread) {
  if (Thread >= Threads.size())
    Threads.resize(Thread + size_t(1));
  return Threads[Thread];
}

void ScopeOccurrences::close(OpenOccurrence &O, size_t Depth, uint64_t TimeNs,
                             ScopeCallback Do) {
  while (O.Spans.size() > Depth) {
    ScopeOccurrence S = O.Spans.back();
    O.Spans.pop_back();
    if (O.HasChanges)
      S.LastNs = std::max(S.BeginNs, TimeNs);
    else if (!O.Spans.empty())
      O.Spans.back().LastNs = std::max(O.Spans.back().LastNs, S.LastNs);
    Do(S, /*Begins=*/false);
  }
}

void ScopeOccurrences::enter(OpenOccurrence &O, uint32_t Thread,
                             uint32_t ScopePath, uint64_t TimeNs,
                             ScopeCallback Do) {
  if (ScopePath == O.Now)
    return;
  Path.clear();
  for (uint32_t C = ScopePath; C; C = ScopePaths[C - 1].Parent)
    Path.push_back(C);
  std::reverse(Path.begin(), Path.end());
  Path.resize(std::min(Path.size(), MaxDepth));
  size_t Same = 0;
  while (Same != Path.size() && Same != O.Spans.size() &&
         O.Spans[Same].ScopePath == Path[Same])
    ++Same;
  close(O, Same, TimeNs, Do);
  for (; Same != Path.size(); ++Same) {
    O.Spans.push_back(
        {Thread, Path[Same], static_cast<uint32_t>(Same), TimeNs, TimeNs});
    Do(O.Spans.back(), /*Begins=*/true);
  }
  O.Now = ScopePath;
}

void ScopeOccurrences::allocation(uint32_t Thread, uint32_t ScopePath,
                                  uint64_t TimeNs, ScopeCallback Do) {
  OpenOccurrence &O = of(Thread);
  enter(O, Thread, ScopePath, TimeNs, Do);
  if (!O.Spans.empty())
    O.Spans.back().LastNs = TimeNs;
}

void ScopeOccurrences::change(uint32_t Thread, uint32_t ScopePath,
                              uint64_t TimeNs, ScopeCallback Do) {
  OpenOccurrence &O = of(Thread);
  O.HasChanges = true;
  enter(O, Thread, ScopePath, TimeNs, Do);
}

void ScopeOccurrences::finish(uint64_t EndNs, ScopeCallback Do) {
  for (OpenOccurrence &O : Threads)
    close(O, 0, EndNs, Do);
}

} // namespace memkit
