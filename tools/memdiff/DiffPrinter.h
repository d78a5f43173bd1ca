// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences as text, JSON and Markdown.

#ifndef MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H
#define MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H

#include "Report/DiffSentences.h"

namespace memkit {

/// Prints the answer for people: what changed, by line of the user's code.
void printShort(llvm::raw_ostream &OS, const DiffView &V);
/// Prints every change with its stack.
void printDiff(llvm::raw_ostream &OS, const DiffView &V);
/// Writes the machine interface: docs/CommandGuide/memdiff.md.
void writeDiffJson(llvm::raw_ostream &OS, const DiffView &V);
/// Writes a comment for a pull request, in GitHub's Markdown.
void writeDiffMarkdown(llvm::raw_ostream &OS, const DiffView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H
