// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs of JAX, and live arrays at marks.
//
// Tables are for people; objects are for JSON, with the fields that
// docs/CommandGuide/memstat.md defines.

#ifndef MEMKIT_LIB_REPORT_PROGRAMPRINTERS_H
#define MEMKIT_LIB_REPORT_PROGRAMPRINTERS_H

#include "Tables/Cells.h"
#include "memkit/Analysis/Programs.h"

namespace memkit {

/// A row for each program, with the plan that has the highest peak.
RowListRef programTable(llvm::ArrayRef<CompiledProgram> Programs);
/// Says whose values the columns of programTable() are.
std::string programNote(llvm::ArrayRef<CompiledProgram> Programs);
RowListRef programObjects(llvm::ArrayRef<CompiledProgram> Programs);

/// A row for each of the first MaxShapes types and shapes.
RowListRef arrayTable(const Trace &T, const ArraysAtMark &A, size_t MaxShapes);
/// `at the mark trained (4.96 s), 41 with 13.8 MiB`.
std::string arrayTitle(const ArraysAtMark &A);
RowListRef arrayObjects(const Trace &T, llvm::ArrayRef<ArraysAtMark> Arrays);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_PROGRAMPRINTERS_H
