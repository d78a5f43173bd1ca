// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which library asked for memory.
//
// The library of a stack is its innermost binary that does not only hand on:
// not CUDA's driver, runtime or CUPTI, not memrec's own libraries, the C and
// C++ libraries, nor a library that replaces malloc. A runtime that is linked
// statically counts as what it is linked into. libc10 and libc10_cuda, in which
// PyTorch's caching allocators are, own what they take from the driver, since
// it serves whoever comes later; of what they give out, the library is who
// asked them.

#ifndef MEMKIT_MODEL_LIBRARIES_H
#define MEMKIT_MODEL_LIBRARIES_H

#include "memkit/Model/Trace.h"

namespace memkit {

class Libraries {
public:
  /// Takes time and memory in proportion to the nodes of the trace's stacks; T
  /// must outlive this.
  explicit Libraries(const Trace &T);

  /// 0: nothing is known, as of an empty stack. Libraries are numbered densely.
  uint32_t of(uint32_t Stack) const { return OfNode[T->leaf(Stack)]; }
  /// The last part of the binary's path, or of a Python file's where Python
  /// alone called; `(unknown)` for 0.
  llvm::StringRef name(uint32_t Library) const { return Names[Library]; }
  uint32_t size() const { return Names.size(); } ///< with 0

private:
  const Trace *T;
  std::vector<llvm::StringRef> Names;
  std::vector<uint32_t> OfNode; ///< with 0, the root
};

} // namespace memkit

#endif // MEMKIT_MODEL_LIBRARIES_H
