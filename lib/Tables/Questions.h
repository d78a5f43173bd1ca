// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a trace whose answers are tables.
//
// Sizes are bytes, times nanoseconds since the recording started. Columns have
// the names of the same values in the tools' JSON. `process` is the system's id
// of a process, `thread` that of a thread; `heap`, `space` and `layer` are
// names; `stack` is the trace's number of a stack, for framesTable().
// Each question names the parts of the trace to read before. Errors: those of
// the query, and more text than a column can hold.

#ifndef MEMKIT_LIB_TABLES_QUESTIONS_H
#define MEMKIT_LIB_TABLES_QUESTIONS_H

#include "Table.h"
#include "memkit/Analysis/Diff.h"
#include "memkit/Model/StatsQuery.h"

namespace memkit {

using TableAnswer = llvm::Expected<TableRef>;

/// One row: the program, its run, counts of what was recorded and lost. Reads
/// TP_Totals and TP_Names.
TableAnswer runTable(const Trace &T);
/// Reads TP_Totals and TP_Names.
TableAnswer processesTable(const Trace &T);
/// Of a distributed job; a trace without ranks is one row.
TableAnswer ranksTable(const Trace &T);
/// Memory spaces. Reads TP_Totals.
TableAnswer spacesTable(const Trace &T);
TableAnswer heapsTable(const Trace &T);
/// Reads TP_Totals and TP_Names.
TableAnswer threadsTable(const Trace &T, const Selection &Sel);
/// A row for each step and memory space. Reads TP_Totals.
TableAnswer stepsTable(const Trace &T, const Selection &Sel);
/// A row for each layer, direction and memory space. Reads TP_Totals.
TableAnswer layersTable(const Trace &T, const Selection &Sel);
/// A row for each operator and memory space. Reads TP_Totals.
TableAnswer operatorsTable(const Trace &T, const Selection &Sel);
/// A row for each time that a thread was in a scope, by begin: layers,
/// operators, ranges, the program's own. Empty for a trace without times of
/// scopes. Reads TP_All.
TableAnswer rangesTable(const Trace &T, const Selection &Sel);
/// A row for each compiled program of JAX, with the plan that has the highest
/// peak. Reads TP_All.
TableAnswer programsTable(const SelectedStats &S);
/// A row for each mark, and type and shape of live arrays of JAX. Reads TP_All.
TableAnswer arraysTable(const SelectedStats &S);
/// A row for the work of a device with equal kernel, stream, stack and scope
/// path; empty without --cuda=time. Reads TP_All.
TableAnswer kernelsTable(const SelectedStats &S);
/// The program's own scopes and ranges, likewise.
TableAnswer scopesTable(const Trace &T);
/// Tensors at the peak of their heap by category. Reads TP_Totals.
TableAnswer categoriesTable(const Trace &T, const Selection &Sel);
/// Out-of-memory events. Reads TP_Totals and TP_Names.
TableAnswer oomsTable(const Trace &T);
/// Stats of S by heap and group; Line: by Places.h. Reads TP_All.
TableAnswer statsTable(const SelectedStats &S, GroupBy By);
/// The groups of statsTable() by the words of the command line.
llvm::Expected<GroupBy> parseStatsGroup(llvm::StringRef Word);
/// Live bytes of heaps in Columns equal parts of the run (the highest of each
/// part), and samples of resident, reserved and used bytes.
TableAnswer seriesTable(const SelectedStats &S, unsigned Columns);
/// Blocks and bytes of each heap and stack at the end of each interval in which
/// they changed (Model/Intervals.h). Reads intervals.
TableAnswer intervalsTable(const SelectedStats &S);
/// Blocks that were never freed, grow, or outlive their siblings.
TableAnswer leaksTable(const SelectedStats &S);
/// The largest blocks that are live at the selection's time point, or at the
/// peak: at most 1,000, the largest first. Reads TP_All and events.
TableAnswer blocksTable(const SelectedStats &S);
/// Changes by line. Both traces were read with TP_All.
TableAnswer differencesTable(const SelectedStats &Before,
                             const SelectedStats &After);

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_QUESTIONS_H
