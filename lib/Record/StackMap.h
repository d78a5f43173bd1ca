//===- StackMap.h - From an image's stacks to the trace's -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_LIB_RECORD_STACKMAP_H
#define MEMKIT_LIB_RECORD_STACKMAP_H

#include "ChunkedArray.h"
#include "SharedImage.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace memkit {

class Recording;

/// Turns (node of the shared table, function called) into a row of the sums,
/// each once. Belongs to the recorder's thread.
class StackMap {
public:
  StackMap(SharedImage &Shared, Recording &R, uint32_t Image)
      : Shared(Shared), R(R), Image(Image) {}

  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(uint32_t Node) const {
    if (const Entry *E = Entries.find(Node))
      __builtin_prefetch(E);
  }
  /// The row of a block that Function allocated at Node, 0 for none. What is
  /// nonsense counts as a bad record and as the nearest thing that is none.
  uint32_t row(uint32_t Node, uint8_t Function) {
    const Entry *E = Entries.find(Node);
    if (__builtin_expect(E && E->Row && E->Function == Function, 1))
      return E->Row;
    return findRow(Node, Function);
  }
  /// The trace's stack of a call of Function, in range, at Node.
  uint32_t stack(uint32_t Node, uint8_t Function);
  /// As row(), without making one; 0 when it is not known yet.
  uint32_t knownRow(uint32_t Node) const {
    const Entry *E = Entries.find(Node);
    return E ? E->Row : 0;
  }

private:
  struct Entry {
    uint32_t Row = 0;
    uint32_t TraceNode = 0; ///< 0: not known yet
    uint8_t Function = 0;
  };
  uint32_t findRow(uint32_t Node, uint8_t Function);
  uint32_t makeRow(uint32_t Node, uint8_t Function);
  uint32_t frameOf(uint32_t Code);
  uint32_t moduleOf(uint32_t Module, uint64_t &Bias);

  struct KnownModule {
    uint32_t Id = 0;
    uint64_t Bias = 0;
  };
  SharedImage &Shared;
  Recording &R;
  uint32_t Image;
  ChunkedArray<Entry, 10> Entries;
  ChunkedArray<uint32_t, 10> Frames; ///< by code
  ChunkedArray<KnownModule, 4> Modules;
  /// Nodes at which several functions allocate: node << 8 | function -> row.
  llvm::DenseMap<uint64_t, uint32_t> MoreRows;
};

/// The name of an allocation function; empty when there is none of that number.
llvm::StringRef allocFunctionName(uint8_t Function);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_STACKMAP_H
