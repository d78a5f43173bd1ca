// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Series as small graphs in the terminal.

#ifndef MEMKIT_SUPPORT_GRAPH_H
#define MEMKIT_SUPPORT_GRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG) writes UTF-8.
bool isUtf8Locale();

/// Values as columns of Lines lines, the highest line first: each value as high
/// as its share of the highest one, in eighths of a line (with Ascii in
/// halves). A value that is not 0 shows. Each line has as many characters as
/// there are values.
std::vector<std::string> drawColumns(llvm::ArrayRef<uint64_t> Values,
                                     unsigned Lines, bool Ascii);

/// A point of a series that keeps its value until the next.
struct SeriesPoint {
  uint64_t TimeNs = 0;
  uint64_t Value = 0;
};

/// The highest value of a series in each of Columns equal parts of the time
/// from BeginNs to EndNs. Points: times rising; before the first it is 0.
std::vector<uint64_t> highestOf(llvm::ArrayRef<SeriesPoint> Points,
                                uint64_t BeginNs, uint64_t EndNs,
                                unsigned Columns);

} // namespace memkit

#endif // MEMKIT_SUPPORT_GRAPH_H
