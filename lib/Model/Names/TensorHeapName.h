// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of heaps of tensors.

#ifndef MEMKIT_LIB_MODEL_TENSORHEAPNAME_H
#define MEMKIT_LIB_MODEL_TENSORHEAPNAME_H

#include "llvm/ADT/StringRef.h"

namespace memkit {

/// Whether Name is a heap of a framework's tensors: `torch.cuda:0`, `tf.cpu`,
/// `jax.cpu`; not a heap of the segments around tensors.
inline bool isTensorHeapName(llvm::StringRef Name) {
  return (Name.starts_with("torch.") || Name.starts_with("tf.") ||
          Name.starts_with("jax.")) &&
         !Name.ends_with(".segments");
}

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_TENSORHEAPNAME_H
