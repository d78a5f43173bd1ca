// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary that counts.

#include "LastSummary.h"
#include "memkit/Trace/TraceError.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

template <typename T>
static void join(std::vector<T> &To, std::vector<T> &From) {
  To.insert(To.end(), std::make_move_iterator(From.begin()),
            std::make_move_iterator(From.end()));
}

void LastSummary::add(Summary &Part) {
  IsThere = true;
  Totals.Number = Part.Number;
  // Each part has all three; the last part counts.
  Totals.EndNs = Part.EndNs;
  Totals.Events = Part.Events;
  Totals.Marks = Part.Marks;
  join(Totals.Heaps, Part.Heaps);
  join(Totals.Spaces, Part.Spaces);
  join(Totals.Processes, Part.Processes);
  join(Totals.Steps, Part.Steps);
  join(Totals.Layers, Part.Layers);
  join(Totals.Losses, Part.Losses);
  join(Totals.Categories, Part.Categories);
  join(Totals.Ooms, Part.Ooms);
  join(Totals.OomHeaps, Part.OomHeaps);
  join(Totals.Threads, Part.Threads);
  join(Totals.Parameters, Part.Parameters);
  join(Totals.DeviceTimes, Part.DeviceTimes);
  for (const StackStatsRows &Rows : Part.Stacks)
    PackedRows::pack(Rows, StackRows);
  for (const StackStatsRows &Rows : Part.ScopePaths)
    PackedRows::pack(Rows, ScopeRows);
}

/// Packs the many rows of stacks before the next part is decoded.
void SummaryParts::append(Summary &Part, const SectionInfo &Info) {
  SummaryPart &New = Parts.emplace_back();
  for (const StackStatsRows &Rows : Part.Stacks)
    PackedRows::pack(Rows, New.StackRows);
  Part.Stacks.clear();
  New.Totals = std::move(Part);
  New.Info = Info;
}

/// Reads the summary whose last part is the section LastPart, if LastPart ends
/// a summary.
Error SummaryParts::readUpTo(TraceReader &Reader, size_t LastPart,
                             bool WithRows) {
  ArrayRef<SectionInfo> Sections = Reader.sections();
  for (size_t I = LastPart + 1; I-- != 0;) {
    if (Sections[I].Kind != SectionKind::Summary)
      continue;
    Summary S;
    if (Error E = WithRows ? Reader.read(Sections[I], S)
                           : Reader.readTotals(Sections[I], S))
      return E;
    if (Parts.empty() ? !S.Complete
                      : S.Complete || S.Number != Parts.front().Totals.Number)
      break;
    append(S, Sections[I]);
  }
  std::reverse(Parts.begin(), Parts.end());
  return Error::success();
}

Error SummaryParts::read(TraceReader &Reader, bool WithRows,
                         SummaryPlace Place) {
  ArrayRef<SectionInfo> Sections = Reader.sections();
  for (size_t I = Sections.size(); I-- != 0 && Parts.empty();) {
    if (Sections[I].Kind == SectionKind::Events && Place == SummaryPlace::AtEnd)
      break;
    if (Sections[I].Kind == SectionKind::Summary)
      if (Error E = readUpTo(Reader, I, WithRows))
        return E;
  }
  return Error::success();
}

bool SummaryParts::add(Summary Part, const SectionInfo &Info) {
  if (!Parts.empty() && Parts.front().Totals.Number != Part.Number)
    Parts.clear();
  bool Ends = Part.Complete;
  append(Part, Info);
  return Ends;
}

/// Checks the ids of rows.
static std::string checkRows(const IdLimits &Limits, const PackedRows &R) {
  bool Good = R.process() && R.process() <= Limits.Processes &&
              R.maxKey() <= Limits.Stacks && R.maxHeap() <= Limits.Heaps &&
              R.minHeap() != 0;
  if (Good)
    return "";
  // Name the wrong row.
  Summary S;
  S.Stacks.push_back(R.unpack());
  return Limits.check(S);
}

Expected<LastSummary> SummaryParts::take(const IdLimits &Limits,
                                         StringRef File) {
  LastSummary Out;
  for (SummaryPart &Part : std::exchange(Parts, {})) {
    std::string Wrong;
    for (const PackedRows &R : Part.StackRows)
      if (Wrong.empty())
        Wrong = checkRows(Limits, R);
    if (Wrong.empty())
      Wrong = Limits.check(Part.Totals);
    if (!Wrong.empty())
      return makeTraceError(File, Part.Info.Offset, Wrong);
    Out.add(Part.Totals);
    join(Out.StackRows, Part.StackRows);
    Out.Sections.push_back(Part.Info);
  }
  return Out;
}

} // namespace memkit
