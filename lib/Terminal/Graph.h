// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws series as small graphs in the terminal.

#ifndef MEMKIT_LIB_TERMINAL_GRAPH_H
#define MEMKIT_LIB_TERMINAL_GRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// Draws Values as columns of Lines lines, the top line first. The height of a
/// column is the share of its value in the highest value, in eighths of a line
/// (with Ascii in halves); only 0 draws nothing. Each line has as many
/// characters as there are values.
std::vector<std::string> drawColumns(llvm::ArrayRef<uint64_t> Values,
                                     unsigned Lines, bool Ascii);

/// Draws Values as an area and Line as a line over it, up to Top, in Lines
/// lines, the top line first. Line: as many values as Values, or none; 0: no
/// point. The line shows where it is above the area.
std::vector<std::string> drawCurve(llvm::ArrayRef<uint64_t> Values,
                                   llvm::ArrayRef<uint64_t> Line, uint64_t Top,
                                   unsigned Lines, bool Ascii);

} // namespace memkit

#endif // MEMKIT_LIB_TERMINAL_GRAPH_H
