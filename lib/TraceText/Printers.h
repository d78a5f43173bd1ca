// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace as text.
//
// Consumers of sections that print them. Give each every section of one trace
// in file order (visitSections). They print as sections come and flush after
// each, keep what names ids and nothing of the events, and never return an
// error: the stream keeps its own (raw_fd_ostream::has_error). OS must outlive
// them.

#ifndef MEMKIT_LIB_TRACETEXT_PRINTERS_H
#define MEMKIT_LIB_TRACETEXT_PRINTERS_H

#include "memkit/Trace/SectionVisitor.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace memkit {

class Trace;

/// The text form, without loss: what Assembler reads.
std::unique_ptr<SectionVisitor> createAsmPrinter(llvm::raw_ostream &OS);

/// A JSON object a line: `record` names what it is, the rest are the fields of
/// the text form with `_` for `-`.
std::unique_ptr<SectionVisitor> createJsonPrinter(llvm::raw_ostream &OS);

/// The events as comma-separated values with one line of headings.
std::unique_ptr<SectionVisitor> createCsvPrinter(llvm::raw_ostream &OS);

/// A listing of events and marks for people, stacks resolved and shown where
/// they are first used. Names: those of a file (TP_Stacks, of TP_Totals what
/// processes are called), all read before; without them a line has the names
/// that have come by then.
std::unique_ptr<SectionVisitor>
createListing(llvm::raw_ostream &OS, bool AllFrames = false,
              std::unique_ptr<Trace> Names = nullptr);

/// Prints S in quotes, with escapes for what is not printable UTF-8.
void printQuoted(llvm::raw_ostream &OS, llvm::StringRef S);

} // namespace memkit

#endif // MEMKIT_LIB_TRACETEXT_PRINTERS_H
