// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that the library writes.

#ifndef MEMKIT_CAPTURE_DETOURS_CODEPATCH_H
#define MEMKIT_CAPTURE_DETOURS_CODEPATCH_H

#include <cstddef>
#include <cstdint>

namespace memkit::capture {

/// Memory for code within reach of a jump from all of [Begin, End).
class CodeIsland {
public:
  CodeIsland() = default;
  /// Maps the memory, writable and not executable. Not isMapped(): there is no
  /// room within reach.
  /// Stays: the memory is not that of a recording, which gives it back.
  CodeIsland(uintptr_t Begin, uintptr_t End, size_t Bytes, bool Stays = false);

  bool isMapped() const { return Start; }
  /// The next \p Bytes bytes, at a multiple of 16; null: the island is full.
  uint8_t *take(size_t Bytes);
  /// Makes the memory executable and read-only. False: the kernel refuses, and
  /// the memory is gone.
  bool seal();
  /// Unmaps the memory.
  void drop();

private:
  uintptr_t Start = 0, Next = 0, Limit = 0;
};

/// Whether a jump of five bytes that ends at \p From reaches \p To.
inline bool reaches(uintptr_t From, uintptr_t To) {
  int64_t Distance = int64_t(To - From);
  return Distance == int32_t(Distance);
}

/// Makes the bytes of a jump to \p To for code at \p At, \p Bytes of them, the
/// last ones of instructions that do nothing. False: out of reach.
bool makeJump(uint8_t *Out, uintptr_t At, size_t Bytes, uintptr_t To);

/// Writes a jump to \p To over the first five of \p Bytes bytes of code at \p
/// At, and instructions that do nothing over the others. No thread may run this
/// code meanwhile. False: out of reach, or the kernel refuses.
bool writeJump(uintptr_t At, size_t Bytes, uintptr_t To);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_DETOURS_CODEPATCH_H
