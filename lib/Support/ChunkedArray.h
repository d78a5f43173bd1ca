// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array whose elements never move.

#ifndef MEMKIT_LIB_SUPPORT_CHUNKEDARRAY_H
#define MEMKIT_LIB_SUPPORT_CHUNKEDARRAY_H

#include <cstddef>
#include <memory>
#include <vector>

namespace memkit {

/// A sparse array of zeroed elements. Takes memory by chunks when elements are
/// written, so that a large array grows without a pause.
template <typename T, unsigned ChunkBits> class ChunkedArray {
public:
  /// The element I, or null if no element of its chunk was written yet.
  const T *find(size_t I) const {
    size_t C = I >> ChunkBits;
    return C < Chunks.size() && Chunks[C] ? &Chunks[C][I & Mask] : nullptr;
  }
  /// The element I, which is in a written chunk.
  const T &at(size_t I) const { return Chunks[I >> ChunkBits][I & Mask]; }
  /// The element I, made if missing.
  T &get(size_t I) {
    size_t C = I >> ChunkBits;
    if (C >= Chunks.size())
      Chunks.resize(C + 1);
    if (!Chunks[C])
      Chunks[C] = std::make_unique<T[]>(size_t(1) << ChunkBits);
    return Chunks[C][I & Mask];
  }
  T operator[](size_t I) const {
    const T *P = find(I);
    return P ? *P : T();
  }

private:
  static constexpr size_t Mask = (size_t(1) << ChunkBits) - 1;
  std::vector<std::unique_ptr<T[]>> Chunks;
};

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_CHUNKEDARRAY_H
