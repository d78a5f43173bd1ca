// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an imported file may become in memory.

#ifndef MEMKIT_LIB_IMPORT_IMPORTBOUNDS_H
#define MEMKIT_LIB_IMPORT_IMPORTBOUNDS_H

#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace memkit {

/// Bounds in proportion to a file: a few KiB of a compressed file may stand for
/// any number of bytes and blocks. A user who trusts the file decompresses it
/// first, and a file that is not compressed meets no bound.
class ImportBounds {
public:
  explicit ImportBounds(uint64_t FileBytes) : FileBytes(FileBytes) {}

  /// Bytes of the decompressed content. Recordings shrink to a tenth or a
  /// hundredth; those of a loop that does nothing else to a thousandth.
  uint64_t content() const {
    return std::max(MinContent, FileBytes * ContentOfByte);
  }
  /// Blocks that are live at a time.
  uint64_t blocks() const { return MinBlocks + FileBytes * BlocksOfByte; }
  /// A sentence without a full stop, for an error.
  std::string tooManyBlocks() const {
    return ("more than " + llvm::Twine(blocks()) +
            " live blocks, which is too much for a file of " +
            llvm::Twine(FileBytes) +
            " bytes (decompress a file that you trust "
            "first)")
        .str();
  }
  std::string tooMuchContent() const {
    return ("a file of " + llvm::Twine(FileBytes) +
            " bytes becomes more than " + llvm::Twine(content()) +
            " bytes when it is decompressed (decompress a file that you trust "
            "first)")
        .str();
  }

  /// The longest name of a function, file or binary: each of many frames may
  /// have it.
  static constexpr size_t MaxName = 1 << 16;

private:
  static constexpr uint64_t MinContent = uint64_t(256) << 20;
  static constexpr uint64_t ContentOfByte = 1000;
  static constexpr uint64_t MinBlocks = uint64_t(16) << 20;
  static constexpr uint64_t BlocksOfByte = 4;
  uint64_t FileBytes;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_IMPORTBOUNDS_H
