// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run as text and JSON.
//
// T has the names for the ids in an answer. JSON is written as attributes into
// the object open in J, with the fields that docs/CommandGuide/memdump.md
// defines.

#ifndef MEMKIT_LIB_REPORT_RUNPRINTERS_H
#define MEMKIT_LIB_REPORT_RUNPRINTERS_H

#include "Tables/Cells.h"
#include "memkit/Model/Query.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// A run with its counts and its tensors by category, in Width columns (0: any
/// width). OomHint is printed after the number of out-of-memory events.
void printRun(llvm::raw_ostream &OS, const RunReport &R, const Trace &T,
              llvm::ArrayRef<CategorySum> Categories, unsigned Width,
              llvm::StringRef OomHint);
void writeRunJson(llvm::json::OStream &J, const RunReport &R, const Trace &T,
                  llvm::ArrayRef<CategorySum> Categories);

/// The processes of a run, for people and for programs.
RowListRef processTable(const RunReport &R, const Trace &T);
RowListRef processObjects(const RunReport &R, const Trace &T);

/// Tensors of one heap as shares of Whole.
RowListRef categoryTable(const Trace &T, llvm::ArrayRef<CategorySum> OfHeap,
                         uint64_t Whole);
/// With the layers of each category, and with OfHeaps its heap.
RowListRef categoryObjects(const Trace &T,
                           llvm::ArrayRef<CategorySum> Categories,
                           bool OfHeaps = true);
/// The parts of Categories with one heap each.
std::vector<llvm::ArrayRef<CategorySum>>
categoriesByHeap(llvm::ArrayRef<CategorySum> Categories);
uint64_t bytesOf(llvm::ArrayRef<CategorySum> Categories);

/// Why a trace without layers has none, and what to do: `no layers: ...`.
std::string whyNoLayers(const Trace &T);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_RUNPRINTERS_H
