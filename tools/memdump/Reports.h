// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memdump's reports: rows with one form for each format.

#ifndef MEMKIT_TOOLS_MEMDUMP_REPORTS_H
#define MEMKIT_TOOLS_MEMDUMP_REPORTS_H

#include "Tables/Cells.h"
#include "memkit/Analysis/Programs.h"
#include "memkit/Model/DeviceWork.h"
#include "memkit/Model/Query.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// A table for people.
struct ReportPart {
  std::string Title; ///< above the table; empty: none
  RowListRef Rows;
  std::string Note{}; ///< below the table; empty: none
};

/// The rows refer to the answer, which must live as long.
struct DumpReport {
  llvm::StringRef Name;          ///< `layers`: the option, and the list in JSON
  std::vector<ReportPart> Parts; ///< for people
  std::string WhyNone;           ///< for people if there are no parts
  RowListRef Json;
  RowListRef Csv; ///< null: the report has no CSV
};

/// Writes the report in `OutputFormat`.
void writeReport(llvm::raw_ostream &OS, const DumpReport &R);

DumpReport layerReport(const Trace &T, llvm::ArrayRef<LayerStats> Layers);
DumpReport operatorReport(const Trace &T, llvm::ArrayRef<LayerStats> Operators);
DumpReport scopeReport(const Trace &T, llvm::ArrayRef<LayerStats> Scopes);
DumpReport stepReport(const Trace &T, llvm::ArrayRef<StepReport> Steps);
DumpReport categoryReport(const Trace &T,
                          llvm::ArrayRef<CategorySum> Categories);
DumpReport processReport(const Trace &T, const RunReport &R);
DumpReport kernelReport(const SelectedStats &S);
DumpReport programReport(llvm::ArrayRef<CompiledProgram> Programs);
DumpReport arrayReport(const Trace &T, llvm::ArrayRef<ArraysAtMark> Arrays);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_REPORTS_H
