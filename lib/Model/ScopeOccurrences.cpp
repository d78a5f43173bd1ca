// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes of a thread over time.

#include "ScopeOccurrences.h"
#include <algorithm>

namespace memkit {

void ScopeOccurrences::close(OpenOccurrence &O, size_t Depth,
                             ScopeCallback Do) {
  while (O.Spans.size() > Depth) {
    ScopeOccurrence S = O.Spans.back();
    O.Spans.pop_back();
    if (!O.Spans.empty())
      O.Spans.back().LastNs = std::max(O.Spans.back().LastNs, S.LastNs);
    Do(S, /*Begins=*/false);
  }
}

void ScopeOccurrences::allocation(uint32_t Thread, uint32_t ScopePath,
                                  uint64_t TimeNs, ScopeCallback Do) {
  if (Thread >= Threads.size())
    Threads.resize(Thread + size_t(1));
  OpenOccurrence &O = Threads[Thread];
  if (ScopePath != O.Now) {
    Path.clear();
    for (uint32_t C = ScopePath; C; C = ScopePaths[C - 1].Parent)
      Path.push_back(C);
    std::reverse(Path.begin(), Path.end());
    Path.resize(std::min(Path.size(), MaxDepth));
    size_t Same = 0;
    while (Same != Path.size() && Same != O.Spans.size() &&
           O.Spans[Same].ScopePath == Path[Same])
      ++Same;
    close(O, Same, Do);
    for (; Same != Path.size(); ++Same) {
      O.Spans.push_back(
          {Thread, Path[Same], static_cast<uint32_t>(Same), TimeNs, TimeNs});
      Do(O.Spans.back(), /*Begins=*/true);
    }
    O.Now = ScopePath;
  }
  if (!O.Spans.empty())
    O.Spans.back().LastNs = TimeNs;
}

void ScopeOccurrences::finish(ScopeCallback Do) {
  for (OpenOccurrence &O : Threads)
    close(O, 0, Do);
}

} // namespace memkit
