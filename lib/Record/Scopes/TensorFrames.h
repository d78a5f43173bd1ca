// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who makes a tensor, by frames of Python.

#ifndef MEMKIT_LIB_RECORD_TENSORFRAMES_H
#define MEMKIT_LIB_RECORD_TENSORFRAMES_H

#include "Scopes/TensorCategories.h"
#include "Shared/ChunkedArray.h"
#include "Shared/SharedProcess.h"
#include "llvm/ADT/StringRef.h"

namespace memkit {

/// What one frame says; Unknown: nothing.
MadeBy madeByFrame(llvm::StringRef File, llvm::StringRef Function);

/// What the frames of Python of a node of the shared table say. Each node is
/// looked at once. Belongs to the recorder's thread.
class TensorFrames {
public:
  explicit TensorFrames(SharedProcess &Shared) : Shared(Shared) {}
  MadeBy of(uint32_t Node);

private:
  MadeBy ofPython(uint32_t Node);
  MadeBy ofCode(uint32_t Code);

  SharedProcess &Shared;
  /// MadeBy + 1; 0: not known yet.
  ChunkedArray<uint8_t, 10> Nodes, Codes;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORFRAMES_H
