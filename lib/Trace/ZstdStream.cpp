// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compresses a stream with zstd.

#include "ZstdStream.h"
#include "llvm/Support/ErrorHandling.h"
#include <zstd.h>

using namespace llvm;
using namespace memkit;

ZstdStream::ZstdStream(raw_ostream &To) : To(To), Context(ZSTD_createCCtx()) {
  if (!Context)
    report_bad_alloc_error("zstd context");
  ZSTD_CCtx_setParameter(Context, ZSTD_c_checksumFlag, 1);
  constexpr size_t BufferBytes = 1 << 20;
  SetBufferSize(BufferBytes);
}

ZstdStream::~ZstdStream() {
  flush();
  compress("", /*IsEnd=*/true);
  ZSTD_freeCCtx(Context);
}

void ZstdStream::write_impl(const char *Bytes, size_t Size) {
  Written += Size;
  compress(StringRef(Bytes, Size), /*IsEnd=*/false);
}

void ZstdStream::compress(StringRef Bytes, bool IsEnd) {
  ZSTD_inBuffer In = {Bytes.data(), Bytes.size(), 0};
  char Room[1 << 14];
  while (true) {
    ZSTD_outBuffer Out = {Room, sizeof Room, 0};
    size_t Left = ZSTD_compressStream2(Context, &Out, &In,
                                       IsEnd ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(Left))
      report_fatal_error("zstd failed to compress a file");
    To.write(Room, Out.pos);
    if (IsEnd ? Left == 0 : In.pos == In.size)
      return;
  }
}
