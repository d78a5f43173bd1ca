// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs of JAX, and live arrays at marks, as text, JSON and CSV.
//
// JSON is written as an attribute into the object open in J, with the fields
// that docs/CommandGuide/memstat.md defines. CSV begins with a header.

#ifndef MEMKIT_LIB_REPORT_PROGRAMPRINTERS_H
#define MEMKIT_LIB_REPORT_PROGRAMPRINTERS_H

#include "Support/Table.h"
#include "memkit/Analysis/Programs.h"
#include "llvm/Support/JSON.h"

namespace memkit {

/// A row for each program, with the plan that has the highest peak.
Table programTable(llvm::ArrayRef<CompiledProgram> Programs);
/// Says whose values the columns of programTable() are.
std::string programNote(llvm::ArrayRef<CompiledProgram> Programs);
void writeProgramsJson(llvm::json::OStream &J, llvm::StringRef Key,
                       llvm::ArrayRef<CompiledProgram> Programs);
void printProgramsCsv(llvm::raw_ostream &OS,
                      llvm::ArrayRef<CompiledProgram> Programs);

/// A row for each of the first MaxShapes types and shapes.
Table arrayTable(const ArraysAtMark &A, size_t MaxShapes);
/// `at the mark trained (4.96 s), 41 with 13.8 MiB`.
std::string arrayTitle(const ArraysAtMark &A);
void writeArraysJson(llvm::json::OStream &J, llvm::StringRef Key,
                     llvm::ArrayRef<ArraysAtMark> Arrays);
void printArraysCsv(llvm::raw_ostream &OS, llvm::ArrayRef<ArraysAtMark> Arrays);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_PROGRAMPRINTERS_H
