// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompresses a stream with zstd.

#include "ZstdInput.h"
#include "llvm/Support/ErrorHandling.h"
#include <zstd.h>

using namespace llvm;
using namespace memkit;

ZstdInput::ZstdInput() : Context(ZSTD_createDCtx()) {
  if (!Context)
    report_bad_alloc_error("zstd context");
}
ZstdInput::~ZstdInput() { ZSTD_freeDCtx(Context); }

Expected<ZstdInput::ZstdStep> ZstdInput::step(ArrayRef<uint8_t> From,
                                              MutableArrayRef<uint8_t> To) {
  ZSTD_inBuffer In = {From.data(), From.size(), 0};
  ZSTD_outBuffer Out = {To.data(), To.size(), 0};
  size_t Left = ZSTD_decompressStream(Context, &Out, &In);
  if (ZSTD_isError(Left))
    return createStringError(inconvertibleErrorCode(),
                             "zstd: " + Twine(ZSTD_getErrorName(Left)));
  // Without input and output the answer is a hint about the next frame.
  if (In.pos || Out.pos)
    AtEnd = Left == 0;
  return ZstdStep{In.pos, Out.pos};
}
