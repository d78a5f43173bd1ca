// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary that counts.

#include "SummarySet.h"
#include "memkit/Trace/TraceError.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

/// Reads the set whose last part is the section LastPart, when that ends one.
void SummarySet::add(Summary &S) {
  std::vector<PackedRows> &To = Rows.emplace_back();
  for (const StackStatsRows &R : S.Stacks)
    PackedRows::pack(R, To);
  S.Stacks.clear();
  Parts.push_back(std::move(S));
}

Error SummarySet::readUpTo(TraceReader &Reader, size_t LastPart) {
  ArrayRef<SectionInfo> Sections = Reader.sections();
  for (size_t I = LastPart + 1; I-- != 0;) {
    if (Sections[I].Kind != SectionKind::Summary)
      continue;
    Summary S;
    if (Error E = Reader.read(Sections[I], S))
      return E;
    bool Ends = S.Complete;
    if (Parts.empty() ? !Ends : S.Number != Parts.front().Number || Ends)
      break;
    add(S);
    Offsets.push_back(Sections[I].Offset);
  }
  std::reverse(Parts.begin(), Parts.end());
  std::reverse(Rows.begin(), Rows.end());
  std::reverse(Offsets.begin(), Offsets.end());
  return Error::success();
}

Error SummarySet::read(TraceReader &Reader) {
  ArrayRef<SectionInfo> Sections = Reader.sections();
  for (size_t I = Sections.size(); I-- != 0;) {
    if (Sections[I].Kind == SectionKind::Events)
      break;
    if (Sections[I].Kind != SectionKind::Summary)
      continue;
    if (Error E = readUpTo(Reader, I))
      return E;
    if (!Parts.empty())
      break;
  }
  return Error::success();
}

/// Checks the ids of rows.
static std::string checkRows(const IdLimits &Limits, const PackedRows &R) {
  bool Good = R.process() && R.process() <= Limits.Processes &&
              R.maxKey() <= Limits.Stacks && R.maxHeap() <= Limits.Heaps &&
              R.minHeap() != 0;
  if (Good)
    return "";
  // Which one it is.
  Summary S;
  S.Stacks.push_back(R.unpack());
  return Limits.check(S);
}

Error SummarySet::check(const IdLimits &Limits, StringRef File) const {
  for (size_t I = 0; I != Parts.size(); ++I) {
    std::string Wrong;
    for (const PackedRows &R : Rows[I])
      if (Wrong.empty())
        Wrong = checkRows(Limits, R);
    if (Wrong.empty())
      Wrong = Limits.check(Parts[I]);
    if (!Wrong.empty())
      return makeTraceError(File, Offsets[I], Wrong);
  }
  return Error::success();
}

} // namespace memkit
