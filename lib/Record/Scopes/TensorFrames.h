// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the code that makes a tensor, by Python frames.

#ifndef MEMKIT_LIB_RECORD_TENSORFRAMES_H
#define MEMKIT_LIB_RECORD_TENSORFRAMES_H

#include "Scopes/TensorCategories.h"
#include "Shared/SharedProcess.h"
#include "Support/ChunkedArray.h"
#include "llvm/ADT/StringRef.h"

namespace memkit {

/// The meaning of one frame; Unknown: none.
MadeBy madeByFrame(llvm::StringRef File, llvm::StringRef Function);

/// Finds MadeBy from the Python frames of a node of the shared table, once for
/// each node. Belongs to the recorder's thread.
class TensorFrames {
public:
  explicit TensorFrames(SharedProcess &Shared) : Shared(Shared) {}
  MadeBy of(uint32_t Node);

private:
  MadeBy ofPython(uint32_t Node);
  MadeBy ofCode(uint32_t Code);

  SharedProcess &Shared;
  /// MadeBy + 1; 0: unknown.
  ChunkedArray<uint8_t, 10> Nodes, Codes;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORFRAMES_H
