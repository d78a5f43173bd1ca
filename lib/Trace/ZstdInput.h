// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompresses a stream with zstd.

#ifndef MEMKIT_LIB_TRACE_ZSTDINPUT_H
#define MEMKIT_LIB_TRACE_ZSTDINPUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>

struct ZSTD_DCtx_s;

namespace memkit {

/// Any number of zstd frames, one after the other, as they come out of another
/// tool: with or without size and checksum. A window of at most 128 MiB.
class ZstdInput {
public:
  ZstdInput();
  ~ZstdInput();

  struct ZstdStep {
    size_t Used = 0; ///< bytes of From
    size_t Made = 0; ///< bytes in To
  };
  /// Decompresses a part of From to To. Without progress both are 0. Errors: no
  /// zstd, damage, a window that is too large.
  llvm::Expected<ZstdStep> step(llvm::ArrayRef<uint8_t> From,
                                llvm::MutableArrayRef<uint8_t> To);
  /// Whether all frames so far are whole.
  bool atEnd() const { return AtEnd; }

private:
  ZSTD_DCtx_s *Context;
  bool AtEnd = true;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_ZSTDINPUT_H
