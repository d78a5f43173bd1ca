// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of functions that were extracted from a line.
//
// A line that allocates in one group of runs, and in the other nearly only
// calls functions that the first group lacks, is the place of what these
// functions allocate for the line: a helper was extracted, a macro became a
// function, or the other way round.

#ifndef MEMKIT_LIB_ANALYSIS_EXTRACTED_H
#define MEMKIT_LIB_ANALYSIS_EXTRACTED_H

#include "Analysis/Places/OwnLines.h"
#include "memkit/Analysis/DiffRuns.h"

namespace memkit {

/// The places of a run, numbered so that the same place has one number in all
/// runs.
struct SamePlaces {
  std::vector<uint32_t> Numbers;   ///< by place
  std::vector<uint32_t> Functions; ///< by place: the number of its function
};

/// The place of each stack of each run, with the memory of extracted functions
/// at the lines that call them. Bytes: by run and place. Empty for a run whose
/// stacks keep their places.
std::vector<std::vector<uint32_t>>
placesOfExtracted(const DiffRuns &Runs, llvm::ArrayRef<Places> Where,
                  llvm::ArrayRef<std::optional<OwnLines>> Lines,
                  llvm::ArrayRef<SamePlaces> Same,
                  llvm::ArrayRef<std::vector<uint64_t>> Bytes);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_EXTRACTED_H
