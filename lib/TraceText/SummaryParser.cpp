// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines to summaries and partial sums.

#include "SectionParser.h"

using namespace llvm;

namespace memkit::tracetext {

bool SectionParser::stackStats(LineParser &P) {
  std::vector<StackStatsRows> &Groups =
      ScopeStats ? Summary.ScopePaths : Summary.Stacks;
  if (Groups.empty())
    return P.fail(P.line().loc(),
                  "a row needs `stacks` or `scope-paths` before it");
  StackStats R;
  mapStackStats(P, ScopeStats, R);
  Groups.back().Rows.push_back(R);
  return P.finish(ScopeStats ? "a row of scope paths" : "a row of stacks") &&
         !tooMany(P.line(), ++Rows, "rows");
}

bool SectionParser::shareRecord(LineParser &P) {
  const char *Loc = P.line().loc();
  if (!Shares)
    return P.fail(Loc, "a share needs a process, a step or a layer before it");
  SpaceShare S;
  mapRow(P, S);
  if (!P.finish("a share"))
    return false;
  if (!Shares->empty() && S.Space <= Shares->back().Space)
    return E.set(Loc, "the spaces of shares rise");
  Shares->push_back(S);
  return !tooMany(P.line(), ++NumShares, "shares");
}

bool SectionParser::finishRow(LineParser &P, StringRef What, size_t Count) {
  return P.finish(What) && !tooMany(P.line(), Count, "records of this kind");
}

template <class Row>
bool SectionParser::addRow(LineParser &P, StringRef What,
                           std::vector<Row> &List) {
  Row &R = List.emplace_back();
  mapRow(P, R);
  // Shares of this row follow on the next lines; the list does not grow before.
  if constexpr (requires { R.Shares; })
    Shares = &R.Shares;
  return finishRow(P, What, List.size());
}

bool SectionParser::summaryRecord(Line &L) {
  LineParser P = parser(L, 1);
  StringRef Word = L.Values[0].Spelling;
  if (Word == "row")
    return stackStats(P);
  if (Word == "share")
    return shareRecord(P);
  if (Word == "stacks" || Word == "scope-paths") {
    ScopeStats = Word == "scope-paths";
    auto &List = ScopeStats ? Summary.ScopePaths : Summary.Stacks;
    mapStackStatsRows(P, List.emplace_back());
    return finishRow(P, Word, List.size());
  }
  if (Word == "heap")
    return addRow(P, "a heap's totals", Summary.Heaps) &&
           (Summary.Heaps.back().Sizes.size() <= NumSizeClasses ||
            E.set(L.loc(), "a heap has at most 65 classes of sizes"));
  if (Word == "space")
    return addRow(P, "a space's totals", Summary.Spaces);
  if (Word == "process")
    return addRow(P, "a process's totals", Summary.Processes);
  if (Word == "step")
    return addRow(P, "a step", Summary.Steps);
  if (Word == "layer")
    return addRow(P, "a layer", Summary.Layers);
  if (Word == "loss")
    return addRow(P, "a loss", Summary.Losses);
  if (Word == "category")
    return addRow(P, "a category", Summary.Categories);
  if (Word == "oom")
    return addRow(P, "an oom", Summary.Ooms);
  if (Word == "oom-heap")
    return addRow(P, "an oom's heap", Summary.OomHeaps);
  if (Word == "thread")
    return addRow(P, "a thread's totals", Summary.Threads);
  if (Word == "parameters")
    return addRow(P, "parameters", Summary.Parameters);
  if (Word == "device-time")
    return addRow(P, "a device's time", Summary.DeviceTimes);
  return unknown(L, "a summary");
}

bool SectionParser::partialRecord(Line &L) {
  LineParser P = parser(L, 1);
  StringRef Word = L.Values[0].Spelling;
  if (Word == "share")
    return shareRecord(P);
  if (Word == "process")
    return addRow(P, "a process's totals", Partial.Processes);
  if (Word == "layer")
    return addRow(P, "a layer", Partial.Layers);
  if (Word == "category")
    return addRow(P, "a category", Partial.Categories);
  if (Word == "oom")
    return addRow(P, "an oom", Partial.Ooms);
  if (Word == "oom-heap")
    return addRow(P, "an oom's heap", Partial.OomHeaps);
  if (Word == "parameters")
    return addRow(P, "parameters", Partial.Parameters);
  if (Word == "device-time")
    return addRow(P, "a device's time", Partial.DeviceTimes);
  return unknown(L, "a partial");
}

bool SectionParser::deviceSpanRecord(Line &L) {
  if (L.Values[0].Spelling != "span")
    return unknown(L, "device spans");
  LineParser P = parser(L, 1);
  return addRow(P, "a device span", DeviceSpans.Rows);
}

} // namespace memkit::tracetext
