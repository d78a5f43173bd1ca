// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Series as small graphs in the terminal.

#ifndef MEMKIT_LIB_CLI_GRAPH_H
#define MEMKIT_LIB_CLI_GRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// Values as columns of Lines lines, the highest line first: each value as high
/// as its share of the highest one, in eighths of a line (with Ascii in
/// halves). A value that is not 0 shows. Each line has as many characters as
/// there are values.
std::vector<std::string> drawColumns(llvm::ArrayRef<uint64_t> Values,
                                     unsigned Lines, bool Ascii);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_GRAPH_H
