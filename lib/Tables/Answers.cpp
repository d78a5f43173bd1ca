// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers by name.

#include "Answers.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

using SharedRef = std::shared_ptr<SharedTrace>;

template <TableAnswer (*Ask)(const Trace &)>
static TableAnswer ofTrace(const SharedRef &Of, Selection) {
  return Ask(*Of->T);
}

template <TableAnswer (*Ask)(const Trace &, const Selection &)>
static TableAnswer ofSelection(const SharedRef &Of, Selection Sel) {
  return Ask(*Of->T, Sel);
}

template <TableAnswer (*Ask)(const SelectedStats &)>
static TableAnswer ofStats(const SharedRef &Of, Selection Sel) {
  Expected<SelectedStats> S = SelectedStats::create(*Of->T, std::move(Sel));
  return S ? Ask(*S) : TableAnswer(S.takeError());
}

static TableAnswer allEvents(const SharedRef &Of, Selection Sel) {
  return eventsTable(Of, std::move(Sel), eventColumnNames());
}
static TableAnswer allFrames(const SharedRef &Of, Selection) {
  return framesTable(Of, 0);
}
static TableAnswer byStack(const SelectedStats &S) {
  return statsTable(S, GroupBy::Stack);
}
static TableAnswer byLine(const SelectedStats &S) {
  return statsTable(S, GroupBy::Line);
}
static TableAnswer usualSeries(const SelectedStats &S) {
  constexpr unsigned Points = 1000;
  return seriesTable(S, Points);
}

ArrayRef<NamedAnswer> namedAnswers() {
  constexpr unsigned Totals = TP_Totals | TP_Names, All = TP_All,
                     Intervals = TP_All | TP_Intervals;
  static constexpr NamedAnswer Answers[] = {
      {"events", "every event", All, true, allEvents},
      {"stats", "memory by heap and stack", All, false, ofStats<byStack>},
      {"lines", "memory by heap and line", All, false, ofStats<byLine>},
      {"blocks", "the largest live blocks, at a moment or the peak", All, false,
       ofStats<blocksTable>},
      {"stacks", "the functions of each stack", All, true, allFrames},
      {"intervals", "memory by stack at the end of each interval", Intervals,
       false, ofStats<intervalsTable>},
      {"steps", "the steps", Totals, false, ofSelection<stepsTable>},
      {"layers", "the layers of the model", Totals, false,
       ofSelection<layersTable>},
      {"operators", "the operators", Totals, false,
       ofSelection<operatorsTable>},
      {"kernels", "the work of devices: kernels, copies, memsets, graphs", All,
       false, ofStats<kernelsTable>},
      {"programs", "the compiled programs of JAX", All, false,
       ofStats<programsTable>},
      {"arrays", "the live arrays of JAX at marks", All, false,
       ofStats<arraysTable>},
      {"scopes", "the program's own scopes", Totals, false,
       ofTrace<scopesTable>},
      {"ranges", "begin and end of each scope", All, false,
       ofSelection<rangesTable>},
      {"categories", "categories of tensors at the peak", Totals, false,
       ofSelection<categoriesTable>},
      {"ooms", "out-of-memory events", Totals, false, ofTrace<oomsTable>},
      {"run", "the program and the recording", Totals, false,
       ofTrace<runTable>},
      {"spaces", "the memory spaces", Totals, false, ofTrace<spacesTable>},
      {"heaps", "the heaps", Totals, false, ofTrace<heapsTable>},
      {"processes", "the processes", Totals, false, ofTrace<processesTable>},
      {"ranks", "the ranks of a job", Totals, false, ofTrace<ranksTable>},
      {"threads", "the threads", Totals, false, ofSelection<threadsTable>},
      {"leaks", "what memleak finds", Intervals, false, ofStats<leaksTable>},
      {"series", "memory over time", All, false, ofStats<usualSeries>}};
  return Answers;
}

Expected<const NamedAnswer *> findAnswer(StringRef Name) {
  ArrayRef<NamedAnswer> All = namedAnswers();
  const auto *At =
      find_if(All, [&](const NamedAnswer &A) { return A.Name == Name; });
  if (At != All.end())
    return At;
  return makeRequestError(
      "there is no table '" + Name + "'; tables: " +
      join(map_range(All, [](const NamedAnswer &A) { return A.Name; }), ", "));
}

} // namespace memkit
