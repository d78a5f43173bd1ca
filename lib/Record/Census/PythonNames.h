// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of modules of Python in a program that runs.

#ifndef MEMKIT_LIB_RECORD_CENSUS_PYTHONNAMES_H
#define MEMKIT_LIB_RECORD_CENSUS_PYTHONNAMES_H

#include "Record/Census/BlockGraph.h"

namespace memkit {

/// Makes the variables of all modules roots of the graph, those of the program
/// itself first: `cache`, `json.decoder.NaN`. Python 3.6 to 3.15.
void addPythonNames(const TargetMemory &Memory, const BlockKinds &Kinds,
                    BlockGraph &To);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_PYTHONNAMES_H
