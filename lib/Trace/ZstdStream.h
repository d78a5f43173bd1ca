// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compresses a stream with zstd.

#ifndef MEMKIT_LIB_TRACE_ZSTDSTREAM_H
#define MEMKIT_LIB_TRACE_ZSTDSTREAM_H

#include "llvm/Support/raw_ostream.h"

struct ZSTD_CCtx_s;

namespace memkit {

/// What is written to the stream comes out of To as one zstd frame with a
/// checksum. To must outlive the stream.
class ZstdStream : public llvm::raw_ostream {
public:
  explicit ZstdStream(llvm::raw_ostream &To);
  ~ZstdStream() override;

private:
  void write_impl(const char *Bytes, size_t Size) override;
  uint64_t current_pos() const override { return Written; }
  void compress(llvm::StringRef Bytes, bool IsEnd);

  llvm::raw_ostream &To;
  ZSTD_CCtx_s *Context;
  uint64_t Written = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_ZSTDSTREAM_H
