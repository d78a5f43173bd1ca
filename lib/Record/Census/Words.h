// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words and pages of a program's memory.

#ifndef MEMKIT_LIB_RECORD_CENSUS_WORDS_H
#define MEMKIT_LIB_RECORD_CENSUS_WORDS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <cstring>

namespace memkit {

inline constexpr uint64_t TargetPage = 4096;

/// The word at an offset of Bytes; 0: there is none.
inline uint64_t wordAt(llvm::ArrayRef<uint8_t> Bytes, uint64_t At) {
  uint64_t V = 0;
  if (Bytes.size() >= sizeof(V) && At <= Bytes.size() - sizeof(V))
    std::memcpy(&V, Bytes.data() + At, sizeof(V));
  return V;
}

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_WORDS_H
