// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the library that asked for memory.
//
// The library of a stack is the innermost binary that does not only hand on
// requests of others. The rules say which binaries only hand on (Rules.h):
// CUDA's driver, runtime and CUPTI, memrec's own libraries, the loader, the C
// and C++ libraries, libffi, and libraries that replace malloc. A statically
// linked runtime counts as the binary around it. libc10 and libc10_cuda contain
// PyTorch's caching allocators. For memory requested from the driver, these two
// are the library, since this memory serves any later caller. For a block from
// a caching allocator, the allocator's caller is the library.

#ifndef MEMKIT_MODEL_LIBRARIES_H
#define MEMKIT_MODEL_LIBRARIES_H

#include "memkit/Model/Trace.h"

namespace memkit {

class Libraries {
public:
  /// Takes time and memory in proportion to the nodes of the trace's stacks. T
  /// must outlive the object.
  explicit Libraries(const Trace &T);

  /// The library of a stack; 0: unknown, as for an empty stack. Libraries are
  /// numbered densely.
  uint32_t of(uint32_t Stack) const { return ofNode(T->leaf(Stack)); }
  uint32_t ofNode(uint32_t Node) const {
    return Wide.empty() ? Narrow[Node] : Wide[Node];
  }
  /// The last part of the binary's path, or of a Python file's path if the
  /// stack has only Python frames; `(unknown)` for 0.
  llvm::StringRef name(uint32_t Library) const { return Names[Library]; }
  uint32_t size() const { return Names.size(); } ///< with 0

private:
  const Trace *T;
  std::vector<llvm::StringRef> Names;
  /// By node, with 0, the root. There are millions of nodes: one list is empty,
  /// Wide if there are few libraries.
  std::vector<uint16_t> Narrow;
  std::vector<uint32_t> Wide;
};

} // namespace memkit

#endif // MEMKIT_MODEL_LIBRARIES_H
