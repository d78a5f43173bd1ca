// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printers of traces as text.
//
// Each printer is a visitor of sections. Pass it every section of one trace in
// file order (visitSections). A printer prints each section as it arrives and
// flushes after it. It keeps dictionaries but no events. It never returns an
// error: the stream OS keeps its own (raw_fd_ostream::has_error). OS must
// outlive the printer.

#ifndef MEMKIT_LIB_TRACETEXT_PRINTERS_H
#define MEMKIT_LIB_TRACETEXT_PRINTERS_H

#include "memkit/Trace/SectionVisitor.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace memkit {

class Trace;

/// The text form, without loss: the input of Assembler.
std::unique_ptr<SectionVisitor> createAsmPrinter(llvm::raw_ostream &OS);

/// A JSON object a line: `record` names the kind of record; the other fields
/// are those of the text form with `_` for `-`.
std::unique_ptr<SectionVisitor> createJsonPrinter(llvm::raw_ostream &OS);

/// The events as comma-separated values with one line of headings.
std::unique_ptr<SectionVisitor> createCsvPrinter(llvm::raw_ostream &OS);

/// A listing of events and marks for people, which shows each stack below its
/// first use. Names: the names of a whole file (TP_Stacks, and of TP_Totals the
/// process names), all read in advance. Without Names a line shows only names
/// defined before it.
std::unique_ptr<SectionVisitor>
createListing(llvm::raw_ostream &OS, bool AllFrames = false,
              std::unique_ptr<Trace> Names = nullptr);

/// Prints S in quotes, with escapes for bytes outside printable UTF-8.
void printQuoted(llvm::raw_ostream &OS, llvm::StringRef S);

} // namespace memkit

#endif // MEMKIT_LIB_TRACETEXT_PRINTERS_H
