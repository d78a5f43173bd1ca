// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects intervals into sections.

#include "IntervalBatch.h"
#include <algorithm>

using namespace memkit;
using llvm::Error;

/// A section is written once it has this many rows or intervals.
static constexpr size_t FastRows = 4096, FastIntervals = 1024;

Error IntervalBatch::add(const Interval &S, WriteIntervals Write) {
  size_t At = 0;
  do {
    if (Rows == MaxSectionRows)
      if (Error E = flush(Write))
        return E;
    size_t N = std::min<size_t>(S.Rows.size() - At, MaxSectionRows - Rows);
    Interval &To = Block.Rows.emplace_back();
    To.Index = S.Index;
    To.FirstStep = S.FirstStep;
    To.LastStep = S.LastStep;
    To.BeginNs = S.BeginNs;
    To.EndNs = S.EndNs;
    To.Detail = S.Detail;
    To.Rows.assign(S.Rows.begin() + At, S.Rows.begin() + At + N);
    At += N;
    Rows += N;
  } while (At != S.Rows.size());
  return Rows >= FastRows || Block.Rows.size() >= FastIntervals
             ? flush(Write)
             : Error::success();
}

Error IntervalBatch::flush(WriteIntervals Write) {
  if (Block.Rows.empty())
    return Error::success();
  Error E = Write(Block);
  Block.Rows.clear();
  Rows = 0;
  return E;
}
