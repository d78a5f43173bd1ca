// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source lines of Python frames.

#ifndef MEMKIT_LIB_RECORD_PYTHONLINES_H
#define MEMKIT_LIB_RECORD_PYTHONLINES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

class SharedProcess;

/// Finds the line of a node's innermost Python frame outside of PyTorch, once
/// for each node. Belongs to the recorder's thread.
class PythonLines {
public:
  explicit PythonLines(SharedProcess &Shared) : Shared(Shared) {}

  /// The number of the line of a node of Python frames; 0: none.
  uint32_t lineOf(uint32_t Node);
  /// `model.py:17 Net.forward`. Line: not 0.
  llvm::StringRef text(uint32_t Line) const { return Texts[Line]; }

private:
  uint32_t find(uint32_t Node);
  uint32_t add(const std::string &Line);

  SharedProcess &Shared;
  llvm::DenseMap<uint32_t, uint32_t> Lines; ///< by node
  llvm::StringMap<uint32_t> Ids;
  std::vector<std::string> Texts{""};
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PYTHONLINES_H
