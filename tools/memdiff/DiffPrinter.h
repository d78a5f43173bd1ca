//===- DiffPrinter.h - Differences as text and JSON -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H
#define MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H

#include "memkit/Analysis/Diff.h"

namespace memkit {

/// The two traces and what they differ by.
struct DiffView {
  const Trace &Before;
  const Trace &After;
  const DiffReport &Report;
  Metric By;     ///< what the text shows
  uint64_t Most; ///< how many differences; 0: all above the noise
};

/// For people.
void printDiff(llvm::raw_ostream &OS, const DiffView &V);
/// The machine interface: docs/CommandGuide/memdiff.md.
void writeDiffJson(llvm::raw_ostream &OS, const DiffView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDIFF_DIFFPRINTER_H
